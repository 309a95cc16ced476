/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VARVE_STORE_SQLITE_WRITER_GUESS_H
#define VARVE_STORE_SQLITE_WRITER_GUESS_H

#include "signal/profile/profile_remap.h"
#include "store/sqlite/write/writer_memo.h"

struct guess_table {
	struct row_index *index; /* of all rows mapped before */
	struct memo_rows memo;	 /* the rows of the sender's last batch */
	uint32_t at;		 /* position in `memo` of the expected next row */
	/* the remap's ids, by row of the batch; set where a row was found */
	uint32_t *ids;
	/*
	 * By row of the batch: its key, with the id + 1 if it was found. Hash 0: a part of the row
	 * is not known yet.
	 */
	struct row_slot *keys;
	uint32_t n;
	VEC(uint32_t) missed; /* rows that were not found at their position in the memo */
};

/* Rows of a batch that are found before the remap is used: a prediction of what it would return. */
struct row_guess {
	struct profile_remap *remap; /* initialized with the batch */
	struct guess_table strings, functions, locations;
	struct arena *scratch;
};

/* Set the ids of all known rows in the remap. `memo` may be NULL. Return 0 or -ENOMEM. */
MUST_USE int guess_rows(struct row_guess *g, const struct memo *memo);

/* Add the rows that were mapped since to the indexes, and complete the keys. */
void guess_learn(struct row_guess *g);

#endif
