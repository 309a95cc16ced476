/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The traces of a time range, newest first: the structure of all blocks in the range is read, and
 * the first start and the last end of each trace are noted. Spans of a trace are adjacent in a
 * block, but a trace may be in several blocks and days.
 */
#include "store/sqlite/read/query_trace_list.h"

#include <stdlib.h>

#include "base/clock.h"
#include "base/container/hash.h"
#include "base/container/idset.h"
#include "store/sqlite/read/query.h"
#include "store/sqlite/read/query_spans.h"
#include "store/sqlite/store_state.h"

/* Spans that begin this long before the range are read, because they may reach into it. */
#define LONGEST_SPAN_NS (3600 * NS_PER_SECOND)

struct listed_trace {
	uint8_t id[TRACE_ID_SIZE];
	uint64_t start, end;
};

struct trace_list {
	const struct store_span_select *select;
	uint64_t from; /* of the spans that are read */
	struct arena arena, block;
	struct idset index;
	VEC(struct listed_trace) traces;
};

static int note_trace(struct trace_list *l, const uint8_t *id, uint64_t start, uint64_t end)
{
	uint32_t hash = (uint32_t)hash_bytes(id, TRACE_ID_SIZE), i;
	struct idset_cursor c = idset_seek(&l->index, hash);
	struct listed_trace t = {.start = start, .end = end};
	int rc;

	while (idset_next(&l->index, &c, &i)) {
		struct listed_trace *known = &l->traces.at[i];

		if (memcmp(known->id, id, TRACE_ID_SIZE) != 0)
			continue;
		known->start = start < known->start ? start : known->start;
		known->end = end > known->end ? end : known->end;
		return 0;
	}
	memcpy(t.id, id, TRACE_ID_SIZE);
	rc = idset_add(&l->index, hash, l->traces.n);
	return rc ? rc : vec_push(&l->arena, &l->traces, t);
}

static int list_block(struct trace_list *l, struct reader *r, const struct span_entry *entry,
		      struct err *e)
{
	struct span_rows rows;
	int rc = query_check_limits(&l->select->limits, true, e);

	if (!rc)
		rc = spans_read(r, entry, NULL, &l->block, &rows, e);
	for (uint32_t i = 0, next; !rc && i < rows.spans.n; i = next) {
		const struct kept_span *k = &rows.spans.at[i];
		uint64_t start = k->start, end = 0;

		for (next = i; next < rows.spans.n; next++) {
			const struct kept_span *s = &rows.spans.at[next];

			if (memcmp(s->trace_id, k->trace_id, TRACE_ID_SIZE) != 0 ||
			    s->tenant != k->tenant)
				break;
			start = s->start < start ? s->start : start;
			end = s->start + s->duration > end ? s->start + s->duration : end;
		}
		if (str_eq(rows.strings.at[k->tenant], l->select->tenant))
			rc = note_trace(l, k->trace_id, start, end);
	}
	return rc ? err_errno(e, rc, "list traces") : 0;
}

static int list_partition(struct trace_list *l, struct partition *p, struct err *e)
{
	struct reader r = {0};
	int rc = reader_begin(&r, p, e);

	for (uint32_t i = 0; !rc && i < r.directory->spans->n; i++) {
		const struct span_entry *entry = &r.directory->spans->at[i];

		if (entry->last < l->from || entry->first >= l->select->to)
			continue;
		rc = list_block(l, &r, entry, e);
		arena_reset(&l->block);
	}
	reader_end(&r);
	return rc;
}

static int list_partitions(struct trace_list *l, struct sqlite_store *store, struct err *e)
{
	uint32_t n;
	struct partition **list = partitions_between(store, l->from, l->select->to, &n);
	int rc = list ? 0 : err_errno(e, -ENOMEM, "list the partitions");

	for (uint32_t i = 0; !rc && i < n; i++) {
		struct err own = {0};

		rc = list_partition(l, list[i], &own);
		if (rc == -EUCLEAN)
			partition_damaged(list[i], &own);
		if (rc == -EUCLEAN || rc == -ENOENT)
			rc = 0; /* use the others */
		if (rc && e && !e->code)
			*e = own;
	}
	partitions_missing(store, l->from, l->select->to, l->select->limits.missing);
	partitions_release(list, n);
	return rc;
}

static int newest_trace_first(const void *a, const void *b)
{
	const struct listed_trace *x = a, *y = b;

	if (x->start != y->start)
		return x->start < y->start ? 1 : -1;
	return memcmp(x->id, y->id, sizeof(x->id));
}

int query_trace_list(struct store *base, const struct store_span_select *sel,
		     store_visit_trace_time *visit, void *ctx, struct err *e)
{
	struct trace_list l = {.select = sel};
	int rc;

	l.from = sel->from > LONGEST_SPAN_NS ? sel->from - LONGEST_SPAN_NS : 0;
	arena_init(&l.arena, sel->limits.budget);
	arena_init(&l.block, sel->limits.budget);
	rc = idset_init(&l.index, &l.arena, 1024);
	rc = rc ? err_errno(e, rc, "list traces") : list_partitions(&l, store_of(base), e);
	arena_fini(&l.block);
	if (!rc && l.traces.n)
		qsort(l.traces.at, l.traces.n, sizeof(*l.traces.at), newest_trace_first);
	for (uint32_t i = 0; !rc && i < l.traces.n; i++)
		if (l.traces.at[i].start < sel->to && l.traces.at[i].end >= sel->from)
			rc = visit(ctx, l.traces.at[i].id, l.traces.at[i].start);
	arena_fini(&l.arena);
	return rc;
}
