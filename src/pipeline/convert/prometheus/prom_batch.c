/* SPDX-License-Identifier: Apache-2.0 */
/* Each data point becomes samples of one or more series. */
#include "pipeline/convert/prometheus/prom_batch.h"

#include <errno.h>

#include "base/clock.h"
#include "pipeline/convert/prometheus/prom_samples.h"

/* The zero threshold of native histograms, as Prometheus has it: OTLP's field is not used. */
#define ZERO_THRESHOLD 1e-128

enum { SCALE_MIN = -4, BUCKETS_MAX = 1 << 16 };

struct batch_writer {
	struct metric_batch *b;
	const struct prom_batch_options *o;
	const struct prom_point *point;
	uint32_t last_metric; /* number + 1 */
	struct label labels[METRIC_LABELS_MAX + 4];
};

static int64_t time_of(const struct prom_point *p)
{
	return (int64_t)(p->time / NS_PER_MS);
}

/* Set the labels of a series of the point. Return their number. */
static uint32_t set_labels(struct batch_writer *w, struct str name, const struct prom_label *more)
{
	const struct prom_labels *l = &w->point->labels;
	uint32_t n = 0;

	for (uint32_t i = 0; i < l->list.n && n <= METRIC_LABELS_MAX; i++)
		w->labels[n++] = (struct label){l->list.at[i].name, l->list.at[i].value};
	w->labels[n++] = (struct label){STR(METRIC_NAME_LABEL), name};
	if (more && more->name.n)
		w->labels[n++] = (struct label){more->name, more->value};
	return n;
}

/* Add the series. Return 0, or 1 if it is refused, or -ENOMEM. */
static int add_series(struct batch_writer *w, struct str name, const struct prom_label *more,
		      uint32_t *series)
{
	const char *wrong;
	int rc = metric_batch_series(w->b, w->labels, set_labels(w, name, more), series, &wrong);

	if (rc > 0)
		metric_batch_reject(w->b, 1, wrong, (struct str){0});
	return rc;
}

/* Add the series of a sample, which may be in the cache. Otherwise like add_series(). */
static int add_point_series(struct batch_writer *w, struct str name, const struct prom_sample *s,
			    uint32_t *series)
{
	const struct prom_point *p = w->point;
	int rc;

	if (p->series.n)
		return metric_batch_copy_series(w->b, p->series, series);
	rc = add_series(w, name, &s->more, series);
	if (!rc && p->cache_id != PROM_CACHE_NONE)
		prom_series_cache_put(w->o->cache, p->cache_id, w->b->series.at[*series]);
	return rc;
}

static int add_exemplar(struct batch_writer *w, uint32_t series, const struct prom_exemplar *x)
{
	struct metric_exemplar out = {.series = series, .time = x->time_ms, .value = x->value};
	uint32_t n = 0;
	int rc;

	if (!metric_time_valid(out.time))
		return 0;
	for (uint32_t i = 0; i < x->labels.list.n && n < METRIC_LABELS_MAX; i++)
		w->labels[n++] =
			(struct label){x->labels.list.at[i].name, x->labels.list.at[i].value};
	buf_clear(&w->b->scratch);
	if (metric_labels_put_all(&w->b->scratch, w->labels, n) || buf_error(&w->b->scratch))
		return 0;
	rc = arena_copy_str(&w->b->arena, buf_str(&w->b->scratch), &out.labels);
	return rc ? rc : vec_push(&w->b->arena, &w->b->exemplars, out);
}

static int add_sample(void *arg, const struct prom_sample *s)
{
	struct batch_writer *w = arg;
	struct metric_sample out = {.time = time_of(w->point), .bits = metric_bits(s->value)};
	struct str name = w->point->metric->name;
	double total;
	int rc = 0;

	if (s->suffix.n)
		rc = arena_printf(&w->b->arena, &name, "%.*s%.*s", STR_ARG(name),
				  STR_ARG(s->suffix));
	if (!rc)
		rc = add_point_series(w, name, s, &out.series);
	if (rc)
		return rc < 0 ? rc : 0;
	if (w->point->metric->delta && !w->point->stale) {
		if (!prom_deltas_add(w->o->deltas, w->o->tenant, w->b->series.at[out.series],
				     out.time, s->value, &total)) {
			metric_batch_reject(
				w->b, 1,
				"a point of delta temporality is not newer than the one "
				"before",
				w->b->series.at[out.series]);
			return 0;
		}
		out.bits = metric_bits(total);
	}
	rc = vec_push(&w->b->arena, &w->b->samples, out);
	return rc || !s->exemplar ? rc : add_exemplar(w, out.series, s->exemplar);
}

/* ---- native histograms ---- */

/* Return the index of bucket k of OTLP in Prometheus, at a coarser scale. */
static int64_t native_index(const struct prom_buckets *from, uint32_t k, unsigned shift)
{
	int64_t index = (int64_t)from->offset + k; /* of OTLP: one less than Prometheus' */

	return (index >> shift) + 1;
}

static int make_side(struct batch_writer *w, const struct prom_buckets *from, unsigned shift,
		     struct native_side *out)
{
	uint32_t first = 0, n = from->n;
	int64_t low, high;

	while (n && !from->counts[n - 1])
		n--;
	while (first < n && !from->counts[first])
		first++;
	*out = (struct native_side){0};
	if (first == n)
		return 0;
	low = native_index(from, first, shift);
	high = native_index(from, n - 1, shift);
	if (high - low >= BUCKETS_MAX)
		return 1;
	out->spans = arena_zalloc(&w->b->arena, 1, sizeof(*out->spans));
	out->counts = arena_zalloc(&w->b->arena, (size_t)(high - low) + 1, sizeof(*out->counts));
	if (!out->spans || !out->counts)
		return -ENOMEM;
	out->span_count = 1;
	out->count = (uint32_t)(high - low) + 1;
	out->spans[0] = (struct native_span){(int32_t)low, out->count};
	for (uint32_t k = first; k < n; k++)
		out->counts[native_index(from, k, shift) - low] += (double)from->counts[k];
	return 0;
}

static int make_native(struct batch_writer *w, struct native_histogram *h)
{
	const struct prom_point *p = w->point;
	unsigned shift =
		p->scale > NATIVE_SCHEMA_MAX ? (unsigned)(p->scale - NATIVE_SCHEMA_MAX) : 0;
	int rc;

	*h = (struct native_histogram){.schema = p->scale - (int32_t)shift,
				       .reset = p->metric->delta ? NATIVE_GAUGE : NATIVE_UNKNOWN,
				       .zero_threshold = ZERO_THRESHOLD};
	if (p->stale) {
		h->sum = prom_stale_value();
		return 0;
	}
	h->count = (double)p->count;
	h->sum = p->has_sum ? p->sum : 0;
	h->zero_count = (double)p->zero_count;
	if (shift > 31)
		return 1;
	rc = make_side(w, &p->positive, shift, &h->positive);
	return rc ? rc : make_side(w, &p->negative, shift, &h->negative);
}

static int add_native(struct batch_writer *w)
{
	struct metric_histogram out = {.time = time_of(w->point)};
	const char *wrong = "a scale below -4";
	int rc = w->point->scale < SCALE_MIN ? 1 : make_native(w, &out.value);

	if (!rc) {
		wrong = native_check(&out.value);
		rc = wrong ? 1 : 0;
	} else if (rc > 0 && w->point->scale >= SCALE_MIN) {
		wrong = "an exponential histogram has too many buckets";
	}
	if (rc > 0) {
		metric_batch_reject(w->b, 1, wrong, (struct str){0});
		return 0;
	}
	if (!rc)
		rc = add_series(w, w->point->metric->name, NULL, &out.series);
	if (rc)
		return rc < 0 ? rc : 0;
	rc = vec_push(&w->b->arena, &w->b->histograms, out);
	for (uint32_t i = 0; i < w->point->exemplar_count && !rc; i++)
		rc = add_exemplar(w, out.series, &w->point->exemplars[i]);
	return rc;
}

/* ---- points ---- */

static const uint8_t types[] = {
	[PROM_UNKNOWN] = METRIC_UNKNOWN,  [PROM_COUNTER] = METRIC_COUNTER,
	[PROM_GAUGE] = METRIC_GAUGE,	  [PROM_HISTOGRAM] = METRIC_HISTOGRAM,
	[PROM_NATIVE] = METRIC_HISTOGRAM, [PROM_SUMMARY] = METRIC_SUMMARY,
};

static int note_metric(struct batch_writer *w, const struct prom_metric *m)
{
	if (w->last_metric == m->number + 1)
		return 0;
	w->last_metric = m->number + 1;
	return metric_batch_metadata(w->b, (struct metric_metadata){.name = m->name,
								    .help = m->help,
								    .unit = m->unit,
								    .type = types[m->type]});
}

static int add_point(void *arg, const struct prom_point *p)
{
	struct batch_writer *w = arg;
	int rc;

	w->point = p;
	if (!metric_time_valid(time_of(p))) {
		metric_batch_reject(w->b, 1, "a point has no valid time", (struct str){0});
		return 0;
	}
	if (p->metric->delta && !w->o->deltas && p->metric->type != PROM_NATIVE) {
		metric_batch_reject(w->b, 1, "delta temporality is not supported", (struct str){0});
		return 0;
	}
	rc = note_metric(w, p->metric);
	if (rc)
		return rc;
	return p->metric->type == PROM_NATIVE ? add_native(w) : prom_samples(p, add_sample, w);
}

int prom_batch_read(struct metric_batch *b, const struct payload *p,
		    const struct prom_batch_options *o, struct err *e)
{
	const struct prom_options options = {
		.strategy = o->strategy, .target_info = true, .cache = o->cache};
	struct batch_writer w = {.b = b, .o = o};
	uint32_t nameless = 0;
	int rc = prom_points(p, &options, add_point, &w, &nameless, &b->arena, e);

	if (!rc && nameless)
		metric_batch_reject(b, nameless, "a metric has no name", (struct str){0});
	return rc;
}
