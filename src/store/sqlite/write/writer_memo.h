/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VARVE_STORE_SQLITE_WRITER_MEMO_H
#define VARVE_STORE_SQLITE_WRITER_MEMO_H

#include "store/sqlite/write/idhash.h"

/*
 * What the rows of the last batch of a sender were mapped to, in their order, each with its key. The next
 * batch of the same program has nearly the same rows in nearly the same order, so the key of each row is
 * first held against the one that stands here, which is read from front to end, before it is looked for in
 * tables and dictionaries that are in nobody's cache. To forget all of it costs time only.
 *
 * A sender is known by a hash (of the labels of its first series). The table is of fixed size and
 * each sender has one place in it: where there are more senders than places, they push each other out.
 */
struct memo_rows {
	const struct row_slot
		*at; /* key and row of the dictionary, or node, + 1; hash 0: was not asked for */
	uint32_t n;
};

struct memo {
	uint64_t sender;
	size_t bytes;
	struct row_slot *memory; /* the arrays below, one behind the other */
	struct memo_rows strings, functions, locations, stacks;
};

enum { MEMOS = 512 };

struct memo_table {
	struct memo *at[MEMOS];
	size_t used, limit; /* bytes */
	struct budget *budget;
};

void memo_table_fini(struct memo_table *t);

/* What is known of the sender; NULL: nothing. Valid until the next memo_keep(). */
const struct memo *memo_find(const struct memo_table *t, uint64_t sender);

/* Keep a copy of it, m->sender's, in place of what was known. Without memory it is not kept. */
void memo_keep(struct memo_table *t, const struct memo *m);

/*
 * Where in the list to look next, when the row at hand was not where it was looked for: behind where it
 * stands. Not far away: else `at` as it is.
 */
uint32_t memo_resume(struct memo_rows rows, uint32_t at, struct row_slot key);

#endif
