/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The shared books of readers. A book is loaded at its first use, extended when a newer snapshot
 * needs more of it, and evicted, least recently used first, when memory is short and no reader has
 * it.
 */
#include "store/sqlite/read/book_cache.h"

#include <stdlib.h>

#include "store/sqlite/block/dictionary.h"
#include "store/sqlite/catalog/chunk_cache.h"
#include "store/sqlite/catalog/directory.h"
#include "store/sqlite/catalog/partitions.h"
#include "store/sqlite/catalog/schema.h"
#include "store/sqlite/read/reader.h"
#include "store/sqlite/read/spans/filter_cache.h"
#include "store/sqlite/store_state.h"

/*
 * Remove the book from the list of its partition. The caller takes over the list's reference.
 * books_mu is held.
 */
static void remove_from_list(struct sqlite_store *s, struct dictionary_cache *d)
{
	lru_remove(&s->read_books, &d->use);
	d->partition->books[d->book] = NULL;
	d->partition = NULL;
}

static void free_cached(struct dictionary_cache *d)
{
	stack_tree_fini(&d->tree);
	pthread_rwlock_destroy(&d->lock);
	free(d);
}

static void unref_cached(struct sqlite_store *s, struct dictionary_cache *d)
{
	bool last;

	pthread_mutex_lock(&s->books_mu);
	last = --d->refs == 0;
	pthread_mutex_unlock(&s->books_mu);
	if (last)
		free_cached(d);
}

/* Evict the least recently used half of the unused books. Return false if there are none. */
static bool evict_some(struct sqlite_store *s)
{
	struct lru gone = {0};
	struct lru_link *x, *next;
	uint32_t idle = 0;
	bool any;

	pthread_mutex_lock(&s->books_mu);
	for (x = s->read_books.oldest; x; x = x->newer)
		idle += ((struct dictionary_cache *)x)->refs == 1;
	any = idle;
	idle = (idle + 1) / 2;
	for (x = s->read_books.oldest; x && idle; x = next) {
		next = x->newer;
		if (((struct dictionary_cache *)x)->refs != 1)
			continue;
		remove_from_list(s, (struct dictionary_cache *)x);
		lru_add(&gone, x);
		idle--;
	}
	pthread_mutex_unlock(&s->books_mu);
	for (x = gone.oldest; x; x = next) {
		next = x->newer;
		free_cached((struct dictionary_cache *)x);
	}
	return any;
}

void book_cache_drop(struct partition *p)
{
	struct sqlite_store *s = p->store;

	pthread_mutex_lock(&s->books_mu);
	for (uint32_t i = 0; i < p->books_n; i++) {
		struct dictionary_cache *d = p->books[i];

		if (!d)
			continue;
		remove_from_list(s, d);
		if (--d->refs == 0)
			free_cached(d);
	}
	free(take_ptr(&p->books));
	p->books_n = 0;
	pthread_mutex_unlock(&s->books_mu);
}

/* Grow the partition's list for that book. books_mu is held. */
static bool grow_list(struct partition *p, uint32_t book)
{
	uint32_t n = p->books_n ? p->books_n : 16;
	struct dictionary_cache **grown;

	if (book < p->books_n)
		return true;
	while (n <= book)
		n *= 2;
	grown = realloc(p->books, n * sizeof(struct dictionary_cache *));
	if (!grown)
		return false;
	memset(grown + p->books_n, 0, (n - p->books_n) * sizeof(struct dictionary_cache *));
	p->books = grown;
	p->books_n = n;
	return true;
}

/* Return the book, created if necessary, with a reference for the caller. NULL: no memory. */
static struct dictionary_cache *get_cached(struct partition *p, uint32_t book)
{
	struct sqlite_store *s = p->store;
	struct dictionary_cache *d = NULL;

	pthread_mutex_lock(&s->books_mu);
	if (grow_list(p, book))
		d = p->books[book];
	if (d) {
		lru_remove(&s->read_books, &d->use);
	} else if (book < p->books_n && (d = calloc(1, sizeof(*d)))) {
		pthread_rwlock_init(&d->lock, NULL);
		d->refs = 1; /* the partition's */
		d->partition = p;
		d->book = book;
		p->books[book] = d;
	}
	if (d) {
		d->refs++;
		lru_add(&s->read_books, &d->use);
	}
	pthread_mutex_unlock(&s->books_mu);
	return d;
}

/* Remove a book whose loading failed, so that the next reader starts with a new one. */
static void drop_failed(struct sqlite_store *s, struct dictionary_cache *d)
{
	bool listed;

	pthread_mutex_lock(&s->books_mu);
	listed = d->partition;
	if (listed)
		remove_from_list(s, d);
	pthread_mutex_unlock(&s->books_mu);
	if (listed)
		unref_cached(s, d);
}

int dictionary_load(struct db *db, struct frame_unpacker *unpacker, struct stack_tree *t,
		    uint64_t *segment, const struct book_list *books, uint32_t book, struct err *e)
{
	struct arena scratch;
	sqlite3_stmt *s;
	int rc =
		db_statement(db, books->apart ? READ_SEGMENTS : READ_SEGMENTS_WITHOUT_BOOKS, &s, e);

	if (!rc && books->at[book].nodes < VEC_MAX && books->at[book].nodes > t->nodes.n)
		rc = vec_reserve(&t->dictionary.arena, &t->nodes,
				 books->at[book].nodes - t->nodes.n);
	if (rc)
		return rc;
	arena_init(&scratch, NULL);
	db_bind(s, 1, book);
	db_bind(s, 2, *segment);
	while ((rc = db_step(db, s, e)) > 0) {
		struct str bytes;

		arena_reset(&scratch);
		rc = frame_get(db_bytes(s, 1), FRAME_DICTIONARY, unpacker, &scratch, &bytes, e);
		if (!rc)
			rc = dictionary_decode(t, bytes, e);
		if (rc)
			break;
		*segment = db_u64(s, 0);
	}
	sqlite3_reset(s);
	arena_fini(&scratch);
	if (!rc && (*segment != books->at[book].segment || t->nodes.n != books->at[book].nodes))
		rc = err_set(e, -EUCLEAN, "parts of its dictionary are missing");
	return rc;
}

/*
 * Extend the book to the reader's snapshot. The lock is held for writing. On error the tree is
 * empty, for readers that wait for the lock.
 */
static int extend_book(struct reader *r, struct dictionary_cache *d, struct err *e)
{
	const struct book_list *books = r->directory->books;
	int rc = 0;

	if (!d->tree.nodes.n)
		rc = dictionary_init(&d->tree, &r->partition->store->cached);
	if (!rc && d->segment < books->at[d->book].segment)
		rc = dictionary_load(&r->connection->db, &r->connection->unpacker, &d->tree,
				     &d->segment, books, d->book, e);
	if (!rc)
		return 0;
	stack_tree_fini(&d->tree);
	d->tree = (struct stack_tree){0};
	d->segment = 0;
	return rc;
}

static bool book_is_loaded(const struct reader *r, const struct dictionary_cache *d)
{
	return d->tree.nodes.n && d->segment >= r->directory->books->at[d->book].segment;
}

/* Load the book; without memory evict others and try again. */
static int load_cached_book(struct reader *r, struct dictionary_cache *d, struct err *e)
{
	struct err own;
	int rc;

	do {
		own = (struct err){0};
		pthread_rwlock_wrlock(&d->lock);
		rc = extend_book(r, d, &own);
		pthread_rwlock_unlock(&d->lock);
	} while (rc == -ENOMEM &&
		 (evict_some(r->partition->store) || chunk_cache_evict(r->partition->store) ||
		  span_filters_evict(r->partition->store)));
	if (!rc)
		return 0;
	if (e)
		*e = own;
	return err_errno(e, rc, "read the dictionary");
}

int reader_dictionary(struct reader *r, uint32_t book, struct err *e)
{
	struct sqlite_store *s = r->partition->store;
	struct dictionary_cache *d;
	int rc = 0;

	if (r->dictionary && r->book == book)
		return 0;
	reader_leave(r);
	d = get_cached(r->partition, book);
	if (!d)
		return err_errno(e, -ENOMEM, "read the dictionary");
	pthread_rwlock_rdlock(&d->lock);
	if (!book_is_loaded(r, d)) {
		pthread_rwlock_unlock(&d->lock);
		rc = load_cached_book(r, d, e);
		if (rc) {
			drop_failed(s, d);
			/* NOLINTNEXTLINE(clang-analyzer-unix.Malloc): our own reference */
			unref_cached(s, d);
			return rc;
		}
		pthread_rwlock_rdlock(&d->lock);
		/* another reader, with a newer snapshot, failed to extend it */
		if (!book_is_loaded(r, d))
			rc = err_set(e, -EUCLEAN, "the dictionary of partition %s cannot be read",
				     r->partition->name);
	}
	if (rc) {
		pthread_rwlock_unlock(&d->lock);
		unref_cached(s, d);
		return rc;
	}
	r->dictionary = d;
	r->book = book;
	return 0;
}

void reader_leave(struct reader *r)
{
	if (!r->dictionary)
		return;
	pthread_rwlock_unlock(&r->dictionary->lock);
	unref_cached(r->partition->store, take_ptr(&r->dictionary));
}
