/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Messages are written back to front. The symbols of version 2 are numbered while the series are
 * written, and come last into the buffer, which makes them the first field.
 */
#include "pipeline/exporters/prometheusremotewrite/write_encode.h"

#include <errno.h>

#include "base/container/intern.h"
#include "pipeline/convert/prometheus/prom_samples.h"

enum { SCHEMA_MAX = 8, GAP_MAX = 2, FIXED_BYTES = 32, SAMPLE_BYTES = 24 };

struct write_request {
	struct proto_writer *out;
	const struct write_table *t;
	const struct write_encoding *o;
	struct intern *symbols; /* version 2 */
};

static uint64_t bits_of(double value)
{
	uint64_t bits;

	memcpy(&bits, &value, sizeof(bits));
	return bits;
}

static void put_sint(struct proto_writer *out, int64_t value)
{
	proto_put_varint(out, (uint64_t)value << 1 ^ (uint64_t)(value >> 63));
}

static void put_sint_field(struct proto_writer *out, uint32_t field, int64_t value)
{
	if (!value)
		return;
	put_sint(out, value);
	proto_put_varint(out, PROTO_TAG(field, PROTO_VARINT));
}

/* ---- labels ---- */

static uint32_t symbol_of(const struct write_request *r, struct str text)
{
	uint32_t id = 0;

	if (intern_borrow(r->symbols, text, &id))
		r->out->failed = true;
	return id;
}

static void put_labels(const struct write_request *r, const struct prom_labels *l)
{
	size_t mark = proto_mark(r->out);

	if (r->o->version2) {
		for (uint32_t i = l->list.n; i-- > 0;) {
			proto_put_varint(r->out, symbol_of(r, l->list.at[i].value));
			proto_put_varint(r->out, symbol_of(r, l->list.at[i].name));
		}
		proto_put_header(r->out, 1, mark);
		return;
	}
	for (uint32_t i = l->list.n; i-- > 0;) {
		mark = proto_mark(r->out);
		proto_put_bytes(r->out, 2, l->list.at[i].value);
		proto_put_bytes(r->out, 1, l->list.at[i].name);
		proto_put_header(r->out, 1, mark);
	}
}

static void put_exemplar(const struct write_request *r, const struct prom_exemplar *x)
{
	size_t mark = proto_mark(r->out);

	proto_put_int(r->out, 3, x->time_ms);
	proto_put_fixed64(r->out, 2, bits_of(x->value));
	put_labels(r, &x->labels);
	proto_put_header(r->out, r->o->version2 ? 4 : 3, mark);
}

static void put_sample(const struct write_request *r, const struct write_sample *s)
{
	size_t mark = proto_mark(r->out);

	if (r->o->version2)
		proto_put_int(r->out, 3, s->start_ms);
	proto_put_int(r->out, 2, s->time_ms);
	proto_put_fixed64(r->out, 1, bits_of(s->value));
	proto_put_header(r->out, 2, mark);
}

/* ---- histograms ---- */

/* Buckets of a histogram with fewer of them: 2^shift of OTLP's are one. */
struct merged_buckets {
	const struct prom_buckets *in;
	unsigned shift;
};

static int64_t merged_index(const struct merged_buckets *m, uint32_t i)
{
	/* Prometheus counts by the upper bound, OTLP by the lower one. */
	return (((int64_t)m->in->offset + i) >> m->shift) + 1;
}

/* Sum the buckets that have the index of bucket *i; move *i after them. */
static uint64_t merged_count(const struct merged_buckets *m, uint32_t *i, int64_t *index)
{
	uint64_t sum = 0;

	*index = merged_index(m, *i);
	while (*i < m->in->n && merged_index(m, *i) == *index)
		sum += m->in->counts[(*i)++];
	return sum;
}

struct write_span {
	int64_t offset;
	uint32_t length;
};

struct write_spans {
	VEC(struct write_span) spans;
	VEC(int64_t) deltas;
	int64_t last; /* count of the last bucket */
	int64_t next; /* index after it */
};

static int put_delta(struct write_spans *s, struct arena *arena, int64_t count)
{
	int rc = vec_push(arena, &s->deltas, count - s->last);

	s->last = count;
	s->spans.at[s->spans.n - 1].length++;
	return rc;
}

/* Add a bucket that is not empty: to the last span, or as the first of a new one. */
static int add_bucket(struct write_spans *s, struct arena *arena, int64_t index, int64_t count)
{
	int64_t gap = index - s->next;
	int rc = 0;

	if (!s->spans.n || gap > GAP_MAX)
		rc = vec_push(arena, &s->spans, (struct write_span){s->spans.n ? gap : index, 0});
	else
		for (int64_t i = 0; i < gap && !rc; i++)
			rc = put_delta(s, arena, 0);
	s->next = index + 1;
	return rc ? rc : put_delta(s, arena, count);
}

/* Make spans and deltas of buckets. */
static int make_spans(struct write_spans *s, const struct prom_buckets *in, unsigned shift,
		      struct arena *arena)
{
	struct merged_buckets m = {in, shift};
	int rc = 0;

	*s = (struct write_spans){0};
	for (uint32_t i = 0; i < in->n && !rc;) {
		int64_t index;
		uint64_t count = merged_count(&m, &i, &index);

		if (count)
			rc = add_bucket(s, arena, index, (int64_t)count);
	}
	return rc;
}

static void put_spans(struct proto_writer *out, uint32_t spans, uint32_t deltas,
		      const struct write_spans *s)
{
	size_t mark = proto_mark(out);

	for (uint32_t i = s->deltas.n; i-- > 0;)
		put_sint(out, s->deltas.at[i]);
	if (s->deltas.n)
		proto_put_header(out, deltas, mark);
	for (uint32_t i = s->spans.n; i-- > 0;) {
		mark = proto_mark(out);
		proto_put_uint(out, 2, s->spans.at[i].length);
		put_sint_field(out, 1, s->spans.at[i].offset);
		proto_put_header(out, spans, mark);
	}
}

static void put_histogram(const struct write_request *r, const struct write_histogram *h)
{
	const struct prom_point *p = &h->point;
	unsigned shift = p->scale > SCHEMA_MAX ? (unsigned)(p->scale - SCHEMA_MAX) : 0;
	double sum = p->stale ? prom_stale_value() : p->has_sum ? p->sum : 0;
	struct write_spans positive, negative;
	size_t mark = proto_mark(r->out);

	shift = shift < 62 ? shift : 62;
	if (make_spans(&positive, &p->positive, shift, r->t->arena) ||
	    make_spans(&negative, &p->negative, shift, r->t->arena)) {
		r->out->failed = true;
		return;
	}
	if (r->o->version2)
		proto_put_int(r->out, 17, (int64_t)(p->start / 1000000));
	proto_put_int(r->out, 15, h->time_ms);
	put_spans(r->out, 11, 12, &positive);
	put_spans(r->out, 8, 9, &negative);
	proto_put_uint(r->out, 6, p->zero_count);
	proto_put_fixed64(r->out, 5, bits_of(p->zero_threshold > 0 ? p->zero_threshold : 1e-128));
	put_sint_field(r->out, 4, p->scale > SCHEMA_MAX ? SCHEMA_MAX : p->scale);
	proto_put_fixed64(r->out, 3, bits_of(sum));
	proto_put_uint(r->out, 1, p->count);
	proto_put_header(r->out, r->o->version2 ? 3 : 4, mark);
}

/* ---- series and metadata ---- */

/* The numbers that remote write has for types. */
static uint64_t type_number(enum prom_type type)
{
	static const uint64_t numbers[] = {
		[PROM_UNKNOWN] = 0,   [PROM_COUNTER] = 1, [PROM_GAUGE] = 2,
		[PROM_HISTOGRAM] = 3, [PROM_NATIVE] = 3,  [PROM_SUMMARY] = 5,
	};

	return numbers[type];
}

static void put_series_metadata(const struct write_request *r, const struct write_metric *m)
{
	size_t mark = proto_mark(r->out);

	proto_put_uint(r->out, 4, symbol_of(r, m->unit));
	proto_put_uint(r->out, 3, symbol_of(r, m->help));
	proto_put_uint(r->out, 1, type_number(m->type));
	proto_put_header(r->out, 5, mark);
}

static void put_series(const struct write_request *r, const struct write_series *s)
{
	size_t mark = proto_mark(r->out);

	if (r->o->version2) {
		put_series_metadata(r, &r->t->metrics.at[s->metric]);
		for (uint32_t i = s->exemplars.n; i-- > 0;)
			put_exemplar(r, &s->exemplars.at[i]);
	}
	for (uint32_t i = s->histograms.n; i-- > 0;)
		put_histogram(r, &s->histograms.at[i]);
	for (uint32_t i = r->o->version2 ? 0 : s->exemplars.n; i-- > 0;)
		put_exemplar(r, &s->exemplars.at[i]);
	for (uint32_t i = s->samples.n; i-- > 0;)
		put_sample(r, &s->samples.at[i]);
	put_labels(r, &s->labels);
	proto_put_header(r->out, r->o->version2 ? 5 : 1, mark);
}

/* The metadata of the metrics of these series, in WriteRequest. */
static void put_metadata(const struct write_request *r, uint32_t from, uint32_t to)
{
	uint32_t last = UINT32_MAX;

	for (uint32_t i = to; i-- > from;) {
		const struct write_metric *m = &r->t->metrics.at[r->t->series.at[i].metric];
		size_t mark = proto_mark(r->out);

		if (r->t->series.at[i].metric == last)
			continue;
		last = r->t->series.at[i].metric;
		proto_put_bytes(r->out, 5, m->unit);
		proto_put_bytes(r->out, 4, m->help);
		proto_put_bytes(r->out, 2, m->name);
		proto_put_uint(r->out, 1, type_number(m->type));
		proto_put_header(r->out, 3, mark);
	}
}

/* ---- requests ---- */

/* Return about how many bytes a series has. */
static size_t series_size(const struct write_series *s)
{
	size_t n = FIXED_BYTES + (size_t)s->samples.n * SAMPLE_BYTES +
		   (size_t)s->exemplars.n * 4 * FIXED_BYTES;

	for (uint32_t i = 0; i < s->labels.list.n; i++)
		n += s->labels.list.at[i].name.n + s->labels.list.at[i].value.n + 8;
	for (uint32_t i = 0; i < s->histograms.n; i++)
		n += 4 * FIXED_BYTES + 3 * ((size_t)s->histograms.at[i].point.positive.n +
					    s->histograms.at[i].point.negative.n);
	return n;
}

static void put_symbols(const struct write_request *r)
{
	for (uint32_t i = intern_count(r->symbols); i-- > 0;)
		proto_put_entry(r->out, 4, intern_get(r->symbols, i));
}

uint32_t write_encode(struct proto_writer *out, const struct write_table *t, uint32_t from,
		      const struct write_encoding *o, uint32_t *items)
{
	struct intern symbols;
	struct write_request r = {out, t, o, &symbols};
	size_t size = 0;
	uint32_t to = from;

	*items = 0;
	if (intern_init(&symbols, t->arena)) {
		out->failed = true;
		return t->series.n;
	}
	while (to < t->series.n) {
		const struct write_series *s = &t->series.at[to];

		size += series_size(s);
		if (to > from && size > o->max_bytes)
			break;
		*items += s->samples.n + s->histograms.n;
		to++;
	}
	if (o->metadata && !o->version2)
		put_metadata(&r, from, to);
	for (uint32_t i = to; i-- > from;)
		put_series(&r, &t->series.at[i]);
	if (o->version2)
		put_symbols(&r);
	return to;
}
