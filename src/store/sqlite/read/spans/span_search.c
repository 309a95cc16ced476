/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Searches traces, the newest first. Blocks are scanned by the time of their last span. A trace that
 * was not found yet has its hits in a block that was not scanned, so it starts no later than the
 * last span of these: candidates that start later are loaded first, and the search ends when it has
 * enough traces that start later than all others can.
 *
 * A partition is a day of starts, so that each is searched to its end before the next.
 */
#include "store/sqlite/read/spans/span_search.h"

#include <stdlib.h>

#include "base/container/hash.h"
#include "store/sqlite/read/spans/query_spans.h"
#include "store/sqlite/read/spans/query_traces.h"
#include "store/sqlite/read/spans/span_scan.h"
#include "store/sqlite/store_state.h"

#define PROBED_BEFORE_NS (3600 * NS_PER_SECOND)
#define PROBED_AFTER_NS (600 * NS_PER_SECOND)
/* The longest time between an end of spans of a trace in one block, and its next span. */
#define PROBED_GAP_NS (600 * NS_PER_SECOND)
/* Spans of a trace that begin further from its hits are not loaded. */
#define LONGEST_TRACE_NS (86400 * NS_PER_SECOND)

/* The number of traces that are loaded at once grows. */
enum { LOAD_FIRST = 64, LOAD_LARGEST = 4096 };

/* Candidates do not wait longer than this for others, so that they are found before a deadline. */
#define LOAD_AFTER_NS (100 * NS_PER_MS)

struct candidate {
	uint8_t id[TRACE_ID_SIZE];
	uint64_t begin; /* of its spans in a block */
};

struct trace_search {
	struct store *store;
	const struct store_span_select *select;
	const struct store_trace_search *search;
	struct span_scan scan;
	struct arena arena;
	struct span_need need; /* of whole traces */
	/* All candidates so far; `known` finds them by id. */
	VEC(struct candidate) candidates;
	struct idset known;
	/* Indexes of those that are not loaded yet; the newest is the last, once they are sorted. */
	VEC(uint32_t) pending;
	bool sorted;
	uint32_t load; /* the most that are loaded next */
	bool enough;
	struct reader reader;
	const struct span_entry **entries; /* of the partition, the newest first */
	uint32_t entry_count, next_entry;
	bool open; /* an entry is being scanned */
	uint64_t loaded_ns;
};

/* ---- candidates ---- */

static int note_candidate(void *ctx, const uint8_t *id, uint64_t begin)
{
	struct trace_search *s = ctx;
	uint32_t hash = (uint32_t)hash_bytes(id, TRACE_ID_SIZE), i;
	struct idset_cursor at = idset_seek(&s->known, hash);
	struct candidate c = {.begin = begin};
	int rc;

	while (idset_next(&s->known, &at, &i))
		if (!memcmp(s->candidates.at[i].id, id, TRACE_ID_SIZE))
			return 0; /* its begin may be too late: then it is loaded too early */
	memcpy(c.id, id, TRACE_ID_SIZE);
	i = s->candidates.n;
	rc = idset_add(&s->known, hash, i);
	if (!rc)
		rc = vec_push(&s->arena, &s->candidates, c);
	if (!rc)
		rc = vec_push(&s->arena, &s->pending, i);
	s->sorted = false;
	return rc;
}

static int oldest_first(const void *a, const void *b, void *ctx)
{
	const struct trace_search *s = ctx;
	const struct candidate *x = &s->candidates.at[*(const uint32_t *)a];
	const struct candidate *y = &s->candidates.at[*(const uint32_t *)b];

	if (x->begin != y->begin)
		return x->begin < y->begin ? -1 : 1;
	return memcmp(y->id, x->id, TRACE_ID_SIZE);
}

static const struct candidate *newest_pending(struct trace_search *s)
{
	if (!s->sorted && s->pending.n)
		qsort_r(s->pending.at, s->pending.n, sizeof(*s->pending.at), oldest_first, s);
	s->sorted = true;
	return s->pending.n ? &s->candidates.at[s->pending.at[s->pending.n - 1]] : NULL;
}

/* ---- whole traces ---- */

static int visit_in_range(void *ctx, const struct span_batch *batch)
{
	struct trace_search *s = ctx;
	uint64_t start = UINT64_MAX, end = 0;

	for (uint32_t i = 0; i < batch->spans.n; i++) {
		const struct span *x = &batch->spans.at[i];

		start = x->start < start ? x->start : start;
		end = x->end > end ? x->end : end;
	}
	if (start >= s->select->to || end < s->select->from)
		return 0;
	return s->search->visit(s->search->ctx, batch);
}

/* Load the newest candidates, those that begin after `after`. */
static int load_candidates(struct trace_search *s, uint64_t after, struct err *e)
{
	struct store_span_select sel = *s->select;
	struct spans_block known;
	struct arena arena;
	uint64_t first = UINT64_MAX, last = 0;
	uint8_t(*ids)[TRACE_ID_SIZE];
	int rc = 0;

	arena_init(&arena, s->select->limits.budget);
	ids = arena_alloc(&arena, s->load, sizeof(*ids));
	if (!ids)
		rc = err_errno(e, -ENOMEM, "search traces");
	sel.trace_count = 0;
	while (!rc && sel.trace_count < s->load) {
		const struct candidate *c = newest_pending(s);

		if (!c || c->begin <= after)
			break;
		s->pending.n--;
		memcpy(ids[sel.trace_count++], c->id, TRACE_ID_SIZE);
		first = c->begin < first ? c->begin : first;
		last = c->begin > last ? c->begin : last;
	}
	sel.traces = (const uint8_t(*)[TRACE_ID_SIZE])ids;
	sel.from = first > LONGEST_TRACE_NS ? first - LONGEST_TRACE_NS : 0;
	sel.to = last < UINT64_MAX - LONGEST_TRACE_NS ? last + LONGEST_TRACE_NS : UINT64_MAX;
	s->load = s->load < LOAD_LARGEST ? 4 * s->load : s->load;
	span_scan_known(&s->scan, &known);
	if (!rc)
		rc = query_traces_with(s->store, &sel, s->search->all_fields ? NULL : &s->need,
				       &known, visit_in_range, s, e);
	arena_fini(&arena);
	s->loaded_ns = clock_monotonic_ns();
	return rc;
}

static bool has_enough(const struct trace_search *s, uint64_t start)
{
	return s->search->enough && s->search->enough(s->search->ctx, start);
}

/* ---- blocks ---- */

static int newest_entry_first(const void *a, const void *b)
{
	const struct span_entry *x = *(const struct span_entry *const *)a;
	const struct span_entry *y = *(const struct span_entry *const *)b;

	if (x->last != y->last)
		return x->last < y->last ? 1 : -1;
	return (x->id < y->id) - (x->id > y->id);
}

static int list_entries(struct trace_search *s)
{
	const struct span_list *l = s->reader.directory->spans;

	s->entry_count = s->next_entry = 0;
	s->entries = arena_alloc(&s->arena, l->n + (size_t)1, sizeof(const struct span_entry *));
	if (!s->entries)
		return -ENOMEM;
	for (uint32_t i = 0; i < l->n; i++)
		if (l->at[i].last >= s->scan.from && l->at[i].first < s->scan.to)
			s->entries[s->entry_count++] = &l->at[i];
	if (s->entry_count)
		qsort(s->entries, s->entry_count, sizeof(const struct span_entry *),
		      newest_entry_first);
	return 0;
}

static int earliest_first(const void *a, const void *b)
{
	const struct span_times *x = a, *y = b;

	return (x->first > y->first) - (x->first < y->first);
}

/* Find the times at which the block overlaps others. */
static int find_shared(struct trace_search *s, uint32_t entry)
{
	const struct span_entry *x = s->entries[entry];
	struct span_times *list =
		arena_alloc(&s->scan.block, s->entry_count + (size_t)1, sizeof(*list));
	uint32_t n = 0, kept = 0;

	if (!list)
		return -ENOMEM;
	for (uint32_t i = 0; i < s->entry_count; i++) {
		const struct span_entry *y = s->entries[i];

		if (i != entry && y->first <= x->last && y->last >= x->first)
			list[n++] = (struct span_times){y->first, y->last};
	}
	if (n)
		qsort(list, n, sizeof(*list), earliest_first);
	for (uint32_t i = 0; i < n; i++) {
		if (kept && list[i].first <= list[kept - 1].last) {
			if (list[i].last > list[kept - 1].last)
				list[kept - 1].last = list[i].last;
		} else {
			list[kept++] = list[i];
		}
	}
	s->scan.shared = list;
	s->scan.shared_n = kept;
	return 0;
}

static int open_entry(struct trace_search *s, struct err *e)
{
	const struct span_entry *entry = s->entries[s->next_entry];
	int rc = s->search->visit ? 0 : find_shared(s, s->next_entry);

	s->next_entry++;
	s->open = true;
	return rc ? err_errno(e, rc, "search traces")
		  : span_scan_open(&s->scan, &s->reader, entry, e);
}

/* Scan a group, of the next block if none is open. */
static int scan_more(struct trace_search *s, struct err *e)
{
	int rc = s->open ? 0 : open_entry(s, e);

	if (!rc)
		rc = span_scan_next(&s->scan, e);
	if (rc > 0)
		return 0;
	span_scan_close(&s->scan);
	s->open = false;
	return rc;
}

/* Set *bound: traces that are no candidates yet start then or before. Return false if all are. */
static bool unseen(const struct trace_search *s, uint64_t *bound)
{
	bool more = s->next_entry < s->entry_count;

	*bound = s->open ? s->scan.bound : 0;
	if (more && s->entries[s->next_entry]->last > *bound)
		*bound = s->entries[s->next_entry]->last;
	return more || s->open;
}

/*
 * Return whether it is time to load candidates: there are as many as are needed, or it is long ago.
 * Each time some blocks are read once more; recent commits are scanned first, they are small.
 */
static bool should_load(struct trace_search *s, uint64_t bound)
{
	const struct candidate *c;

	if (s->next_entry < s->entry_count && !s->entries[s->next_entry]->generation)
		return false;
	c = newest_pending(s);
	if (!c || c->begin <= bound)
		return false;
	if (clock_monotonic_ns() - s->loaded_ns > LOAD_AFTER_NS)
		return true;
	if (s->pending.n < s->load)
		return false;
	c = &s->candidates.at[s->pending.at[s->pending.n - s->load]];
	return c->begin > bound;
}

/* Scan the blocks and load candidates until there are no more, or enough were found. */
static int search_entries(struct trace_search *s, struct err *e)
{
	int rc = 0;

	while (!rc) {
		uint64_t bound;
		bool more = unseen(s, &bound);
		const struct candidate *c = newest_pending(s);

		if (!more && !c)
			break;
		s->enough = has_enough(s, c && c->begin > bound ? c->begin : bound);
		if (s->enough)
			break;
		if (!more)
			rc = load_candidates(s, 0, e);
		else if (should_load(s, bound))
			rc = load_candidates(s, bound, e);
		else
			rc = scan_more(s, e);
	}
	if (s->open)
		span_scan_close(&s->scan);
	s->open = false;
	return rc;
}

static int search_partition(void *ctx, struct partition *p, bool *stop, struct err *e)
{
	struct trace_search *s = ctx;
	int rc = reader_begin(&s->reader, p, e);

	if (!rc) {
		rc = list_entries(s);
		rc = rc ? err_errno(e, rc, "search traces") : search_entries(s, e);
	}
	reader_end(&s->reader);
	*stop = s->enough;
	return rc;
}

int query_trace_search(struct store *base, const struct store_span_select *sel,
		       const struct store_trace_search *search, struct err *e)
{
	struct trace_search s = {.store = base,
				 .select = sel,
				 .search = search,
				 .load = search->most && search->most < LOAD_LARGEST ? search->most
										     : LOAD_FIRST};
	struct store_span_select probed = *sel;
	uint64_t near = 0;
	int rc;

	if (!search->want->all && !search->want->n)
		return 0;
	s.loaded_ns = clock_monotonic_ns();
	if (search->visit) {
		probed.from = sel->from > PROBED_BEFORE_NS ? sel->from - PROBED_BEFORE_NS : 0;
		probed.to = sel->to < UINT64_MAX - PROBED_AFTER_NS ? sel->to + PROBED_AFTER_NS
								   : UINT64_MAX;
		near = sel->from > PROBED_GAP_NS ? sel->from - PROBED_GAP_NS : 0;
	}
	s.scan = (struct span_scan){.select = sel,
				    .search = search,
				    .from = probed.from,
				    .to = probed.to,
				    .end_from = near,
				    .found = note_candidate,
				    .ctx = &s};
	arena_init(&s.arena, sel->limits.budget);
	rc = span_scan_init(&s.scan);
	if (!rc)
		rc = idset_init(&s.known, &s.arena, 256);
	if (!rc)
		rc = span_need_of(&s.need, search->fields, search->field_count, &s.arena);
	rc = rc ? err_errno(e, rc, "search traces")
		: spans_each_partition(store_of(base), &probed, true, search_partition, &s, e);
	span_scan_fini(&s.scan);
	arena_fini(&s.arena);
	return rc;
}
