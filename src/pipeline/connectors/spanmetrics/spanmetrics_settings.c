/* SPDX-License-Identifier: Apache-2.0 */
/* Reads the section: dimensions, histograms, exemplars, temporality and limits. */
#include "pipeline/connectors/spanmetrics/spanmetrics_settings.h"

#include <errno.h>

#include "base/clock.h"
#include "config/values.h"

enum { BUCKETS_MAX = 200 };

bool spanmetrics_is_delta(const struct spanmetrics_settings *s)
{
	return str_eq(s->temporality, STR("AGGREGATION_TEMPORALITY_DELTA"));
}

static int read_buckets(const struct config_node *n, const char *what, void *to,
			struct arena *arena, struct err *e)
{
	uint64_t *at = arena_alloc(arena, BUCKETS_MAX, sizeof(*at));
	uint32_t count = 0;

	if (!at)
		return -ENOMEM;
	if (n->kind != CONFIG_LIST)
		return config_fail(n, e, "%s: \"buckets\" has to be a list of durations", what);
	for (const struct config_node *child = n->first; child; child = child->next) {
		if (count == BUCKETS_MAX)
			return config_fail(child, e, "%s: \"buckets\" has more than %d entries",
					   what, BUCKETS_MAX);
		if (child->kind != CONFIG_SCALAR || setting_parse_duration(child->text, &at[count]))
			return config_fail(child, e,
					   "%s: \"buckets\" has to be a list of durations, such "
					   "as [10ms, 100ms, 1s]",
					   what);
		if (count && at[count] <= at[count - 1])
			return config_fail(child, e, "%s: \"buckets\" have to ascend", what);
		count++;
	}
	*(struct bucket_list *)to = (struct bucket_list){at, count};
	return 0;
}

int spanmetrics_check(const void *settings, struct err *e)
{
	const struct spanmetrics_settings *s = settings;
	struct span_dimension_list calls[] = {s->dimensions, s->calls_dimensions};
	struct span_dimension_list times[] = {s->dimensions, s->histogram.dimensions};
	unsigned basics;
	int rc = span_basics_of(s->excluded, &basics, e);

	if (rc)
		return rc;
	if (s->histogram.has_exponential)
		return err_set(e, -EINVAL,
			       "exponential histograms of spans are not supported; use "
			       "histogram.explicit");
	if (!str_eq(s->histogram.unit, STR("ms")) && !str_eq(s->histogram.unit, STR("s")))
		return err_set(e, -EINVAL, "\"histogram.unit\" has to be ms or s");
	if (!spanmetrics_is_delta(s) &&
	    !str_eq(s->temporality, STR("AGGREGATION_TEMPORALITY_CUMULATIVE")))
		return err_set(e, -EINVAL,
			       "\"aggregation_temporality\" has to be "
			       "AGGREGATION_TEMPORALITY_CUMULATIVE or "
			       "AGGREGATION_TEMPORALITY_DELTA");
	if (s->interval < 10 * NS_PER_MS)
		return err_set(e, -EINVAL, "\"metrics_flush_interval\" has to be 10ms or more");
	rc = span_dimensions_check(calls, countof(calls), basics, e);
	return rc ? rc : span_dimensions_check(times, countof(times), basics, e);
}

static const struct setting explicit_table[] = {
	SET_CUSTOM(struct explicit_settings, buckets, "buckets", read_buckets, "durations",
		   "Upper bounds of the buckets; default: 2ms to 15s in 16 steps."),
	SET_END,
};

static const struct setting exponential_table[] = {
	SET_IGNORED("max_size", "exponential histograms are not supported"),
	SET_END,
};

static const struct setting histogram_table[] = {
	SET_BOOL(struct histogram_settings, disable, "disable", "false", "Only count calls."),
	SET_STRING(struct histogram_settings, unit, "unit", "ms", "Unit of durations: ms or s."),
	SET_GROUP_ALWAYS(struct histogram_settings, explicit, "explicit", explicit_table,
			 "Buckets with fixed bounds."),
	SET_GROUP(struct histogram_settings, explicit, "exponential", exponential_table,
		  has_exponential, "Not supported."),
	SET_CUSTOM(struct histogram_settings, dimensions, "dimensions", span_dimensions_read,
		   "list", "More attributes of durations only."),
	SET_END,
};

static const struct setting exemplar_table[] = {
	SET_BOOL(struct exemplar_settings, enabled, "enabled", "false",
		 "Keep spans as exemplars of each series."),
	SET_INT(struct exemplar_settings, max, "max_per_data_point", "5", 1, 100, NULL,
		"How many in an interval; the first ones are kept."),
	SET_END,
};

const struct setting spanmetrics_table[] = {
	SET_STRING(struct spanmetrics_settings, namespace, "namespace", "traces.span.metrics",
		   "Beginning of the names: NAMESPACE.calls, NAMESPACE.duration."),
	SET_GROUP_ALWAYS(struct spanmetrics_settings, histogram, "histogram", histogram_table,
			 "The durations."),
	SET_CUSTOM(struct spanmetrics_settings, dimensions, "dimensions", span_dimensions_read,
		   "list", "More attributes of both metrics: a list of {name, default}."),
	SET_CUSTOM(struct spanmetrics_settings, calls_dimensions, "calls_dimensions",
		   span_dimensions_read, "list", "More attributes of calls only."),
	SET_LIST(struct spanmetrics_settings, excluded, "exclude_dimensions", NULL,
		 "Which of service.name, span.name, span.kind, status.code to leave out."),
	SET_STRING(struct spanmetrics_settings, temporality, "aggregation_temporality",
		   "AGGREGATION_TEMPORALITY_CUMULATIVE", "Or AGGREGATION_TEMPORALITY_DELTA."),
	SET_DURATION(struct spanmetrics_settings, interval, "metrics_flush_interval", "60s",
		     "How often the metrics are written."),
	SET_DURATION(struct spanmetrics_settings, resource_expiration, "metrics_expiration", "0",
		     "Forget a resource without spans for so long; 0: never."),
	SET_DURATION(struct spanmetrics_settings, series_expiration, "series_expiration", "0",
		     "Forget a series without spans for so long; 0: never."),
	SET_INT(struct spanmetrics_settings, resources, "resource_metrics_cache_size", "1000", 1,
		1000000, NULL, "Resources to keep; the one used least recently is forgotten."),
	SET_INT(struct spanmetrics_settings, cardinality, "aggregation_cardinality_limit", "0", 0,
		SPANMETRICS_SERIES_MAX, NULL,
		"Series of a metric and resource; further ones are counted together in one with "
		"otel.metric.overflow=true. 0: only the limit of 200000 in all."),
	SET_GROUP_ALWAYS(struct spanmetrics_settings, exemplars, "exemplars", exemplar_table,
			 "Trace and span ids of some of the spans."),
	SET_LIST(struct spanmetrics_settings, resource_keys, "resource_metrics_key_attributes",
		 NULL, "The attributes that tell resources apart; default: all."),
	SET_IGNORED("dimensions_cache_size", "use aggregation_cardinality_limit"),
	SET_IGNORED("metric_timestamp_cache_size", "start times are kept with the series"),
	SET_IGNORED("add_resource_attributes", "resource attributes are always kept"),
	SET_IGNORED("include_instrumentation_scope", "scopes do not tell series apart"),
	SET_IGNORED("enable_metrics_sampling_method", "no attribute for the method is written"),
	SET_IGNORED("events", "only calls and durations are written"),
	SET_END,
};
