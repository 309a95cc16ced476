/* SPDX-License-Identifier: Apache-2.0 */
/* Metrics and their points in the detailed form. */
#include <inttypes.h>
#include <math.h>

#include "pipeline/exporters/debug/debug_text.h"
#include "signal/otlp/attributes.h"
#include "signal/otlp/build.h"
#include "wire/proto.h"

static double real_field(struct str message, uint32_t field)
{
	uint64_t bits = debug_number(message, field);
	double value;

	memcpy(&value, &bits, sizeof(value));
	return value;
}

static int64_t signed_field(struct str message, uint32_t field)
{
	uint64_t zigzag = debug_number(message, field);

	return (int64_t)(zigzag >> 1) ^ -(int64_t)(zigzag & 1);
}

static void put_real(struct buf *out, const char *name, struct str point, uint32_t field)
{
	if (debug_has(point, field))
		buf_printf(out, "%s: %f\n", name, real_field(point, field));
}

static void put_time(struct buf *out, const char *name, uint64_t ns)
{
	buf_printf(out, "%s: ", name);
	debug_put_time(out, ns);
	buf_put_char(out, '\n');
}

/* Append the attributes and times that all points have. */
static void put_point(struct buf *out, struct str point, uint32_t attributes)
{
	debug_put_attributes(out, "", "Data point attributes", point, attributes);
	put_time(out, "StartTimestamp", debug_number(point, 2));
	put_time(out, "Timestamp", debug_number(point, 3));
}

static void put_exemplars(struct buf *out, struct str point, uint32_t field)
{
	struct str exemplar;

	for (uint32_t i = 0; debug_next(&point, field, &exemplar); i++) {
		if (!i)
			buf_put_str(out, STR("Exemplars:\n"));
		buf_printf(out, "Exemplar #%u\n     -> Trace ID: ", i);
		debug_put_id(out, debug_bytes(exemplar, 5));
		buf_put_str(out, STR("\n     -> Span ID: "));
		debug_put_id(out, debug_bytes(exemplar, 4));
		put_time(out, "\n     -> Timestamp", debug_number(exemplar, 2));
		put_real(out, "     -> Value", exemplar, 3);
		if (debug_has(exemplar, 6))
			buf_printf(out, "     -> Value: %" PRId64 "\n",
				   (int64_t)debug_number(exemplar, 6));
		debug_put_attributes(out, "     ", "-> FilteredAttributes", exemplar, 7);
	}
}

static void put_number(struct buf *out, struct str point)
{
	put_point(out, point, OTLP_NUMBER_POINT_ATTRIBUTES);
	if (debug_has(point, 6))
		buf_printf(out, "Value: %" PRId64 "\n", (int64_t)debug_number(point, 6));
	put_real(out, "Value", point, 4);
	put_exemplars(out, point, 5);
}

/* Append a line for each value of a repeated fixed64 field, packed or not. */
static void put_fixed(struct buf *out, struct str point, uint32_t field, bool real)
{
	struct proto_reader r = proto_reader_of(point);
	uint32_t i = 0;

	while (proto_next(&r)) {
		struct proto_reader in;

		if (r.tag == PROTO_TAG(field, PROTO_BYTES)) {
			in = proto_message(&r);
		} else if (r.tag == PROTO_TAG(field, PROTO_FIXED64)) {
			in = proto_reader_of(
				str_of((const char *)r.at, min_size(8, (size_t)(r.end - r.at))));
			proto_skip(&r);
		} else {
			proto_skip(&r);
			continue;
		}
		for (; in.at < in.end; i++)
			if (real)
				buf_printf(out, "ExplicitBounds #%u: %f\n", i, proto_double(&in));
			else
				buf_printf(out, "Buckets #%u, Count: %" PRIu64 "\n", i,
					   proto_fixed64(&in));
	}
}

static void put_histogram(struct buf *out, struct str point)
{
	put_point(out, point, OTLP_HISTOGRAM_POINT_ATTRIBUTES);
	buf_printf(out, "Count: %" PRIu64 "\n", debug_number(point, 4));
	put_real(out, "Sum", point, 5);
	put_real(out, "Min", point, 11);
	put_real(out, "Max", point, 12);
	put_fixed(out, point, 7, true);
	put_fixed(out, point, 6, false);
	put_exemplars(out, point, 8);
}

/* Append the buckets with their bounds; those of negative values in the order of the values. */
static void put_exponential_buckets(struct buf *out, struct str buckets, int64_t scale,
				    bool negative)
{
	struct proto_reader r = proto_reader_of(debug_bytes(buckets, 2));
	double factor = ldexp(M_LN2, (int)-scale), offset = (double)signed_field(buckets, 1);
	uint32_t count = 0;

	for (struct proto_reader all = r; all.at < all.end; count++)
		(void)proto_varint(&all);
	for (uint32_t i = 0; i < count; i++) {
		uint32_t at = negative ? count - 1 - i : i;
		double low = exp((offset + at) * factor), high = exp((offset + at + 1) * factor);
		struct proto_reader in = r;
		uint64_t n = 0;

		for (uint32_t k = 0; k <= at; k++)
			n = proto_varint(&in);
		if (negative)
			buf_printf(out, "Bucket [%f, %f), Count: %" PRIu64 "\n", -high, -low, n);
		else
			buf_printf(out, "Bucket (%f, %f], Count: %" PRIu64 "\n", low, high, n);
	}
}

static void put_exponential(struct buf *out, struct str point)
{
	int64_t scale = signed_field(point, 6);

	put_point(out, point, OTLP_EXPONENTIAL_POINT_ATTRIBUTES);
	buf_printf(out, "Count: %" PRIu64 "\n", debug_number(point, 4));
	put_real(out, "Sum", point, 5);
	put_real(out, "Min", point, 12);
	put_real(out, "Max", point, 13);
	put_exponential_buckets(out, debug_bytes(point, 9), scale, true);
	if (debug_number(point, 7))
		buf_printf(out, "Bucket [0, 0], Count: %" PRIu64 "\n", debug_number(point, 7));
	put_exponential_buckets(out, debug_bytes(point, 8), scale, false);
	put_exemplars(out, point, 11);
}

static void put_summary(struct buf *out, struct str point)
{
	struct str quantile;

	put_point(out, point, OTLP_SUMMARY_POINT_ATTRIBUTES);
	buf_printf(out, "Count: %" PRIu64 "\nSum: %f\n", debug_number(point, 4),
		   real_field(point, 5));
	for (uint32_t i = 0; debug_next(&point, 6, &quantile); i++)
		buf_printf(out, "QuantileValue #%u: Quantile %f, Value %f\n", i,
			   real_field(quantile, 1), real_field(quantile, 2));
}

void debug_write_metric(struct buf *out, struct str metric)
{
	static const struct {
		uint32_t data;
		const char *type, *points;
		bool temporality;
		void (*put)(struct buf *out, struct str point);
	} kinds[] = {
		{OTLP_GAUGE, "Gauge", "NumberDataPoints", false, put_number},
		{OTLP_SUM, "Sum", "NumberDataPoints", true, put_number},
		{OTLP_HISTOGRAM, "Histogram", "HistogramDataPoints", true, put_histogram},
		{OTLP_EXPONENTIAL, "ExponentialHistogram", "ExponentialHistogramDataPoints", true,
		 put_exponential},
		{OTLP_SUMMARY, "Summary", "SummaryDataPoints", false, put_summary},
	};
	static const char *const temporalities[] = {"Unspecified", "Delta", "Cumulative"};
	size_t kind = 0;
	uint64_t temporality;
	struct str data, point;

	while (kind < countof(kinds) && !debug_has(metric, kinds[kind].data))
		kind++;
	buf_printf(out, "Descriptor:\n     -> Name: %.*s\n     -> Description: %.*s\n",
		   STR_ARG(debug_bytes(metric, 1)), STR_ARG(debug_bytes(metric, 2)));
	buf_printf(out, "     -> Unit: %.*s\n     -> DataType: %s\n",
		   STR_ARG(debug_bytes(metric, 3)),
		   kind < countof(kinds) ? kinds[kind].type : "Empty");
	if (kind == countof(kinds))
		return;
	data = debug_bytes(metric, kinds[kind].data);
	if (kinds[kind].data == OTLP_SUM)
		buf_printf(out, "     -> IsMonotonic: %s\n",
			   debug_number(data, 3) ? "true" : "false");
	temporality = debug_number(data, 2);
	if (kinds[kind].temporality)
		buf_printf(out, "     -> AggregationTemporality: %s\n",
			   temporalities[temporality < 3 ? temporality : 0]);
	for (uint32_t i = 0; debug_next(&data, 1, &point); i++) {
		buf_printf(out, "%s #%u\n", kinds[kind].points, i);
		kinds[kind].put(out, point);
	}
}
