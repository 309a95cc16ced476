/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VARVE_STORE_SQLITE_WRITER_GUESS_H
#define VARVE_STORE_SQLITE_WRITER_GUESS_H

#include "signal/profile_remap.h"
#include "store/sqlite/idhash.h"

/* Rows of a batch that are known by their hash, before the remap is asked for them. */
struct guess {
	struct profile_remap *remap; /* begun with the batch */
	struct stack_index *strings, *functions, *locations;
	struct stack_slot *string_keys, *function_keys,
		*location_keys; /* of the rows of the batch */
};

/* Fill in what is known. 0 or -ENOMEM. */
MUST_USE int guess_rows(struct guess *g, struct arena *scratch);

/* Remember what was mapped since. */
void guess_learn(struct guess *g);

#endif
