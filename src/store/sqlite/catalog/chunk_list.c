/* SPDX-License-Identifier: Apache-2.0 */
/* The list of a partition's chunks: references, sorting, totals and checksums. */
#include "store/sqlite/catalog/chunk_list.h"

#include <stdlib.h>

#include "store/sqlite/block/frame.h"

/* The checksum of a row without links does not include PART_LINKS, as before format 3. */
uint64_t chunk_sum(const struct chunk_entry *c)
{
	enum { BEFORE = offsetof(struct chunk_entry, parts[PART_LINKS]) };
	uint64_t fields[sizeof(*c) / sizeof(uint64_t) - 1];

	if (c->parts[PART_LINKS])
		return frame_sum(c, sizeof(*c));
	memcpy(fields, c, BEFORE);
	memcpy((char *)fields + BEFORE, &c->parts[PART_LINKS + 1], sizeof(fields) - BEFORE);
	return frame_sum(fields, sizeof(fields));
}

struct chunk_rows *chunk_rows_new(uint32_t n)
{
	struct chunk_rows *r = calloc(1, sizeof(*r) + n * sizeof(r->at[0]));

	if (r) {
		r->refs = 1;
		r->n = n;
	}
	return r;
}

void chunk_rows_unref(struct chunk_rows *r)
{
	if (r && atomic_fetch_sub(&r->refs, 1) == 1)
		free(r);
}

struct chunk_rows *chunk_rows_ref(struct chunk_rows *r)
{
	atomic_fetch_add(&r->refs, 1);
	return r;
}

uint64_t chunk_group_sum(const struct chunk_group *g)
{
	return frame_sum(g, sizeof(*g));
}

static int compare_entries(const void *a, const void *b)
{
	const struct chunk_entry *x = a, *y = b;

	if (x->kind != y->kind)
		return x->kind < y->kind ? -1 : 1;
	if (x->hour != y->hour)
		return x->hour < y->hour ? -1 : 1;
	return x->id < y->id ? -1 : x->id > y->id;
}

static void widen_range(uint64_t *first, uint64_t *last, uint64_t from, uint64_t to)
{
	*first = from < *first ? from : *first;
	*last = to > *last ? to : *last;
}

struct chunk_group chunk_rows_finish(struct chunk_rows *r, uint32_t group)
{
	struct chunk_group g = {.group = group, .rows = r->n, .first = UINT64_MAX};

	if (r->n)
		qsort(r->at, r->n, sizeof(r->at[0]), compare_entries);
	for (uint32_t i = 0; i < r->n; i++) {
		const struct chunk_entry *c = &r->at[i];
		bool hour = c->kind == CHUNK_HOUR;

		g.fold ^= chunk_sum(c);
		widen_range(&g.first, &g.last, c->first, c->last);
		g.profiles += hour ? c->profiles : 0;
		g.samples += hour ? c->samples : 0;
		g.bytes += c->bytes;
		g.newest = c->id > g.newest ? c->id : g.newest;
		g.open |= hour && !c->rolled ? (uint64_t)1 << c->hour : 0;
		g.open |= c->kind != CHUNK_ROLLUP_DAY && !c->rolled ? OPEN_DAY : 0;
	}
	return g;
}

struct chunk_list *chunk_list_new(uint32_t groups, const struct chunk_list *old)
{
	struct chunk_list *l = calloc(1, sizeof(*l) + groups * sizeof(l->at[0]));

	if (!l)
		return NULL;
	l->refs = 1;
	l->groups = groups;
	for (uint32_t i = 0; i < groups; i++)
		l->at[i] = old ? chunk_list_get(old, i) : (struct chunk_group){.first = UINT64_MAX};
	return l;
}

struct chunk_list *chunk_list_ref(struct chunk_list *l)
{
	atomic_fetch_add(&l->refs, 1);
	return l;
}

void chunk_list_unref(struct chunk_list *l)
{
	if (!l || atomic_fetch_sub(&l->refs, 1) != 1)
		return;
	for (uint32_t i = 0; l->pinned && i < l->groups; i++)
		chunk_rows_unref(l->pinned[i]);
	free(l->pinned);
	free(l);
}

void chunk_list_finish(struct chunk_list *l)
{
	l->first = UINT64_MAX;
	l->n = l->last = l->bytes = l->newest = l->open = 0;
	for (uint32_t i = 0; i < l->groups; i++) {
		const struct chunk_group *g = &l->at[i];

		if (!g->rows)
			continue;
		l->n += g->rows;
		widen_range(&l->first, &l->last, g->first, g->last);
		l->bytes += g->bytes;
		l->newest = g->newest > l->newest ? g->newest : l->newest;
		l->open |= g->open;
	}
}
