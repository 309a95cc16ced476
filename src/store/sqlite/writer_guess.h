/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VARVE_STORE_SQLITE_WRITER_GUESS_H
#define VARVE_STORE_SQLITE_WRITER_GUESS_H

#include "signal/profile_remap.h"
#include "store/sqlite/writer_memo.h"

/* A row that was not where the memo has it. */
struct missed_row {
	struct stack_slot key; /* hash 0: it cannot be known */
	uint32_t row;
	bool known; /* by its hash */
};

struct guess_table {
	struct stack_index *index; /* of all rows that were mapped before */
	struct memo_ids memo;	   /* the rows of the sender's last batch */
	uint32_t at;		   /* of it: what should come next */
	uint32_t *ids;		   /* what was found, by row of the batch: the remap's */
	VEC(struct missed_row) missed;
};

/* Rows of a batch that are known before the remap is asked for them. */
struct guess {
	struct profile_remap *remap; /* begun with the batch */
	struct guess_table strings, functions, locations;
	struct arena *scratch;
};

/* Fill in what is known. `memo` may be NULL. 0 or -ENOMEM. */
MUST_USE int guess_rows(struct guess *g, const struct memo *memo);

/* Remember what was mapped since. */
void guess_learn(struct guess *g);

#endif
