/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Histogram { 1: count_int, 2: count_float, 3: sum, 4: schema, 5: zero_threshold, 6: zero_count_int,
 * 7: zero_count_float, 8: negative_spans, 9: negative_deltas, 10: negative_counts, 11 to 13: the
 * same of the positive side, 14: reset_hint, 15: timestamp, 16: custom_values }. Integer buckets are
 * differences in the order of the list, counts of floats are absolute.
 */
#include "format/prometheus/remote_histogram.h"

#include <errno.h>

#include "base/container/vec.h"

struct number_list {
	VEC(double) list;
};

struct side_lists {
	VEC(struct native_span) spans;
	struct number_list counts;
	double total; /* of the differences */
};

struct histogram_decoder {
	struct arena *arena;
	struct native_histogram *h;
	struct side_lists sides[2]; /* negative, positive */
	struct number_list custom;
	const char *wrong;
};

static int64_t unzigzag(uint64_t v)
{
	return (int64_t)(v >> 1) ^ -(int64_t)(v & 1);
}

/* BucketSpan { 1: offset, 2: length } */
static int read_span(struct histogram_decoder *d, struct side_lists *side, struct str message)
{
	struct proto_reader r = proto_reader_of(message);
	struct native_span span = {0};

	while (proto_next(&r))
		if (r.tag == PROTO_TAG(1, PROTO_VARINT))
			span.offset = (int32_t)unzigzag(proto_varint(&r));
		else if (r.tag == PROTO_TAG(2, PROTO_VARINT))
			span.length = (uint32_t)proto_varint(&r);
		else
			proto_skip(&r);
	return r.error ? -EBADMSG : vec_push(d->arena, &side->spans, span);
}

static int add_delta(struct histogram_decoder *d, struct side_lists *side, uint64_t delta)
{
	side->total += (double)unzigzag(delta);
	return vec_push(d->arena, &side->counts.list, side->total);
}

static int read_deltas(struct histogram_decoder *d, struct side_lists *side, struct proto_reader *r)
{
	struct proto_reader in;
	int rc = 0;

	if ((r->tag & 7) == PROTO_VARINT)
		return add_delta(d, side, proto_varint(r));
	in = proto_message(r);
	while (!rc && in.at < in.end)
		rc = add_delta(d, side, proto_varint(&in));
	return rc ? rc : in.error ? -EBADMSG : 0;
}

static int read_doubles(struct histogram_decoder *d, struct proto_reader *r,
			struct number_list *out)
{
	struct proto_reader in;
	int rc = 0;

	if ((r->tag & 7) == PROTO_FIXED64)
		return vec_push(d->arena, &out->list, proto_double(r));
	in = proto_message(r);
	while (!rc && in.at < in.end)
		rc = vec_push(d->arena, &out->list, proto_double(&in));
	return rc ? rc : in.error ? -EBADMSG : 0;
}

/* Read a field of the buckets: 8 to 10 and 11 to 13. */
static int read_buckets(struct histogram_decoder *d, struct proto_reader *r)
{
	uint32_t field = proto_field(r), wire = r->tag & 7;
	struct side_lists *side = &d->sides[field > 10];

	switch (field > 10 ? field - 3 : field) {
	case 8:
		if (wire == PROTO_BYTES)
			return read_span(d, side, proto_bytes(r));
		break;
	case 9:
		if (wire == PROTO_BYTES || wire == PROTO_VARINT)
			return read_deltas(d, side, r);
		break;
	case 10:
		if (wire == PROTO_BYTES || wire == PROTO_FIXED64)
			return read_doubles(d, r, &side->counts);
		break;
	}
	proto_skip(r);
	return 0;
}

static int read_field(struct histogram_decoder *d, struct proto_reader *r, int64_t *time)
{
	struct native_histogram *h = d->h;

	switch (r->tag) {
	case PROTO_TAG(1, PROTO_VARINT):
		h->count = (double)proto_varint(r);
		return 0;
	case PROTO_TAG(2, PROTO_FIXED64):
		h->count = proto_double(r);
		return 0;
	case PROTO_TAG(3, PROTO_FIXED64):
		h->sum = proto_double(r);
		return 0;
	case PROTO_TAG(4, PROTO_VARINT):
		h->schema = (int32_t)unzigzag(proto_varint(r));
		return 0;
	case PROTO_TAG(5, PROTO_FIXED64):
		h->zero_threshold = proto_double(r);
		return 0;
	case PROTO_TAG(6, PROTO_VARINT):
		h->zero_count = (double)proto_varint(r);
		return 0;
	case PROTO_TAG(7, PROTO_FIXED64):
		h->zero_count = proto_double(r);
		return 0;
	case PROTO_TAG(14, PROTO_VARINT):
		h->reset = (enum native_reset)(proto_varint(r) & 3);
		return 0;
	case PROTO_TAG(15, PROTO_VARINT):
		*time = (int64_t)proto_varint(r);
		return 0;
	case PROTO_TAG(16, PROTO_BYTES):
	case PROTO_TAG(16, PROTO_FIXED64):
		return read_doubles(d, r, &d->custom);
	default:
		if (proto_field(r) >= 8 && proto_field(r) <= 13)
			return read_buckets(d, r);
		proto_skip(r);
		return 0;
	}
}

static struct native_side side_of(const struct side_lists *l)
{
	return (struct native_side){l->spans.at, l->counts.list.at, l->spans.n, l->counts.list.n};
}

int remote_histogram_decode(struct native_histogram *h, int64_t *time, struct str message,
			    struct arena *arena, const char **wrong)
{
	struct proto_reader r = proto_reader_of(message);
	struct histogram_decoder d = {.arena = arena, .h = h};
	int rc = 0;

	*h = (struct native_histogram){0};
	*time = 0;
	while (!rc && proto_next(&r))
		rc = read_field(&d, &r, time);
	if (rc || r.error)
		return rc ? rc : -EBADMSG;
	h->negative = side_of(&d.sides[0]);
	h->positive = side_of(&d.sides[1]);
	h->custom = d.custom.list.at;
	h->custom_count = d.custom.list.n;
	*wrong = native_check(h);
	return 0;
}
