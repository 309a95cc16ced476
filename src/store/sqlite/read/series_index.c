/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Building and updating the pages of the series index. Roll-ups are read before chunks, so that
 * chunks that a roll-up includes need not be read.
 */
#include "store/sqlite/read/series_index.h"

#include <stdlib.h>

#include "store/sqlite/catalog/chunk_cache.h"
#include "store/sqlite/read/query_series.h"

/* A page takes at most this part of the store's memory. */
enum { PAGE_SHARE = 64 };

struct series_index *series_index_new(void)
{
	struct series_index *x = calloc(1, sizeof(*x));

	if (x) {
		x->refs = 1;
		pthread_rwlock_init(&x->lock, NULL);
	}
	return x;
}

struct series_index *series_index_ref(struct series_index *x)
{
	atomic_fetch_add(&x->refs, 1);
	return x;
}

static void forget_page(struct series_page *p)
{
	arena_fini(&p->arena);
	*p = (struct series_page){0};
}

static void forget_pages(struct series_index *x)
{
	for (unsigned i = 0; i < SERIES_INDEX_PAGES; i++)
		forget_page(&x->pages[i]);
}

void series_index_unref(struct series_index *x)
{
	if (!x || atomic_fetch_sub(&x->refs, 1) != 1)
		return;
	forget_pages(x);
	pthread_rwlock_destroy(&x->lock);
	free(x);
}

void series_index_shrink(struct series_index *x)
{
	if (pthread_rwlock_trywrlock(&x->lock))
		return;
	forget_pages(x);
	pthread_rwlock_unlock(&x->lock);
}

/* ---- updating a page ---- */

static int grow_page(struct query *q, struct series_page *p)
{
	struct budget *budget = &q->store->budget;
	uint32_t n = q->reader.directory->series->series.n;
	struct series_span *grown;

	if (n <= p->n)
		return 0;
	if (n * sizeof(*grown) > budget->limit / PAGE_SHARE)
		return -EAGAIN;
	if (!p->n)
		arena_init(&p->arena, budget);
	grown = arena_resize(&p->arena, p->at, p->n, n, sizeof(*grown));
	if (!grown)
		return -EAGAIN;
	for (; p->n < n; p->n++)
		grown[p->n] = (struct series_span){UINT64_MAX, 0};
	p->at = grown;
	return 0;
}

static void extend_times(struct series_page *p, uint32_t series, uint64_t first, uint64_t last)
{
	struct series_span *s = &p->at[series];

	s->first = first < s->first ? first : s->first;
	s->last = last > s->last ? last : s->last;
}

static int add_points_of_chunk(struct query *q, const struct chunk_entry *c, struct arena *block,
			       struct series_page *p)
{
	struct rows r;
	int rc = query_chunk_rows(q, c, NEED_POINTS, block, &r);

	for (uint32_t i = 0; !rc && i < r.series.n; i++)
		extend_times(p, r.series.at[i], r.time.at[i], r.time.at[i]);
	return rc;
}

static int add_times_of_rollup(struct query *q, const struct chunk_entry *c, struct arena *block,
			       struct series_page *p)
{
	struct series_times times;
	int rc = query_series_times(q, c, block, &times);

	for (uint32_t i = 0; !rc && i < times.at.n; i++)
		extend_times(p, times.at.at[i].series, times.at.at[i].first, times.at.at[i].last);
	return rc;
}

/*
 * Add the new chunks of a group. Its roll-ups are last in the list and read first, so that chunks
 * that they include are skipped.
 */
static int add_group_to_page(struct query *q, struct chunk_range range, unsigned page,
			     struct series_page *p, struct arena *block)
{
	uint32_t hours = 0;
	bool day = false;
	int rc = 0;

	for (uint32_t i = range.n; !rc && i-- > 0;) {
		const struct chunk_entry *c = &range.at[i];
		uint32_t hour = (uint32_t)1 << c->hour;
		bool known = c->id <= p->newest;

		if (page != SERIES_INDEX_DAY && (c->kind == CHUNK_ROLLUP_DAY || c->hour != page))
			continue;
		if (c->kind == CHUNK_ROLLUP_DAY)
			day = true;
		else if (c->kind == CHUNK_ROLLUP_HOUR)
			hours |= hour, known |= day && c->rolled;
		else
			known |= c->rolled && hours & hour;
		if (known)
			continue;
		rc = query_check(q);
		if (!rc)
			rc = c->kind == CHUNK_HOUR ? add_points_of_chunk(q, c, block, p)
						   : add_times_of_rollup(q, c, block, p);
		arena_reset(block);
	}
	return rc;
}

/* Update a page to the snapshot. The lock is held for writing. */
static int update_page(struct query *q, unsigned number)
{
	const struct directory *d = q->reader.directory;
	struct series_page *p = &d->index->pages[number];
	struct arena block;
	int rc;

	if (p->newest >= d->chunks->newest)
		return 0;
	rc = grow_page(q, p);
	arena_init(&block, q->select->limits.budget);
	for (uint32_t g = 0; !rc && g < d->chunks->groups; g++)
		if (d->chunks->at[g].newest > p->newest) {
			struct chunk_range range;

			rc = reader_chunks(&q->reader, g, &range, q->error);
			if (!rc)
				rc = add_group_to_page(q, range, number, p, &block);
		}
	arena_fini(&block);
	if (rc)
		forget_page(p); /* it may be partly updated */
	else
		p->newest = d->chunks->newest;
	return rc;
}

int series_index_page(struct query *q, unsigned page, const struct series_page **out)
{
	const struct directory *d = q->reader.directory;
	struct series_page *p = &d->index->pages[page];
	int rc;

	pthread_rwlock_rdlock(&d->index->lock);
	if (p->newest < d->chunks->newest) {
		pthread_rwlock_unlock(&d->index->lock);
		pthread_rwlock_wrlock(&d->index->lock);
		rc = update_page(q, page);
		pthread_rwlock_unlock(&d->index->lock);
		if (rc)
			return rc;
		pthread_rwlock_rdlock(&d->index->lock);
	}
	if (p->newest != d->chunks->newest) {
		pthread_rwlock_unlock(&d->index->lock);
		return -EAGAIN;
	}
	*out = p;
	return 0;
}

void series_index_done(struct query *q)
{
	pthread_rwlock_unlock(&q->reader.directory->index->lock);
}
