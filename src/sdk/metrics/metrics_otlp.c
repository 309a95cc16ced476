/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Instruments as OTLP: cumulative points, written backwards like all protobuf. Field numbers are
 * those of opentelemetry/proto/metrics/v1/metrics.proto.
 */
#include <math.h>

#include "sdk/attributes.h"
#include "sdk/metrics/instruments.h"
#include "sdk/metrics/metric_point.h"

enum { CUMULATIVE = 2 };

/* Field numbers that differ between the kinds of points. */
static const struct point_fields {
	uint32_t data, attributes, exemplars;
} fields_of[] = {
	[VARVE_COUNTER] = {7, 7, 5},
	[VARVE_UP_DOWN_COUNTER] = {7, 7, 5},
	[VARVE_GAUGE] = {5, 7, 5},
	[VARVE_HISTOGRAM] = {9, 9, 8},
	[VARVE_EXPONENTIAL_HISTOGRAM] = {10, 1, 11},
};

/* Write 8 bytes as a field, also if they are zero. */
static void put_fixed64_always(struct proto_writer *w, uint32_t field, uint64_t bits)
{
	proto_put_fixed64_raw(w, bits);
	proto_put_varint(w, PROTO_TAG(field, PROTO_FIXED64));
}

static void put_sint(struct proto_writer *w, uint32_t field, int32_t value)
{
	proto_put_uint(w, field, (uint32_t)value << 1 ^ (uint32_t)(value >> 31));
}

static void put_attribute_set(struct proto_writer *w, uint32_t field,
			      const struct attribute_set *set)
{
	proto_put_raw(w, set->bytes, set->n);
	if (!w->failed && set->n)
		attributes_retag(w->p + w->start, set->n, field);
}

/* Exemplar { time = 2, as_double = 3, span_id = 4, trace_id = 5, as_int = 6 }. */
static void put_exemplar(struct proto_writer *w, uint32_t field, const struct exemplar *x,
			 bool real)
{
	static const uint8_t none[8];
	size_t end = proto_mark(w);

	if (!real)
		put_fixed64_always(w, 6, x->value);
	if (memcmp(x->span_id, none, sizeof(none)) != 0) {
		proto_put_bytes(w, 5, str_of((const char *)x->trace_id, sizeof(x->trace_id)));
		proto_put_bytes(w, 4, str_of((const char *)x->span_id, sizeof(x->span_id)));
	}
	if (real)
		put_fixed64_always(w, 3, x->value);
	proto_put_fixed64(w, 2, x->time_unix_ns);
	proto_put_header(w, field, end);
}

static void put_exemplars(struct proto_writer *w, struct varve_series *s)
{
	struct exemplar taken[EXEMPLARS_MAX];
	uint32_t n = exemplars_take(&s->exemplars, taken);

	while (n-- > 0)
		put_exemplar(w, fields_of[s->instrument->kind].exemplars, &taken[n],
			     s->instrument->real);
}

/* NumberDataPoint { start = 2, time = 3, as_double = 4, as_int = 6 }. */
static void put_number(struct proto_writer *w, const struct varve_series *s,
		       const struct metric_point *p, uint64_t now)
{
	put_fixed64_always(w, s->instrument->real ? 4 : 6, p->value);
	proto_put_fixed64(w, 3, now);
	if (s->instrument->kind != VARVE_GAUGE)
		proto_put_fixed64(w, 2, atomic_load(&s->start_unix_ns));
}

/*
 * HistogramDataPoint { start = 2, time = 3, count = 4, sum = 5, bucket_counts = 6,
 * explicit_bounds = 7, min = 11, max = 12 }.
 */
static void put_histogram(struct proto_writer *w, const struct varve_series *s,
			  const struct metric_point *p, uint64_t now)
{
	uint32_t n = s->instrument->bound_count;
	size_t end;

	put_fixed64_always(w, 12, bits_of(p->max));
	put_fixed64_always(w, 11, bits_of(p->min));
	if (n) {
		end = proto_mark(w);
		proto_put_raw(w, s->instrument->bounds, n * sizeof(double));
		proto_put_header(w, 7, end);
	}
	end = proto_mark(w);
	proto_put_raw(w, p->buckets, (n + 1) * sizeof(uint64_t));
	proto_put_header(w, 6, end);
	put_fixed64_always(w, 5, bits_of(p->sum));
	put_fixed64_always(w, 4, p->count);
	proto_put_fixed64(w, 3, now);
	proto_put_fixed64(w, 2, atomic_load(&s->start_unix_ns));
}

/* Buckets { offset = 1, bucket_counts = 2 }. */
static void put_buckets(struct proto_writer *w, uint32_t field, const struct exponential_buckets *b)
{
	size_t end = proto_mark(w), counts = end;

	if (!b->n)
		return;
	for (uint32_t i = b->n; i-- > 0;)
		proto_put_varint(w, b->at[i]);
	proto_put_header(w, 2, counts);
	put_sint(w, 1, b->first);
	proto_put_header(w, field, end);
}

/*
 * ExponentialHistogramDataPoint { start = 2, time = 3, count = 4, sum = 5, scale = 6,
 * zero_count = 7, positive = 8, negative = 9, min = 12, max = 13 }.
 */
static void put_exponential(struct proto_writer *w, const struct varve_series *s,
			    const struct exponential *e, uint64_t now)
{
	put_fixed64_always(w, 13, bits_of(e->max));
	put_fixed64_always(w, 12, bits_of(e->min));
	put_buckets(w, 9, &e->negative);
	put_buckets(w, 8, &e->positive);
	proto_put_fixed64(w, 7, e->zero_count);
	put_sint(w, 6, e->scale);
	put_fixed64_always(w, 5, bits_of(e->sum));
	put_fixed64_always(w, 4, e->count);
	proto_put_fixed64(w, 3, now);
	proto_put_fixed64(w, 2, atomic_load(&s->start_unix_ns));
}

static void put_point(struct proto_writer *w, struct varve_series *s, const struct metric_point *p,
		      uint64_t now)
{
	const struct point_fields *fields = &fields_of[s->instrument->kind];
	size_t end = proto_mark(w);

	put_exemplars(w, s);
	/* attribute sets may follow: the order of fields is free */
	put_attribute_set(w, fields->attributes, s->set);
	if (s->histogram)
		put_histogram(w, s, p, now);
	else if (s->exponential)
		put_exponential(w, s, &p->exponential, now);
	else
		put_number(w, s, p, now);
	proto_put_header(w, 1, end);
}

/* Metric { name = 1, description = 2, unit = 3, and its data }. */
static void put_instrument(struct proto_writer *w, const struct varve_instrument *i, uint64_t now)
{
	size_t end = proto_mark(w), before;
	struct metric_point p;

	if (i->kind == VARVE_COUNTER)
		proto_put_uint(w, 3, 1); /* is_monotonic */
	if (i->kind != VARVE_GAUGE)
		proto_put_uint(w, 2, CUMULATIVE);
	before = proto_mark(w);
	for (struct varve_series *s = atomic_load(&i->series); s; s = s->next)
		if (metric_point_read(&p, s))
			put_point(w, s, &p, now);
	if (proto_mark(w) == before) { /* no values: take back what was written */
		w->start += before - end;
		return;
	}
	proto_put_header(w, fields_of[i->kind].data, end);
	proto_put_bytes(w, 3, i->unit);
	proto_put_bytes(w, 2, i->description);
	proto_put_bytes(w, 1, i->name);
	proto_put_header(w, 2, end);
}

void instruments_put(struct proto_writer *w, uint64_t now_unix_ns)
{
	size_t end = proto_mark(w);

	if (!atomic_load(&metric_registry.count))
		return;
	metrics_begin_reading();
	for (uint32_t k = atomic_load(&metric_registry.count); k-- > 0;)
		put_instrument(w, atomic_load(&metric_registry.instruments[k]), now_unix_ns);
	metrics_end_reading();
	if (proto_mark(w) > end)
		proto_put_header(w, 2, end); /* ResourceMetrics.scope_metrics, without a scope */
}
