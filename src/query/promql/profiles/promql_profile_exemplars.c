/* SPDX-License-Identifier: Apache-2.0 */
#include "query/promql/profiles/promql_profile_exemplars.h"

#include <stdlib.h>

#include "base/clock.h"

struct exemplar_row {
	struct profile_row row;
	uint32_t n;
	struct profile_exemplar at[PROFILE_EXEMPLARS];
};

struct finder {
	const struct profile_source *source;
	struct arena *arena;
	struct profile_plan plan;
	struct profile_sums sums; /* sets and classes only */
	VEC(struct exemplar_row) rows;
	struct map index; /* set, class and scope -> row */
	struct stack_tree tree;
	struct profile_frames frames;
	double divisor;
	struct err *e;
	/* The current sample. */
	uint32_t set;
	struct profile_exemplar sample;
};

/* Put the sample in the place of the smallest one, if it is larger. */
static void offer(struct exemplar_row *row, const struct profile_exemplar *x)
{
	uint32_t least = 0;

	if (row->n < PROFILE_EXEMPLARS) {
		row->at[row->n++] = *x;
		return;
	}
	for (uint32_t i = 1; i < row->n; i++)
		if (row->at[i].value < row->at[least].value)
			least = i;
	if (x->value > row->at[least].value)
		row->at[least] = *x;
}

static int add_sample(struct finder *f, uint32_t class, bool total)
{
	uint64_t key = (uint64_t)f->set << 33 | (uint64_t) class << 1 | total, found;
	int rc = 0;

	if (!map_get(&f->index, key, &found)) {
		if (f->rows.n == PROFILE_EXEMPLAR_SERIES)
			return 0;
		found = f->rows.n;
		rc = map_set(&f->index, key, found);
		if (!rc)
			rc = vec_push(
				f->arena, &f->rows,
				(struct exemplar_row){
					.row = {.set = f->set, .class = class, .total = total}});
	}
	if (!rc)
		offer(&f->rows.at[found], &f->sample);
	return rc;
}

static int add_total(void *ctx, uint32_t class)
{
	return add_sample(ctx, class, true);
}

static int visit_linked(struct finder *f, uint32_t node)
{
	uint32_t class = PROFILE_NO_CLASS;
	int rc = 0;

	if (f->plan.scopes[0])
		rc = profile_frames_self(&f->frames, node, &class, f->e);
	if (!rc && class != PROFILE_NO_CLASS)
		rc = add_sample(f, class, false);
	if (!rc && f->plan.scopes[1])
		rc = profile_frames_each(&f->frames, node, add_total, f, f->e);
	return rc;
}

static int visit_samples(void *ctx, const struct store_samples *s)
{
	static const struct link none;
	struct finder *f = ctx;
	uint64_t set;
	int rc;

	if (!s->links || !map_get(&f->sums.sets.of_series, s->series, &set))
		return 0;
	rc = profile_frames_extend(&f->frames);
	f->set = (uint32_t)set;
	for (uint32_t i = 0; i < s->n && !rc; i++) {
		uint64_t time = s->times && s->times[i] ? s->times[i] : s->time;

		if (!memcmp(&s->links[i], &none, sizeof(none)) || s->values[i] <= 0)
			continue;
		f->sample = (struct profile_exemplar){.time_ms = (int64_t)(time / NS_PER_MS),
						      .value = (double)s->values[i] / f->divisor,
						      .link = s->links[i]};
		rc = visit_linked(f, s->nodes[i]);
	}
	return rc;
}

static int read_linked(struct finder *f, const struct profile_metric_type *type,
		       struct store_select *select)
{
	struct selector selector;
	int rc;

	selector_init(&selector);
	f->divisor = type->metric.divisor;
	rc = profile_sets_push(&f->sums.sets, &f->plan, type->id, &selector, f->e);
	if (!rc)
		rc = stack_tree_init(&f->tree, select->limits.budget);
	if (!rc)
		rc = profile_frames_init(&f->frames, &f->sums.classes, &f->tree,
					 select->limits.budget);
	select->selector = &selector;
	if (!rc)
		rc = f->source->store->ops->scan(f->source->store, select, &f->tree, visit_samples,
						 f, f->e);
	profile_frames_fini(&f->frames);
	stack_tree_fini(&f->tree);
	selector_fini(&selector);
	select->selector = NULL;
	return rc;
}

static int compare_times(const void *a, const void *b)
{
	const struct profile_exemplar *x = a, *y = b;

	return x->time_ms == y->time_ms ? 0 : x->time_ms < y->time_ms ? -1 : 1;
}

static int visit_rows(struct finder *f, profile_visit_exemplars *visit, void *ctx)
{
	struct profile_labels labels = {0};
	int rc = 0;

	for (uint32_t i = 0; i < f->rows.n && !rc; i++) {
		struct exemplar_row *row = &f->rows.at[i];

		qsort(row->at, row->n, sizeof(*row->at), compare_times);
		rc = profile_row_labels(&labels, &f->sums, &row->row, f->arena);
		if (!rc)
			rc = visit(ctx, &labels, row->at, row->n);
	}
	return rc;
}

static int find_metric(struct finder *f, const struct promql_select *select, struct str metric)
{
	struct store_select range = profile_range(select->from_ms, select->to_ms);
	struct promql_select plain = {.matchers = select->matchers,
				      .matcher_count = select->matcher_count,
				      .from_ms = select->from_ms,
				      .to_ms = select->to_ms};
	int rc = profile_plan_init(&f->plan, &plain, metric, f->e);

	f->sums = (struct profile_sums){.arena = f->arena, .plan = &f->plan};
	f->rows.n = 0;
	range.tenant = f->source->tenant;
	range.limits = f->source->limits;
	if (!rc)
		rc = profile_sets_list(&f->sums.sets, &f->plan, f->source->store, &range, f->arena,
				       f->e);
	if (!rc)
		rc = profile_classes_init(&f->sums.classes, &f->plan, f->arena);
	if (!rc)
		rc = map_init(&f->index, f->arena, 64);
	for (uint32_t i = 0; i < f->sums.sets.types.n && !rc; i++)
		rc = read_linked(f, &f->sums.sets.types.at[i], &range);
	f->plan.select = NULL; /* it ends here */
	return rc;
}

int profile_exemplars_find(const struct profile_source *source, const struct promql_select *select,
			   profile_visit_exemplars *visit, void *ctx, struct arena *a,
			   struct err *e)
{
	struct finder f = {.source = source, .arena = a, .e = e};
	struct profile_texts metrics;
	int rc = profile_metrics_find(&metrics, source, select, a, e);

	for (uint32_t i = 0; i < metrics.list.n && !rc; i++) {
		rc = find_metric(&f, select, metrics.list.at[i]);
		if (!rc)
			rc = visit_rows(&f, visit, ctx);
	}
	return rc ? err_errno(e, rc, "find exemplars of profiles") : 0;
}
