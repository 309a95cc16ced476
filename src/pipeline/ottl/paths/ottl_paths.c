/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Field numbers are those of opentelemetry.proto: resource.v1, common.v1, trace.v1, metrics.v1,
 * logs.v1, profiles.v1development.
 */
#include "pipeline/ottl/paths/ottl_paths.h"

#include <errno.h>

#include "pipeline/ottl/paths/profile_paths.h"
#include "pipeline/ottl/paths/special_paths.h"

#define PLAIN(name_, type_, field_)                                                                \
	{                                                                                          \
		.name = (name_), .type = (type_), .field = (field_)                                \
	}
#define INNER(name_, type_, field_, inner_)                                                        \
	{                                                                                          \
		.name = (name_), .type = (type_), .field = (field_), .inner = (inner_)             \
	}
#define OPTIONAL(name_, type_, field_)                                                             \
	{                                                                                          \
		.name = (name_), .type = (type_), .field = (field_), .explicit = true              \
	}
#define LIST_ONLY(name_, field_)                                                                   \
	{                                                                                          \
		.name = (name_), .type = FIELD_MESSAGES, .field = (field_), .read_only = true      \
	}
#define SPECIAL(name_, field_, read_, write_)                                                      \
	{                                                                                          \
		.name = (name_), .field = (field_), .read = (read_), .write = (write_)             \
	}
#define PATHS_END                                                                                  \
	{                                                                                          \
		.name = NULL                                                                       \
	}

static const struct ottl_path_def resource_paths[] = {
	PLAIN("attributes", FIELD_MAP, 1),
	PLAIN("dropped_attributes_count", FIELD_INT, 2),
	SPECIAL("schema_url", 0, read_resource_schema, write_resource_schema),
	PATHS_END,
};

static const struct ottl_path_def scope_paths[] = {
	PLAIN("name", FIELD_STRING, 1),
	PLAIN("version", FIELD_STRING, 2),
	PLAIN("attributes", FIELD_MAP, 3),
	PLAIN("dropped_attributes_count", FIELD_INT, 4),
	SPECIAL("schema_url", 0, read_scope_schema, write_scope_schema),
	PATHS_END,
};

static const struct ottl_path_def span_paths[] = {
	PLAIN("trace_id", FIELD_TRACE_ID, 1),
	PLAIN("trace_id.string", FIELD_TRACE_TEXT, 1),
	PLAIN("span_id", FIELD_SPAN_ID, 2),
	PLAIN("span_id.string", FIELD_SPAN_TEXT, 2),
	SPECIAL("trace_state", 3, read_trace_state, write_trace_state),
	PLAIN("parent_span_id", FIELD_SPAN_ID, 4),
	PLAIN("parent_span_id.string", FIELD_SPAN_TEXT, 4),
	PLAIN("name", FIELD_STRING, 5),
	PLAIN("kind", FIELD_INT, 6),
	SPECIAL("kind.string", 6, read_span_kind, write_span_kind),
	SPECIAL("kind.deprecated_string", 6, read_span_kind_deprecated, NULL),
	PLAIN("start_time_unix_nano", FIELD_FIXED64, 7),
	PLAIN("start_time", FIELD_TIME, 7),
	PLAIN("end_time_unix_nano", FIELD_FIXED64, 8),
	PLAIN("end_time", FIELD_TIME, 8),
	PLAIN("attributes", FIELD_MAP, 9),
	PLAIN("dropped_attributes_count", FIELD_INT, 10),
	LIST_ONLY("events", 11),
	PLAIN("dropped_events_count", FIELD_INT, 12),
	LIST_ONLY("links", 13),
	PLAIN("dropped_links_count", FIELD_INT, 14),
	INNER("status.message", FIELD_STRING, 15, 2),
	INNER("status.code", FIELD_INT, 15, 3),
	PLAIN("flags", FIELD_FIXED32, 16),
	PATHS_END,
};

static const struct ottl_path_def event_paths[] = {
	PLAIN("time_unix_nano", FIELD_FIXED64, 1),
	PLAIN("time", FIELD_TIME, 1),
	PLAIN("name", FIELD_STRING, 2),
	PLAIN("attributes", FIELD_MAP, 3),
	PLAIN("dropped_attributes_count", FIELD_INT, 4),
	SPECIAL("event_index", 0, read_event_index, NULL),
	PATHS_END,
};

static const struct ottl_path_def metric_paths[] = {
	PLAIN("name", FIELD_STRING, 1),
	PLAIN("description", FIELD_STRING, 2),
	PLAIN("unit", FIELD_STRING, 3),
	SPECIAL("type", 0, read_metric_type, NULL),
	SPECIAL("aggregation_temporality", 2, read_metric_number, write_metric_number),
	SPECIAL("is_monotonic", 3, read_metric_number, write_metric_number),
	SPECIAL("data_points", 1, read_metric_points, NULL),
	PLAIN("metadata", FIELD_MAP, 12),
	PATHS_END,
};

static const struct ottl_path_def number_paths[] = {
	PLAIN("attributes", FIELD_MAP, 7),
	PLAIN("start_time_unix_nano", FIELD_FIXED64, 2),
	PLAIN("start_time", FIELD_TIME, 2),
	PLAIN("time_unix_nano", FIELD_FIXED64, 3),
	PLAIN("time", FIELD_TIME, 3),
	SPECIAL("value_double", 4, read_point_value, write_point_value),
	SPECIAL("value_int", 6, read_point_value, write_point_value),
	LIST_ONLY("exemplars", 5),
	PLAIN("flags", FIELD_INT, 8),
	PATHS_END,
};

static const struct ottl_path_def histogram_paths[] = {
	PLAIN("attributes", FIELD_MAP, 9),
	PLAIN("start_time_unix_nano", FIELD_FIXED64, 2),
	PLAIN("start_time", FIELD_TIME, 2),
	PLAIN("time_unix_nano", FIELD_FIXED64, 3),
	PLAIN("time", FIELD_TIME, 3),
	PLAIN("count", FIELD_FIXED64, 4),
	OPTIONAL("sum", FIELD_DOUBLE, 5),
	PLAIN("bucket_counts", FIELD_FIXED64S, 6),
	PLAIN("explicit_bounds", FIELD_DOUBLES, 7),
	LIST_ONLY("exemplars", 8),
	PLAIN("flags", FIELD_INT, 10),
	OPTIONAL("min", FIELD_DOUBLE, 11),
	OPTIONAL("max", FIELD_DOUBLE, 12),
	PATHS_END,
};

static const struct ottl_path_def exponential_paths[] = {
	PLAIN("attributes", FIELD_MAP, 1),
	PLAIN("start_time_unix_nano", FIELD_FIXED64, 2),
	PLAIN("start_time", FIELD_TIME, 2),
	PLAIN("time_unix_nano", FIELD_FIXED64, 3),
	PLAIN("time", FIELD_TIME, 3),
	PLAIN("count", FIELD_FIXED64, 4),
	OPTIONAL("sum", FIELD_DOUBLE, 5),
	PLAIN("scale", FIELD_SINT, 6),
	PLAIN("zero_count", FIELD_FIXED64, 7),
	INNER("positive.offset", FIELD_SINT, 8, 1),
	INNER("positive.bucket_counts", FIELD_VARINTS, 8, 2),
	INNER("negative.offset", FIELD_SINT, 9, 1),
	INNER("negative.bucket_counts", FIELD_VARINTS, 9, 2),
	PLAIN("flags", FIELD_INT, 10),
	LIST_ONLY("exemplars", 11),
	OPTIONAL("min", FIELD_DOUBLE, 12),
	OPTIONAL("max", FIELD_DOUBLE, 13),
	PLAIN("zero_threshold", FIELD_DOUBLE, 14),
	PATHS_END,
};

static const struct ottl_path_def summary_paths[] = {
	PLAIN("attributes", FIELD_MAP, 7),  PLAIN("start_time_unix_nano", FIELD_FIXED64, 2),
	PLAIN("start_time", FIELD_TIME, 2), PLAIN("time_unix_nano", FIELD_FIXED64, 3),
	PLAIN("time", FIELD_TIME, 3),	    PLAIN("count", FIELD_FIXED64, 4),
	PLAIN("sum", FIELD_DOUBLE, 5),	    LIST_ONLY("quantile_values", 6),
	PLAIN("flags", FIELD_INT, 8),	    PATHS_END,
};

static const struct ottl_path_def log_paths[] = {
	PLAIN("time_unix_nano", FIELD_FIXED64, 1),
	PLAIN("time", FIELD_TIME, 1),
	PLAIN("observed_time_unix_nano", FIELD_FIXED64, 11),
	PLAIN("observed_time", FIELD_TIME, 11),
	PLAIN("severity_number", FIELD_INT, 2),
	PLAIN("severity_text", FIELD_STRING, 3),
	PLAIN("body", FIELD_ANY, 5),
	SPECIAL("body.string", 5, read_body_text, write_body_text),
	PLAIN("attributes", FIELD_MAP, 6),
	PLAIN("dropped_attributes_count", FIELD_INT, 7),
	PLAIN("flags", FIELD_FIXED32, 8),
	PLAIN("trace_id", FIELD_TRACE_ID, 9),
	PLAIN("trace_id.string", FIELD_TRACE_TEXT, 9),
	PLAIN("span_id", FIELD_SPAN_ID, 10),
	PLAIN("span_id.string", FIELD_SPAN_TEXT, 10),
	PLAIN("event_name", FIELD_STRING, 12),
	PATHS_END,
};

static const struct ottl_path_def client_paths[] = {
	SPECIAL("metadata", 0, read_client_metadata, NULL),
	PATHS_END,
};

static const struct ottl_path_def cache_paths[] = {
	PLAIN("", FIELD_MAP, 1),
	PATHS_END,
};

/* ---- tables by context ---- */

/* The tables of a context; data points have one for each kind. */
static const struct ottl_path_def *const *tables_of(enum ottl_context context)
{
	static const struct ottl_path_def *const tables[OTTL_CONTEXTS][5] = {
		[OTTL_RESOURCE] = {resource_paths},
		[OTTL_SCOPE] = {scope_paths},
		[OTTL_SPAN] = {span_paths},
		[OTTL_SPAN_EVENT] = {event_paths},
		[OTTL_METRIC] = {metric_paths},
		[OTTL_DATA_POINT] = {number_paths, histogram_paths, exponential_paths,
				     summary_paths},
		[OTTL_LOG] = {log_paths},
		[OTTL_PROFILE] = {ottl_profile_paths},
	};

	return tables[context];
}

const char *const ottl_context_names[OTTL_CONTEXTS] = {
	[OTTL_RESOURCE] = "resource", [OTTL_SCOPE] = "scope",
	[OTTL_SPAN] = "span",	      [OTTL_SPAN_EVENT] = "spanevent",
	[OTTL_METRIC] = "metric",     [OTTL_DATA_POINT] = "datapoint",
	[OTTL_LOG] = "log",	      [OTTL_PROFILE] = "profile",
};

static enum ottl_level level_of(enum ottl_context context)
{
	switch (context) {
	case OTTL_RESOURCE:
		return LEVEL_RESOURCE;
	case OTTL_SCOPE:
		return LEVEL_SCOPE;
	case OTTL_SPAN_EVENT:
	case OTTL_DATA_POINT:
		return LEVEL_PART;
	default:
		return LEVEL_ITEM;
	}
}

/* Return whether programs of context `inner` can use paths of context `outer`. */
static bool context_within(enum ottl_context inner, enum ottl_context outer)
{
	return inner == outer || outer == OTTL_RESOURCE ||
	       (outer == OTTL_SCOPE && inner != OTTL_RESOURCE) ||
	       (outer == OTTL_SPAN && inner == OTTL_SPAN_EVENT) ||
	       (outer == OTTL_METRIC && inner == OTTL_DATA_POINT);
}

enum ottl_context ottl_path_context(struct str name)
{
	struct str first = str_cut(&name, '.');

	if (str_eq(first, STR("instrumentation_scope")))
		return OTTL_SCOPE;
	for (unsigned i = 0; i < OTTL_CONTEXTS; i++)
		if (str_eq(first, str_from(ottl_context_names[i])))
			return (enum ottl_context)i;
	return OTTL_CONTEXTS;
}

static const struct ottl_path_def *find_def(const struct ottl_path_def *table, struct str name)
{
	for (; table->name; table++)
		if (str_eq(str_from(table->name), name))
			return table;
	return NULL;
}

static bool find_in_context(enum ottl_context context, struct str name, struct ottl_path *out)
{
	const struct ottl_path_def *const *tables = tables_of(context);
	bool found = false;

	*out = (struct ottl_path){.level = level_of(context)};
	for (unsigned i = 0; tables[i]; i++) {
		out->def[i] = find_def(tables[i], name);
		found |= out->def[i] != NULL;
	}
	return found;
}

/* ---- errors ---- */

static const char *suggest_path(enum ottl_context context, struct str name)
{
	const struct ottl_path_def *const *tables = tables_of(context);
	const char *meant = NULL;

	for (unsigned i = 0; tables[i] && !meant; i++) {
		size_t n = 0;

		while (tables[i][n].name)
			n++;
		meant = config_suggest(name, &tables[i][0].name, n, sizeof(*tables[i]));
	}
	return meant;
}

static int unknown_path(struct str source, const struct ottl_node *n, enum ottl_context context,
			struct str rest, struct err *e)
{
	const char *meant = suggest_path(context, rest);

	if (meant)
		return ottl_fail_at(source, n->at, e,
				    "segment \"%.*s\" from path \"%.*s\" is not a valid path of "
				    "context %s; did you mean \"%s\"?",
				    STR_ARG(rest), STR_ARG(n->name), ottl_context_names[context],
				    meant);
	return ottl_fail_at(source, n->at, e,
			    "segment \"%.*s\" from path \"%.*s\" is not a valid path of context "
			    "%s; see docs/collector/ottl.md",
			    STR_ARG(rest), STR_ARG(n->name), ottl_context_names[context]);
}

static int missing_context(enum signal_kind signal, struct str source, const struct ottl_node *n,
			   struct err *e)
{
	static const enum ottl_context by_signal[SIGNALS][3] = {
		{OTTL_PROFILE, OTTL_SCOPE, OTTL_RESOURCE},
		{OTTL_SPAN, OTTL_SPAN_EVENT, OTTL_RESOURCE},
		{OTTL_METRIC, OTTL_DATA_POINT, OTTL_RESOURCE},
		{OTTL_LOG, OTTL_SCOPE, OTTL_RESOURCE},
	};
	const enum ottl_context *c = by_signal[signal_index(signal)];

	return ottl_fail_at(source, n->at, e,
			    "missing context name for path \"%.*s\", possibly valid options are: "
			    "\"%s.%.*s\", \"%s.%.*s\", \"%s.%.*s\"",
			    STR_ARG(n->name), ottl_context_names[c[0]], STR_ARG(n->name),
			    ottl_context_names[c[1]], STR_ARG(n->name), ottl_context_names[c[2]],
			    STR_ARG(n->name));
}

/* ---- lookup ---- */

/* Find cache, CONTEXT.cache and otelcol.client.*. Return whether it is such a path. */
static bool find_common(struct str name, enum ottl_context context, struct ottl_path *out)
{
	struct str rest = name;

	if (ottl_path_context(name) == context)
		str_cut(&rest, '.');
	if (str_eq(rest, STR("cache"))) {
		*out = (struct ottl_path){.level = LEVEL_CACHE, .def = {cache_paths}};
		return true;
	}
	if (!str_starts(name, STR("otelcol.client.")))
		return false;
	*out = (struct ottl_path){.level = LEVEL_CLIENT};
	out->def[0] = find_def(client_paths, str_from_at(name, strlen("otelcol.client.")));
	return out->def[0] != NULL;
}

int ottl_find_path(enum signal_kind signal, enum ottl_context context, bool prefixed,
		   struct str source, const struct ottl_node *n, struct ottl_path *out,
		   struct err *e)
{
	enum ottl_context named = ottl_path_context(n->name);
	struct str rest = n->name;

	if (find_common(n->name, context, out))
		return 0;
	if (str_starts(n->name, STR("otelcol.")))
		return ottl_fail_at(source, n->at, e,
				    "\"%.*s\" is not a valid path; of otelcol there is "
				    "otelcol.client.metadata[\"KEY\"]",
				    STR_ARG(n->name));
	if (!prefixed && find_in_context(context, n->name, out))
		return 0;
	if (named == OTTL_CONTEXTS)
		return prefixed ? missing_context(signal, source, n, e)
				: unknown_path(source, n, context, n->name, e);
	if (!context_within(context, named))
		return ottl_fail_at(source, n->at, e,
				    "path \"%.*s\" is not available in context %s",
				    STR_ARG(n->name), ottl_context_names[context]);
	str_cut(&rest, '.');
	return find_in_context(named, rest, out) ? 0 : unknown_path(source, n, named, rest, e);
}

bool ottl_path_writable(const struct ottl_path *p)
{
	for (unsigned i = 0; i < countof(p->def); i++) {
		const struct ottl_path_def *d = p->def[i];

		if (d && !d->read_only && (!d->read || d->write))
			return true;
	}
	return false;
}

const char *ottl_path_name(enum ottl_context context, unsigned i)
{
	const struct ottl_path_def *const *tables = tables_of(context);

	for (; *tables; tables++)
		for (const struct ottl_path_def *d = *tables; d->name; d++)
			if (!i--)
				return d->name;
	return NULL;
}

/* ---- enums ---- */

static const struct ottl_enum {
	const char *name;
	int64_t value;
} enums[] = {
	{"SPAN_KIND_UNSPECIFIED", 0},
	{"SPAN_KIND_INTERNAL", 1},
	{"SPAN_KIND_SERVER", 2},
	{"SPAN_KIND_CLIENT", 3},
	{"SPAN_KIND_PRODUCER", 4},
	{"SPAN_KIND_CONSUMER", 5},
	{"STATUS_CODE_UNSET", 0},
	{"STATUS_CODE_OK", 1},
	{"STATUS_CODE_ERROR", 2},
	{"METRIC_DATA_TYPE_NONE", 0},
	{"METRIC_DATA_TYPE_GAUGE", 1},
	{"METRIC_DATA_TYPE_SUM", 2},
	{"METRIC_DATA_TYPE_HISTOGRAM", 3},
	{"METRIC_DATA_TYPE_EXPONENTIAL_HISTOGRAM", 4},
	{"METRIC_DATA_TYPE_SUMMARY", 5},
	{"AGGREGATION_TEMPORALITY_UNSPECIFIED", 0},
	{"AGGREGATION_TEMPORALITY_DELTA", 1},
	{"AGGREGATION_TEMPORALITY_CUMULATIVE", 2},
	{"FLAG_NONE", 0},
	{"FLAG_NO_RECORDED_VALUE", 1},
	{"SEVERITY_NUMBER_UNSPECIFIED", 0},
	{"SEVERITY_NUMBER_TRACE", 1},
	{"SEVERITY_NUMBER_TRACE2", 2},
	{"SEVERITY_NUMBER_TRACE3", 3},
	{"SEVERITY_NUMBER_TRACE4", 4},
	{"SEVERITY_NUMBER_DEBUG", 5},
	{"SEVERITY_NUMBER_DEBUG2", 6},
	{"SEVERITY_NUMBER_DEBUG3", 7},
	{"SEVERITY_NUMBER_DEBUG4", 8},
	{"SEVERITY_NUMBER_INFO", 9},
	{"SEVERITY_NUMBER_INFO2", 10},
	{"SEVERITY_NUMBER_INFO3", 11},
	{"SEVERITY_NUMBER_INFO4", 12},
	{"SEVERITY_NUMBER_WARN", 13},
	{"SEVERITY_NUMBER_WARN2", 14},
	{"SEVERITY_NUMBER_WARN3", 15},
	{"SEVERITY_NUMBER_WARN4", 16},
	{"SEVERITY_NUMBER_ERROR", 17},
	{"SEVERITY_NUMBER_ERROR2", 18},
	{"SEVERITY_NUMBER_ERROR3", 19},
	{"SEVERITY_NUMBER_ERROR4", 20},
	{"SEVERITY_NUMBER_FATAL", 21},
	{"SEVERITY_NUMBER_FATAL2", 22},
	{"SEVERITY_NUMBER_FATAL3", 23},
	{"SEVERITY_NUMBER_FATAL4", 24},
};

bool ottl_enum_value(struct str name, int64_t *out)
{
	for (size_t i = 0; i < countof(enums); i++) {
		if (!str_eq(str_from(enums[i].name), name))
			continue;
		*out = enums[i].value;
		return true;
	}
	return false;
}

const char *ottl_enum_suggest(struct str name)
{
	return config_suggest(name, &enums[0].name, countof(enums), sizeof(enums[0]));
}
