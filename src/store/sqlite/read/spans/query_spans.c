/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Spans by trace and by id. The filter of each block in the range says whether the block can have
 * them; blocks of recent commits have no filter and are always read. Spans that are found are
 * collected, sorted, and each visited once.
 */
#include <stdlib.h>

#include "base/container/hash.h"
#include "base/container/idset.h"
#include "store/sqlite/block/chunk_decode.h"
#include "store/sqlite/read/query.h"
#include "store/sqlite/read/spans/filter_cache.h"
#include "store/sqlite/read/spans/query_spans.h"
#include "store/sqlite/spans/span_packed.h"
#include "store/sqlite/store_state.h"

int spans_read(struct reader *r, const struct span_entry *entry, const struct span_pick *pick,
	       struct arena *a, struct span_rows *out, struct err *e)
{
	struct str bytes;
	int rc = reader_blob(r, entry->data, FRAME_SPANS, a, &bytes, e);

	if (!rc)
		rc = span_block_decode(out, bytes, pick, a, e);
	if (!rc && out->block_spans != entry->spans)
		rc = err_set(e, -EUCLEAN, "a block has an unexpected number of spans");
	return rc;
}

int spans_read_details(struct reader *r, const struct span_entry *entry,
		       const struct span_need *need, struct arena *a, struct span_rows *rows,
		       struct err *e)
{
	struct str details, index;
	int rc;

	if (!entry->details || !rows->spans.n)
		return 0;
	if (!entry->index) {
		rc = reader_blob(r, entry->details, FRAME_SPAN_ROWS, a, &details, e);
		return rc ? rc : span_packed_get(rows, details, a, e);
	}
	rc = reader_blob(r, entry->index, FRAME_SPAN_INDEX, a, &index, e);
	if (!rc)
		rc = reader_blob(r, entry->details, FRAME_SPAN_COLUMNS, a, &details, e);
	return rc ? rc
		  : span_columns_get(rows, index, details, need, &r->connection->unpacker, a, e);
}

/* ---- selected traces and ids ---- */

static int index_keys(struct span_query *q)
{
	const struct store_span_select *s = q->select;
	int rc = idset_init(&q->traces, &q->arena, s->trace_count);

	if (!rc)
		rc = idset_init(&q->ids, &q->arena, s->id_count);
	for (uint32_t i = 0; !rc && i < s->trace_count; i++)
		rc = idset_add(&q->traces, (uint32_t)hash_bytes(s->traces[i], 16), i);
	for (uint32_t i = 0; !rc && i < s->id_count; i++)
		rc = idset_add(&q->ids, (uint32_t)hash_bytes(s->ids[i], 8), i);
	return rc;
}

static bool has_trace(const void *ctx, const uint8_t *id)
{
	const struct span_query *q = ctx;
	struct idset_cursor c = idset_seek(&q->traces, (uint32_t)hash_bytes(id, 16));
	uint32_t i;

	while (idset_next(&q->traces, &c, &i))
		if (memcmp(q->select->traces[i], id, 16) == 0)
			return true;
	return false;
}

static bool has_id(const struct span_query *q, const uint8_t *id)
{
	struct idset_cursor c = idset_seek(&q->ids, (uint32_t)hash_bytes(id, 8));
	uint32_t i;

	while (idset_next(&q->ids, &c, &i))
		if (memcmp(q->select->ids[i], id, 8) == 0)
			return true;
	return false;
}

/* Return whether the block may have a selected span. */
static bool block_may_have(const struct span_query *q, struct str filter)
{
	const struct store_span_select *s = q->select;
	bool yes = false;

	for (uint32_t i = 0; !yes && i < s->trace_count; i++)
		yes = chunk_filter_has(filter, s->traces[i], 16);
	for (uint32_t i = 0; !yes && i < s->id_count; i++)
		yes = chunk_filter_has(filter, s->ids[i], 8);
	return yes;
}

/* Set wanted[i] to 1 for each selected span, else 0. Return whether there is one. */
static bool mark_spans(const struct span_query *q, const struct span_rows *r, uint8_t *wanted)
{
	const struct store_span_select *s = q->select;
	bool trace = false, any = false;

	for (uint32_t i = 0; i < r->spans.n; i++) {
		const struct kept_span *k = &r->spans.at[i];
		bool same = i && memcmp(k[-1].trace_id, k->trace_id, 16) == 0;

		trace = same ? trace : has_trace(q, k->trace_id);
		wanted[i] = (trace || (s->id_count && has_id(q, k->span_id))) &&
			    k->start >= s->from && k->start < s->to &&
			    str_eq(r->strings.at[k->tenant], s->tenant);
		any |= wanted[i];
	}
	return any;
}

/* Return whether another span fits; else set q->cut. */
static bool span_fits(struct span_query *q, const struct kept_span *k)
{
	q->bytes += sizeof(*k) + k->details.n;
	q->cut |= q->select->most_bytes && q->bytes > q->select->most_bytes;
	return !q->cut;
}

/* Append the wanted spans to `found`, run by run: spans of a trace are adjacent. */
static int collect_spans(struct span_query *q, const struct span_rows *r, const uint8_t *wanted)
{
	int rc = 0;

	for (uint32_t i = 0, end; !rc && !q->cut && i < r->spans.n; i = end) {
		end = i + 1;
		if (!wanted[i] || !span_fits(q, &r->spans.at[i]))
			continue;
		while (end < r->spans.n && wanted[end] && span_fits(q, &r->spans.at[end]))
			end++;
		rc = span_rows_append(&q->found, &q->arena, r, i, end - i);
	}
	return rc;
}

/* Read the selected traces of a block, or all, from what is known of it if possible. */
static int read_block(struct span_query *q, struct reader *r, const struct span_entry *entry,
		      const struct span_pick *pick, struct span_rows *out, struct err *e)
{
	const struct spans_block *k = q->known;
	int rc;

	if (!k || !k->table || k->partition != r->partition || k->id != entry->id)
		return spans_read(r, entry, pick, &q->block, out, e);
	rc = span_block_rows(out, k->table, pick, &q->block);
	return rc ? err_errno(e, rc, "read spans") : 0;
}

static int read_details(struct span_query *q, struct reader *r, const struct span_entry *entry,
			struct span_rows *rows, struct err *e)
{
	const struct spans_block *k = q->known;

	if (!k || !k->pieces.n || k->partition != r->partition || k->id != entry->id)
		return spans_read_details(r, entry, q->need, &q->block, rows, e);
	return span_columns_get(rows, k->index, k->pieces, q->need, &r->connection->unpacker,
				&q->block, e);
}

static int search_block(struct span_query *q, struct reader *r, const struct span_entry *entry,
			struct err *e)
{
	const struct span_pick pick = {has_trace, q};
	bool traces = !q->select->id_count;
	uint64_t filter_id = traces && entry->trace_filter ? entry->trace_filter : entry->filter;
	struct cached_filter *held = NULL;
	struct span_rows rows;
	struct str filter;
	uint8_t *wanted;
	bool may = true;
	int rc = query_check_limits(&q->select->limits, true, e);

	if (!rc && filter_id) {
		rc = span_filter_hold(r, filter_id, &q->block, &held, &filter, e);
		may = !rc && block_may_have(q, filter);
		span_filter_release(held);
		if (!rc && !may)
			return 0;
	}
	if (!rc)
		rc = read_block(q, r, entry, traces ? &pick : NULL, &rows, e);
	wanted = rc ? NULL : arena_alloc(&q->block, rows.spans.n + 1, 1);
	if (!rc && !wanted)
		rc = -ENOMEM;
	if (!rc && !mark_spans(q, &rows, wanted))
		return 0;
	if (!rc && q->details)
		rc = read_details(q, r, entry, &rows, e);
	if (!rc)
		rc = collect_spans(q, &rows, wanted);
	return rc ? err_errno(e, rc, "look for spans") : 0;
}

static int search_partition(void *ctx, struct partition *p, bool *stop, struct err *e)
{
	struct span_query *q = ctx;
	struct reader r = {0};
	int rc = reader_begin(&r, p, e);

	for (uint32_t i = 0; !rc && !q->cut && i < r.directory->spans->n; i++) {
		const struct span_entry *entry = &r.directory->spans->at[i];

		if (entry->last < q->select->from || entry->first >= q->select->to)
			continue;
		rc = search_block(q, &r, entry, e);
		arena_reset(&q->block);
	}
	reader_end(&r);
	*stop = q->cut;
	return rc;
}

int spans_each_partition(struct sqlite_store *s, const struct store_span_select *sel,
			 bool newest_first, spans_visit_partition *visit, void *ctx, struct err *e)
{
	uint32_t n;
	struct partition **list = partitions_between(s, sel->from, sel->to, &n);
	bool stop = false;
	int rc = list ? 0 : err_errno(e, -ENOMEM, "list the partitions");

	for (uint32_t i = 0; !rc && !stop && i < n; i++) {
		struct partition *p = list[newest_first ? n - 1 - i : i];
		struct err own = {0};

		rc = visit(ctx, p, &stop, &own);
		if (rc == -EUCLEAN)
			partition_damaged(p, &own);
		if (rc == -EUCLEAN || rc == -ENOENT)
			rc = 0; /* use the others */
		if (rc && e && !e->code)
			*e = own;
	}
	partitions_missing(s, sel->from, sel->to, sel->limits.missing);
	partitions_release(list, n);
	return rc;
}

static int compare_found_spans(const void *a, const void *b)
{
	const struct kept_span *x = a, *y = b;
	int order = memcmp(x->trace_id, y->trace_id, sizeof(x->trace_id));

	if (order)
		return order;
	if (x->start != y->start)
		return x->start < y->start ? -1 : 1;
	order = memcmp(x->span_id, y->span_id, sizeof(x->span_id));
	if (order)
		return order;
	/* of duplicates the one with details, if they are of a time before these were kept */
	return x->details.n > y->details.n ? -1 : x->details.n < y->details.n;
}

bool span_query_same(const struct kept_span *a, const struct kept_span *b)
{
	return a->start == b->start && memcmp(a->span_id, b->span_id, sizeof(a->span_id)) == 0 &&
	       memcmp(a->trace_id, b->trace_id, sizeof(a->trace_id)) == 0;
}

int span_query_run(struct span_query *q, struct store *base, struct err *e)
{
	const struct store_span_select *sel = q->select;
	int rc;

	q->store = store_of(base);
	arena_init(&q->arena, sel->limits.budget);
	arena_init(&q->block, sel->limits.budget);
	rc = index_keys(q);
	if (rc)
		(void)err_errno(e, rc, "look for spans");
	if (!rc && (sel->trace_count || sel->id_count))
		rc = spans_each_partition(q->store, sel, false, search_partition, q, e);
	arena_fini(&q->block);
	if (!rc && q->found.spans.n)
		qsort(q->found.spans.at, q->found.spans.n, sizeof(*q->found.spans.at),
		      compare_found_spans);
	return rc;
}

void span_query_fini(struct span_query *q)
{
	arena_fini(&q->arena);
}

void span_query_get(const struct span_query *q, const struct kept_span *k, struct span *out)
{
	const struct span_rows *r = &q->found;

	*out = (struct span){.name = r->strings.at[k->name],
			     .service = r->strings.at[k->service],
			     .start = k->start,
			     .end = k->start + k->duration,
			     .kind = k->kind,
			     .status = k->status,
			     .details = k->details};
	memcpy(out->trace_id, k->trace_id, sizeof(out->trace_id));
	memcpy(out->span_id, k->span_id, sizeof(out->span_id));
	memcpy(out->parent_id, k->parent_id, sizeof(out->parent_id));
}

/* ---- visiting ---- */

int query_spans(struct store *base, const struct store_span_select *sel, store_visit_span *visit,
		void *ctx, struct err *e)
{
	struct span_query q = {.select = sel};
	int rc = span_query_run(&q, base, e);

	for (uint32_t i = 0; !rc && i < q.found.spans.n; i++) {
		const struct kept_span *k = &q.found.spans.at[i];
		struct span s;

		if (i && span_query_same(k - 1, k))
			continue;
		span_query_get(&q, k, &s);
		rc = visit(ctx, &s);
	}
	span_query_fini(&q);
	return rc;
}
