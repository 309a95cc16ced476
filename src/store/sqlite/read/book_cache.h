/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VARVE_STORE_SQLITE_BOOK_CACHE_H
#define VARVE_STORE_SQLITE_BOOK_CACHE_H

#include "base/container/lru.h"
#include "signal/stack_tree.h"
#include "store/sqlite/block/frame.h"
#include "store/sqlite/read/reader.h"

/*
 * The books that readers share. A book is loaded at its first use, extended when a newer snapshot
 * needs more of it, and evicted (least recently used first) when its memory is needed for others.
 */

/* A cached book. The fields before the lock are guarded by the store's books_mu. */
struct dictionary_cache {
	struct lru_link use; /* first */
	uint32_t refs;
	struct partition *partition; /* that lists it; NULL: evicted */
	uint32_t book;
	pthread_rwlock_t lock; /* of what follows: held for reading while the tree is used */
	struct stack_tree tree;
	uint64_t segment; /* the last one in it */
};

/*
 * Extend the book to the snapshot and lock it for reading, until another book is requested,
 * reader_leave() or reader_end(). The tree is r->dictionary->tree. May be called again for the same
 * book. Return 0 or -errno.
 */
MUST_USE int reader_dictionary(struct reader *r, uint32_t book, struct err *e);
void reader_leave(struct reader *r);

/* Append the segments of the book after *segment to the tree. For readers and for the writer. */
MUST_USE int dictionary_load(struct db *db, struct frame_unpacker *unpacker, struct stack_tree *t,
			     uint64_t *segment, const struct book_list *books, uint32_t book,
			     struct err *e);

/* Evict the books of the partition. */
void book_cache_drop(struct partition *p);

#endif
