/* SPDX-License-Identifier: Apache-2.0 */
/* Reads maps from names of metrics to {description, conditions, attributes}. */
#include "pipeline/connectors/count/count_settings.h"

#include <errno.h>

#include "pipeline/processors/ottl_process.h"

#define USUAL(name_, what_)                                                                        \
	{                                                                                          \
		.name = STR_INIT(name_),                                                           \
		.description = STR_INIT("The number of " what_ " observed.")                       \
	}

const struct count_kind_def count_kinds[COUNTED_KINDS] = {
	[COUNTED_SPANS] = {"spans", SIGNAL_TRACES, OTTL_SPAN, USUAL("trace.span.count", "spans")},
	[COUNTED_SPAN_EVENTS] = {"spanevents", SIGNAL_TRACES, OTTL_SPAN_EVENT,
				 USUAL("trace.span.event.count", "span events")},
	[COUNTED_METRICS] = {"metrics", SIGNAL_METRICS, OTTL_METRIC,
			     USUAL("metric.count", "metrics")},
	[COUNTED_DATA_POINTS] = {"datapoints", SIGNAL_METRICS, OTTL_DATA_POINT,
				 USUAL("metric.datapoint.count", "data points")},
	[COUNTED_LOGS] = {"logs", SIGNAL_LOGS, OTTL_LOG, USUAL("log.record.count", "log records")},
	[COUNTED_PROFILES] = {"profiles", SIGNAL_PROFILES, OTTL_PROFILE,
			      USUAL("profile.count", "profiles")},
};

struct count_metrics count_metrics_of(const struct count_settings *s, enum count_kind kind)
{
	return s->kinds[kind].set ? s->kinds[kind]
				  : (struct count_metrics){.at = &count_kinds[kind].usual, .n = 1};
}

/* ---- attributes ---- */

static const struct setting attribute_table[] = {
	SET_STRING(struct count_attribute, key, "key", NULL, "The attribute."),
	SET_CUSTOM(struct count_attribute, fallback, "default_value", setting_value_read, "value",
		   "The value for items without it; default: they do not count."),
	SET_IGNORED("any_depth", "keys are looked up as a whole"),
	SET_END,
};

static int count_attributes_read(const struct config_node *n, const char *what, void *to,
				 struct arena *arena, struct err *e)
{
	struct count_attribute *at = arena_zalloc(arena, COUNT_ATTRIBUTES_MAX, sizeof(*at));
	struct count_attributes *out = to;
	uint32_t count = 0;
	int rc = 0;

	if (!at)
		return -ENOMEM;
	if (n->kind != CONFIG_LIST)
		return config_fail(n, e, "%s: \"attributes\" has to be a list of {key}", what);
	for (const struct config_node *child = n->first; child && !rc; child = child->next) {
		if (count == COUNT_ATTRIBUTES_MAX)
			return config_fail(child, e, "%s: more than %d attributes", what,
					   COUNT_ATTRIBUTES_MAX);
		rc = settings_read(attribute_table, child, what, &at[count], arena, e);
		if (!rc && !at[count].key.n)
			rc = config_fail(child, e, "%s: attribute key missing", what);
		if (at[count].fallback.value.kind == VALUE_STRING && !at[count].fallback.value.s.n)
			at[count].fallback.set = false;
		for (uint32_t i = 0; i < count && !rc; i++)
			if (str_eq(at[i].key, at[count].key))
				rc = config_fail(child, e, "%s: attribute \"%.*s\" is listed twice",
						 what, STR_ARG(at[i].key));
		count++;
	}
	*out = (struct count_attributes){at, count};
	return rc;
}

/* ---- metrics ---- */

static const struct setting metric_table[] = {
	SET_STRING(struct count_metric, description, "description", NULL, "Of the metric."),
	SET_CUSTOM(struct count_metric, conditions, "conditions", ottl_keep_node,
		   "list of conditions", "Count items for which one is true; default: all."),
	SET_CUSTOM(struct count_metric, attributes, "attributes", count_attributes_read, "list",
		   "Count by attributes: a list of {key, default_value}."),
	SET_END,
};

static int read_count_metric(struct count_metric *m, const struct config_node *n, const char *what,
			     struct arena *arena, struct err *e)
{
	int rc = settings_read(metric_table, n, what, m, arena, e);

	m->name = n->key;
	return rc;
}

static int count_metrics_read(const struct config_node *n, const char *what, void *to,
			      struct arena *arena, struct err *e)
{
	struct count_metrics *out = to;
	struct count_metric *at;
	uint32_t count = 0;
	int rc = 0;

	if (n->kind != CONFIG_MAP)
		return config_fail(
			n, e,
			"%s: \"%.*s\" has to be a map from names of metrics to what they "
			"count",
			what, STR_ARG(n->key));
	for (const struct config_node *child = n->first; child; child = child->next)
		count++;
	if (count > COUNT_METRICS_MAX)
		return config_fail(n, e, "%s: more than %d metrics", what, COUNT_METRICS_MAX);
	at = arena_zalloc(arena, count + 1, sizeof(*at));
	if (!at)
		return -ENOMEM;
	*out = (struct count_metrics){at, count, true};
	for (const struct config_node *child = n->first; child && !rc; child = child->next)
		rc = read_count_metric(at++, child, what, arena, e);
	return rc;
}

#define SET_COUNTED(kind_, key_, what_)                                                            \
	SET_CUSTOM(struct count_settings, kinds[kind_], key_, count_metrics_read, "map",           \
		   "Metrics that count " what_ ": NAME: {description, conditions, attributes}.")

const struct setting count_table[] = {
	SET_COUNTED(COUNTED_SPANS, "spans", "spans"),
	SET_COUNTED(COUNTED_SPAN_EVENTS, "spanevents", "events of spans"),
	SET_COUNTED(COUNTED_METRICS, "metrics", "metrics"),
	SET_COUNTED(COUNTED_DATA_POINTS, "datapoints", "data points"),
	SET_COUNTED(COUNTED_LOGS, "logs", "log records"),
	SET_COUNTED(COUNTED_PROFILES, "profiles", "profiles"),
	SET_END,
};
