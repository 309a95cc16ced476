/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A store over one batch. Initialization groups samples by series with a counting sort; each query
 * is then one pass over the selected entries. The selected spans and traces are compared once per
 * link, not once per sample.
 */
#include "store/batch/batch_store.h"

#include <stdlib.h>

#include "base/clock.h"
#include "base/container/hash.h"
#include "base/container/map.h"
#include "store/mean.h"

/* ---- initialization ---- */

static bool labels_equal(struct label_set a, struct label_set b)
{
	bool equal = a.n == b.n;

	for (uint32_t i = 0; equal && i < a.n; i++)
		equal = str_eq(a.at[i].name, b.at[i].name) && str_eq(a.at[i].value, b.at[i].value);
	return equal;
}

static uint32_t labels_hash(struct label_set set)
{
	uint64_t hash = set.n;

	for (uint32_t i = 0; i < set.n; i++)
		hash = hash_u64(hash << 32 | hash32(set.at[i].name)) ^
		       (uint64_t)hash32(set.at[i].value) << 16;
	return hash_u64(hash);
}

static int number_series(struct batch_store *b, struct idset *index, struct label_set labels,
			 uint32_t *number)
{
	uint32_t hash = labels_hash(labels);
	int rc;

	for (struct idset_cursor at = idset_seek(index, hash); idset_next(index, &at, number);)
		if (labels_equal(b->labels.at[*number], labels))
			return 0;
	*number = b->labels.n;
	rc = idset_add(index, hash, *number);
	return rc ? rc : vec_push(&b->arena, &b->labels, labels);
}

static int make_entries(struct batch_store *b, uint64_t received)
{
	struct idset index;
	int rc = idset_init(&index, &b->arena, b->map->series.n);

	for (uint32_t i = 0; i < b->map->series.n && !rc; i++) {
		const struct series *s = &b->map->series.at[i];
		uint64_t time = b->batch->profiles.at[s->profile].time_unix_nano;
		struct batch_entry entry = {.series = i, .time = time ? time : received};

		rc = number_series(b, &index, s->labels, &entry.number);
		if (!rc)
			rc = vec_push(&b->arena, &b->profiles, entry);
	}
	return rc;
}

/* Group the samples by entry. Entries are still in the order of the map. */
static int sort_samples(struct batch_store *b)
{
	const uint32_t *of_sample = b->map->of_sample;
	uint32_t n = b->batch->sample_count, at = 0;

	b->samples = arena_alloc(&b->arena, (size_t)n + 1, sizeof(*b->samples));
	if (!b->samples)
		return -ENOMEM;
	for (uint32_t i = 0; i < n; i++)
		if (of_sample[i] != SERIES_NONE)
			b->profiles.at[of_sample[i]].n++;
	for (uint32_t i = 0; i < b->profiles.n; i++) {
		b->profiles.at[i].sample_at = at;
		at += b->profiles.at[i].n;
		b->profiles.at[i].n = 0;
	}
	for (uint32_t i = 0; i < n; i++)
		if (of_sample[i] != SERIES_NONE) {
			struct batch_entry *entry = &b->profiles.at[of_sample[i]];

			b->samples[entry->sample_at + entry->n++] = i;
		}
	return 0;
}

static int by_number_and_time(const void *a, const void *b)
{
	const struct batch_entry *x = a, *y = b;

	if (x->number != y->number)
		return x->number < y->number ? -1 : 1;
	if (x->time != y->time)
		return x->time < y->time ? -1 : 1;
	return x->series < y->series ? -1 : x->series > y->series;
}

static const struct profile *profile_of(const struct batch_store *b,
					const struct batch_entry *entry)
{
	return &b->batch->profiles.at[b->map->series.at[entry->series].profile];
}

/* Drop profiles without samples, sort the others and set their time range. */
static void finish_entries(struct batch_store *b)
{
	uint32_t kept = 0;

	for (uint32_t i = 0; i < b->profiles.n; i++) {
		const struct batch_entry entry = b->profiles.at[i];
		uint64_t end;

		if (!entry.n)
			continue;
		if (__builtin_add_overflow(entry.time, profile_of(b, &entry)->duration_nano, &end))
			end = UINT64_MAX;
		b->first = !kept || entry.time < b->first ? entry.time : b->first;
		b->end = end > b->end ? end : b->end;
		b->profiles.at[kept++] = entry;
	}
	b->profiles.n = kept;
	if (kept)
		qsort(b->profiles.at, kept, sizeof(*b->profiles.at), by_number_and_time);
}

/* ---- selection ---- */

struct batch_query {
	const struct batch_store *b;
	const struct store_select *sel;
	struct arena arena;
	bool *series;		 /* by number: selected */
	bool *links;		 /* by link of the batch: selected; NULL: all, and no link */
	struct stack_tree *tree; /* may be NULL */
	struct stack_import import;
};

static bool link_selected(const struct store_select *sel, const struct link *link)
{
	bool span = !sel->span_count;

	if (sel->trace_id && memcmp(sel->trace_id, link->trace_id, sizeof(link->trace_id)) != 0)
		return false;
	for (uint32_t i = 0; !span && i < sel->span_count; i++)
		span = memcmp(sel->spans[i], link->span_id, sizeof(link->span_id)) == 0;
	return span;
}

static int select_links(struct batch_query *a)
{
	uint32_t n = a->b->batch->links.n;

	if (!a->sel->span_count && !a->sel->trace_id)
		return 0;
	a->links = arena_zalloc(&a->arena, n, sizeof(*a->links));
	if (!a->links)
		return -ENOMEM;
	for (uint32_t i = 1; i < n; i++)
		a->links[i] = link_selected(a->sel, &a->b->batch->links.at[i]);
	return 0;
}

/* Begin a query: evaluate the selection. Call batch_query_fini() in every case. */
static int batch_query_init(struct batch_query *a, struct store *s, const struct store_select *sel,
			    struct stack_tree *tree, struct err *e)
{
	const struct batch_store *b = (const struct batch_store *)s;
	int rc = 0;

	*a = (struct batch_query){.b = b, .sel = sel, .tree = tree};
	arena_init(&a->arena, sel->limits.budget);
	a->series = arena_alloc(&a->arena, b->labels.n + 1, sizeof(*a->series));
	if (!a->series)
		return -ENOMEM;
	for (uint32_t i = 0; i < b->labels.n && rc >= 0; i++) {
		rc = sel->selector ? selector_match(sel->selector, b->labels.at[i], e) : 1;
		a->series[i] = rc > 0;
	}
	if (rc >= 0)
		rc = select_links(a);
	return rc || !tree ? rc : stack_import_init(&a->import, tree, b->batch, false);
}

static void batch_query_fini(struct batch_query *a)
{
	if (a->import.tree)
		stack_import_fini(&a->import);
	arena_fini(&a->arena);
}

/* Return 1 if the profile is selected, 0 if not, or -errno when the query must end. */
static int entry_selected(const struct batch_query *a, const struct batch_entry *entry)
{
	const struct store_limits *l = &a->sel->limits;

	if (l->cancelled && atomic_load(l->cancelled))
		return -ECANCELED;
	if (l->deadline_ns && clock_monotonic_ns() > l->deadline_ns)
		return -ETIMEDOUT;
	return a->series[entry->number] && entry->time >= a->sel->from &&
	       entry->time < a->sel->to &&
	       (!a->sel->profile_id ||
		memcmp(a->sel->profile_id, profile_of(a->b, entry)->id, PROFILE_ID_SIZE) == 0);
}

static bool sample_selected(const struct batch_query *a, uint32_t sample)
{
	return !a->links || a->links[a->b->batch->sample_link[sample]];
}

static int64_t scale_value(int64_t value, int64_t scale)
{
	return (int64_t)((uint64_t)value * (uint64_t)scale);
}

static int batch_series(struct store *s, const struct store_select *sel, store_visit_series *visit,
			void *ctx, struct err *e)
{
	const struct batch_store *b = (const struct batch_store *)s;
	struct store_series answer = {0};
	uint32_t found = UINT32_MAX; /* the series of `answer` */
	struct batch_query a;
	int rc = batch_query_init(&a, s, sel, NULL, e);

	for (uint32_t i = 0; i < b->profiles.n && !rc; i++) {
		const struct batch_entry *entry = &b->profiles.at[i];
		int selected = entry_selected(&a, entry);

		if (selected < 0)
			rc = selected;
		if (selected <= 0)
			continue;
		if (found != entry->number) {
			if (found != UINT32_MAX)
				rc = visit(ctx, found, &answer);
			answer = (struct store_series){b->labels.at[entry->number], entry->time, 0};
			found = entry->number;
		}
		answer.last = entry->time;
	}
	if (!rc && found != UINT32_MAX)
		rc = visit(ctx, found, &answer);
	batch_query_fini(&a);
	return rc;
}

/* ---- sums ---- */

static int add_entry_samples(struct batch_query *a, const struct batch_entry *entry,
			     struct stack_sums *sums)
{
	int64_t scale = a->b->map->series.at[entry->series].scale;
	int rc = 0;

	for (uint32_t i = 0; i < entry->n && !rc; i++) {
		uint32_t sample = a->b->samples[entry->sample_at + i], node;

		if (!sample_selected(a, sample))
			continue;
		rc = stack_import_stack(&a->import, a->b->batch->sample_stack[sample], &node);
		if (!rc)
			rc = stack_sums_add(a->tree, sums, node,
					    scale_value(sample_total(a->b->batch, sample), scale));
	}
	return rc;
}

static int sum_entries(struct batch_query *a, struct stack_sums *sums)
{
	int rc = 0;

	for (uint32_t i = 0; i < a->b->profiles.n && rc >= 0; i++) {
		rc = entry_selected(a, &a->b->profiles.at[i]);
		if (rc > 0)
			rc = add_entry_samples(a, &a->b->profiles.at[i], sums);
	}
	return rc < 0 ? rc : 0;
}

/* Averaging: profiles of one series and slot are adjacent; their mean is added to `parts`. */
struct averaging {
	struct stack_sums slot; /* of the current series and slot */
	struct stack_sums parts;
	uint32_t count;	  /* profiles in the current slot */
	struct map slots; /* that have data */
};

static int end_slot(struct batch_query *a, struct averaging *v)
{
	int rc = v->count ? stack_sums_fit(a->tree, &v->parts) : 0;

	for (uint32_t i = 0; v->count && i < v->slot.self.n && !rc; i++) {
		int64_t mean = divide_rounded((__int128)v->slot.self.at[i] * MEAN_PARTS, v->count);

		v->parts.self.at[i] = (int64_t)((uint64_t)v->parts.self.at[i] + (uint64_t)mean);
		v->slot.self.at[i] = 0;
	}
	v->count = 0;
	return rc;
}

static uint64_t entry_slot(const struct batch_entry *entry)
{
	return entry->time / (STORE_SLOT_SECONDS * NS_PER_SECOND);
}

static int add_slot_means(struct batch_query *a, struct averaging *v)
{
	const struct batch_entry *last = NULL;
	int rc = map_init(&v->slots, &a->arena, 16);

	for (uint32_t i = 0; i < a->b->profiles.n && rc >= 0; i++) {
		const struct batch_entry *entry = &a->b->profiles.at[i];

		rc = entry_selected(a, entry);
		if (rc <= 0)
			continue;
		rc = last && (last->number != entry->number ||
			      entry_slot(last) != entry_slot(entry))
			     ? end_slot(a, v)
			     : 0;
		if (!rc)
			rc = map_set(&v->slots, entry_slot(entry), 1);
		if (!rc)
			rc = add_entry_samples(a, entry, &v->slot);
		v->count++;
		last = entry;
	}
	return rc < 0 ? rc : end_slot(a, v);
}

static int average_entries(struct batch_query *a, struct stack_sums *sums)
{
	struct averaging v = {0};
	int rc = add_slot_means(a, &v);
	int64_t parts = (int64_t)map_count(&v.slots) * MEAN_PARTS;

	if (!rc)
		rc = stack_sums_fit(a->tree, sums);
	for (uint32_t i = 0; i < v.parts.self.n && parts && !rc; i++)
		rc = stack_sums_add(a->tree, sums, i, divide_rounded(v.parts.self.at[i], parts));
	return rc;
}

static int batch_stacks(struct store *s, const struct store_select *sel, struct stack_tree *tree,
			struct stack_sums *sums, struct err *e)
{
	struct batch_query a;
	int rc = batch_query_init(&a, s, sel, tree, e);

	if (!rc)
		rc = sel->average ? average_entries(&a, sums) : sum_entries(&a, sums);
	batch_query_fini(&a);
	return rc;
}

/* ---- points and samples ---- */

static int point_total(struct batch_query *a, const struct batch_entry *entry, int64_t *total)
{
	const struct store_stack_filter *filter = a->sel->stacks;
	uint64_t sum = 0;
	int rc = 0;

	for (uint32_t i = 0; i < entry->n && !rc; i++) {
		uint32_t sample = a->b->samples[entry->sample_at + i], node;
		bool yes = true;

		if (filter)
			rc = stack_import_stack(&a->import, a->b->batch->sample_stack[sample],
						&node);
		if (filter && !rc)
			rc = filter->keeps(filter->context, node, &yes);
		if (yes)
			sum += (uint64_t)sample_total(a->b->batch, sample);
	}
	*total = scale_value((int64_t)sum, a->b->map->series.at[entry->series].scale);
	return rc;
}

static int batch_points(struct store *s, const struct store_select *sel, store_visit_point *visit,
			void *ctx, struct err *e)
{
	const struct batch_store *b = (const struct batch_store *)s;
	struct batch_query a;
	int rc = batch_query_init(&a, s, sel, sel->stacks ? sel->stacks->tree : NULL, e);

	for (uint32_t i = 0; i < b->profiles.n && rc >= 0; i++) {
		const struct batch_entry *entry = &b->profiles.at[i];
		struct store_point point = {.series = entry->number,
					    .time = entry->time,
					    .duration_nano = profile_of(b, entry)->duration_nano};

		rc = entry_selected(&a, entry);
		if (rc <= 0)
			continue;
		memcpy(point.profile_id, profile_of(b, entry)->id, PROFILE_ID_SIZE);
		rc = point_total(&a, entry, &point.total);
		if (!rc)
			rc = visit(ctx, &point);
	}
	batch_query_fini(&a);
	return rc < 0 ? rc : 0;
}

struct sample_columns {
	VEC(uint32_t) nodes;
	VEC(int64_t) values;
	VEC(uint64_t) times;
	VEC(struct link) links;
	bool timed, linked;
};

/* Append a sample; each of its times becomes a sample of its own. */
static int collect_sample(struct batch_query *a, struct sample_columns *c, uint32_t sample,
			  uint32_t node, int64_t scale)
{
	const struct profile_batch *b = a->b->batch;
	uint32_t value_at = b->sample_values_at[sample], time_at = b->sample_times_at[sample];
	uint32_t times = b->sample_times_at[sample + 1] - time_at;
	uint32_t values = b->sample_values_at[sample + 1] - value_at;
	uint32_t n = times > values ? times : values;
	int rc = vec_reserve(&a->arena, &c->nodes, n);

	if (!rc)
		rc = vec_reserve(&a->arena, &c->values, n);
	if (!rc)
		rc = vec_reserve(&a->arena, &c->times, n);
	if (!rc)
		rc = vec_reserve(&a->arena, &c->links, n);
	for (uint32_t i = 0; i < n && !rc; i++) {
		int64_t value = values ? b->values.at[value_at + i] : 1;

		if (!value && !times)
			continue;
		c->nodes.at[c->nodes.n++] = node;
		c->values.at[c->values.n++] = scale_value(value, scale);
		c->times.at[c->times.n++] = times ? b->times.at[time_at + i] : 0;
		c->links.at[c->links.n++] = b->links.at[b->sample_link[sample]];
	}
	c->timed |= times > 0;
	c->linked |= b->sample_link[sample] != 0;
	return rc;
}

static int collect_samples(struct batch_query *a, struct sample_columns *c,
			   const struct batch_entry *entry)
{
	int64_t scale = a->b->map->series.at[entry->series].scale;
	int rc = 0;

	c->nodes.n = c->values.n = c->times.n = c->links.n = 0;
	c->timed = c->linked = false;
	for (uint32_t i = 0; i < entry->n && !rc; i++) {
		uint32_t sample = a->b->samples[entry->sample_at + i], node = 0;

		if (!sample_selected(a, sample))
			continue;
		if (a->tree)
			rc = stack_import_stack(&a->import, a->b->batch->sample_stack[sample],
						&node);
		if (!rc)
			rc = collect_sample(a, c, sample, node, scale);
	}
	return rc;
}

static int batch_scan(struct store *s, const struct store_select *sel, struct stack_tree *tree,
		      store_visit_samples *visit, void *ctx, struct err *e)
{
	const struct batch_store *b = (const struct batch_store *)s;
	struct sample_columns c = {0};
	struct batch_query a;
	int rc = batch_query_init(&a, s, sel, tree, e);

	for (uint32_t i = 0; i < b->profiles.n && rc >= 0; i++) {
		const struct batch_entry *entry = &b->profiles.at[i];

		rc = entry_selected(&a, entry);
		if (rc <= 0)
			continue;
		rc = collect_samples(&a, &c, entry);
		if (!rc && (c.nodes.n || !a.links))
			rc = visit(ctx,
				   &(struct store_samples){
					   .series = entry->number,
					   .time = entry->time,
					   .duration_nano = profile_of(b, entry)->duration_nano,
					   .n = c.nodes.n,
					   .nodes = tree ? c.nodes.at : NULL,
					   .values = c.values.at,
					   .times = c.timed ? c.times.at : NULL,
					   .links = c.linked ? c.links.at : NULL,
				   });
	}
	batch_query_fini(&a);
	return rc < 0 ? rc : 0;
}

/* ---- other operations ---- */

static int batch_put(struct store *s, struct store_write *w, struct err *e)
{
	(void)s;
	(void)w;
	return err_set(e, -EINVAL, "a file cannot be written to");
}

static int batch_remove(struct store *s, const struct store_select *sel, uint64_t *profiles,
			struct err *e)
{
	(void)s;
	(void)sel;
	*profiles = 0;
	return err_set(e, -EINVAL, "nothing can be deleted from a file");
}

static int batch_stats(struct store *s, struct str tenant, struct store_stats *out, struct err *e)
{
	const struct batch_store *b = (const struct batch_store *)s;

	(void)tenant;
	(void)e;
	*out = (struct store_stats){
		.profiles = b->profiles.n, .series = b->labels.n, .oldest = b->first};
	for (uint32_t i = 0; i < b->profiles.n; i++) {
		out->samples += b->profiles.at[i].n;
		if (b->profiles.at[i].time > out->newest)
			out->newest = b->profiles.at[i].time;
	}
	return 0;
}

/* A batch has links to spans, but not the spans. */
static int batch_spans(struct store *s, const struct store_span_select *sel,
		       store_visit_span *visit, void *ctx, struct err *e)
{
	(void)s;
	(void)sel;
	(void)visit;
	(void)ctx;
	(void)e;
	return 0;
}

static void batch_close(struct store *s)
{
	batch_store_fini((struct batch_store *)s);
}

/* A batch does not change. */
static uint64_t batch_version(struct store *s, uint64_t from, uint64_t to)
{
	(void)s;
	(void)from;
	(void)to;
	return 1;
}

static const struct store_ops batch_ops = {
	.put = batch_put,
	.series = batch_series,
	.stacks = batch_stacks,
	.points = batch_points,
	.scan = batch_scan,
	.spans = batch_spans,
	.remove = batch_remove,
	.stats = batch_stats,
	.version = batch_version,
	.close = batch_close,
};

int batch_store_init(struct batch_store *b, const struct profile_batch *batch,
		     const struct series_map *map, uint64_t received, struct budget *budget)
{
	int rc;

	*b = (struct batch_store){.store.ops = &batch_ops, .batch = batch, .map = map};
	arena_init(&b->arena, budget);
	rc = make_entries(b, received);
	if (!rc)
		rc = sort_samples(b);
	if (!rc)
		finish_entries(b);
	return rc;
}

void batch_store_fini(struct batch_store *b)
{
	arena_fini(&b->arena);
}
