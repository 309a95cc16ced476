/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VARVE_STORE_SQLITE_WRITER_GUESS_H
#define VARVE_STORE_SQLITE_WRITER_GUESS_H

#include "signal/profile/profile_remap.h"
#include "store/sqlite/write/writer_memo.h"

struct guess_table {
	struct row_index *index; /* of all rows that were mapped before */
	struct memo_rows memo;	 /* the rows of the sender's last batch */
	uint32_t at;		 /* of it: what should come next */
	uint32_t *ids;		 /* what was found, by row of the batch: the remap's */
	struct row_slot
		*keys; /* by row: with the id + 1 where it was found; hash 0: cannot be known */
	uint32_t n;
	VEC(uint32_t) missed; /* rows that were not where the memo has them */
};

/* Rows of a batch that are known before the remap is asked for them. */
struct guess {
	struct profile_remap *remap; /* begun with the batch */
	struct guess_table strings, functions, locations;
	struct arena *scratch;
};

/* Fill in what is known. `memo` may be NULL. 0 or -ENOMEM. */
MUST_USE int guess_rows(struct guess *g, const struct memo *memo);

/* Remember what was mapped since; all keys are there then. */
void guess_learn(struct guess *g);

#endif
