/* SPDX-License-Identifier: Apache-2.0 */
/* One line per item: verbosity normal. */
#include <inttypes.h>
#include <math.h>

#include "pipeline/exporters/debug/debug_text.h"
#include "signal/otlp/attributes.h"
#include "signal/otlp/build.h"
#include "signal/otlp/value_text.h"
#include "wire/proto.h"

/* Append "PREFIXkey=value" for each attribute. */
static void put_pairs(struct buf *out, const char *before, const char *between, struct str message,
		      uint32_t field)
{
	const char *lead = before;
	struct str pair;

	for (; debug_next(&message, field, &pair); lead = between) {
		buf_put_str(out, str_from(lead));
		buf_put_str(out, debug_bytes(pair, 1));
		buf_put_char(out, '=');
		debug_put_text(out, debug_bytes(pair, 2));
	}
}

static double double_field(struct str message, uint32_t field)
{
	uint64_t bits = debug_number(message, field);
	double value;

	memcpy(&value, &bits, sizeof(value));
	return value;
}

static void put_optional(struct buf *out, const char *name, struct str point, uint32_t field)
{
	if (!debug_has(point, field))
		return;
	buf_printf(out, " %s=", name);
	otlp_double_text(out, double_field(point, field));
}

static void put_number_point(struct buf *out, struct str point)
{
	buf_put_char(out, ' ');
	if (debug_has(point, 6))
		buf_put_i64(out, (int64_t)debug_number(point, 6));
	else if (debug_has(point, 4))
		otlp_double_text(out, double_field(point, 4));
}

/* Read element `i` of a repeated fixed64 field; packed or not. */
static bool fixed_at(struct str message, uint32_t field, uint32_t i, uint64_t *out)
{
	struct proto_reader r = proto_reader_of(message);

	while (proto_next(&r)) {
		if (r.tag == PROTO_TAG(field, PROTO_BYTES)) {
			struct proto_reader in = proto_message(&r);

			for (; in.at < in.end; i--) {
				*out = proto_fixed64(&in);
				if (!i)
					return !in.error;
			}
		} else if (r.tag == PROTO_TAG(field, PROTO_FIXED64)) {
			*out = proto_fixed64(&r);
			if (!i--)
				return true;
		} else {
			proto_skip(&r);
		}
	}
	return false;
}

static void put_histogram_point(struct buf *out, struct str point)
{
	uint64_t count, bits;
	double bound;

	buf_printf(out, " count=%" PRIu64, debug_number(point, 4));
	put_optional(out, "sum", point, 5);
	put_optional(out, "min", point, 11);
	put_optional(out, "max", point, 12);
	for (uint32_t i = 0; fixed_at(point, 6, i, &count); i++) {
		buf_put_char(out, ' ');
		if (fixed_at(point, 7, i, &bits)) {
			memcpy(&bound, &bits, sizeof(bound));
			buf_put_str(out, STR("le"));
			otlp_double_text(out, bound);
			buf_put_char(out, '=');
		}
		buf_put_u64(out, count);
	}
}

static void put_buckets(struct buf *out, struct str point, uint32_t field, int32_t scale)
{
	struct str buckets = debug_bytes(point, field);
	uint64_t zigzag = debug_number(buckets, 1);
	int64_t offset = (int64_t)(zigzag >> 1) ^ -(int64_t)(zigzag & 1);
	double base = pow(2, pow(2, -scale));
	struct proto_reader r = proto_reader_of(buckets);

	while (proto_next(&r)) {
		if (r.tag == PROTO_TAG(2, PROTO_BYTES)) {
			struct proto_reader in = proto_message(&r);

			while (in.at < in.end && !in.error) {
				buf_put_str(out, STR(" le"));
				otlp_double_text(out, pow(base, (double)offset++));
				buf_printf(out, "=%" PRIu64, proto_varint(&in));
			}
		} else {
			proto_skip(&r);
		}
	}
}

static void put_exponential_point(struct buf *out, struct str point)
{
	uint64_t zigzag = debug_number(point, 6);
	int32_t scale = (int32_t)((int64_t)(zigzag >> 1) ^ -(int64_t)(zigzag & 1));

	buf_printf(out, " count=%" PRIu64, debug_number(point, 4));
	put_optional(out, "sum", point, 5);
	put_optional(out, "min", point, 12);
	put_optional(out, "max", point, 13);
	put_buckets(out, point, 9, scale);
	put_buckets(out, point, 8, scale);
	if (debug_number(point, 7)) {
		buf_put_str(out, STR(" zero_count"));
		otlp_double_text(out, double_field(point, 14));
		buf_printf(out, "=%" PRIu64, debug_number(point, 7));
	}
}

static void put_summary_point(struct buf *out, struct str point)
{
	struct str quantile;

	buf_printf(out, " count=%" PRIu64 " sum=%f", debug_number(point, 4),
		   double_field(point, 5));
	while (debug_next(&point, 6, &quantile)) {
		buf_put_str(out, STR(" q"));
		otlp_double_text(out, double_field(quantile, 1));
		buf_put_char(out, '=');
		otlp_double_text(out, double_field(quantile, 2));
	}
}

static void put_metric(struct buf *out, struct str metric)
{
	static const struct {
		uint32_t data, attributes;
		void (*put)(struct buf *out, struct str point);
	} kinds[] = {
		{OTLP_GAUGE, OTLP_NUMBER_POINT_ATTRIBUTES, put_number_point},
		{OTLP_SUM, OTLP_NUMBER_POINT_ATTRIBUTES, put_number_point},
		{OTLP_HISTOGRAM, OTLP_HISTOGRAM_POINT_ATTRIBUTES, put_histogram_point},
		{OTLP_EXPONENTIAL, OTLP_EXPONENTIAL_POINT_ATTRIBUTES, put_exponential_point},
		{OTLP_SUMMARY, OTLP_SUMMARY_POINT_ATTRIBUTES, put_summary_point},
	};

	for (size_t i = 0; i < countof(kinds); i++) {
		struct str data = debug_bytes(metric, kinds[i].data), point;

		while (debug_next(&data, 1, &point)) {
			buf_put_str(out, debug_bytes(metric, 1));
			buf_put_char(out, '{');
			put_pairs(out, "", ",", point, kinds[i].attributes);
			buf_put_char(out, '}');
			kinds[i].put(out, point);
			buf_put_char(out, '\n');
		}
	}
}

static void put_span(struct buf *out, struct str span)
{
	buf_put_str(out, debug_bytes(span, 5));
	buf_put_char(out, ' ');
	debug_put_id(out, debug_bytes(span, 1));
	buf_put_char(out, ' ');
	debug_put_id(out, debug_bytes(span, 2));
	put_pairs(out, " ", " ", span, OTLP_SPAN_ATTRIBUTES);
	buf_put_char(out, '\n');
}

static void put_log(struct buf *out, struct str record)
{
	debug_put_text(out, debug_bytes(record, 5));
	put_pairs(out, " ", " ", record, OTLP_LOG_ATTRIBUTES);
	buf_put_char(out, '\n');
}

static void put_profile(struct buf *out, struct str profile)
{
	struct str sample;
	uint32_t samples = 0;

	debug_put_id(out, debug_bytes(profile, 7));
	while (debug_next(&profile, 2, &sample))
		samples++;
	buf_printf(out, " samples=%u\n", samples);
}

/* Append " name@version [schema] key=value" of a scope. */
static void put_scope(struct buf *out, struct str scope_x)
{
	struct str scope = debug_bytes(scope_x, 1), schema = debug_bytes(scope_x, 3);
	struct str name = debug_bytes(scope, 1), version = debug_bytes(scope, 2);

	if (name.n)
		buf_printf(out, " %.*s", STR_ARG(name));
	if (version.n)
		buf_printf(out, "@%.*s", STR_ARG(version));
	if (schema.n)
		buf_printf(out, " [%.*s]", STR_ARG(schema));
	put_pairs(out, " ", " ", scope, OTLP_SCOPE_ATTRIBUTES);
	buf_put_char(out, '\n');
}

void debug_write_normal(struct buf *out, enum signal_kind signal, struct str message)
{
	static const char *const names[SIGNALS] = {"Profiles", "Traces", "Metrics", "Log"};
	static void (*const puts[SIGNALS])(struct buf * out, struct str item) = {
		put_profile, put_span, put_metric, put_log};
	unsigned kind = signal_index(signal);
	const char *name = names[kind];
	struct str resource_x, scope_x, item;

	for (uint32_t i = 0; debug_next(&message, 1, &resource_x); i++) {
		struct str schema = debug_bytes(resource_x, 3);

		buf_printf(out, "Resource%s #%u", name, i);
		if (schema.n)
			buf_printf(out, " [%.*s]", STR_ARG(schema));
		put_pairs(out, " ", " ", debug_bytes(resource_x, 1), OTLP_RESOURCE_ATTRIBUTES);
		buf_put_char(out, '\n');
		for (uint32_t k = 0; debug_next(&resource_x, 2, &scope_x); k++) {
			buf_printf(out, "Scope%s #%u", name, k);
			put_scope(out, scope_x);
			while (debug_next(&scope_x, 2, &item))
				puts[kind](out, item);
		}
	}
}
