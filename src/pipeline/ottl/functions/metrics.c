/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A metric has its data in one of several fields: gauge, sum, histogram, exponential histogram,
 * summary. A function that does not fit the kind of the metric does nothing.
 */
#include "pipeline/ottl/functions/metrics.h"

#include <errno.h>

#include "pipeline/ottl/functions/aggregate.h"
#include "pipeline/ottl/functions/metric_points.h"

/* ---- conversion ---- */

/* Sums and gauges differ in two fields; the data points are the same. */
static int run_sum_to_gauge(struct ottl_eval *ev, struct ottl_args *a, struct ottl_value *out)
{
	static const struct ottl_change removed[] = {{.field = DATA_TEMPORALITY},
						     {.field = DATA_MONOTONIC}};
	struct str data;
	int rc;

	(void)a;
	(void)out;
	if (ottl_metric_data(ev, &data) != OTLP_SUM)
		return 0;
	rc = ottl_message_replace(data, removed, countof(removed), &ev->scratch, &data);
	return rc ? rc : put_metric_data(ev, OTLP_GAUGE, data);
}

static int run_gauge_to_sum(struct ottl_eval *ev, struct ottl_args *a, struct ottl_value *out)
{
	enum otlp_temporality temporality =
		str_eq(a->v[0].s, STR("delta")) ? OTLP_DELTA : OTLP_CUMULATIVE;
	struct str data;
	int rc;

	(void)out;
	if (ottl_metric_data(ev, &data) != OTLP_GAUGE)
		return 0;
	rc = number_data(ev, data, temporality, a->v[1].i, &data);
	return rc ? rc : put_metric_data(ev, OTLP_SUM, data);
}

/* ---- extraction ---- */

/* Write a number point with time and attributes of another point, and a value, as field 1. */
static int write_extracted(struct ottl_eval *ev, enum ottl_point_kind kind, struct str point,
			   bool sum)
{
	struct proto_writer *w = &ev->writer;
	uint32_t value_field = sum ? POINT_SUM : POINT_COUNT;
	size_t end = proto_mark(w);
	struct ottl_value start, time, value;
	struct ottl_map attributes;
	int rc = ottl_map_read(&ev->scratch, point, point_attributes_field(kind), &attributes);

	if (!rc)
		rc = ottl_field_read(point, POINT_START, FIELD_FIXED64, &ev->scratch, &start);
	if (!rc)
		rc = ottl_field_read(point, POINT_TIME, FIELD_FIXED64, &ev->scratch, &time);
	if (!rc)
		rc = ottl_field_read(point, value_field, FIELD_FIXED64, &ev->scratch, &value);
	if (rc || (sum && !ottl_has_field(point, value_field)))
		return rc;
	ottl_map_write(w, OTLP_NUMBER_POINT_ATTRIBUTES, &attributes);
	proto_put_fixed64_raw(w, (uint64_t)value.i);
	proto_put_varint(w, PROTO_TAG(sum ? POINT_DOUBLE : POINT_INT, PROTO_FIXED64));
	proto_put_fixed64(w, POINT_TIME, (uint64_t)time.i);
	proto_put_fixed64(w, POINT_START, (uint64_t)start.i);
	proto_put_header(w, DATA_POINTS, end);
	return 0;
}

/* Make data points of the counts or sums of all points. Return the number, or an error. */
static int extract_points(struct ottl_eval *ev, enum ottl_point_kind kind, struct str data,
			  bool sum, struct str *out)
{
	struct ottl_value points;
	int rc = ottl_field_read(data, DATA_POINTS, FIELD_MESSAGES, &ev->scratch, &points);

	proto_writer_clear(&ev->writer);
	for (uint32_t i = rc ? 0 : points.list->items.n; i-- > 0 && !rc;)
		rc = write_extracted(ev, kind, points.list->items.at[i].s, sum);
	return rc ? rc : ottl_take_written(&ev->writer, &ev->scratch, out);
}

/* Append a sum of this name, with the description of the current metric. */
static int add_sum(struct ottl_eval *ev, struct str suffix, struct str unit, struct str data)
{
	struct ottl_record *r = &ev->at[LEVEL_ITEM];
	struct str name = ottl_find_bytes(ottl_record_field(r, METRIC_NAME), METRIC_NAME), metric;
	struct str description =
		ottl_find_bytes(ottl_record_field(r, METRIC_DESCRIPTION), METRIC_DESCRIPTION);
	uint32_t count;
	int rc = arena_printf(&ev->scratch, &name, "%.*s%.*s", STR_ARG(name), STR_ARG(suffix));

	if (rc)
		return rc;
	proto_writer_clear(&ev->writer);
	proto_put_entry(&ev->writer, OTLP_SUM, data);
	proto_put_bytes(&ev->writer, METRIC_UNIT, unit);
	proto_put_bytes(&ev->writer, METRIC_DESCRIPTION, description);
	proto_put_bytes(&ev->writer, METRIC_NAME, name);
	rc = ottl_take_written(&ev->writer, &ev->scratch, &metric);
	count = rc ? 0 : otlp_metric_points(metric);
	return rc || !count ? rc : ottl_add_item(ev, metric, count);
}

static int extract_metric(struct ottl_eval *ev, struct ottl_args *a, bool sum)
{
	const struct ottl_record *r = &ev->at[LEVEL_ITEM];
	struct str suffix = a->given[1] ? a->v[1].s : sum ? STR("_sum") : STR("_count");
	struct str data, unit = STR("1");
	uint32_t kind = ottl_metric_data(ev, &data);
	struct ottl_value temporality = OTTL_VALUE_INT(OTLP_CUMULATIVE);
	int rc = 0;

	if (!kind || kind == OTLP_GAUGE || kind == OTLP_SUM)
		return 0;
	if (kind != OTLP_SUMMARY)
		rc = ottl_field_read(data, DATA_TEMPORALITY, FIELD_INT, &ev->scratch, &temporality);
	if (sum)
		unit = ottl_find_bytes(ottl_record_field(r, METRIC_UNIT), METRIC_UNIT);
	if (!rc)
		rc = extract_points(ev, point_kind_of_data(kind), data, sum, &data);
	if (!rc)
		rc = number_data(ev, data, (enum otlp_temporality)temporality.i, a->v[0].i, &data);
	return rc ? rc : add_sum(ev, suffix, unit, data);
}

static int run_extract_count(struct ottl_eval *ev, struct ottl_args *a, struct ottl_value *out)
{
	(void)out;
	return extract_metric(ev, a, false);
}

static int run_extract_sum(struct ottl_eval *ev, struct ottl_args *a, struct ottl_value *out)
{
	(void)out;
	return extract_metric(ev, a, true);
}

/* ---- copy_metric ---- */

static int run_copy_metric(struct ottl_eval *ev, struct ottl_args *a, struct ottl_value *out)
{
	static const uint32_t fields[] = {METRIC_NAME, METRIC_DESCRIPTION, METRIC_UNIT};
	struct ottl_change changes[countof(fields)];
	uint32_t count = 0;
	struct str copy;
	int rc = ottl_record_write(&ev->at[LEVEL_ITEM], &ev->writer, &ev->scratch, &copy);

	(void)out;
	for (unsigned i = 0; i < countof(fields) && !rc; i++) {
		if (!a->given[i])
			continue;
		proto_put_bytes(&ev->writer, fields[i], a->v[i].s);
		changes[count].field = fields[i];
		rc = ottl_take_written(&ev->writer, &ev->scratch, &changes[count++].bytes);
	}
	if (!rc)
		rc = ottl_message_replace(copy, changes, count, &ev->scratch, &copy);
	return rc ? rc : ottl_add_item(ev, copy, otlp_metric_points(copy));
}

/* ---- scale_metric ---- */

/* Scale one number of a point, if the point has it. */
static int scale_field(struct ottl_eval *ev, struct str *point, uint32_t field,
		       enum ottl_field_type type, double factor)
{
	struct ottl_change change = {.field = field};
	const char *expected;
	struct ottl_value v;
	int rc = ottl_has_field(*point, field)
			 ? ottl_field_read(*point, field, type, &ev->scratch, &v)
			 : 1;

	if (rc)
		return rc == 1 ? 0 : rc;
	if (v.kind == OTTL_INT)
		v = OTTL_VALUE_INT(ottl_int_of_double((double)v.i * factor));
	else if (v.kind == OTTL_DOUBLE)
		v.d *= factor;
	for (uint32_t i = 0; v.kind == OTTL_LIST && i < v.list->items.n; i++)
		v.list->items.at[i].d *= factor;
	rc = ottl_field_write(&ev->writer, field, type, true, &v, &ev->scratch, &expected);
	if (!rc)
		rc = ottl_take_written(&ev->writer, &ev->scratch, &change.bytes);
	return rc ? rc : ottl_message_replace(*point, &change, 1, &ev->scratch, point);
}

/* Scale the values of the quantiles of a summary. */
static int scale_quantiles(struct ottl_eval *ev, struct str *point, double factor)
{
	struct ottl_change change = {.field = POINT_QUANTILES};
	struct ottl_value list;
	int rc = ottl_field_read(*point, POINT_QUANTILES, FIELD_MESSAGES, &ev->scratch, &list);

	for (uint32_t i = 0; !rc && i < list.list->items.n; i++)
		rc = scale_field(ev, &list.list->items.at[i].s, QUANTILE_VALUE, FIELD_DOUBLE,
				 factor);
	for (uint32_t i = rc ? 0 : list.list->items.n; i-- > 0;)
		proto_put_entry(&ev->writer, POINT_QUANTILES, list.list->items.at[i].s);
	if (!rc)
		rc = ottl_take_written(&ev->writer, &ev->scratch, &change.bytes);
	return rc ? rc : ottl_message_replace(*point, &change, 1, &ev->scratch, point);
}

/* A point of a gauge or sum, a histogram or a summary. */
static int scale_point(struct ottl_eval *ev, enum ottl_point_kind kind, struct str *point,
		       double factor)
{
	int rc;

	if (kind == POINT_NUMBER) {
		rc = scale_field(ev, point, POINT_DOUBLE, FIELD_DOUBLE, factor);
		return rc ? rc : scale_field(ev, point, POINT_INT, FIELD_FIXED64, factor);
	}
	rc = scale_field(ev, point, POINT_SUM, FIELD_DOUBLE, factor);
	if (rc || kind == POINT_SUMMARY)
		return rc ? rc : scale_quantiles(ev, point, factor);
	rc = scale_field(ev, point, HISTOGRAM_BOUNDS, FIELD_DOUBLES, factor);
	if (!rc)
		rc = scale_field(ev, point, HISTOGRAM_MIN, FIELD_DOUBLE, factor);
	return rc ? rc : scale_field(ev, point, HISTOGRAM_MAX, FIELD_DOUBLE, factor);
}

static int run_scale_metric(struct ottl_eval *ev, struct ottl_args *a, struct ottl_value *out)
{
	struct ottl_value points;
	struct str data, unit;
	uint32_t kind = ottl_metric_data(ev, &data);
	int rc;

	(void)out;
	if (!kind)
		return 0;
	if (kind == OTLP_EXPONENTIAL)
		return ottl_fail(ev, "scale_metric does not support exponential histograms");
	rc = ottl_field_read(data, DATA_POINTS, FIELD_MESSAGES, &ev->scratch, &points);
	proto_writer_clear(&ev->writer);
	for (uint32_t i = 0; !rc && i < points.list->items.n; i++)
		rc = scale_point(ev, point_kind_of_data(kind), &points.list->items.at[i].s,
				 a->v[0].d);
	if (!rc)
		rc = replace_points(ev, kind, data, points.list);
	if (rc || !a->given[1])
		return rc;
	proto_put_bytes(&ev->writer, METRIC_UNIT, a->v[1].s);
	rc = ottl_take_written(&ev->writer, &ev->scratch, &unit);
	return rc ? rc : ottl_record_put(&ev->at[LEVEL_ITEM], &ev->scratch, METRIC_UNIT, unit);
}

/* ---- tests of data points ---- */

/* Return whether a data point has an attribute, with a value if that is not NULL. */
static int any_point_has(struct ottl_eval *ev, struct str key, const struct str *value,
			 struct ottl_value *out)
{
	struct str data;
	uint32_t kind = ottl_metric_data(ev, &data);
	uint32_t field = point_attributes_field(point_kind_of_data(kind));
	struct ottl_value points;
	int rc = ottl_field_read(data, DATA_POINTS, FIELD_MESSAGES, &ev->scratch, &points);

	*out = OTTL_VALUE_BOOL(false);
	for (uint32_t i = 0; !rc && !out->i && i < points.list->items.n; i++) {
		struct value found;

		if (!otlp_attribute_find(points.list->items.at[i].s, field, key, &found))
			continue;
		out->i = !value || (found.kind == VALUE_STRING && str_eq(found.s, *value));
	}
	return rc;
}

static int run_has_attr_key(struct ottl_eval *ev, struct ottl_args *a, struct ottl_value *out)
{
	return any_point_has(ev, a->v[0].s, NULL, out);
}

static int run_has_attr(struct ottl_eval *ev, struct ottl_args *a, struct ottl_value *out)
{
	return any_point_has(ev, a->v[0].s, &a->v[1].s, out);
}

const struct ottl_function ottl_metric_functions[] = {
	{"convert_sum_to_gauge", run_sum_to_gauge, .contexts = OTTL_IN(OTTL_METRIC)},
	{"convert_gauge_to_sum",
	 run_gauge_to_sum,
	 {{"aggregation_temporality", PARAM_CHOICE, .choices = "cumulative|delta"},
	  {"monotonic", PARAM_BOOL}},
	 .contexts = OTTL_IN(OTTL_METRIC)},
	{"extract_count_metric",
	 run_extract_count,
	 {{"monotonic", PARAM_BOOL}, {"suffix", PARAM_STRING, .optional = true}},
	 .contexts = OTTL_IN(OTTL_METRIC)},
	{"extract_sum_metric",
	 run_extract_sum,
	 {{"monotonic", PARAM_BOOL}, {"suffix", PARAM_STRING, .optional = true}},
	 .contexts = OTTL_IN(OTTL_METRIC)},
	{"copy_metric",
	 run_copy_metric,
	 {{"name", PARAM_STRING, .optional = true},
	  {"description", PARAM_STRING, .optional = true},
	  {"unit", PARAM_STRING, .optional = true}},
	 .contexts = OTTL_IN(OTTL_METRIC)},
	{"scale_metric",
	 run_scale_metric,
	 {{"multiplier", PARAM_DOUBLE}, {"unit", PARAM_STRING, .optional = true}},
	 .contexts = OTTL_IN(OTTL_METRIC)},
	{"aggregate_on_attributes",
	 ottl_run_aggregate,
	 {{"function", PARAM_CHOICE, .choices = "sum|max|min|mean|median|count"},
	  {"attributes", PARAM_LIST, .optional = true}},
	 .contexts = OTTL_IN(OTTL_METRIC)},
	{"HasAttrKeyOnDatapoint",
	 run_has_attr_key,
	 {{"key", PARAM_STRING}},
	 .contexts = OTTL_IN(OTTL_METRIC),
	 .filter_only = true},
	{"HasAttrOnDatapoint",
	 run_has_attr,
	 {{"key", PARAM_STRING}, {"value", PARAM_STRING}},
	 .contexts = OTTL_IN(OTTL_METRIC),
	 .filter_only = true},
	{.name = NULL},
};
