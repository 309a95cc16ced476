/* SPDX-License-Identifier: Apache-2.0 */
/* opentelemetry/proto/metrics/v1/metrics.proto and its collector service. */
#include "format/otlp/schema.h"
#include "format/otlp/schema_common.h"

#define FIELD SCHEMA_FIELD
#define NESTED SCHEMA_NESTED
#define MESSAGE SCHEMA_MESSAGE
#define MANY SCHEMA_MANY
#define ONE_OF SCHEMA_ONE_OF

static const struct schema_enum_name temporality_names[] = {
	{STR_INIT("AGGREGATION_TEMPORALITY_UNSPECIFIED"), 0},
	{STR_INIT("AGGREGATION_TEMPORALITY_DELTA"), 1},
	{STR_INIT("AGGREGATION_TEMPORALITY_CUMULATIVE"), 2},
};
static const struct schema_enum temporalities = {temporality_names, countof(temporality_names),
						 .as_number = true};

MESSAGE(exemplar, "Exemplar",
	NESTED(7, "filtered_attributes", "filteredAttributes", otlp_key_value, MANY),
	FIELD(2, "time_unix_nano", "timeUnixNano", FIXED64),
	FIELD(3, "as_double", "asDouble", DOUBLE, ONE_OF),
	FIELD(6, "as_int", "asInt", SFIXED64, ONE_OF),
	FIELD(4, "span_id", "spanId", ID, .id_size = 8),
	FIELD(5, "trace_id", "traceId", ID, .id_size = 16));

MESSAGE(number_point, "NumberDataPoint",
	NESTED(7, "attributes", "attributes", otlp_key_value, MANY),
	FIELD(2, "start_time_unix_nano", "startTimeUnixNano", FIXED64),
	FIELD(3, "time_unix_nano", "timeUnixNano", FIXED64),
	FIELD(4, "as_double", "asDouble", DOUBLE, ONE_OF),
	FIELD(6, "as_int", "asInt", SFIXED64, ONE_OF),
	NESTED(5, "exemplars", "exemplars", exemplar, MANY), FIELD(8, "flags", "flags", UINT32));

MESSAGE(histogram_point, "HistogramDataPoint",
	NESTED(9, "attributes", "attributes", otlp_key_value, MANY),
	FIELD(2, "start_time_unix_nano", "startTimeUnixNano", FIXED64),
	FIELD(3, "time_unix_nano", "timeUnixNano", FIXED64), FIELD(4, "count", "count", FIXED64),
	FIELD(5, "sum", "sum", DOUBLE, ONE_OF),
	FIELD(6, "bucket_counts", "bucketCounts", FIXED64, MANY),
	FIELD(7, "explicit_bounds", "explicitBounds", DOUBLE, MANY),
	NESTED(8, "exemplars", "exemplars", exemplar, MANY), FIELD(10, "flags", "flags", UINT32),
	FIELD(11, "min", "min", DOUBLE, ONE_OF), FIELD(12, "max", "max", DOUBLE, ONE_OF));

MESSAGE(buckets, "Buckets", FIELD(1, "offset", "offset", SINT32),
	FIELD(2, "bucket_counts", "bucketCounts", UINT64, MANY));

MESSAGE(exponential_point, "ExponentialHistogramDataPoint",
	NESTED(1, "attributes", "attributes", otlp_key_value, MANY),
	FIELD(2, "start_time_unix_nano", "startTimeUnixNano", FIXED64),
	FIELD(3, "time_unix_nano", "timeUnixNano", FIXED64), FIELD(4, "count", "count", FIXED64),
	FIELD(5, "sum", "sum", DOUBLE, ONE_OF), FIELD(6, "scale", "scale", SINT32),
	FIELD(7, "zero_count", "zeroCount", FIXED64), NESTED(8, "positive", "positive", buckets),
	NESTED(9, "negative", "negative", buckets), FIELD(10, "flags", "flags", UINT32),
	NESTED(11, "exemplars", "exemplars", exemplar, MANY),
	FIELD(12, "min", "min", DOUBLE, ONE_OF), FIELD(13, "max", "max", DOUBLE, ONE_OF),
	FIELD(14, "zero_threshold", "zeroThreshold", DOUBLE));

MESSAGE(quantile, "ValueAtQuantile", FIELD(1, "quantile", "quantile", DOUBLE),
	FIELD(2, "value", "value", DOUBLE));

MESSAGE(summary_point, "SummaryDataPoint",
	NESTED(7, "attributes", "attributes", otlp_key_value, MANY),
	FIELD(2, "start_time_unix_nano", "startTimeUnixNano", FIXED64),
	FIELD(3, "time_unix_nano", "timeUnixNano", FIXED64), FIELD(4, "count", "count", FIXED64),
	FIELD(5, "sum", "sum", DOUBLE),
	NESTED(6, "quantile_values", "quantileValues", quantile, MANY),
	FIELD(8, "flags", "flags", UINT32));

MESSAGE(gauge, "Gauge", NESTED(1, "data_points", "dataPoints", number_point, MANY));

#define TEMPORALITY                                                                                \
	FIELD(2, "aggregation_temporality", "aggregationTemporality", ENUM, .names = &temporalities)

MESSAGE(sum, "Sum", NESTED(1, "data_points", "dataPoints", number_point, MANY), TEMPORALITY,
	FIELD(3, "is_monotonic", "isMonotonic", BOOL));

MESSAGE(histogram, "Histogram", NESTED(1, "data_points", "dataPoints", histogram_point, MANY),
	TEMPORALITY);

MESSAGE(exponential_histogram, "ExponentialHistogram",
	NESTED(1, "data_points", "dataPoints", exponential_point, MANY), TEMPORALITY);

MESSAGE(summary, "Summary", NESTED(1, "data_points", "dataPoints", summary_point, MANY));

MESSAGE(metric, "Metric", FIELD(1, "name", "name", STRING),
	FIELD(2, "description", "description", STRING), FIELD(3, "unit", "unit", STRING),
	NESTED(5, "gauge", "gauge", gauge, ONE_OF), NESTED(7, "sum", "sum", sum, ONE_OF),
	NESTED(9, "histogram", "histogram", histogram, ONE_OF),
	NESTED(10, "exponential_histogram", "exponentialHistogram", exponential_histogram, ONE_OF),
	NESTED(11, "summary", "summary", summary, ONE_OF),
	NESTED(12, "metadata", "metadata", otlp_key_value, MANY));

MESSAGE(scope_metrics, "ScopeMetrics", NESTED(1, "scope", "scope", otlp_scope),
	NESTED(2, "metrics", "metrics", metric, MANY), FIELD(3, "schema_url", "schemaUrl", STRING));

MESSAGE(resource_metrics, "ResourceMetrics", NESTED(1, "resource", "resource", otlp_resource),
	NESTED(2, "scope_metrics", "scopeMetrics", scope_metrics, MANY),
	FIELD(3, "schema_url", "schemaUrl", STRING));

static const struct schema_field request_fields[] = {
	NESTED(1, "resource_metrics", "resourceMetrics", resource_metrics, MANY),
};
const struct schema_message otlp_metrics_request = {"ExportMetricsServiceRequest", request_fields,
						    countof(request_fields)};
