/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VARVE_STORE_SQLITE_WRITER_MEMO_H
#define VARVE_STORE_SQLITE_WRITER_MEMO_H

#include "store/sqlite/write/idhash.h"

/*
 * What the rows of a sender's last batch were mapped to, in their order, each with its key. The
 * next batch of the same program has nearly the same rows in nearly the same order, so the key of
 * each row is first compared with the key at the same position here, which is read sequentially.
 * Only on a mismatch is the row looked up in the indexes, which are in no CPU cache. Losing a memo
 * costs time only.
 *
 * A sender is identified by a hash (of the labels of its first series). The table has a fixed size
 * and each sender one place in it; senders with the same place replace each other.
 */
struct memo_rows {
	/* Key, and row of the dictionary (or node) + 1. Hash 0: the row was not looked up. */
	const struct row_slot *at;
	uint32_t n;
};

struct memo {
	uint64_t sender;
	size_t bytes;
	struct row_slot *memory; /* backs the arrays below, one after the other */
	struct memo_rows strings, functions, locations, stacks;
};

enum { MEMOS = 512 };

struct memo_table {
	struct memo *at[MEMOS];
	size_t used, limit; /* bytes */
	struct budget *budget;
};

void memo_table_fini(struct memo_table *t);

/* Return the memo of the sender, or NULL. Valid until the next memo_keep(). */
const struct memo *memo_find(const struct memo_table *t, uint64_t sender);

/*
 * Store a copy of the memo in place of the previous one of m->sender. Without memory nothing is
 * stored.
 */
void memo_keep(struct memo_table *t, const struct memo *m);

/*
 * Return where in the list to continue after a row that was not at its expected position: one after
 * the row with that key if it is near, else `at`.
 */
uint32_t memo_resume(struct memo_rows rows, uint32_t at, struct row_slot key);

#endif
