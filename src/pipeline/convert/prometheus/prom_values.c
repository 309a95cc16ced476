/* SPDX-License-Identifier: Apache-2.0 */
/* One function for each kind of data point. */
#include "pipeline/convert/prometheus/prom_values.h"

#include <errno.h>

#include "base/clock.h"
#include "signal/otlp/build.h"
#include "wire/text.h"

enum { EXEMPLAR_TEXT_MAX = 128 };

/* ---- exemplars ---- */

static int add_hex_label(const struct prom_value_reader *c, struct prom_labels *l, struct str name,
			 struct str id)
{
	char *digits;

	if (!id.n)
		return 0;
	digits = arena_alloc(c->text.arena, id.n, 2);
	if (!digits)
		return -ENOMEM;
	hex_digits(digits, id);
	return prom_labels_set(l, c->text.arena, name, str_of(digits, 2 * id.n));
}

static size_t labels_length(const struct prom_labels *l)
{
	size_t n = 0;

	for (uint32_t i = 0; i < l->list.n; i++)
		n += l->list.at[i].name.n + l->list.at[i].value.n;
	return n;
}

static int read_exemplar(const struct prom_value_reader *c, struct str message,
			 struct prom_exemplar *out)
{
	struct proto_reader r = proto_reader_of(message);
	struct attributes a = {0};
	struct str trace = {0}, span = {0};
	uint32_t ids;
	int rc;

	*out = (struct prom_exemplar){0};
	while (proto_next(&r))
		switch (r.tag) {
		case PROTO_TAG(2, PROTO_FIXED64):
			out->time_ms = (int64_t)(proto_fixed64(&r) / NS_PER_MS);
			break;
		case PROTO_TAG(3, PROTO_FIXED64):
			out->value = proto_double(&r);
			break;
		case PROTO_TAG(6, PROTO_FIXED64):
			out->value = (double)(int64_t)proto_fixed64(&r);
			break;
		case PROTO_TAG(4, PROTO_BYTES):
			span = proto_bytes(&r);
			break;
		case PROTO_TAG(5, PROTO_BYTES):
			trace = proto_bytes(&r);
			break;
		default:
			proto_skip(&r);
		}
	if (r.error)
		return -EBADMSG;
	rc = add_hex_label(c, &out->labels, STR("trace_id"), trace);
	if (!rc)
		rc = add_hex_label(c, &out->labels, STR("span_id"), span);
	ids = out->labels.list.n;
	if (!rc)
		rc = otlp_attributes_read(&a, message, 7, c->text.arena);
	if (!rc)
		rc = prom_add_attributes(&c->text, &out->labels, &a);
	if (labels_length(&out->labels) > EXEMPLAR_TEXT_MAX)
		out->labels.list.n = ids;
	return rc;
}

static int read_exemplars(const struct prom_value_reader *c, struct str point, uint32_t field,
			  struct prom_point *out)
{
	struct proto_reader r = proto_reader_of(point);
	VEC(struct prom_exemplar) list = {0};
	int rc = 0;

	while (!rc && proto_next(&r)) {
		struct prom_exemplar x;

		if (r.tag != PROTO_TAG(field, PROTO_BYTES)) {
			proto_skip(&r);
			continue;
		}
		rc = read_exemplar(c, proto_bytes(&r), &x);
		if (!rc)
			rc = vec_push(c->text.arena, &list, x);
	}
	out->exemplars = list.at;
	out->exemplar_count = list.n;
	return rc;
}

/* ---- values ---- */

struct u64_list {
	VEC(uint64_t) list;
};

/* Append a repeated field of 8 bytes per element: all of a packed one, or one. */
static int read_fixed64s(const struct prom_value_reader *c, struct proto_reader *r,
			 struct u64_list *out)
{
	struct proto_reader in;
	int rc = 0;

	if ((r->tag & 7) == PROTO_FIXED64)
		return vec_push(c->text.arena, &out->list, proto_fixed64(r));
	in = proto_message(r);
	while (!rc && in.at < in.end) {
		rc = vec_push(c->text.arena, &out->list, proto_fixed64(&in));
		if (in.error)
			return -EBADMSG;
	}
	return rc;
}

static double double_of(uint64_t bits)
{
	double d;

	memcpy(&d, &bits, sizeof(d));
	return d;
}

static int read_number(const struct prom_value_reader *c, struct str message,
		       struct prom_point *out)
{
	struct proto_reader r = proto_reader_of(message);
	uint64_t flags = 0;

	while (proto_next(&r))
		switch (r.tag) {
		case PROTO_TAG(2, PROTO_FIXED64):
			out->start = proto_fixed64(&r);
			break;
		case PROTO_TAG(3, PROTO_FIXED64):
			out->time = proto_fixed64(&r);
			break;
		case PROTO_TAG(4, PROTO_FIXED64):
			out->value = proto_double(&r);
			break;
		case PROTO_TAG(6, PROTO_FIXED64):
			out->value = (double)(int64_t)proto_fixed64(&r);
			break;
		case PROTO_TAG(8, PROTO_VARINT):
			flags = proto_varint(&r);
			break;
		default:
			proto_skip(&r);
		}
	out->stale = flags & OTLP_NO_RECORDED_VALUE;
	if (r.error)
		return -EBADMSG;
	return out->metric->type == PROM_COUNTER ? read_exemplars(c, message, 5, out) : 0;
}

/* Join bounds and counts of a histogram. */
static int join_buckets(const struct prom_value_reader *c, const struct u64_list *bounds,
			const struct u64_list *counts, struct prom_point *out)
{
	struct prom_pair *pairs = arena_alloc(c->text.arena, bounds->list.n + 1, sizeof(*pairs));

	if (!pairs)
		return -ENOMEM;
	if (counts->list.n && counts->list.n != bounds->list.n + 1)
		return err_set(c->e, -EBADMSG, "a histogram has %u bounds and %u buckets",
			       bounds->list.n, counts->list.n);
	for (uint32_t i = 0; i < bounds->list.n; i++)
		pairs[i] = (struct prom_pair){double_of(bounds->list.at[i]),
					      counts->list.n ? (double)counts->list.at[i] : 0};
	out->pairs = pairs;
	out->pair_count = counts->list.n ? bounds->list.n : 0;
	out->overflow = counts->list.n ? counts->list.at[bounds->list.n] : out->count;
	return 0;
}

static int read_histogram(const struct prom_value_reader *c, struct str message,
			  struct prom_point *out)
{
	struct proto_reader r = proto_reader_of(message);
	struct u64_list bounds = {0}, counts = {0};
	uint64_t flags = 0;
	int rc = 0;

	while (!rc && proto_next(&r))
		switch (r.tag) {
		case PROTO_TAG(2, PROTO_FIXED64):
			out->start = proto_fixed64(&r);
			break;
		case PROTO_TAG(3, PROTO_FIXED64):
			out->time = proto_fixed64(&r);
			break;
		case PROTO_TAG(4, PROTO_FIXED64):
			out->count = proto_fixed64(&r);
			break;
		case PROTO_TAG(5, PROTO_FIXED64):
			out->sum = proto_double(&r);
			out->has_sum = true;
			break;
		case PROTO_TAG(6, PROTO_BYTES):
		case PROTO_TAG(6, PROTO_FIXED64):
			rc = read_fixed64s(c, &r, &counts);
			break;
		case PROTO_TAG(7, PROTO_BYTES):
		case PROTO_TAG(7, PROTO_FIXED64):
			rc = read_fixed64s(c, &r, &bounds);
			break;
		case PROTO_TAG(10, PROTO_VARINT):
			flags = proto_varint(&r);
			break;
		default:
			proto_skip(&r);
		}
	out->stale = flags & OTLP_NO_RECORDED_VALUE;
	if (rc || r.error)
		return rc ? rc : -EBADMSG;
	rc = join_buckets(c, &bounds, &counts, out);
	return rc ? rc : read_exemplars(c, message, 8, out);
}

static int32_t zigzag(uint64_t v)
{
	return (int32_t)((uint32_t)v >> 1) ^ -(int32_t)((uint32_t)v & 1);
}

static int read_buckets(const struct prom_value_reader *c, struct str message,
			struct prom_buckets *out)
{
	struct proto_reader r = proto_reader_of(message), in;
	VEC(uint64_t) counts = {0};
	int rc = 0;

	while (!rc && proto_next(&r))
		switch (r.tag) {
		case PROTO_TAG(1, PROTO_VARINT):
			out->offset = zigzag(proto_varint(&r));
			break;
		case PROTO_TAG(2, PROTO_VARINT):
			rc = vec_push(c->text.arena, &counts, proto_varint(&r));
			break;
		case PROTO_TAG(2, PROTO_BYTES):
			in = proto_message(&r);
			while (!rc && in.at < in.end && !in.error)
				rc = vec_push(c->text.arena, &counts, proto_varint(&in));
			if (in.error)
				return -EBADMSG;
			break;
		default:
			proto_skip(&r);
		}
	out->counts = counts.at;
	out->n = counts.n;
	return rc ? rc : r.error ? -EBADMSG : 0;
}

static int read_native(const struct prom_value_reader *c, struct str message,
		       struct prom_point *out)
{
	struct proto_reader r = proto_reader_of(message);
	uint64_t flags = 0;
	int rc = 0;

	while (!rc && proto_next(&r))
		switch (r.tag) {
		case PROTO_TAG(2, PROTO_FIXED64):
			out->start = proto_fixed64(&r);
			break;
		case PROTO_TAG(3, PROTO_FIXED64):
			out->time = proto_fixed64(&r);
			break;
		case PROTO_TAG(4, PROTO_FIXED64):
			out->count = proto_fixed64(&r);
			break;
		case PROTO_TAG(5, PROTO_FIXED64):
			out->sum = proto_double(&r);
			out->has_sum = true;
			break;
		case PROTO_TAG(6, PROTO_VARINT):
			out->scale = zigzag(proto_varint(&r));
			break;
		case PROTO_TAG(7, PROTO_FIXED64):
			out->zero_count = proto_fixed64(&r);
			break;
		case PROTO_TAG(8, PROTO_BYTES):
			rc = read_buckets(c, proto_bytes(&r), &out->positive);
			break;
		case PROTO_TAG(9, PROTO_BYTES):
			rc = read_buckets(c, proto_bytes(&r), &out->negative);
			break;
		case PROTO_TAG(10, PROTO_VARINT):
			flags = proto_varint(&r);
			break;
		case PROTO_TAG(14, PROTO_FIXED64):
			out->zero_threshold = proto_double(&r);
			break;
		default:
			proto_skip(&r);
		}
	out->stale = flags & OTLP_NO_RECORDED_VALUE;
	if (rc || r.error)
		return rc ? rc : -EBADMSG;
	return read_exemplars(c, message, 11, out);
}

struct pair_list {
	VEC(struct prom_pair) list;
};

static int add_quantile(const struct prom_value_reader *c, struct str message,
			struct pair_list *out)
{
	struct proto_reader r = proto_reader_of(message);
	struct prom_pair pair = {0};

	while (proto_next(&r))
		if (r.tag == PROTO_TAG(1, PROTO_FIXED64))
			pair.at = proto_double(&r);
		else if (r.tag == PROTO_TAG(2, PROTO_FIXED64))
			pair.value = proto_double(&r);
		else
			proto_skip(&r);
	return r.error ? -EBADMSG : vec_push(c->text.arena, &out->list, pair);
}

static int read_summary(const struct prom_value_reader *c, struct str message,
			struct prom_point *out)
{
	struct proto_reader r = proto_reader_of(message);
	struct pair_list quantiles = {0};
	uint64_t flags = 0;
	int rc = 0;

	out->has_sum = true;
	while (!rc && proto_next(&r))
		switch (r.tag) {
		case PROTO_TAG(2, PROTO_FIXED64):
			out->start = proto_fixed64(&r);
			break;
		case PROTO_TAG(3, PROTO_FIXED64):
			out->time = proto_fixed64(&r);
			break;
		case PROTO_TAG(4, PROTO_FIXED64):
			out->count = proto_fixed64(&r);
			break;
		case PROTO_TAG(5, PROTO_FIXED64):
			out->sum = proto_double(&r);
			break;
		case PROTO_TAG(6, PROTO_BYTES):
			rc = add_quantile(c, proto_bytes(&r), &quantiles);
			break;
		case PROTO_TAG(8, PROTO_VARINT):
			flags = proto_varint(&r);
			break;
		default:
			proto_skip(&r);
		}
	out->stale = flags & OTLP_NO_RECORDED_VALUE;
	out->pairs = quantiles.list.at;
	out->pair_count = quantiles.list.n;
	return rc ? rc : r.error ? -EBADMSG : 0;
}

/* How the points of each kind of metric are read. */
static const struct {
	int (*read)(const struct prom_value_reader *c, struct str message, struct prom_point *out);
	uint32_t attributes;
} kinds[] = {
	[OTLP_GAUGE] = {read_number, OTLP_NUMBER_POINT_ATTRIBUTES},
	[OTLP_SUM] = {read_number, OTLP_NUMBER_POINT_ATTRIBUTES},
	[OTLP_HISTOGRAM] = {read_histogram, OTLP_HISTOGRAM_POINT_ATTRIBUTES},
	[OTLP_EXPONENTIAL] = {read_native, OTLP_EXPONENTIAL_POINT_ATTRIBUTES},
	[OTLP_SUMMARY] = {read_summary, OTLP_SUMMARY_POINT_ATTRIBUTES},
};

int prom_value_read(const struct prom_value_reader *c, uint32_t kind, struct str message,
		    struct prom_point *out)
{
	return kinds[kind].read(c, message, out);
}

uint32_t prom_value_attributes(uint32_t kind)
{
	return kinds[kind].attributes;
}
