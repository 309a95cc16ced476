/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VARVE_STORE_SQLITE_WRITER_BOOK_H
#define VARVE_STORE_SQLITE_WRITER_BOOK_H

#include "store/sqlite/block/dictionary.h"
#include "store/sqlite/catalog/partition.h"
#include "store/sqlite/write/idhash.h"

/*
 * A book that is written: the dictionary of a service with its indexes. The writer has those that are written now; the others are
 * read again when they are needed. Which one goes first when memory is short is the store's list, over all days. Guarded by map_mu.
 */

/* The last segments of a book, that are small and will be merged. */
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
	struct row_index strings, functions, locations; /* of what was mapped: writer_guess.h */
	struct row_index stacks;			/* node of a whole stack */
	struct dictionary_counts written;		/* what is on disk */
	struct segment_tail tail;
	/* It was written to before. The indexes of what was mapped are for those that come often, and take as much as the rows. */
	bool frequent;
	bool full;   /* it was too large when it was checked last: writer_book_is_full() */
	bool grown;  /* it has rows for the next commit */
	bool sealed; /* or for the one that is being written */
	/* Rows were taken back: it has memory that nobody uses, and is let go of when it can be read again. */
	bool stale;
	bool unindexed; /* and has no indexes, as there was no memory for them */
};

/* Find the book; begin it if it is new. Return 0, -EINPROGRESS: it has to be loaded, or -ENOMEM. */
MUST_USE int writer_book_get(struct partition *p, uint32_t id, struct writer_book **out);

/*
 * Load the book. map_mu is held, and released meanwhile: then another thread may have loaded it first, or closed the
 * partition, and the caller has to look again. Return 0 or -errno.
 */
MUST_USE int writer_book_load(struct partition *p, uint32_t id, struct err *e);

/* Find out whether the book has reached its largest size, and note that in it. Walks over its memory. */
bool writer_book_is_full(struct writer_book *b);

/*
 * Close a full book, so that its service gets a new one: `group` is one of its groups, `before` what it had before
 * the write at hand. Return -EFBIG: map the write again; or -EDQUOT: the service has reached its limit, or the
 * write alone is larger than a book.
 */
MUST_USE int writer_book_close(struct writer_book *b, uint32_t group,
			       struct dictionary_counts before, struct err *e);

/* It has got rows, or not. 0 or -ENOMEM. */
MUST_USE int writer_book_used(struct writer_book *b);

/* Take back the rows that it has got since then. */
void writer_book_take_back(struct writer_book *b, struct dictionary_counts to);

/* Free the one used longest ago of those that have no rows for a commit; false: there is none. */
bool writer_book_evict(struct sqlite_store *s);

/* All of a side's. */
void writer_books_free(struct writer_side *side);

#endif
