/* SPDX-License-Identifier: Apache-2.0 */
#include "test/memory_store.h"

#include <math.h>
#include <pthread.h>
#include <stdlib.h>

#include "base/clock.h"

struct kept_series {
	struct str tenant;
	struct label_set labels;
};

struct kept_sample {
	uint32_t node;
	int64_t value;
	uint64_t time;
	struct link link;
};

struct kept_profile {
	uint32_t series;
	uint64_t time, duration_nano;
	uint8_t id[PROFILE_ID_SIZE];
	uint32_t sample_at, sample_n;
	bool gone;
};

struct tenant_span {
	struct str tenant;
	struct span span;
};

struct memory_store {
	struct store store;
	pthread_mutex_t mu;	  /* guards all fields */
	struct stack_tree stacks; /* stacks of all samples; its arena holds the rest, too */
	struct arena *arena;
	VEC(struct kept_series) series;
	VEC(struct kept_profile) profiles;
	VEC(struct kept_sample) samples;
	VEC(struct tenant_span) spans;
	uint64_t bytes_ingested;
};

/* ---- writing ---- */

static bool labels_equal(struct label_set a, struct label_set b)
{
	bool equal = a.n == b.n;

	for (uint32_t i = 0; equal && i < a.n; i++)
		equal = str_eq(a.at[i].name, b.at[i].name) && str_eq(a.at[i].value, b.at[i].value);
	return equal;
}

static int keep_series(struct memory_store *m, struct str tenant, struct label_set labels,
		       uint32_t *id)
{
	struct kept_series row = {0};
	struct label *copy;
	int rc;

	for (*id = 0; *id < m->series.n; ++*id)
		if (str_eq(m->series.at[*id].tenant, tenant) &&
		    labels_equal(m->series.at[*id].labels, labels))
			return 0;
	copy = arena_alloc(m->arena, labels.n + 1, sizeof(*copy));
	rc = copy ? arena_copy_str(m->arena, tenant, &row.tenant) : -ENOMEM;
	for (uint32_t i = 0; !rc && i < labels.n; i++) {
		rc = arena_copy_str(m->arena, labels.at[i].name, &copy[i].name);
		if (!rc)
			rc = arena_copy_str(m->arena, labels.at[i].value, &copy[i].value);
	}
	row.labels = (struct label_set){copy, labels.n};
	return rc ? rc : vec_push(m->arena, &m->series, row);
}

static bool is_zero(const uint8_t *bytes, size_t n)
{
	while (n && !*bytes)
		bytes++, n--;
	return !n;
}

static bool same_sample(const struct kept_sample *a, const struct kept_sample *b)
{
	return a->node == b->node && a->value == b->value && a->time == b->time &&
	       memcmp(&a->link, &b->link, sizeof(a->link)) == 0;
}

/* Return whether a stored profile has the same id, samples and (if `timed`) time. */
static bool is_retry(const struct memory_store *m, const struct kept_profile *p, bool timed)
{
	if (is_zero(p->id, PROFILE_ID_SIZE))
		return false;
	for (uint32_t i = 0; i < m->profiles.n; i++) {
		const struct kept_profile *k = &m->profiles.at[i];
		bool same = !k->gone && k->series == p->series && k->sample_n == p->sample_n &&
			    (!timed || k->time == p->time) &&
			    memcmp(k->id, p->id, PROFILE_ID_SIZE) == 0;

		for (uint32_t s = 0; same && s < p->sample_n; s++)
			same = same_sample(&m->samples.at[k->sample_at + s],
					   &m->samples.at[p->sample_at + s]);
		if (same)
			return true;
	}
	return false;
}

/* Append the sample; each value of a sample with times becomes a separate row. */
static int keep_sample(struct memory_store *m, const struct profile_batch *b, uint32_t i,
		       int64_t scale, uint32_t node)
{
	uint32_t times = b->sample_times_at[i + 1] - b->sample_times_at[i];
	uint32_t values = b->sample_values_at[i + 1] - b->sample_values_at[i];
	int rc = 0;

	for (uint32_t k = 0; !rc && k < (times > values ? times : values); k++) {
		struct kept_sample s = {.node = node, .link = b->links.at[b->sample_link[i]]};
		uint64_t value = values ? (uint64_t)b->values.at[b->sample_values_at[i] + k] : 1;

		if (!value && !times) /* has no effect and is not stored, see store.h */
			continue;
		s.value = (int64_t)(value * (uint64_t)scale);
		s.time = times ? b->times.at[b->sample_times_at[i] + k] : 0;
		rc = vec_push(m->arena, &m->samples, s);
	}
	return rc;
}

static int keep_profile(struct memory_store *m, struct store_write *w, uint32_t in_map,
			struct stack_import *import, bool *duplicate)
{
	const struct profile_batch *b = w->batch;
	const struct series *series = &w->series->series.at[in_map];
	const struct profile *p = &b->profiles.at[series->profile];
	struct kept_profile row = {
		.time = p->time_unix_nano ? p->time_unix_nano : w->received,
		.duration_nano = p->duration_nano,
		.sample_at = m->samples.n,
	};
	int rc = keep_series(m, w->tenant, series->labels, &row.series);

	for (uint32_t i = p->sample_first; !rc && i < p->sample_first + p->sample_count; i++) {
		uint32_t node;

		if (w->series->of_sample[i] != in_map)
			continue;
		rc = stack_import_stack(import, b->sample_stack[i], &node);
		if (!rc)
			rc = keep_sample(m, b, i, series->scale, node);
	}
	row.sample_n = m->samples.n - row.sample_at;
	if (rc || !row.sample_n)
		return rc;
	memcpy(row.id, p->id, PROFILE_ID_SIZE);
	*duplicate = is_retry(m, &row, p->time_unix_nano);
	if (*duplicate) {
		m->samples.n = row.sample_at;
		return 0;
	}
	return vec_push(m->arena, &m->profiles, row);
}

static int keep_span(struct memory_store *m, struct str tenant, const struct span *s)
{
	struct tenant_span row = {.span = *s};
	int rc = arena_copy_str(m->arena, tenant, &row.tenant);

	if (!rc)
		rc = arena_copy_str(m->arena, s->name, &row.span.name);
	if (!rc)
		rc = arena_copy_str(m->arena, s->service, &row.span.service);
	return rc ? rc : vec_push(m->arena, &m->spans, row);
}

static int put_spans(struct memory_store *m, struct store_write *w)
{
	int rc = 0;

	pthread_mutex_lock(&m->mu);
	for (uint32_t i = 0; !rc && i < w->spans->spans.n; i++)
		rc = keep_span(m, w->tenant, &w->spans->spans.at[i]);
	pthread_mutex_unlock(&m->mu);
	w->done(w, rc, &(struct err){.code = rc});
	return 0;
}

static bool span_is_selected(const struct store_span_select *sel, const struct tenant_span *t)
{
	bool yes = false;

	if (!str_eq(sel->tenant, t->tenant) || t->span.start < sel->from ||
	    t->span.start >= sel->to)
		return false;
	for (uint32_t i = 0; i < sel->trace_count; i++)
		yes |= memcmp(sel->traces[i], t->span.trace_id, 16) == 0;
	for (uint32_t i = 0; i < sel->id_count; i++)
		yes |= memcmp(sel->ids[i], t->span.span_id, 8) == 0;
	return yes;
}

static int compare_spans(const void *a, const void *b)
{
	const struct span *x = a, *y = b;
	int order = memcmp(x->trace_id, y->trace_id, 16);

	if (order)
		return order;
	if (x->start != y->start)
		return x->start < y->start ? -1 : 1;
	return memcmp(x->span_id, y->span_id, 8);
}

static int memory_spans(struct store *s, const struct store_span_select *sel,
			store_visit_span *visit, void *ctx, struct err *e)
{
	struct memory_store *m = (struct memory_store *)s;
	struct span *found;
	uint32_t n = 0;
	int rc = 0;

	(void)e;
	pthread_mutex_lock(&m->mu);
	found = calloc(m->spans.n + 1, sizeof(*found));
	for (uint32_t i = 0; found && i < m->spans.n; i++)
		if (span_is_selected(sel, &m->spans.at[i]))
			found[n++] = m->spans.at[i].span;
	pthread_mutex_unlock(&m->mu);
	if (!found)
		return -ENOMEM;
	qsort(found, n, sizeof(*found), compare_spans);
	for (uint32_t i = 0; !rc && i < n; i++)
		if (!i || compare_spans(&found[i - 1], &found[i]) != 0)
			rc = visit(ctx, &found[i]);
	free(found);
	return rc;
}

static int memory_put(struct store *s, struct store_write *w, struct err *e)
{
	struct memory_store *m = (struct memory_store *)s;
	struct stack_import import;
	uint32_t last = UINT32_MAX;
	int rc;

	(void)e;
	w->duplicates = 0;
	if (w->spans)
		return put_spans(m, w);
	pthread_mutex_lock(&m->mu);
	rc = stack_import_init(&import, &m->stacks, w->batch, true);
	for (uint32_t i = 0; !rc && i < w->series->series.n; i++) {
		bool duplicate = false;

		rc = keep_profile(m, w, i, &import, &duplicate);
		if (duplicate && last != w->series->series.at[i].profile) {
			last = w->series->series.at[i].profile;
			w->duplicates++;
		}
	}
	stack_import_fini(&import);
	m->bytes_ingested += (uint64_t)w->batch->sample_count * 16;
	pthread_mutex_unlock(&m->mu);
	w->done(w, rc, &(struct err){.code = rc});
	return 0;
}

/* ---- selection ---- */

static int check_limits(const struct store_limits *l)
{
	if (l->cancelled && atomic_load(l->cancelled))
		return -ECANCELED;
	return l->deadline_ns && clock_monotonic_ns() > l->deadline_ns ? -ETIMEDOUT : 0;
}

/* Return 1 if the profile is selected, 0 if not, or a negative errno. */
static int profile_selected(const struct memory_store *m, const struct store_select *sel,
			    const struct kept_profile *p, struct err *e)
{
	const struct kept_series *series = &m->series.at[p->series];
	int rc = check_limits(&sel->limits);

	if (rc)
		return rc;
	if (p->gone || p->time < sel->from || p->time >= sel->to ||
	    !str_eq(series->tenant, sel->tenant))
		return 0;
	if (sel->profile_id && memcmp(sel->profile_id, p->id, PROFILE_ID_SIZE) != 0)
		return 0;
	return sel->selector ? selector_match(sel->selector, series->labels, e) : 1;
}

static bool sample_selected(const struct store_select *sel, const struct kept_sample *s)
{
	bool span = !sel->span_count;

	if (sel->trace_id && memcmp(sel->trace_id, s->link.trace_id, sizeof(s->link.trace_id)) != 0)
		return false;
	for (uint32_t i = 0; !span && i < sel->span_count; i++)
		span = memcmp(sel->spans[i], s->link.span_id, sizeof(s->link.span_id)) == 0;
	return span;
}

/* The selected profiles, sorted by series and time. */
struct chosen {
	struct arena arena;
	VEC(uint32_t) profiles;
};

static int by_series_and_time(const void *a, const void *b, void *arg)
{
	const struct memory_store *m = arg;
	const struct kept_profile *x = &m->profiles.at[*(const uint32_t *)a];
	const struct kept_profile *y = &m->profiles.at[*(const uint32_t *)b];

	if (x->series != y->series)
		return x->series < y->series ? -1 : 1;
	if (x->time != y->time)
		return x->time < y->time ? -1 : 1;
	return x < y ? -1 : x > y;
}

static int choose(struct memory_store *m, const struct store_select *sel, struct chosen *out,
		  struct err *e)
{
	int rc = 0;

	arena_init(&out->arena, sel->limits.budget);
	out->profiles.n = out->profiles.cap = 0;
	out->profiles.at = NULL;
	for (uint32_t i = 0; rc >= 0 && i < m->profiles.n; i++) {
		rc = profile_selected(m, sel, &m->profiles.at[i], e);
		if (rc == 1)
			rc = vec_push(&out->arena, &out->profiles, i);
	}
	if (rc >= 0 && out->profiles.n)
		qsort_r(out->profiles.at, out->profiles.n, sizeof(*out->profiles.at),
			by_series_and_time, m);
	return rc < 0 ? rc : 0;
}

/* ---- queries ---- */

static int memory_series(struct store *s, const struct store_select *sel, store_visit_series *visit,
			 void *ctx, struct err *e)
{
	struct memory_store *m = (struct memory_store *)s;
	struct chosen chosen;
	int rc;

	pthread_mutex_lock(&m->mu);
	rc = choose(m, sel, &chosen, e);
	for (uint32_t i = 0; !rc && i < chosen.profiles.n;) {
		uint32_t series = m->profiles.at[chosen.profiles.at[i]].series;
		struct store_series answer = {
			.labels = m->series.at[series].labels,
			.first = m->profiles.at[chosen.profiles.at[i]].time,
		};

		for (; i < chosen.profiles.n; i++) {
			const struct kept_profile *p = &m->profiles.at[chosen.profiles.at[i]];

			if (p->series != series)
				break;
			answer.last = p->time;
		}
		rc = visit(ctx, series, &answer);
	}
	arena_fini(&chosen.arena);
	pthread_mutex_unlock(&m->mu);
	return rc;
}

/* Cached mapping from nodes of the store's tree to nodes of the caller's tree. */
struct node_map {
	struct memory_store *store;
	struct stack_import import;
	uint32_t *nodes; /* + 1 */
};

static int node_map_init(struct node_map *c, struct memory_store *m, struct stack_tree *to)
{
	int rc;

	c->store = m;
	rc = stack_import_init(&c->import, to, &m->stacks.dictionary, true);
	if (rc)
		return rc;
	c->nodes = arena_zalloc(&c->import.remap.scratch, m->stacks.nodes.n, sizeof(*c->nodes));
	return c->nodes ? 0 : -ENOMEM;
}

static int map_node(struct node_map *c, uint32_t node, uint32_t *out)
{
	const struct stack_node *row = &c->store->stacks.nodes.at[node];
	uint32_t parent, location;
	int rc = 0;

	if (!node) {
		*out = 0;
	} else if (c->nodes[node]) {
		*out = c->nodes[node] - 1;
	} else {
		rc = map_node(c, row->parent, &parent);
		if (!rc)
			rc = stack_import_location(&c->import, row->location, &location);
		if (!rc)
			rc = stack_tree_child(c->import.tree, parent, location, out);
		if (!rc)
			c->nodes[node] = *out + 1;
	}
	return rc;
}

/* Compute the sum of the samples of `p` that the filter keeps. */
static int filtered_total(const struct memory_store *m, const struct store_select *sel,
			  struct node_map *node_map, const struct kept_profile *p, int64_t *out)
{
	uint64_t total = 0;
	int rc = 0;

	for (uint32_t k = 0; !rc && k < p->sample_n; k++) {
		const struct kept_sample *sample = &m->samples.at[p->sample_at + k];
		uint32_t node = 0;
		bool yes = true;

		if (sel->stacks)
			rc = map_node(node_map, sample->node, &node);
		if (!rc && sel->stacks)
			rc = sel->stacks->keeps(sel->stacks->context, node, &yes);
		if (yes)
			total += (uint64_t)sample->value;
	}
	*out = (int64_t)total;
	return rc;
}

static int memory_points(struct store *s, const struct store_select *sel, store_visit_point *visit,
			 void *ctx, struct err *e)
{
	struct memory_store *m = (struct memory_store *)s;
	struct chosen chosen;
	struct node_map node_map = {0};
	int rc;

	pthread_mutex_lock(&m->mu);
	rc = choose(m, sel, &chosen, e);
	if (!rc && sel->stacks)
		rc = node_map_init(&node_map, m, sel->stacks->tree);
	for (uint32_t i = 0; !rc && i < chosen.profiles.n; i++) {
		const struct kept_profile *p = &m->profiles.at[chosen.profiles.at[i]];
		struct store_point point = {
			.series = p->series, .time = p->time, .duration_nano = p->duration_nano};

		memcpy(point.profile_id, p->id, PROFILE_ID_SIZE);
		rc = filtered_total(m, sel, &node_map, p, &point.total);
		if (!rc)
			rc = visit(ctx, &point);
	}
	if (sel->stacks)
		stack_import_fini(&node_map.import);
	arena_fini(&chosen.arena);
	pthread_mutex_unlock(&m->mu);
	return rc;
}

/* The selected samples of one profile, as columns. */
struct columns {
	struct arena arena;
	VEC(uint32_t) nodes;
	VEC(int64_t) values;
	VEC(uint64_t) times;
	VEC(struct link) links;
};

static int fill_columns(struct columns *c, struct node_map *node_map,
			const struct store_select *sel, const struct kept_profile *p)
{
	const struct memory_store *m = node_map->store;
	int rc = 0;

	c->nodes.n = c->values.n = c->times.n = c->links.n = 0;
	for (uint32_t k = 0; !rc && k < p->sample_n; k++) {
		const struct kept_sample *sample = &m->samples.at[p->sample_at + k];
		uint32_t node = 0;

		if (!sample_selected(sel, sample))
			continue;
		if (node_map->import.tree)
			rc = map_node(node_map, sample->node, &node);
		if (!rc)
			rc = vec_push(&c->arena, &c->nodes, node);
		if (!rc)
			rc = vec_push(&c->arena, &c->values, sample->value);
		if (!rc)
			rc = vec_push(&c->arena, &c->times, sample->time);
		if (!rc)
			rc = vec_push(&c->arena, &c->links, sample->link);
	}
	return rc;
}

static int memory_scan(struct store *s, const struct store_select *sel, struct stack_tree *tree,
		       store_visit_samples *visit, void *ctx, struct err *e)
{
	struct memory_store *m = (struct memory_store *)s;
	struct columns columns = {0};
	struct chosen chosen;
	struct node_map node_map = {.store = m};
	int rc, rc2;

	pthread_mutex_lock(&m->mu);
	arena_init(&columns.arena, sel->limits.budget);
	rc = choose(m, sel, &chosen, e);
	rc2 = tree ? node_map_init(&node_map, m, tree) : 0;
	rc = rc ? rc : rc2;
	for (uint32_t i = 0; !rc && i < chosen.profiles.n; i++) {
		const struct kept_profile *p = &m->profiles.at[chosen.profiles.at[i]];

		rc = fill_columns(&columns, &node_map, sel, p);
		if (!rc && columns.nodes.n)
			rc = visit(ctx, &(struct store_samples){
						.series = p->series,
						.time = p->time,
						.duration_nano = p->duration_nano,
						.n = columns.nodes.n,
						.nodes = tree ? columns.nodes.at : NULL,
						.values = columns.values.at,
						.times = columns.times.at,
						.links = columns.links.at,
					});
	}
	if (tree)
		stack_import_fini(&node_map.import);
	arena_fini(&chosen.arena);
	arena_fini(&columns.arena);
	pthread_mutex_unlock(&m->mu);
	return rc;
}

/* ---- sums ---- */

static int add_all(struct node_map *node_map, const struct store_select *sel,
		   const struct chosen *chosen, struct stack_tree *tree, struct stack_sums *sums)
{
	const struct memory_store *m = node_map->store;
	int rc = 0;

	for (uint32_t i = 0; i < chosen->profiles.n; i++) {
		const struct kept_profile *p = &m->profiles.at[chosen->profiles.at[i]];

		for (uint32_t k = 0; !rc && k < p->sample_n; k++) {
			const struct kept_sample *sample = &m->samples.at[p->sample_at + k];
			uint32_t node;

			if (!sample_selected(sel, sample))
				continue;
			rc = map_node(node_map, sample->node, &node);
			if (!rc)
				rc = stack_sums_add(tree, sums, node, sample->value);
		}
	}
	return rc;
}

static uint64_t slot_of(const struct kept_profile *p)
{
	return p->time / (STORE_SLOT_SECONDS * NS_PER_SECOND);
}

/* Return how many of the chosen profiles have the same series and slot as `p`. */
static uint32_t profiles_in_slot(const struct memory_store *m, const struct chosen *chosen,
				 const struct kept_profile *p)
{
	uint32_t n = 0;

	for (uint32_t i = 0; i < chosen->profiles.n; i++) {
		const struct kept_profile *other = &m->profiles.at[chosen->profiles.at[i]];

		n += other->series == p->series && slot_of(other) == slot_of(p);
	}
	return n;
}

static uint32_t count_slots(const struct memory_store *m, const struct chosen *chosen)
{
	uint32_t n = 0;

	for (uint32_t i = 0; i < chosen->profiles.n; i++) {
		bool seen = false;

		for (uint32_t k = 0; k < i && !seen; k++)
			seen = slot_of(&m->profiles.at[chosen->profiles.at[k]]) ==
			       slot_of(&m->profiles.at[chosen->profiles.at[i]]);
		n += !seen;
	}
	return n;
}

/*
 * Add the mean over slots of the sums over series of the mean of each series, rounded to nearest.
 */
static int add_means(struct node_map *node_map, const struct store_select *sel,
		     const struct chosen *chosen, struct stack_tree *tree, struct stack_sums *sums)
{
	struct memory_store *m = node_map->store;
	double slots = count_slots(m, chosen);
	double *means = calloc(m->stacks.nodes.n, sizeof(*means));
	int rc = means ? 0 : -ENOMEM;

	for (uint32_t i = 0; !rc && i < chosen->profiles.n; i++) {
		const struct kept_profile *p = &m->profiles.at[chosen->profiles.at[i]];
		double n = profiles_in_slot(m, chosen, p);

		for (uint32_t k = 0; k < p->sample_n; k++) {
			const struct kept_sample *sample = &m->samples.at[p->sample_at + k];

			if (sample_selected(sel, sample))
				means[sample->node] += (double)sample->value / n / slots;
		}
	}
	for (uint32_t node = 0; !rc && node < m->stacks.nodes.n; node++) {
		uint32_t to;

		if (means[node] == 0)
			continue;
		rc = map_node(node_map, node, &to);
		if (!rc)
			rc = stack_sums_add(tree, sums, to, (int64_t)llround(means[node]));
	}
	free(means);
	return rc;
}

static int memory_stacks(struct store *s, const struct store_select *sel, struct stack_tree *tree,
			 struct stack_sums *sums, struct err *e)
{
	struct memory_store *m = (struct memory_store *)s;
	struct chosen chosen;
	struct node_map node_map;
	int rc, rc2;

	pthread_mutex_lock(&m->mu);
	rc = choose(m, sel, &chosen, e);
	rc2 = node_map_init(&node_map, m, tree);
	rc = rc ? rc : rc2;
	if (!rc)
		rc = (sel->average ? add_means : add_all)(&node_map, sel, &chosen, tree, sums);
	stack_import_fini(&node_map.import);
	arena_fini(&chosen.arena);
	pthread_mutex_unlock(&m->mu);
	return rc;
}

/* ---- deletion, statistics, opening ---- */

static int memory_remove(struct store *s, const struct store_select *sel, uint64_t *profiles,
			 struct err *e)
{
	struct memory_store *m = (struct memory_store *)s;
	struct chosen chosen;
	int rc;

	pthread_mutex_lock(&m->mu);
	rc = choose(m, sel, &chosen, e);
	*profiles = rc ? 0 : chosen.profiles.n;
	for (uint32_t i = 0; !rc && i < chosen.profiles.n; i++)
		m->profiles.at[chosen.profiles.at[i]].gone = true;
	arena_fini(&chosen.arena);
	pthread_mutex_unlock(&m->mu);
	return rc;
}

static int memory_stats(struct store *s, struct str tenant, struct store_stats *out, struct err *e)
{
	struct memory_store *m = (struct memory_store *)s;
	bool *seen = calloc(m->series.n + 1, sizeof(*seen));

	(void)e;
	*out = (struct store_stats){.bytes_ingested = m->bytes_ingested, .spans = m->spans.n};
	if (!seen)
		return -ENOMEM;
	pthread_mutex_lock(&m->mu);
	for (uint32_t i = 0; i < m->profiles.n; i++) {
		const struct kept_profile *p = &m->profiles.at[i];

		if (p->gone || !str_eq(m->series.at[p->series].tenant, tenant))
			continue;
		out->profiles++;
		out->samples += p->sample_n;
		out->series += !seen[p->series];
		seen[p->series] = true;
		if (!out->oldest || p->time < out->oldest)
			out->oldest = p->time;
		if (p->time > out->newest)
			out->newest = p->time;
	}
	pthread_mutex_unlock(&m->mu);
	free(seen);
	return 0;
}

static void memory_close(struct store *s)
{
	struct memory_store *m = (struct memory_store *)s;

	if (!m)
		return;
	stack_tree_fini(&m->stacks);
	pthread_mutex_destroy(&m->mu);
	free(m);
}

static const struct store_ops memory_ops = {
	.put = memory_put,
	.series = memory_series,
	.stacks = memory_stacks,
	.points = memory_points,
	.scan = memory_scan,
	.spans = memory_spans,
	.remove = memory_remove,
	.stats = memory_stats,
	.close = memory_close,
};

int memory_store_open(struct store **out)
{
	struct memory_store *m = calloc(1, sizeof(*m));

	if (!m)
		return -ENOMEM;
	if (stack_tree_init(&m->stacks, NULL)) {
		stack_tree_fini(&m->stacks);
		free(m);
		return -ENOMEM;
	}
	pthread_mutex_init(&m->mu, NULL);
	m->arena = &m->stacks.dictionary.arena;
	m->store.ops = &memory_ops;
	*out = &m->store;
	return 0;
}
