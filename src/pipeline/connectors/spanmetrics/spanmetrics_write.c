/* SPDX-License-Identifier: Apache-2.0 */
/* Writes one message per flush: a resource at a time, its metrics from front to end. */
#include "pipeline/connectors/spanmetrics/spanmetrics_write.h"

#include <math.h>

/* What is the same for all series of one message. */
struct metrics_writing {
	struct otlp_builder builder;
	struct arena arena; /* for one resource, then for one series */
	const struct spanmetrics_format *format;
	const struct span_limits *limits;
	uint64_t start, now;
	struct otlp_exemplar *exemplars; /* room for limits->exemplars */
	uint64_t *counts;		 /* and for all buckets */
	bool failed;
};

/* Counts are fractions where spans are weighted; the buckets and their sum have to agree. */
static uint64_t round_counts(struct metrics_writing *m, const struct span_series *s)
{
	uint64_t sum = 0;

	for (uint32_t i = 0; i <= m->limits->bound_count; i++) {
		m->counts[i] = (uint64_t)llround(s->counts[i]);
		sum += m->counts[i];
	}
	return sum;
}

static void fill_exemplars(struct metrics_writing *m, const struct span_series *s,
			   struct otlp_point *point)
{
	for (uint32_t i = 0; i < s->exemplar_count; i++) {
		const struct span_exemplar *from = &s->exemplars[i];
		struct otlp_exemplar *to = &m->exemplars[i];

		*to = (struct otlp_exemplar){.time = from->time, .d = from->value};
		memcpy(to->trace_id, from->trace_id, sizeof(to->trace_id));
		memcpy(to->span_id, from->span_id, sizeof(to->span_id));
	}
	point->exemplars = m->exemplars;
	point->exemplar_count = s->exemplar_count;
}

/* Write the data point of a series: its calls or its durations. */
static void write_series(struct metrics_writing *m, const struct span_series *s, bool calls)
{
	struct attributes attributes = {0};
	struct otlp_point point = {.attributes = &attributes,
				   .start = m->format->temporality == OTLP_DELTA ? m->start
										 : s->start,
				   .time = m->now};
	uint64_t count = round_counts(m, s);

	arena_reset(&m->arena);
	if (otlp_attributes_read(&attributes, s->keyed.key, 1, &m->arena)) {
		m->failed = true;
		return;
	}
	fill_exemplars(m, s, &point);
	if (calls)
		otlp_add_number(
			&m->builder,
			&(struct otlp_number){.point = point, .is_int = true, .i = (int64_t)count});
	else
		otlp_add_histogram(&m->builder, &(struct otlp_histogram){
							.point = point,
							.count = count,
							.has_sum = true,
							.sum = s->sum,
							.bounds = m->limits->bounds,
							.bound_count = m->limits->bound_count,
							.counts = m->counts,
							.count_count = m->limits->bound_count + 1});
}

static void write_table(struct metrics_writing *m, const struct keyed_table *t, bool calls)
{
	const struct spanmetrics_format *f = m->format;

	otlp_begin_metric(&m->builder,
			  &(struct otlp_metric){.name = calls ? f->calls : f->duration,
						.unit = calls ? STR("") : f->unit,
						.kind = calls ? OTLP_SUM : OTLP_HISTOGRAM,
						.temporality = f->temporality,
						.monotonic = calls});
	for (size_t i = 0; i < t->cap; i++)
		if (t->at[i])
			write_series(m, (const struct span_series *)t->at[i], calls);
}

static void write_resource(struct metrics_writing *m, const struct span_resource *x)
{
	struct attributes attributes = {0};

	arena_reset(&m->arena);
	if (otlp_attributes_read(&attributes, x->resource, OTLP_RESOURCE_ATTRIBUTES, &m->arena)) {
		m->failed = true;
		return;
	}
	otlp_begin_resource(&m->builder, &attributes, STR(""));
	otlp_begin_scope(&m->builder, STR("spanmetricsconnector"), STR(""));
	write_table(m, &x->calls, true);
	if (!m->format->no_duration)
		write_table(m, m->format->same ? &x->calls : &x->times, false);
}

static void forget_exemplars(const struct keyed_table *t)
{
	for (size_t i = 0; i < t->cap; i++)
		if (t->at[i])
			((struct span_series *)t->at[i])->exemplar_count = 0;
}

struct payload *spanmetrics_write(struct span_registry *r, const struct spanmetrics_format *format,
				  uint64_t start, uint64_t now, struct budget *budget)
{
	struct metrics_writing m = {
		.format = format, .limits = &r->limits, .start = start, .now = now};
	struct payload *p = NULL;
	struct arena room;

	arena_init(&room, budget);
	arena_init(&m.arena, budget);
	otlp_builder_init(&m.builder, SIGNAL_METRICS, budget);
	m.exemplars = arena_alloc(&room, r->limits.exemplars + 1, sizeof(*m.exemplars));
	m.counts = arena_alloc(&room, r->limits.bound_count + 1, sizeof(*m.counts));
	for (struct lru_link *l = r->order.oldest; l && m.exemplars && m.counts; l = l->newer) {
		const struct span_resource *x = (const struct span_resource *)l;

		write_resource(&m, x);
		forget_exemplars(&x->calls);
		forget_exemplars(&x->times);
	}
	if (m.exemplars && m.counts && !m.failed)
		p = otlp_builder_finish(&m.builder);
	otlp_builder_fini(&m.builder);
	arena_fini(&m.arena);
	arena_fini(&room);
	return p;
}
