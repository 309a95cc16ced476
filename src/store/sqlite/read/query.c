/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Queries: the selection of series, and the iteration over partitions, books, level 0 and chunks.
 */
#include "store/sqlite/read/query.h"

#include <stdlib.h>

#include "signal/selector.h"
#include "signal/series.h"
#include "store/sqlite/catalog/chunk_cache.h"
#include "store/sqlite/catalog/schema.h"
#include "store/sqlite/read/book_cache.h"

enum { MATCH_UNKNOWN, MATCH_NO, MATCH_YES };

static uint64_t span_bits(const uint8_t id[8])
{
	uint64_t bits;

	memcpy(&bits, id, sizeof(bits));
	return bits;
}

static int compare_bits(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return x < y ? -1 : x > y;
}

/*
 * Sort the selected span ids if there are more than a few, so that each sample needs a binary
 * search and not a comparison with all of them. A span with its descendants may be many.
 */
static int sort_spans(struct query *q, struct err *e)
{
	enum { FEW = 8 };
	uint32_t n = q->select->span_count;

	if (n <= FEW)
		return 0;
	q->spans = arena_alloc(&q->arena, n, sizeof(*q->spans));
	if (!q->spans)
		return err_errno(e, -ENOMEM, "select spans");
	for (uint32_t i = 0; i < n; i++)
		q->spans[i] = span_bits(q->select->spans[i]);
	qsort(q->spans, n, sizeof(*q->spans), compare_bits);
	return 0;
}

int query_init(struct query *q, struct store *s, const struct store_select *select, struct err *e)
{
	*q = (struct query){.store = store_of(s), .select = select, .error = e, .holds = true};
	registry_hold(&q->store->registry);
	arena_init(&q->arena, select->limits.budget);
	arena_init(&q->scratch, select->limits.budget);
	return sort_spans(q, e);
}

void query_fini(struct query *q)
{
	reader_end(&q->reader);
	if (q->holds)
		registry_release(&q->store->registry);
	arena_fini(&q->scratch);
	arena_fini(&q->arena);
}

int query_check_limits(const struct store_limits *l, bool may_pause, struct err *e)
{
	if (l->pause && may_pause)
		l->pause(l->deadline_ns, l->cancelled);
	if (l->cancelled && atomic_load_explicit(l->cancelled, memory_order_relaxed))
		return err_set(e, -ECANCELED, "the query was cancelled");
	if (l->deadline_ns && clock_monotonic_ns() > l->deadline_ns)
		return err_set(e, -ETIMEDOUT, "the query took too long");
	return 0;
}

int query_check(const struct query *q)
{
	/*
	 * a paused query that holds the lock of a dictionary would block readers that have to
	 * extend it
	 */
	return query_check_limits(&q->select->limits, !q->reader.dictionary, q->error);
}

/* ---- which series ---- */

static int fit_matches(struct query *q)
{
	uint32_t n = atomic_load(&q->store->registry.count);
	uint8_t *grown;

	if (n <= q->matches_n)
		return 0;
	grown = arena_resize(&q->arena, q->matches, q->matches_n, n, 1);
	if (!grown)
		return -ENOMEM;
	memset(grown + q->matches_n, MATCH_UNKNOWN, n - q->matches_n);
	q->matches = grown;
	q->matches_n = n;
	return 0;
}

static int match_series(struct query *q, uint32_t number, bool *yes)
{
	uint8_t *known = &q->matches[number];

	if (*known == MATCH_UNKNOWN) {
		const struct registry_series *s = registry_get(&q->store->registry, number);
		int rc = !str_eq(s->tenant, q->select->tenant) ? 0
			 : q->select->selector
				 ? selector_match(q->select->selector, s->labels, q->error)
				 : 1;

		if (rc < 0)
			return rc;
		*known = rc ? MATCH_YES : MATCH_NO;
	}
	*yes = *known == MATCH_YES;
	return 0;
}

/* Return whether the group may have selected series. Avoids matching each of them. */
static bool group_may_match(const struct query *q, const struct group *g)
{
	struct str service, type;

	if (!str_eq(g->tenant, q->select->tenant))
		return false;
	if (!q->select->selector)
		return true;
	service = selector_equal(q->select->selector, STR("service_name"));
	type = selector_equal(q->select->selector, STR("__profile_type__"));
	return (!service.n || str_eq(service, g->service)) && (!type.n || str_eq(type, g->type));
}

/* Set `wanted`, `groups` and `visited`; set *any to whether a series is selected. */
static int select_series(struct query *q, bool *any)
{
	const struct series_list *l = q->reader.directory->series;
	uint8_t *may = arena_zalloc(&q->scratch, l->groups.n + 1, 1);
	uint32_t *yes = arena_zalloc(&q->scratch, l->groups.n + 1, sizeof(*yes));
	uint32_t *all = arena_zalloc(&q->scratch, l->groups.n + 1, sizeof(*all));
	uint32_t n = 0;
	int rc = fit_matches(q);

	q->wanted = arena_zalloc(&q->scratch, l->series.n + 1, 1);
	q->groups = arena_zalloc(&q->scratch, l->groups.n + 1, 1);
	if (!may || !yes || !all || !q->wanted || !q->groups || rc)
		return err_errno(q->error, -ENOMEM, "select series");
	for (uint32_t g = 0; g < l->groups.n; g++)
		may[g] = group_may_match(q, &l->groups.at[g]);
	for (uint32_t i = 0; i < l->series.n; i++) {
		uint32_t g = l->series.at[i].group;
		bool is = false;

		if (may[g])
			rc = match_series(q, l->series.at[i].number, &is);
		if (rc)
			return rc;
		q->wanted[i] = is;
		yes[g] += is;
		all[g]++;
	}
	for (uint32_t g = 0; g < l->groups.n; g++) {
		q->groups[g] = !yes[g] ? GROUP_NONE : yes[g] == all[g] ? GROUP_ALL : GROUP_SOME;
		if (yes[g])
			all[n++] = g; /* counts of groups up to g are not needed any more */
	}
	q->visited = (struct group_run){all, n};
	*any = n;
	return 0;
}

/* ---- partitions ---- */

static int visit_partition(struct query *q, struct partition *p,
			   int (*visit)(struct query *q, void *arg), void *arg)
{
	const struct directory *d;
	bool any = false;
	int rc = reader_begin(&q->reader, p, q->error);

	if (rc)
		return rc;
	d = q->reader.directory;
	if (d->last < q->select->from || d->first >= q->select->to || d->last < d->first)
		return 0;
	rc = select_series(q, &any);
	return rc || !any ? rc : visit(q, arg);
}

/*
 * Handle an error of a partition. If it is damaged or gone, that is no error of the query: the
 * others are used, and limits.missing, the log and the stats report it.
 */
static int handle_partition_error(struct query *q, struct partition *p, struct err *own, int rc)
{
	if (rc == -EUCLEAN)
		partition_damaged(p, own);
	if (rc == -EUCLEAN || rc == -ENOENT)
		return 0;
	if (q->error && !q->error->code)
		*q->error = *own;
	return rc;
}

int query_each(struct query *q, int (*visit)(struct query *q, void *arg), void *arg)
{
	struct err *error = q->error;
	uint32_t n;
	struct partition **list = partitions_between(q->store, q->select->from, q->select->to, &n);
	int rc = list ? 0 : err_errno(error, -ENOMEM, "list the partitions");

	for (uint32_t i = 0; !rc && i < n; i++) {
		struct err own = {0};

		rc = query_check(q);
		if (rc)
			break;
		q->error = &own;
		rc = visit_partition(q, list[i], visit, arg);
		reader_end(&q->reader);
		arena_reset(&q->scratch);
		q->error = error;
		if (rc)
			rc = handle_partition_error(q, list[i], &own, rc);
	}
	partitions_missing(q->store, q->select->from, q->select->to, q->select->limits.missing);
	partitions_release(list, n);
	return rc;
}

/* ---- rows ---- */

bool query_selects(const struct query *q, const struct rows *r, uint32_t i)
{
	const struct store_select *s = q->select;
	uint64_t time = r->time.at[i];

	if (!q->wanted[r->series.at[i]] || time < s->from || time >= s->to)
		return false;
	if (!s->profile_id)
		return true;
	return r->ids.n &&
	       memcmp(r->ids.at + (size_t)i * PROFILE_ID_SIZE, s->profile_id, PROFILE_ID_SIZE) == 0;
}

bool query_selects_link(const struct query *q, const struct link *l)
{
	const struct store_select *s = q->select;
	uint64_t bits = span_bits(l->span_id);
	bool yes = !s->span_count;

	if (s->trace_id && memcmp(l->trace_id, s->trace_id, sizeof(l->trace_id)) != 0)
		return false;
	if (q->spans)
		return bsearch(&bits, q->spans, s->span_count, sizeof(bits), compare_bits);
	for (uint32_t i = 0; !yes && i < s->span_count; i++)
		yes = memcmp(l->span_id, s->spans[i], sizeof(l->span_id)) == 0;
	return yes;
}

int query_check_rows(const struct query *q, const struct rows *r)
{
	const struct series_list *l = q->reader.directory->series;
	bool bad = false, counted = r->node.n;
	uint32_t at = 0;

	for (uint32_t i = 0; i < r->series.n && !bad; i++) {
		uint32_t series = r->series.at[i], end = counted ? at + r->count.at[i] : 0;
		uint64_t nodes;

		bad = series >= l->series.n;
		if (bad)
			break;
		nodes = query_book_nodes(q, l->groups.at[l->series.at[series].group].book);
		bad = end > r->node.n;
		if (bad)
			break;
		for (; at < end; at++)
			bad |= r->node.at[at] >= nodes;
	}
	return bad ? err_set(q->error, -EUCLEAN, "samples refer to missing series or stacks") : 0;
}

static int visit_level0(struct query *q, const struct level0_entry *entry, struct arena *arena,
			rows_visitor *visit, void *arg)
{
	struct rows r;
	int rc = query_check(q);

	if (!rc)
		rc = reader_level0(&q->reader, entry, arena, &r, q->error);
	if (!rc)
		rc = query_check_rows(q, &r);
	return rc ? rc : visit(q, &r, arg);
}

int query_each_level0(struct query *q, uint64_t from, uint64_t to, struct arena *keep,
		      rows_visitor *visit, void *arg)
{
	const struct directory *d = q->reader.directory;
	struct arena block;
	uint64_t groups = 0;
	int rc = 0;

	for (uint32_t v = 0; v < q->visited.n; v++)
		groups |= level0_group_bit(q->visited.at[v]);
	if (q->level0)
		return q->level0->series.n ? visit(q, q->level0, arg) : 0;
	arena_init(&block, q->select->limits.budget);
	for (uint32_t i = 0; !rc && i < d->level0_n; i++) {
		if (d->level0[i].last < from || d->level0[i].first >= to ||
		    !(d->level0[i].groups & groups))
			continue;
		rc = visit_level0(q, &d->level0[i], keep ? keep : &block, visit, arg);
		arena_reset(&block);
	}
	arena_fini(&block);
	return rc;
}

/* ---- books ---- */

/* A book, its visited groups, and its rows of level 0. */
struct book_run {
	uint32_t book;
	struct group_run groups;
	struct rows level0;
};

struct book_runs {
	VEC(struct book_run) at;
	uint32_t *of_book; /* run + 1, by book */
};

static int compare_by_book(const void *a, const void *b, void *list)
{
	const struct group *groups = ((const struct series_list *)list)->groups.at;
	uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;

	if (groups[x].book != groups[y].book)
		return groups[x].book < groups[y].book ? -1 : 1;
	return x < y ? -1 : x > y;
}

static int find_book_runs(struct query *q, struct book_runs *runs)
{
	struct series_list *l = q->reader.directory->series;
	uint32_t n = q->visited.n, *sorted = arena_alloc(&q->scratch, n + 1, sizeof(*sorted));
	int rc = sorted ? 0 : -ENOMEM;

	if (rc)
		return rc;
	memcpy(sorted, q->visited.at, n * sizeof(*sorted));
	qsort_r(sorted, n, sizeof(*sorted), compare_by_book, l);
	for (uint32_t i = 0, end; !rc && i < n; i = end) {
		uint32_t book = l->groups.at[sorted[i]].book;

		for (end = i + 1; end < n && l->groups.at[sorted[end]].book == book;)
			end++;
		rc = vec_push(&q->scratch, &runs->at,
			      ((struct book_run){.book = book, .groups = {sorted + i, end - i}}));
	}
	return rc;
}

/* Append the selected rows to the runs of their books. */
static int split_rows_by_book(struct query *q, const struct rows *r, void *arg)
{
	const struct series_list *l = q->reader.directory->series;
	struct book_runs *runs = arg;
	uint32_t at = 0;
	int rc = 0;

	for (uint32_t i = 0; !rc && i < r->series.n; at += r->count.at[i++]) {
		uint32_t book = l->groups.at[l->series.at[r->series.at[i]].group].book;

		if (query_selects(q, r, i))
			rc = rows_append(&runs->at.at[runs->of_book[book] - 1].level0, &q->scratch,
					 r, i, at);
	}
	return rc ? err_errno(q->error, rc, "read samples") : 0;
}

static int split_level0(struct query *q, struct book_runs *runs)
{
	uint32_t n = q->reader.directory->books->n;
	int rc;

	runs->of_book = arena_zalloc(&q->scratch, n, sizeof(*runs->of_book));
	if (!runs->of_book)
		return err_errno(q->error, -ENOMEM, "read samples");
	for (uint32_t i = 0; i < runs->at.n; i++)
		runs->of_book[runs->at.at[i].book] = i + 1;
	rc = query_each_level0(q, q->select->from, q->select->to, NULL, split_rows_by_book, runs);
	for (uint32_t i = 0; !rc && i < runs->at.n; i++)
		rc = rows_fill_ids(&runs->at.at[i].level0, &q->scratch);
	return rc ? err_errno(q->error, rc, "read samples") : 0;
}

int query_each_book(struct query *q, int (*visit)(struct query *q, uint32_t book, void *arg),
		    void *arg)
{
	struct group_run all = q->visited;
	struct book_runs runs = {0};
	int rc = find_book_runs(q, &runs);

	if (rc)
		return err_errno(q->error, rc, "select series");
	if (runs.at.n > 1) /* else all selected rows belong to the one book */
		rc = split_level0(q, &runs);
	for (uint32_t i = 0; !rc && i < runs.at.n; i++) {
		q->visited = runs.at.at[i].groups;
		q->level0 = runs.at.n > 1 ? &runs.at.at[i].level0 : NULL;
		rc = visit(q, runs.at.at[i].book, arg);
		reader_leave(&q->reader);
		if (!rc)
			rc = query_check(q);
	}
	q->visited = all;
	q->level0 = NULL;
	return rc;
}

/* ---- chunks ---- */

int query_part(struct query *q, const struct chunk_entry *c, enum chunk_part part,
	       struct arena *arena, struct str *out)
{
	*out = (struct str){0};
	return c->parts[part] ? reader_blob(&q->reader, c->parts[part], part_kinds[part], arena,
					    out, q->error)
			      : 0;
}

/* Set *yes to whether the chunk may have samples of the selected spans or trace. */
static int chunk_may_have_links(struct query *q, const struct chunk_entry *c, struct arena *arena,
				bool *yes)
{
	const struct store_select *s = q->select;
	struct str filter;
	int rc = query_part(q, c, PART_FILTER, arena, &filter);

	*yes = false;
	if (rc || (s->trace_id && !chunk_filter_has(filter, s->trace_id, 16)))
		return rc;
	*yes = !s->span_count && filter.n;
	for (uint32_t i = 0; !*yes && i < s->span_count; i++)
		*yes = chunk_filter_has(filter, s->spans[i], 8);
	return rc;
}

int query_chunk_rows(struct query *q, const struct chunk_entry *c, enum chunk_need need,
		     struct arena *arena, struct rows *out)
{
	struct str points;
	struct sample_parts p = {.unpacker = &q->reader.connection->unpacker};
	int rc = query_part(q, c, PART_POINTS, arena, &points);

	if (!rc)
		rc = chunk_points(out, points, q->reader.partition->day * 24 + c->hour, arena,
				  q->error);
	if (!rc && need == NEED_SAMPLES)
		rc = query_part(q, c, PART_RUNS, arena, &p.runs);
	if (!rc && need == NEED_SAMPLES)
		rc = query_part(q, c, PART_DETAIL, arena, &p.detail);
	if (!rc && need != NEED_POINTS)
		rc = query_part(q, c, PART_LINKED, arena, &p.linked);
	if (!rc && need != NEED_POINTS)
		rc = query_part(q, c, PART_LINKS, arena, &p.links);
	if (!rc && need != NEED_POINTS)
		rc = chunk_samples(out, &p, arena, q->error);
	return rc ? rc : query_check_rows(q, out);
}

static int visit_chunk(struct query *q, const struct chunk_entry *c, enum chunk_need need,
		       struct arena *arena, rows_visitor *visit, void *arg)
{
	struct rows r;
	bool yes = true;
	int rc = query_check(q);

	if (!rc && need == NEED_LINKED && !q->select->average)
		rc = chunk_may_have_links(q, c, arena, &yes);
	if (rc || !yes)
		return rc;
	rc = query_chunk_rows(q, c, need, arena, &r);
	return rc ? rc : visit(q, &r, arg);
}

static bool is_skipped(const struct query *q, const struct chunk_entry *c)
{
	return (q->skip && q->skip[c->group] >> c->hour & 1) ||
	       (q->rolled && c->rolled && q->rolled[c->group] >> c->hour & 1);
}

int query_each_rows(struct query *q, uint64_t from, uint64_t to, enum chunk_need need,
		    struct arena *keep, rows_visitor *visit, void *arg)
{
	struct arena block;
	int rc = query_each_level0(q, from, to, keep, visit, arg);

	arena_init(&block, q->select->limits.budget);
	for (uint32_t v = 0; !rc && v < q->visited.n; v++) {
		uint32_t g = q->visited.at[v];
		struct chunk_range range;

		if (q->skip && q->skip[g] == UINT32_MAX)
			continue;
		rc = reader_chunks(&q->reader, g, &range, q->error);
		for (uint32_t i = 0; !rc && i < range.n; i++) {
			const struct chunk_entry *c = &range.at[i];

			if (c->kind != CHUNK_HOUR || c->last < from || c->first >= to ||
			    is_skipped(q, c))
				continue;
			rc = visit_chunk(q, c, need, keep ? keep : &block, visit, arg);
			arena_reset(&block);
		}
	}
	arena_fini(&block);
	return rc;
}
