/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Both versions have the same structure: series with labels, samples, histograms and exemplars. In
 * version 1 labels are texts, in version 2 numbers of a table of texts. Field numbers are in the
 * tables at the messages.
 */
#include "format/prometheus/remote_write.h"

#include <errno.h>

#include "format/prometheus/remote_histogram.h"
#include "wire/proto.h"

enum { SYMBOLS_MAX = 1 << 22 };

struct write_decoder {
	struct metric_batch *b;
	enum remote_write_version version;
	struct err *e;
	VEC(struct str) symbols; /* version 2 */
	struct label labels[METRIC_LABELS_MAX + 1];
	uint32_t label_n;
	struct label exemplar_labels[METRIC_LABELS_MAX + 1];
	uint32_t exemplar_label_n;
	/* Of the current series. */
	uint32_t series;
	bool added;	   /* series is set */
	const char *wrong; /* why the series is refused; NULL: it is not */
};

/* ---- labels ---- */

static void add_label(struct label *to, uint32_t *n, struct label l)
{
	if (*n <= METRIC_LABELS_MAX) /* one too many is an error of the series */
		to[(*n)++] = l;
}

/* Label { 1: name, 2: value } */
static int read_label(struct str message, struct label *to, uint32_t *n)
{
	struct proto_reader r = proto_reader_of(message);
	struct label l = {0};

	if (proto_next_is(&r, PROTO_TAG(1, PROTO_BYTES)))
		l.name = proto_bytes(&r);
	if (proto_next_is(&r, PROTO_TAG(2, PROTO_BYTES)))
		l.value = proto_bytes(&r);
	while (proto_next(&r))
		if (r.tag == PROTO_TAG(1, PROTO_BYTES))
			l.name = proto_bytes(&r);
		else if (r.tag == PROTO_TAG(2, PROTO_BYTES))
			l.value = proto_bytes(&r);
		else
			proto_skip(&r);
	add_label(to, n, l);
	return r.error ? -EBADMSG : 0;
}

static int symbol_of(const struct write_decoder *d, uint64_t ref, struct str *out)
{
	if (ref >= d->symbols.n)
		return err_set(d->e, -EBADMSG, "symbol %llu of %u", (unsigned long long)ref,
			       d->symbols.n);
	*out = d->symbols.at[ref];
	return 0;
}

/* Read pairs of symbols: a packed field. */
static int read_label_refs(const struct write_decoder *d, struct str packed, struct label *to,
			   uint32_t *n)
{
	struct proto_reader r = proto_reader_of(packed);
	int rc = 0;

	while (!rc && r.at < r.end) {
		uint64_t name = proto_varint(&r), value = proto_varint(&r);
		struct label l = {0};

		if (r.error)
			return -EBADMSG;
		rc = symbol_of(d, name, &l.name);
		if (!rc)
			rc = symbol_of(d, value, &l.value);
		if (!rc)
			add_label(to, n, l);
	}
	return rc;
}

/* ---- what a series has ---- */

/* Add the series to the batch before its first sample. */
static int need_series(struct write_decoder *d)
{
	int rc;

	if (d->added || d->wrong)
		return 0;
	rc = metric_batch_series(d->b, d->labels, d->label_n, &d->series, &d->wrong);
	d->added = !rc;
	return rc < 0 ? rc : 0;
}

static void reject(struct write_decoder *d, const char *why)
{
	metric_batch_reject(d->b, 1, why, d->added ? d->b->series.at[d->series] : (struct str){0});
}

/* Sample { 1: value, 2: timestamp, 3: start_timestamp } */
static int read_sample(struct write_decoder *d, struct str message)
{
	struct proto_reader r = proto_reader_of(message);
	struct metric_sample s = {.series = d->series};

	if (proto_next_is(&r, PROTO_TAG(1, PROTO_FIXED64)))
		s.bits = proto_fixed64(&r);
	if (proto_next_is(&r, PROTO_TAG(2, PROTO_VARINT)))
		s.time = (int64_t)proto_varint(&r);
	while (proto_next(&r))
		if (r.tag == PROTO_TAG(1, PROTO_FIXED64))
			s.bits = proto_fixed64(&r);
		else if (r.tag == PROTO_TAG(2, PROTO_VARINT))
			s.time = (int64_t)proto_varint(&r);
		else
			proto_skip(&r);
	if (r.error)
		return -EBADMSG;
	if (d->wrong)
		reject(d, d->wrong);
	else if (!metric_time_valid(s.time))
		reject(d, "a sample has no valid time");
	else
		return vec_push(&d->b->arena, &d->b->samples, s);
	return 0;
}

static int read_histogram(struct write_decoder *d, struct str message)
{
	struct metric_histogram h = {.series = d->series};
	const char *wrong = NULL;
	int rc = remote_histogram_decode(&h.value, &h.time, message, &d->b->arena, &wrong);

	if (rc)
		return rc;
	if (d->wrong || wrong)
		reject(d, d->wrong ? d->wrong : wrong);
	else if (!metric_time_valid(h.time))
		reject(d, "a histogram has no valid time");
	else
		return vec_push(&d->b->arena, &d->b->histograms, h);
	return 0;
}

/* Exemplar { 1: labels, 2: value, 3: timestamp } */
static int read_exemplar(struct write_decoder *d, struct str message)
{
	struct proto_reader r = proto_reader_of(message);
	struct metric_exemplar x = {.series = d->series};
	int rc = 0;

	d->exemplar_label_n = 0;
	while (!rc && proto_next(&r))
		if (r.tag == PROTO_TAG(1, PROTO_BYTES) && d->version == REMOTE_WRITE_1)
			rc = read_label(proto_bytes(&r), d->exemplar_labels, &d->exemplar_label_n);
		else if (r.tag == PROTO_TAG(1, PROTO_BYTES))
			rc = read_label_refs(d, proto_bytes(&r), d->exemplar_labels,
					     &d->exemplar_label_n);
		else if (r.tag == PROTO_TAG(2, PROTO_FIXED64))
			x.value = proto_double(&r);
		else if (r.tag == PROTO_TAG(3, PROTO_VARINT))
			x.time = (int64_t)proto_varint(&r);
		else
			proto_skip(&r);
	if (rc || r.error)
		return rc ? rc : -EBADMSG;
	if (d->wrong || !metric_time_valid(x.time))
		return 0;
	buf_clear(&d->b->scratch);
	if (metric_labels_put_all(&d->b->scratch, d->exemplar_labels, d->exemplar_label_n) ||
	    buf_error(&d->b->scratch))
		return 0; /* an exemplar without valid labels is of no use */
	rc = arena_copy_str(&d->b->arena, buf_str(&d->b->scratch), &x.labels);
	return rc ? rc : vec_push(&d->b->arena, &d->b->exemplars, x);
}

/* Metadata of version 2 { 1: type, 3: help_ref, 4: unit_ref } */
static int read_metadata2(struct write_decoder *d, struct str message)
{
	struct proto_reader r = proto_reader_of(message);
	struct metric_metadata m = {0};
	uint64_t type = 0;
	int rc = 0;

	while (!rc && proto_next(&r))
		if (r.tag == PROTO_TAG(1, PROTO_VARINT))
			type = proto_varint(&r);
		else if (r.tag == PROTO_TAG(3, PROTO_VARINT))
			rc = symbol_of(d, proto_varint(&r), &m.help);
		else if (r.tag == PROTO_TAG(4, PROTO_VARINT))
			rc = symbol_of(d, proto_varint(&r), &m.unit);
		else
			proto_skip(&r);
	if (rc || r.error)
		return rc ? rc : -EBADMSG;
	if (!type && !m.help.n && !m.unit.n)
		return 0;
	m.type = type < METRIC_TYPES ? (uint8_t)type : METRIC_UNKNOWN;
	for (uint32_t i = 0; i < d->label_n; i++)
		if (str_eq(d->labels[i].name, STR(METRIC_NAME_LABEL)))
			m.name = d->labels[i].value;
	/* series of one family follow each other */
	if (d->b->metadata.n && str_eq(d->b->metadata.at[d->b->metadata.n - 1].name, m.name))
		return 0;
	return metric_batch_metadata(d->b, m);
}

/* ---- series ---- */

/* The numbers of the fields of a TimeSeries message. */
struct series_fields {
	uint32_t samples, histograms, exemplars, metadata;
};
static const struct series_fields fields_of[] = {
	[REMOTE_WRITE_1] = {PROTO_TAG(2, PROTO_BYTES), PROTO_TAG(4, PROTO_BYTES),
			    PROTO_TAG(3, PROTO_BYTES), 0},
	[REMOTE_WRITE_2] = {PROTO_TAG(2, PROTO_BYTES), PROTO_TAG(3, PROTO_BYTES),
			    PROTO_TAG(4, PROTO_BYTES), PROTO_TAG(5, PROTO_BYTES)},
};

static int read_labels(struct write_decoder *d, struct str message)
{
	struct proto_reader r = proto_reader_of(message);
	int rc = 0;

	while (!rc && proto_next(&r))
		if (r.tag == PROTO_TAG(1, PROTO_BYTES) && d->version == REMOTE_WRITE_1)
			rc = read_label(proto_bytes(&r), d->labels, &d->label_n);
		else if (r.tag == PROTO_TAG(1, PROTO_BYTES))
			rc = read_label_refs(d, proto_bytes(&r), d->labels, &d->label_n);
		else
			proto_skip(&r);
	return rc ? rc : r.error ? -EBADMSG : 0;
}

static int read_series(struct write_decoder *d, struct str message)
{
	const struct series_fields *f = &fields_of[d->version];
	struct proto_reader r = proto_reader_of(message);
	int rc;

	d->label_n = 0;
	d->added = false;
	d->wrong = NULL;
	rc = read_labels(d, message);
	if (!rc)
		rc = need_series(d);
	while (!rc && proto_next(&r))
		if (r.tag == f->samples)
			rc = read_sample(d, proto_bytes(&r));
		else if (r.tag == f->histograms)
			rc = read_histogram(d, proto_bytes(&r));
		else if (r.tag == f->exemplars)
			rc = read_exemplar(d, proto_bytes(&r));
		else if (r.tag == f->metadata && f->metadata)
			rc = read_metadata2(d, proto_bytes(&r));
		else
			proto_skip(&r);
	return rc ? rc : r.error ? -EBADMSG : 0;
}

/* MetricMetadata { 1: type, 2: metric_family_name, 4: help, 5: unit } */
static int read_metadata1(struct write_decoder *d, struct str message)
{
	struct proto_reader r = proto_reader_of(message);
	struct metric_metadata m = {0};
	uint64_t type = 0;

	while (proto_next(&r))
		if (r.tag == PROTO_TAG(1, PROTO_VARINT))
			type = proto_varint(&r);
		else if (r.tag == PROTO_TAG(2, PROTO_BYTES))
			m.name = proto_bytes(&r);
		else if (r.tag == PROTO_TAG(4, PROTO_BYTES))
			m.help = proto_bytes(&r);
		else if (r.tag == PROTO_TAG(5, PROTO_BYTES))
			m.unit = proto_bytes(&r);
		else
			proto_skip(&r);
	if (r.error)
		return -EBADMSG;
	m.type = type < METRIC_TYPES ? (uint8_t)type : METRIC_UNKNOWN;
	return metric_batch_metadata(d->b, m);
}

/* ---- messages ---- */

static int read_symbols(struct write_decoder *d, struct str message)
{
	struct proto_reader r = proto_reader_of(message);
	int rc = 0;

	while (!rc && proto_next(&r)) {
		if (r.tag != PROTO_TAG(4, PROTO_BYTES))
			proto_skip(&r);
		else if (d->symbols.n == SYMBOLS_MAX)
			return err_set(d->e, -EBADMSG, "more than %u symbols", SYMBOLS_MAX);
		else
			rc = vec_push(&d->b->arena, &d->symbols, proto_bytes(&r));
	}
	if (!rc && r.error)
		return -EBADMSG;
	if (!rc && d->symbols.n && d->symbols.at[0].n)
		return err_set(d->e, -EBADMSG, "the first symbol is not empty");
	return rc;
}

int remote_write_decode(struct metric_batch *b, enum remote_write_version version,
			struct str message, struct err *e)
{
	bool first = version == REMOTE_WRITE_1;
	uint32_t series = PROTO_TAG(first ? 1 : 5, PROTO_BYTES);
	struct proto_reader r = proto_reader_of(message);
	struct write_decoder d = {.b = b, .version = version, .e = e};
	int rc = first ? 0 : read_symbols(&d, message);

	while (!rc && proto_next(&r))
		if (r.tag == series)
			rc = read_series(&d, proto_bytes(&r));
		else if (r.tag == PROTO_TAG(3, PROTO_BYTES) && first)
			rc = read_metadata1(&d, proto_bytes(&r));
		else
			proto_skip(&r);
	if (!rc && r.error)
		rc = proto_fail(&r, message, e);
	if (rc == -EBADMSG)
		err_set(e, rc, "damaged protobuf in a remote write request");
	return rc == -EOVERFLOW ? -ENOMEM : rc;
}
