/* SPDX-License-Identifier: Apache-2.0 */
/*
 * ReadRequest { 1: queries, 2: accepted_response_types (0 SAMPLES, 1 STREAMED_XOR_CHUNKS) },
 * Query { 1: start_timestamp_ms, 2: end_timestamp_ms, 3: matchers, 4: hints },
 * LabelMatcher { 1: type, 2: name, 3: value }. Hints are ignored.
 */
#include "format/prometheus/remote_read.h"

#include <errno.h>

#include "base/crc32c.h"
#include "format/prometheus/sample_chunks.h"

/* ---- requests ---- */

static int read_matcher(struct str message, struct matcher *out, struct err *e)
{
	static const enum matcher_op ops[] = {MATCH_EQUAL, MATCH_NOT_EQUAL, MATCH_REGEX,
					      MATCH_NOT_REGEX};
	struct proto_reader r = proto_reader_of(message);
	uint64_t type = 0;

	*out = (struct matcher){.op = MATCH_EQUAL};
	while (proto_next(&r))
		switch (r.tag) {
		case PROTO_TAG(1, PROTO_VARINT):
			type = proto_varint(&r);
			break;
		case PROTO_TAG(2, PROTO_BYTES):
			out->name = proto_bytes(&r);
			break;
		case PROTO_TAG(3, PROTO_BYTES):
			out->value = proto_bytes(&r);
			break;
		default:
			proto_skip(&r);
		}
	if (r.error)
		return proto_fail(&r, message, e);
	if (type >= countof(ops))
		return err_set(e, -EBADMSG, "invalid matcher type %llu", (unsigned long long)type);
	if (!out->name.n)
		return err_set(e, -EBADMSG, "a matcher has no name");
	out->op = ops[type];
	return 0;
}

static int read_query(struct str message, struct remote_read_query *q, struct arena *arena,
		      struct err *e)
{
	struct proto_reader r = proto_reader_of(message);
	struct matcher m;
	int rc = 0;

	*q = (struct remote_read_query){0};
	while (!rc && proto_next(&r))
		switch (r.tag) {
		case PROTO_TAG(1, PROTO_VARINT):
			q->from = (int64_t)proto_varint(&r);
			break;
		case PROTO_TAG(2, PROTO_VARINT):
			q->to = (int64_t)proto_varint(&r);
			break;
		case PROTO_TAG(3, PROTO_BYTES):
			if (q->matchers.n == REMOTE_READ_MATCHERS_MAX)
				return err_set(e, -EBADMSG, "a query has more than %d matchers",
					       REMOTE_READ_MATCHERS_MAX);
			rc = read_matcher(proto_nested(&r), &m, e);
			if (!rc)
				rc = vec_push(arena, &q->matchers, m);
			break;
		default:
			proto_skip(&r);
		}
	return !rc && r.error ? proto_fail(&r, message, e) : rc;
}

/* The types that are known are taken in the order of the list, so only the first counts. */
static void accept_type(struct remote_read_request *out, uint64_t type, bool *known)
{
	if (*known)
		return;
	*known = type <= 1;
	out->chunks = type == 1;
	out->unknown = !*known;
}

static void accept_types(struct remote_read_request *out, struct str packed, bool *known)
{
	struct proto_reader r = proto_reader_of(packed);

	while (r.at < r.end) {
		uint64_t type = proto_varint(&r);

		if (!r.error)
			accept_type(out, type, known);
	}
}

int remote_read_decode(struct remote_read_request *out, struct str message, struct arena *arena,
		       struct err *e)
{
	struct proto_reader r = proto_reader_of(message);
	struct remote_read_query q;
	bool known = false;
	int rc = 0;

	*out = (struct remote_read_request){0};
	while (!rc && proto_next(&r))
		switch (r.tag) {
		case PROTO_TAG(1, PROTO_BYTES):
			if (out->queries.n == REMOTE_READ_QUERIES_MAX)
				return err_set(e, -EBADMSG, "more than %d queries",
					       REMOTE_READ_QUERIES_MAX);
			rc = read_query(proto_nested(&r), &q, arena, e);
			if (!rc)
				rc = vec_push(arena, &out->queries, q);
			break;
		case PROTO_TAG(2, PROTO_VARINT):
			accept_type(out, proto_varint(&r), &known);
			break;
		case PROTO_TAG(2, PROTO_BYTES):
			accept_types(out, proto_bytes(&r), &known);
			break;
		default:
			proto_skip(&r);
		}
	return !rc && r.error ? proto_fail(&r, message, e) : rc;
}

/* ---- responses ---- */

static uint64_t bits_of(double value)
{
	uint64_t bits;

	memcpy(&bits, &value, sizeof(bits));
	return bits;
}

/* Label { 1: name, 2: value }, field 1 of both TimeSeries and ChunkedSeries. */
static void put_labels(struct proto_writer *w, const struct remote_read_series *s)
{
	for (uint32_t i = s->label_count; i-- > 0;) {
		size_t mark = proto_mark(w);

		proto_put_bytes(w, 2, s->labels[i].value);
		proto_put_bytes(w, 1, s->labels[i].name);
		proto_put_header(w, 1, mark);
	}
}

static void put_sint_field(struct proto_writer *w, uint32_t field, int64_t value)
{
	proto_put_uint(w, field, (uint64_t)value << 1 ^ (uint64_t)(value >> 63));
}

static void put_doubles(struct proto_writer *w, uint32_t field, const double *values, uint32_t n)
{
	size_t mark = proto_mark(w);

	if (!n)
		return;
	for (uint32_t i = n; i-- > 0;)
		proto_put_fixed64_raw(w, bits_of(values[i]));
	proto_put_header(w, field, mark);
}

/* BucketSpan { 1: offset, 2: length } */
static void put_side(struct proto_writer *w, uint32_t spans, uint32_t counts,
		     const struct native_side *side)
{
	put_doubles(w, counts, side->counts, side->count);
	for (uint32_t i = side->span_count; i-- > 0;) {
		size_t mark = proto_mark(w);

		proto_put_uint(w, 2, side->spans[i].length);
		put_sint_field(w, 1, side->spans[i].offset);
		proto_put_header(w, spans, mark);
	}
}

/* A member of a oneof is written even if it is 0. */
static void put_count(struct proto_writer *w, uint32_t field, double value)
{
	proto_put_fixed64_raw(w, bits_of(value));
	proto_put_varint(w, PROTO_TAG(field, PROTO_FIXED64));
}

/* Histogram, with float counts; the fields are listed in remote_histogram.c. */
static void put_histogram(struct proto_writer *w, const struct native_histogram *h, int64_t time)
{
	size_t mark = proto_mark(w);

	put_doubles(w, 16, h->custom, native_is_custom(h) ? h->custom_count : 0);
	proto_put_int(w, 15, time);
	proto_put_uint(w, 14, (uint64_t)h->reset);
	put_side(w, 11, 13, &h->positive);
	put_side(w, 8, 10, &h->negative);
	put_count(w, 7, h->zero_count);
	proto_put_fixed64(w, 5, bits_of(h->zero_threshold));
	put_sint_field(w, 4, h->schema);
	proto_put_fixed64(w, 3, bits_of(h->sum));
	put_count(w, 2, h->count);
	proto_put_header(w, 4, mark);
}

int remote_read_put_series(struct buf *out, const struct remote_read_series *s,
			   struct proto_writer *w)
{
	proto_writer_clear(w);
	for (uint32_t i = s->histogram_count; i-- > 0;)
		put_histogram(w, &s->histograms[i], s->histogram_times[i]);
	for (uint32_t i = s->count; i-- > 0;) {
		size_t mark = proto_mark(w);

		proto_put_int(w, 2, s->times[i]);
		proto_put_fixed64(w, 1, bits_of(s->values[i]));
		proto_put_header(w, 2, mark);
	}
	put_labels(w, s);
	proto_put_header(w, 1, 0);
	if (proto_writer_error(w))
		return -ENOMEM;
	buf_put_str(out, proto_writer_str(w));
	return buf_error(out);
}

static void put_varint(struct buf *out, uint64_t value)
{
	for (; value >= 0x80; value >>= 7)
		buf_put_char(out, (char)(value | 0x80));
	buf_put_char(out, (char)value);
}

int remote_read_put_result(struct buf *out, struct str series)
{
	put_varint(out, PROTO_TAG(1, PROTO_BYTES));
	put_varint(out, series.n);
	buf_put_str(out, series);
	return buf_error(out);
}

/* ---- frames ---- */

enum { FRAME_BYTES = 1 << 20 };

struct frames {
	struct buf *out;
	const struct remote_read_series *s;
	struct proto_writer *w;
	uint32_t query;
	struct buf data; /* of one chunk */
	struct buf held; /* ChunkedSeries.chunks of the current frame */
};

/* Chunk { 1: min_time_ms, 2: max_time_ms, 3: type, 4: data } */
static void hold_chunk(struct frames *f, int type, int64_t from, int64_t to)
{
	proto_writer_clear(f->w);
	proto_put_bytes(f->w, 4, buf_str(&f->data));
	proto_put_uint(f->w, 3, (uint64_t)type);
	proto_put_int(f->w, 2, to);
	proto_put_int(f->w, 1, from);
	proto_put_header(f->w, 2, 0);
	f->held.failed |= proto_writer_error(f->w) != 0;
	buf_put_str(&f->held, proto_writer_str(f->w));
	buf_clear(&f->data);
}

/* ChunkedReadResponse { 1: chunked_series { 1: labels, 2: chunks }, 2: query_index } */
static void put_frame(struct frames *f)
{
	size_t mark;
	struct str message;
	uint32_t sum;

	if (!f->held.n)
		return;
	proto_writer_clear(f->w);
	proto_put_uint(f->w, 2, f->query);
	mark = proto_mark(f->w);
	proto_put_raw(f->w, f->held.p, f->held.n);
	put_labels(f->w, f->s);
	proto_put_header(f->w, 1, mark);
	message = proto_writer_str(f->w);
	sum = crc32c(0, message.p, message.n);
	put_varint(f->out, message.n);
	for (int shift = 24; shift >= 0; shift -= 8)
		buf_put_char(f->out, (char)(sum >> shift));
	buf_put_str(f->out, message);
	f->out->failed |= proto_writer_error(f->w) != 0;
	buf_clear(&f->held);
}

static int64_t next_time(const int64_t *times, uint32_t i, uint32_t n)
{
	return i < n ? times[i] : INT64_MAX;
}

/* Write floats and histograms by time: a chunk ends where samples of the other kind begin. */
static void put_chunks(struct frames *f)
{
	const struct remote_read_series *s = f->s;
	uint32_t i = 0, k = 0;

	while (i < s->count || k < s->histogram_count) {
		const int64_t other = next_time(s->histogram_times, k, s->histogram_count);
		uint32_t n = 0;

		while (i + n < s->count && n < SAMPLE_CHUNK_MAX && s->times[i + n] < other)
			n++;
		if (n) {
			sample_chunk_floats(&f->data, s->times + i, s->values + i, n);
			hold_chunk(f, SAMPLE_CHUNK_XOR, s->times[i], s->times[i + n - 1]);
			i += n;
		} else {
			const int64_t until = next_time(s->times, i, s->count);

			/* of two samples with the same time the histogram is sent */
			i += until == other;
			while (k + n < s->histogram_count &&
			       s->histogram_times[k + n] < next_time(s->times, i, s->count))
				n++;
			n = sample_chunk_histograms(&f->data, s->histogram_times + k,
						    s->histograms + k, n ? n : 1);
			hold_chunk(f, SAMPLE_CHUNK_FLOAT_HISTOGRAM, s->histogram_times[k],
				   s->histogram_times[k + n - 1]);
			k += n;
		}
		if (f->held.n >= FRAME_BYTES)
			put_frame(f);
	}
	put_frame(f);
}

int remote_read_put_frames(struct buf *out, const struct remote_read_series *s, uint32_t query,
			   struct proto_writer *w)
{
	struct frames f = {.out = out, .s = s, .w = w, .query = query};
	int rc;

	buf_init(&f.data, w->budget);
	buf_init(&f.held, w->budget);
	put_chunks(&f);
	rc = buf_error(&f.data);
	if (!rc)
		rc = buf_error(&f.held);
	if (!rc)
		rc = buf_error(out);
	buf_fini(&f.data);
	buf_fini(&f.held);
	return rc;
}
