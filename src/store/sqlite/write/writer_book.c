/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Books of the writer: a bounded cache of dictionaries with their indexes, over all partitions that
 * are open for writing. Books with uncommitted rows cannot be evicted.
 */
#include "store/sqlite/write/writer_book.h"

#include <stdlib.h>

#include "store/sqlite/read/book_cache.h"
#include "store/sqlite/read/reader.h"
#include "store/sqlite/store_state.h"
#include "store/sqlite/write/writer.h"

static void book_free(struct writer_book *b)
{
	stack_tree_fini(&b->tree);
	row_index_fini(&b->strings);
	row_index_fini(&b->functions);
	row_index_fini(&b->locations);
	row_index_fini(&b->stacks);
	free(b);
}

static void book_drop(struct sqlite_store *s, struct writer_book *b)
{
	lru_remove(&s->written_books, &b->use);
	b->side->books[b->id] = NULL;
	book_free(b);
}

/* Return whether all rows of the book are on disk. */
static bool is_clean(const struct writer_book *b)
{
	return !b->grown && !b->sealed;
}

bool writer_book_evict(struct sqlite_store *s)
{
	for (struct lru_link *x = s->written_books.oldest; x; x = x->newer)
		if (is_clean((struct writer_book *)x)) {
			book_drop(s, (struct writer_book *)x);
			return true;
		}
	return false;
}

void writer_books_free(struct writer_side *side)
{
	for (uint32_t i = 0; i < side->books_cap; i++)
		if (side->books[i])
			book_drop(side->store, side->books[i]);
	free(side->books);
	free(side->full);
}

/* Grow the list for that book. */
static int grow_books(struct writer_side *side, uint32_t id)
{
	uint32_t n = side->books_cap ? side->books_cap : 16;
	struct writer_book **grown;
	bool *full;

	if (id < side->books_cap)
		return 0;
	while (n <= id)
		n *= 2;
	full = realloc(side->full, n * sizeof(*full));
	if (!full)
		return -ENOMEM;
	side->full = full;
	grown = realloc(side->books, n * sizeof(struct writer_book *));
	if (!grown)
		return -ENOMEM;
	memset(full + side->books_cap, 0, (n - side->books_cap) * sizeof(*full));
	memset(grown + side->books_cap, 0, (n - side->books_cap) * sizeof(struct writer_book *));
	side->books = grown;
	side->books_cap = n;
	return 0;
}

static struct writer_book *book_new(struct partition *p, uint32_t id)
{
	struct writer_book *b = calloc(1, sizeof(*b));

	if (b) {
		b->side = p->writer;
		b->id = id;
		b->strings.budget = b->functions.budget = b->locations.budget = b->stacks.budget =
			&p->store->budget;
	}
	return b;
}

static void book_put(struct partition *p, struct writer_book *b)
{
	b->written = dictionary_count(&b->tree);
	(void)writer_book_is_full(b);
	b->side->books[b->id] = b;
	lru_add(&p->store->written_books, &b->use);
}

/* Read the book from a snapshot of the partition; set *segment to its last segment there. */
static int read_snapshot(struct partition *p, struct writer_book *b, uint64_t *segment,
			 struct err *e)
{
	struct reader r = {0};
	int rc = reader_begin(&r, p, e);

	*segment = 0;
	if (!rc)
		rc = dictionary_init(&b->tree, &p->store->budget);
	if (!rc && b->id < r.directory->books->n && r.directory->books->at[b->id].segment)
		rc = dictionary_load(&r.connection->db, &r.connection->unpacker, &b->tree, segment,
				     r.directory->books, b->id, e);
	reader_end(&r);
	return rc ? rc : dictionary_index(&b->tree);
}

/*
 * Install a book that was read in the partition, or free it if it is outdated: then the caller
 * looks again.
 */
static void book_install(struct partition *p, uint64_t ticket, struct writer_book *b,
			 uint64_t segment)
{
	const struct writer_side *side = b->side; /* may be freed if the ticket has changed */

	if (!writer_is_same(p, ticket) || side->books[b->id] || b->id >= side->on_disk->n ||
	    side->on_disk->at[b->id].segment != segment)
		book_free(b);
	else
		book_put(p, b);
}

int writer_book_load(struct partition *p, uint32_t id, struct err *e)
{
	struct sqlite_store *s = p->store;
	struct writer_book *b;
	struct err own;
	uint64_t segment, ticket = p->writer->ticket;
	bool evicted;
	int rc;

	do { /* without memory: replace other books */
		own = (struct err){0};
		if (!writer_is_same(p, ticket))
			return 0;
		b = book_new(p, id);
		if (!b)
			return -ENOMEM;
		pthread_mutex_unlock(&s->map_mu);
		rc = read_snapshot(p, b, &segment, &own);
		pthread_mutex_lock(&s->map_mu);
		if (rc)
			book_free(b);
		evicted = rc == -ENOMEM && writer_book_evict(s);
	} while (evicted);
	if (rc && e && own.code)
		*e = own;
	if (rc)
		return err_errno(e, rc, "read a dictionary");
	book_install(p, ticket, b, segment);
	return 0;
}

int writer_book_get(struct partition *p, uint32_t id, struct writer_book **out)
{
	struct writer_side *side = p->writer;
	int rc = grow_books(side, id);

	if (rc)
		return rc;
	if (side->books[id] && side->books[id]->stale && is_clean(side->books[id]))
		book_drop(p->store, side->books[id]);
	*out = side->books[id];
	if (*out) {
		lru_use(&p->store->written_books, &(*out)->use);
		rc = (*out)->unindexed ? dictionary_index(&(*out)->tree) : 0;
		(*out)->unindexed = rc;
		return rc;
	}
	if (id < side->on_disk->n && side->on_disk->at[id].segment)
		return -EINPROGRESS;
	*out = book_new(p, id); /* no row of it is on disk */
	rc = *out ? dictionary_init(&(*out)->tree, &p->store->budget) : -ENOMEM;
	if (!rc)
		rc = dictionary_index(&(*out)->tree);
	if (rc && *out)
		book_free(take_ptr(out));
	if (!rc)
		book_put(p, *out);
	return rc;
}

/*
 * Upper bounds of a book: this part of the writer's memory, and BOOK_BYTES. The writer and readers
 * load a book as a whole.
 */
enum { BOOK_PART = 4 };
#define BOOK_BYTES (128 * MIB)

bool writer_book_is_full(struct writer_book *b)
{
	const struct sqlite_store *s = b->side->store;
	size_t most = min_size(s->budget.limit / BOOK_PART, BOOK_BYTES);

	most = s->options.book_bytes ? s->options.book_bytes : most;
	b->full = arena_bytes(&b->tree.dictionary.arena) > most;
	return b->full;
}

int writer_book_close(struct writer_book *b, uint32_t group, struct dictionary_counts before,
		      struct err *e)
{
	int rc = writer_may_begin_book(b->side, group, e);

	if (rc)
		return rc;
	if (before.nodes <= 1)
		return err_set(e, -EDQUOT,
			       "the write has more stacks than a dictionary may hold: send it in "
			       "smaller parts, or raise the memory limit");
	b->side->full[b->id] = true;
	return -EFBIG;
}

int writer_book_used(struct writer_book *b)
{
	struct writer_side *side = b->side;
	int rc;

	if (b->grown || !dictionary_grew(b->written, dictionary_count(&b->tree)))
		return 0;
	/* rows of a commit that is being written are not new; writer_commit_end() corrects that */
	rc = vec_push(&side->index, &side->grown, b);
	b->grown = !rc;
	return rc;
}

void writer_book_roll_back(struct writer_book *b, struct dictionary_counts to)
{
	struct profile_batch *d = &b->tree.dictionary;

	if (!dictionary_grew(to, dictionary_count(&b->tree)))
		return;
	row_index_fini(&b->strings);
	row_index_fini(&b->functions);
	row_index_fini(&b->locations);
	row_index_fini(&b->stacks);
	memo_table_fini(&b->side->memos); /* they may refer to these rows */
	if (is_clean(b)) {		  /* or a new book */
		book_drop(b->side->store, b);
		return;
	}
	b->stale = true;
	d->strings.n = to.strings;
	d->attributes.n = to.attributes;
	d->mappings.n = to.mappings;
	d->functions.n = to.functions;
	d->locations.n = to.locations;
	b->tree.nodes.n = to.nodes;
	b->tree.index = NULL;
	b->tree.index_size = b->tree.indexed = 0;
	b->unindexed = dictionary_index(&b->tree);
}
