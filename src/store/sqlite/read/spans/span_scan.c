/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Scans a block in the order of cost: the index skips groups by their filters; the columns of the
 * leaves remove spans; only then the structure is read, and details of the spans that are left are
 * restored, as far as the probe needs them. A block without columns (of a recent commit, or from
 * before format 6) is one group, of which all is read.
 */
#include "store/sqlite/read/spans/span_scan.h"

#include "base/container/hash.h"
#include "store/sqlite/read/query.h"
#include "store/sqlite/read/spans/filter_cache.h"
#include "store/sqlite/read/spans/query_spans.h"

struct block_scan {
	struct span_scan *scan;
	struct reader *reader;
	const struct span_entry *entry;
	/* Of the structure, when it is read: by span the alternatives that it may have. */
	bool have_table;
	struct span_table table;
	uint32_t *masks;
	uint32_t left; /* groups that were not scanned yet */
	/* Of the details, if they are columns. */
	bool opened; /* the pieces are read, and `group` is set up */
	struct str index_bytes, pieces;
	struct span_index index;
	struct span_rows origins; /* its strings are those of the index */
	struct span_batch batch;  /* has the origins */
	struct span_group_reader group;
};

/* Spans of a group that are left. */
struct found_spans {
	struct span_rows rows;
	uint32_t *traces; /* by span: its trace in the table */
};

static int forget_seen(struct span_scan *s)
{
	arena_reset(&s->probed);
	s->seen_first = UINT64_MAX;
	return map_init(&s->seen, &s->probed, 16);
}

int span_scan_init(struct span_scan *s)
{
	const struct store_trace_search *q = s->search;
	struct budget *budget = s->select->limits.budget;
	int rc;

	arena_init(&s->arena, budget);
	arena_init(&s->block, budget);
	arena_init(&s->group, budget);
	arena_init(&s->probed, budget);
	buf_init(&s->details, budget);
	rc = forget_seen(s);
	if (!rc && !q->want->all)
		rc = span_leaves_init(&s->leaves, q->want, &s->arena);
	if (!rc)
		rc = span_need_of(&s->need, q->probe_fields, q->probe_field_count, &s->arena);
	return rc;
}

void span_scan_fini(struct span_scan *s)
{
	buf_fini(&s->details);
	arena_fini(&s->probed);
	arena_fini(&s->group);
	arena_fini(&s->block);
	arena_fini(&s->arena);
}

/* ---- structure ---- */

/* Read the structure, and test it by the leaves. */
static int load_table(struct block_scan *b, struct err *e)
{
	struct span_scan *s = b->scan;
	struct str bytes;
	int rc;

	if (b->have_table)
		return 0;
	rc = reader_blob(b->reader, b->entry->data, FRAME_SPANS, &s->block, &bytes, e);
	if (!rc)
		rc = span_table_open(&b->table, bytes, &s->block, e);
	if (!rc && b->table.n != b->entry->spans)
		rc = err_set(e, -EUCLEAN, "a block has an unexpected number of spans");
	if (!rc)
		rc = span_table_spans(&b->table, &s->block, e);
	if (rc)
		return rc;
	b->have_table = true;
	if (!s->leaves.structure)
		return 0;
	b->masks = arena_alloc(&s->block, b->table.n + (size_t)1, sizeof(*b->masks));
	if (!b->masks)
		return err_errno(e, -ENOMEM, "search spans");
	for (uint32_t i = 0; i < b->table.n; i++)
		b->masks[i] = s->leaves.all;
	rc = span_leaves_structure(&s->leaves, &b->table, b->masks, &s->block);
	return rc ? err_errno(e, rc, "search spans") : 0;
}

/*
 * Return whether spans of a trace count: those of the tenant; of traces that begin after the range
 * only what may be a part of a trace that began in it; of others those that reach near the range.
 */
static bool trace_counts(const struct block_scan *b, uint32_t trace)
{
	const struct span_table *t = &b->table;
	const struct store_span_select *sel = b->scan->select;
	uint32_t first = t->firsts[trace], end = first + t->counts[trace];
	bool late = t->begins[trace] >= sel->to, near = t->begins[trace] >= b->scan->end_from;

	if (!str_eq(t->strings[t->tenants[trace]], sel->tenant))
		return false;
	for (uint32_t i = first; i < end && (late || !near); i++) {
		if (late && !t->parents[i])
			return false; /* the whole trace is later */
		near = near || t->starts[i] + t->durations[i] >= b->scan->end_from;
	}
	return near;
}

/* Whether another block may have the span, too. */
static bool is_shared(const struct span_scan *s, uint64_t start)
{
	uint32_t low = 0, high = s->shared_n;

	while (low < high) {
		uint32_t middle = (low + high) / 2;

		if (s->shared[middle].last < start)
			low = middle + 1;
		else
			high = middle;
	}
	return low < s->shared_n && s->shared[low].first <= start;
}

/* Set *seen to whether the span was probed in another block. */
static int check_seen(struct span_scan *s, const struct kept_span *k, bool *seen)
{
	uint8_t key[TRACE_ID_SIZE + SPAN_ID_SIZE + sizeof(k->start)];
	bool added = true;

	*seen = false;
	if (s->search->visit || !is_shared(s, k->start))
		return 0;
	memcpy(key, k->trace_id, TRACE_ID_SIZE);
	memcpy(key + TRACE_ID_SIZE, k->span_id, SPAN_ID_SIZE);
	memcpy(key + TRACE_ID_SIZE + SPAN_ID_SIZE, &k->start, sizeof(k->start));
	if (!map_at(&s->seen, frame_sum(key, sizeof(key)), &added))
		return -ENOMEM;
	*seen = !added;
	s->seen_first = k->start < s->seen_first ? k->start : s->seen_first;
	return 0;
}

/*
 * Make the spans [first, first + n) of the block that have a mask, and set wanted[i] of these.
 * `masks` NULL: all have.
 */
static int take_spans(struct block_scan *b, uint32_t first, uint32_t n, const uint32_t *masks,
		      bool *wanted, struct found_spans *out)
{
	struct span_scan *s = b->scan;
	const struct span_table *t = &b->table;
	uint32_t trace = span_table_trace(t, first), checked = UINT32_MAX;
	bool counts = false;
	int rc = 0;

	memset(out, 0, sizeof(*out));
	out->rows.block_spans = t->n;
	out->rows.picked = arena_alloc(&s->group, n + (size_t)1, sizeof(uint32_t));
	out->traces = arena_alloc(&s->group, n + (size_t)1, sizeof(uint32_t));
	if (!out->rows.picked || !out->traces)
		return -ENOMEM;
	for (uint32_t i = 0; !rc && i < n; i++) {
		uint32_t row = first + i, mask = masks ? masks[i] : UINT32_MAX;
		struct kept_span k;
		bool seen;

		wanted[i] = false;
		while (row - t->firsts[trace] >= t->counts[trace])
			trace++;
		if (b->masks)
			mask &= b->masks[row];
		if (!mask || t->starts[row] < s->from || t->starts[row] >= s->to)
			continue;
		if (checked != trace)
			counts = trace_counts(b, trace);
		checked = trace;
		if (!counts)
			continue;
		span_table_get(t, trace, row, &k);
		rc = check_seen(s, &k, &seen);
		if (rc || seen)
			continue;
		wanted[i] = true;
		out->traces[out->rows.spans.n] = trace;
		out->rows.picked[out->rows.spans.n] = row;
		rc = vec_push(&s->group, &out->rows.spans, k);
	}
	return rc;
}

/* ---- probing ---- */

/* Make the batch of the spans. `strings` are those of resources and scopes. */
static int make_batch(struct block_scan *b, const struct found_spans *f)
{
	struct span *spans =
		arena_alloc(&b->scan->group, f->rows.spans.n + (size_t)1, sizeof(*spans));

	if (!spans)
		return -ENOMEM;
	for (uint32_t i = 0; i < f->rows.spans.n; i++) {
		const struct kept_span *k = &f->rows.spans.at[i];
		struct span *s = &spans[i];

		*s = (struct span){.name = b->table.strings[k->name],
				   .service = b->table.strings[k->service],
				   .start = k->start,
				   .end = k->start + k->duration,
				   .kind = k->kind,
				   .status = k->status,
				   .resource = k->resource,
				   .scope = k->scope,
				   .details = k->details};
		memcpy(s->trace_id, k->trace_id, sizeof(s->trace_id));
		memcpy(s->span_id, k->span_id, sizeof(s->span_id));
		memcpy(s->parent_id, k->parent_id, sizeof(s->parent_id));
	}
	b->batch.spans.at = spans;
	b->batch.spans.n = f->rows.spans.n;
	return 0;
}

/* Set the resources and scopes of the batch: both are the list of origins. */
static int set_origins(struct block_scan *b, const struct span_rows *from, struct arena *a)
{
	struct span_origin *list = arena_zalloc(a, from->strings.n + (size_t)1, sizeof(*list));

	if (!list)
		return -ENOMEM;
	for (uint32_t i = 0; i < from->strings.n; i++)
		if (!span_origin_get(from->strings.at[i], &list[i]))
			list[i] = (struct span_origin){0};
	b->batch.resources.at = b->batch.scopes.at = list;
	b->batch.resources.n = b->batch.scopes.n = from->strings.n;
	return 0;
}

/* Probe the spans, and report the traces of hits. */
static int probe_spans(struct block_scan *b, const struct found_spans *f)
{
	struct span_scan *s = b->scan;
	uint32_t n = f->rows.spans.n, last = UINT32_MAX;
	bool *hits = arena_alloc(&s->group, n + (size_t)1, sizeof(*hits));
	int rc = hits ? 0 : -ENOMEM;

	if (rc)
		return rc;
	memset(hits, !s->search->probe, n);
	if (s->search->probe)
		rc = make_batch(b, f);
	if (!rc && s->search->probe)
		rc = s->search->probe(s->search->ctx, &b->batch, hits);
	for (uint32_t i = 0; !rc && s->search->visit && i < n; i++) {
		if (!hits[i] || f->traces[i] == last)
			continue;
		last = f->traces[i];
		rc = s->found(s->ctx, f->rows.spans.at[i].trace_id, b->table.begins[last]);
	}
	return rc;
}

/* ---- blocks without columns ---- */

static int scan_whole(struct block_scan *b, struct err *e)
{
	struct span_scan *s = b->scan;
	struct found_spans f;
	bool *wanted;
	int rc = load_table(b, e);

	if (rc)
		return rc;
	wanted = arena_alloc(&s->group, b->table.n + (size_t)1, sizeof(*wanted));
	rc = wanted ? take_spans(b, 0, b->table.n, NULL, wanted, &f) : -ENOMEM;
	if (rc || !f.rows.spans.n)
		return rc;
	if (s->search->probe)
		rc = spans_read_details(b->reader, b->entry, NULL, &s->group, &f.rows, e);
	if (!rc)
		rc = set_origins(b, &f.rows, &s->group);
	return rc ? rc : probe_spans(b, &f);
}

/* ---- columns ---- */

/* Restore the details of the spans that were taken of the open group. */
static int restore_details(struct block_scan *b, const bool *wanted, struct found_spans *f,
			   struct err *e)
{
	struct span_scan *s = b->scan;
	const struct span_group *g = b->group.group;
	uint32_t *ends = arena_alloc(&s->group, g->rows + (size_t)1, sizeof(*ends)), next = 0;
	uint32_t from = 0;
	int rc;

	if (!ends)
		return -ENOMEM;
	buf_clear(&s->details);
	span_group_restore(&b->group, &s->need, wanted, &s->details, ends);
	rc = span_group_error(&b->group, e);
	for (uint32_t i = 0; !rc && i < g->rows; from = ends[i++]) {
		struct kept_span *k = &f->rows.spans.at[next];

		if (!wanted[i])
			continue;
		next++;
		k->resource = (uint32_t)b->group.resource_of[i];
		k->scope = (uint32_t)b->group.scope_of[i];
		k->details = str_of(s->details.p + from, ends[i] - from);
	}
	return rc;
}

static int scan_group(struct block_scan *b, const struct span_group *g, uint32_t mask,
		      struct err *e)
{
	struct span_scan *s = b->scan;
	struct found_spans f;
	uint32_t *masks = arena_alloc(&s->group, g->rows + (size_t)1, sizeof(*masks)), any = 0;
	bool *wanted = arena_alloc(&s->group, g->rows + (size_t)1, sizeof(*wanted));
	int rc = masks && wanted ? 0 : -ENOMEM;

	if (rc)
		return rc;
	for (uint32_t i = 0; i < g->rows; i++)
		masks[i] = mask;
	if (s->leaves.columns || s->search->probe)
		span_group_open(&b->group, g);
	if (s->leaves.columns)
		span_leaves_columns(&s->leaves, &b->group, b->origins.strings.at, masks);
	rc = span_group_error(&b->group, e);
	for (uint32_t i = 0; i < g->rows; i++)
		any |= masks[i];
	if (rc || !any)
		return rc;
	rc = load_table(b, e);
	if (!rc)
		rc = take_spans(b, g->first, g->rows, masks, wanted, &f);
	if (rc || !f.rows.spans.n)
		return rc;
	if (s->search->probe)
		rc = restore_details(b, wanted, &f, e);
	return rc ? rc : probe_spans(b, &f);
}

/* ---- a block, group by group ---- */

static int open_columns(struct block_scan *b, struct err *e)
{
	struct span_scan *s = b->scan;
	int rc = reader_blob(b->reader, b->entry->index, FRAME_SPAN_INDEX, &s->block,
			     &b->index_bytes, e);

	b->origins.block_spans = (uint32_t)b->entry->spans;
	if (!rc)
		rc = span_index_get(&b->index, &b->origins, b->index_bytes, &s->block, e);
	if (!rc)
		rc = set_origins(b, &b->origins, &s->block);
	b->left = b->index.group_count;
	return rc;
}

/* Set *may to whether the block may have one of the ids that are searched for. */
static int may_have_ids(struct block_scan *b, bool *may, struct err *e)
{
	struct span_scan *s = b->scan;
	struct cached_filter *held = NULL;
	struct str filter;
	int rc;

	*may = true;
	if (!s->leaves.ids || !b->entry->filter)
		return 0;
	rc = span_filter_hold(b->reader, b->entry->filter, &s->block, &held, &filter, e);
	*may = !rc && span_leaves_ids(&s->leaves, filter);
	span_filter_release(held);
	return rc;
}

int span_scan_open(struct span_scan *s, struct reader *r, const struct span_entry *entry,
		   struct err *e)
{
	struct block_scan *b = arena_zalloc(&s->block, 1, sizeof(*b));
	bool may;
	int rc;

	if (!b)
		return err_errno(e, -ENOMEM, "search spans");
	/* blocks come by their last span: no span of a later block is one of those seen */
	if (map_count(&s->seen) && entry->last < s->seen_first && forget_seen(s))
		return err_errno(e, -ENOMEM, "search spans");
	*b = (struct block_scan){.scan = s, .reader = r, .entry = entry, .left = 1};
	s->current = b;
	s->bound = entry->last;
	rc = may_have_ids(b, &may, e);
	if (!may)
		b->left = 0;
	return !rc && may && entry->index ? open_columns(b, e) : rc;
}

void span_scan_close(struct span_scan *s)
{
	if (s->current && s->current->opened)
		span_group_fini(&s->current->group);
	s->current = NULL;
	arena_reset(&s->group);
	arena_reset(&s->block);
}

/* Read the pieces of the details, if they are needed at all. */
static int open_pieces(struct block_scan *b, struct err *e)
{
	struct span_scan *s = b->scan;
	int rc = 0;

	if (b->opened)
		return 0;
	if (s->leaves.columns || s->search->probe)
		rc = reader_blob(b->reader, b->entry->details, FRAME_SPAN_COLUMNS, &s->block,
				 &b->pieces, e);
	span_group_init(&b->group, &b->index, b->pieces, &b->reader->connection->unpacker,
			s->select->limits.budget);
	b->opened = true;
	return rc;
}

/* Return the alternatives that spans of the group may have; 0 also if it is not in the range. */
static uint32_t mask_of(const struct span_scan *s, const struct span_group *g)
{
	if (g->first_start >= s->to || g->last_start < s->from || g->last_end < s->end_from)
		return 0;
	return s->search->want->all ? 1 : span_leaves_group(&s->leaves, g);
}

/*
 * Set *yes to whether some trace of the group counts. Of groups after the range hardly any does, and
 * that is in the structure.
 */
static int some_trace_counts(struct block_scan *b, const struct span_group *g, bool *yes,
			     struct err *e)
{
	int rc = load_table(b, e);

	*yes = false;
	if (rc)
		return rc;
	for (uint32_t k = span_table_trace(&b->table, g->first);
	     !*yes && k < b->table.trace_count && b->table.firsts[k] < g->first + g->rows; k++)
		*yes = trace_counts(b, k);
	return 0;
}

int span_scan_next(struct span_scan *s, struct err *e)
{
	struct block_scan *b = s->current;
	const struct span_group *g = NULL;
	uint32_t mask = 0;
	bool counts = true;
	int rc = query_check_limits(&s->select->limits, true, e);

	if (rc || !b->left)
		return rc;
	if (!b->entry->index) {
		b->left = 0;
		rc = scan_whole(b, e);
	}
	while (b->left && !mask) {
		g = &b->index.groups[--b->left];
		mask = mask_of(s, g);
		if (g->last_start != UINT64_MAX && g->first_start < s->bound)
			s->bound = g->first_start;
	}
	if (mask && g->first_start >= s->select->to)
		rc = some_trace_counts(b, g, &counts, e);
	if (!rc && mask && counts)
		rc = open_pieces(b, e);
	if (!rc && mask && counts)
		rc = scan_group(b, g, mask, e);
	arena_reset(&s->group);
	if (rc)
		return err_errno(e, rc, "search spans");
	return b->left > 0;
}

void span_scan_known(const struct span_scan *s, struct spans_block *out)
{
	const struct block_scan *b = s->current;

	*out = (struct spans_block){0};
	if (!b || !b->entry->index)
		return;
	*out = (struct spans_block){.partition = b->reader->partition,
				    .id = b->entry->id,
				    .table = b->have_table ? &b->table : NULL,
				    .index = b->index_bytes,
				    .pieces = b->pieces};
}
