/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VARVE_STORE_SQLITE_WRITER_BOOK_H
#define VARVE_STORE_SQLITE_WRITER_BOOK_H

#include "base/container/lru.h"
#include "store/sqlite/block/dictionary.h"
#include "store/sqlite/catalog/directory.h"
#include "store/sqlite/catalog/partitions.h"
#include "store/sqlite/write/idhash.h"

/*
 * A book that is open for writing: the dictionary of a service with its indexes. The writer keeps
 * the books that are written now and reloads others when they are needed. When memory is short, the
 * least recently used book of all days is evicted first (the store's list). Guarded by map_mu.
 */

/* The last segments of a book, which are small and will be merged. */
struct segment_tail {
	struct dictionary_counts from; /* rows before the first of them */
	uint64_t first;		       /* its id */
	uint32_t n;
};

struct writer_book {
	struct lru_link use; /* first */
	struct writer_side *side;
	uint32_t id;
	struct stack_tree tree;
	struct row_index strings, functions, locations; /* of mapped rows: writer_guess.h */
	struct row_index stacks;			/* node of a whole stack */
	struct dictionary_counts written;		/* what is on disk */
	struct segment_tail tail;
	/*
	 * It was written to before. Mapped rows are indexed only for such books, since the indexes
	 * take as much memory as the rows.
	 */
	bool frequent;
	bool full;   /* too large at the last check: writer_book_is_full() */
	bool grown;  /* has rows for the next commit */
	bool sealed; /* has rows in the commit that is being written */
	/*
	 * Rows were rolled back, which leaves unused memory: drop the book as soon as it can be
	 * reloaded.
	 */
	bool stale;
	bool unindexed; /* it has no index: there was no memory for one */
};

/*
 * Find the book, or create it if it is new. Return 0, -EINPROGRESS if it has to be loaded, or
 * -ENOMEM.
 */
MUST_USE int writer_book_get(struct partition *p, uint32_t id, struct writer_book **out);

/*
 * Load the book. map_mu is held, and released while reading: meanwhile another thread may have
 * loaded the book or closed the partition, so the caller has to look it up again. Return 0 or
 * -errno.
 */
MUST_USE int writer_book_load(struct partition *p, uint32_t id, struct err *e);

/*
 * Check whether the book has reached its maximum size, and record the result in it. Walks the
 * book's list of memory blocks.
 */
bool writer_book_is_full(struct writer_book *b);

/*
 * Close a full book, so that its service gets a new one. `group` is one of its groups; `before` are
 * the counts before the current write. Return -EFBIG: map the write again; or -EDQUOT: the service
 * has reached its limit, or the write alone is larger than a book.
 */
MUST_USE int writer_book_close(struct writer_book *b, uint32_t group,
			       struct dictionary_counts before, struct err *e);

/* List the book for the next commit if it has new rows. Return 0 or -ENOMEM. */
MUST_USE int writer_book_used(struct writer_book *b);

/* Roll the book back to these counts. */
void writer_book_roll_back(struct writer_book *b, struct dictionary_counts to);

/* Free the least recently used book without uncommitted rows. Return false if there is none. */
bool writer_book_evict(struct sqlite_store *s);

/* Free all books of the side. */
void writer_books_free(struct writer_side *side);

#endif
