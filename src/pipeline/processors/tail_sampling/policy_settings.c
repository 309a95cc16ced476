/* SPDX-License-Identifier: Apache-2.0 */
/* Reads the list of policies and checks that each has the settings of its type. */
#include "pipeline/processors/tail_sampling/policy_settings.h"

#include <errno.h>
#include <math.h>
#include <string.h>

#include "pipeline/processors/ottl_process.h"

enum { POLICIES_MAX = 200 };

static const char *const policy_types[POLICY_KINDS] = {
	[POLICY_ALWAYS] = "always_sample",
	[POLICY_LATENCY] = "latency",
	[POLICY_STATUS] = "status_code",
	[POLICY_STRING] = "string_attribute",
	[POLICY_NUMERIC] = "numeric_attribute",
	[POLICY_BOOLEAN] = "boolean_attribute",
	[POLICY_PROBABILISTIC] = "probabilistic",
	[POLICY_SPAN_RATE] = "rate_limiting",
	[POLICY_BYTE_RATE] = "bytes_limiting",
	[POLICY_SPAN_COUNT] = "span_count",
	[POLICY_PROFILES] = "profile_samples",
	[POLICY_AND] = "and",
	[POLICY_NOT] = "not",
	[POLICY_DROP] = "drop",
	[POLICY_COMPOSITE] = "composite",
	[POLICY_CONDITION] = "ottl_condition",
	[POLICY_TRACE_STATE] = "trace_state",
};

static int read_share(const struct config_node *n, const char *what, void *to, struct arena *arena,
		      struct err *e)
{
	double *out = to;

	(void)arena;
	if (n->kind == CONFIG_SCALAR && !str_to_double(n->text, out) && isfinite(*out))
		return 0;
	return config_fail(n, e, "%s: \"sampling_percentage\" has to be a number", what);
}

static int read_sub_policy(const struct config_node *n, const char *what, void *to,
			   struct arena *arena, struct err *e);

#define POLICY_TYPES                                                                               \
	"always_sample, latency, status_code, string_attribute, numeric_attribute, "               \
	"boolean_attribute, probabilistic, rate_limiting, bytes_limiting, span_count, "            \
	"trace_state, ottl_condition, profile_samples, composite, and, not or drop"

static const struct setting latency_table[] = {
	SET_INT(struct policy_settings, latency.threshold_ms, "threshold_ms", "0", 0, INT64_MAX,
		"ms", "The trace takes at least this long."),
	SET_INT(struct policy_settings, latency.upper_threshold_ms, "upper_threshold_ms", "0", 0,
		INT64_MAX, "ms",
		"And at most this long, and longer than threshold_ms; 0: no limit."),
	SET_END,
};
static const struct setting status_table[] = {
	SET_LIST(struct policy_settings, status.codes, "status_codes", NULL,
		 "OK, ERROR, UNSET: of any span."),
	SET_END,
};
static const struct setting string_table[] = {
	SET_STRING(struct policy_settings, string.key, "key", NULL,
		   "An attribute of a span or resource."),
	SET_LIST(struct policy_settings, string.values, "values", NULL, "One of these."),
	SET_BOOL(struct policy_settings, string.regex, "enabled_regex_matching", "false",
		 "The values are regular expressions."),
	SET_BOOL(struct policy_settings, string.invert, "invert_match", "false",
		 "No span and resource has it."),
	SET_IGNORED("cache_max_size", "expressions are compiled once"),
	SET_END,
};
static const struct setting numeric_table[] = {
	SET_STRING(struct policy_settings, numeric.key, "key", NULL,
		   "An attribute of a span or resource."),
	SET_INT(struct policy_settings, numeric.min, "min_value", "-9223372036854775808", INT64_MIN,
		INT64_MAX, NULL, "The lowest value."),
	SET_INT(struct policy_settings, numeric.max, "max_value", "9223372036854775807", INT64_MIN,
		INT64_MAX, NULL, "The highest value."),
	SET_BOOL(struct policy_settings, numeric.invert, "invert_match", "false",
		 "No span and resource has it."),
	SET_END,
};
static const struct setting boolean_table[] = {
	SET_STRING(struct policy_settings, boolean.key, "key", NULL,
		   "An attribute of a span or resource."),
	SET_BOOL(struct policy_settings, boolean.value, "value", "false", "Its value."),
	SET_BOOL(struct policy_settings, boolean.invert, "invert_match", "false",
		 "No span and resource has it."),
	SET_END,
};
static const struct setting probabilistic_table[] = {
	SET_CUSTOM(struct policy_settings, probabilistic.percentage, "sampling_percentage",
		   read_share, "number", "The share of traces."),
	SET_STRING(struct policy_settings, probabilistic.salt, "hash_salt", "default-hash-seed",
		   "Changes the hash of the trace id."),
	SET_END,
};
static const struct setting span_rate_table[] = {
	SET_INT(struct policy_settings, spans.per_second, "spans_per_second", "0", 0, INT32_MAX,
		NULL, "Traces with this many spans in total per second."),
	SET_INT(struct policy_settings, spans.burst, "burst_capacity", "0", 0, INT32_MAX, "spans",
		"At most this many at once; 0: twice spans_per_second."),
	SET_END,
};
static const struct setting byte_rate_table[] = {
	SET_INT(struct policy_settings, bytes.per_second, "bytes_per_second", "0", 0, INT64_MAX,
		NULL, "Traces with this many bytes in total per second."),
	SET_INT(struct policy_settings, bytes.burst, "burst_capacity", "0", 0, INT64_MAX, "bytes",
		"At most this many at once; 0: twice bytes_per_second."),
	SET_END,
};
static const struct setting count_table[] = {
	SET_INT(struct policy_settings, count.min, "min_spans", "0", 0, INT32_MAX, NULL,
		"At least this many."),
	SET_INT(struct policy_settings, count.max, "max_spans", "0", 0, INT32_MAX, NULL,
		"At most this many; 0: no limit."),
	SET_END,
};
static const struct setting and_table[] = {
	SET_CUSTOM(struct policy_settings, all.list, "and_sub_policy", policy_list_read,
		   "list of policies", "All of these."),
	SET_END,
};
static const struct setting not_table[] = {
	SET_CUSTOM(struct policy_settings, none.list, "not_sub_policy", read_sub_policy, "policy",
		   "Not this one."),
	SET_END,
};
static const struct setting drop_table[] = {
	SET_CUSTOM(struct policy_settings, drop.list, "drop_sub_policy", policy_list_read,
		   "list of policies",
		   "All of these: then the trace is dropped, whatever others say."),
	SET_END,
};

static const struct setting share_table[] = {
	SET_STRING(struct policy_share, policy, "policy", NULL, "The name of a policy."),
	SET_INT(struct policy_share, percent, "percent", "0", 0, 100, "%",
		"Its share of max_total_spans_per_second; 0: an equal part."),
	SET_END,
};

static int read_shares(const struct config_node *n, const char *what, void *to, struct arena *arena,
		       struct err *e)
{
	struct policy_settings *s = to;
	struct policy_share *at;
	uint32_t count = 0;
	int rc = 0;

	if (n->kind != CONFIG_LIST)
		return config_fail(n, e, "%s: \"%.*s\" has to be a list of {policy, percent}", what,
				   STR_ARG(n->key));
	for (const struct config_node *c = n->first; c; c = c->next)
		count++;
	at = arena_zalloc(arena, count + 1, sizeof(*at));
	if (!at)
		return -ENOMEM;
	s->composite.shares = at;
	s->composite.share_count = count;
	for (const struct config_node *c = n->first; c && !rc; c = c->next)
		rc = settings_read(share_table, c, what, at++, arena, e);
	return rc;
}

static const struct setting composite_table[] = {
	SET_INT(struct policy_settings, composite.spans_per_second, "max_total_spans_per_second",
		"0", 0, INT32_MAX, "spans", "Keep at most this many per second by each policy."),
	SET_LIST(struct policy_settings, composite.order, "policy_order", NULL,
		 "The names of the policies in the order in which they are tried."),
	SET_CUSTOM(struct policy_settings, composite.list, "composite_sub_policy", policy_list_read,
		   "list of policies", "The first one that keeps a trace decides."),
	{.name = "rate_allocation",
	 .type = SETTING_CUSTOM,
	 .read = read_shares,
	 .unit = "list",
	 .help = "The shares of policies: {policy, percent}."},
	SET_END,
};
static const struct setting condition_table[] = {
	SET_CUSTOM(struct policy_settings, condition.error_mode, "error_mode", ottl_read_error_mode,
		   "mode", "ignore, silent or propagate: what happens if a condition fails."),
	SET_CUSTOM(struct policy_settings, condition.span, "span", ottl_keep_node,
		   "list of conditions", "One of these is true for a span."),
	SET_CUSTOM(struct policy_settings, condition.span_event, "spanevent", ottl_keep_node,
		   "list of conditions", "One of these is true for an event of a span."),
	SET_END,
};
static const struct setting trace_state_table[] = {
	SET_STRING(struct policy_settings, trace_state.key, "key", NULL,
		   "A key of the trace state of a span."),
	SET_LIST(struct policy_settings, trace_state.values, "values", NULL,
		 "One of these is its value."),
	SET_END,
};

/* The groups fill members of the struct itself. */
#define POLICY_GROUP(name_, table_, help_)                                                         \
	{                                                                                          \
		.name = (name_), .type = SETTING_GROUP, .options = (table_), .help = (help_)       \
	}

static const struct setting policy_table[] = {
	SET_STRING(struct policy_settings, name, "name", NULL, "The name, for metrics."),
	SET_STRING(struct policy_settings, type, "type", NULL, "The kind of policy."),
	POLICY_GROUP("latency", latency_table, "The time from the first start to the last end."),
	POLICY_GROUP("status_code", status_table, "The status of spans."),
	POLICY_GROUP("string_attribute", string_table, "An attribute that is text."),
	POLICY_GROUP("numeric_attribute", numeric_table, "An attribute that is a number."),
	POLICY_GROUP("boolean_attribute", boolean_table, "An attribute that is true or false."),
	POLICY_GROUP("probabilistic", probabilistic_table, "A share of the traces."),
	POLICY_GROUP("rate_limiting", span_rate_table, "A number of spans per second."),
	POLICY_GROUP("bytes_limiting", byte_rate_table, "A number of bytes per second."),
	POLICY_GROUP("span_count", count_table, "The number of spans."),
	POLICY_GROUP("and", and_table, "Several policies."),
	POLICY_GROUP("not", not_table, "The opposite of a policy."),
	POLICY_GROUP("drop", drop_table, "Policies for traces to drop."),
	POLICY_GROUP("composite", composite_table, "Policies with a share of a rate each."),
	POLICY_GROUP("ottl_condition", condition_table, "Conditions in OTTL."),
	POLICY_GROUP("trace_state", trace_state_table, "A value of the trace state."),
	SET_END,
};

/* ---- checks ---- */

static int check_codes(const struct config_node *n, const char *what,
		       const struct setting_list *codes, struct err *e)
{
	if (!codes->n)
		return config_fail(n, e, "%s: expected at least one status code to filter on",
				   what);
	for (uint32_t i = 0; i < codes->n; i++) {
		struct str code = codes->at[i];

		if (!str_eq(code, STR("OK")) && !str_eq(code, STR("ERROR")) &&
		    !str_eq(code, STR("UNSET")))
			return config_fail(n, e,
					   "%s: unknown status code \"%.*s\": use OK, ERROR or "
					   "UNSET",
					   what, STR_ARG(code));
	}
	return 0;
}

static int check_sub_policies(const struct config_node *n, const char *what,
			      const struct policy_list *list, struct err *e)
{
	return list->n ? 0 : config_fail(n, e, "%s: needs at least one policy below it", what);
}

static struct policy_settings *policy_named(const struct policy_list *list, struct str name)
{
	for (uint32_t i = 0; i < list->n; i++)
		if (str_eq(list->at[i].name, name))
			return &list->at[i];
	return NULL;
}

/* Check that all names exist, and bring the policies into the order of policy_order. */
static int check_composite(const struct config_node *n, const char *what, struct policy_settings *p,
			   struct err *e)
{
	struct policy_list *list = &p->composite.list;
	uint32_t placed = 0;

	if (!p->composite.spans_per_second)
		return config_fail(n, e, "%s: max_total_spans_per_second has to be more than 0",
				   what);
	for (uint32_t i = 0; i < p->composite.share_count; i++)
		if (!policy_named(list, p->composite.shares[i].policy))
			return config_fail(n, e, "%s: rate_allocation: no policy \"%.*s\"", what,
					   STR_ARG(str_head(p->composite.shares[i].policy, 64)));
	for (uint32_t i = 0; i < p->composite.order.n; i++) {
		struct str name = p->composite.order.at[i];
		struct policy_settings *named = policy_named(list, name), moved;

		if (!named)
			return config_fail(n, e, "%s: policy_order: no policy \"%.*s\"", what,
					   STR_ARG(str_head(name, 64)));
		if (named < list->at + placed)
			return config_fail(n, e, "%s: policy_order: \"%.*s\" is there twice", what,
					   STR_ARG(str_head(name, 64)));
		moved = *named;
		memmove(list->at + placed + 1, list->at + placed,
			(size_t)(named - (list->at + placed)) * sizeof(moved));
		list->at[placed++] = moved;
	}
	return check_sub_policies(n, what, list, e);
}

static int need_key(const struct config_node *n, const char *what, struct str key, struct err *e)
{
	return key.n ? 0 : config_fail(n, e, "%s: missing required field \"key\"", what);
}

static int check_policy(const struct config_node *n, const char *what, struct policy_settings *p,
			struct err *e)
{
	switch (p->kind) {
	case POLICY_STATUS:
		return check_codes(n, what, &p->status.codes, e);
	case POLICY_STRING:
		return need_key(n, what, p->string.key, e);
	case POLICY_NUMERIC:
		return need_key(n, what, p->numeric.key, e);
	case POLICY_BOOLEAN:
		return need_key(n, what, p->boolean.key, e);
	case POLICY_AND:
		return check_sub_policies(n, what, &p->all.list, e);
	case POLICY_NOT:
		return check_sub_policies(n, what, &p->none.list, e);
	case POLICY_DROP:
		return check_sub_policies(n, what, &p->drop.list, e);
	case POLICY_COMPOSITE:
		return check_composite(n, what, p, e);
	case POLICY_CONDITION:
		return p->condition.span || p->condition.span_event
			       ? 0
			       : config_fail(n, e,
					     "%s: expected at least one condition for spans "
					     "or span events",
					     what);
	case POLICY_TRACE_STATE:
		return need_key(n, what, p->trace_state.key, e);
	default:
		return 0;
	}
}

/* ---- reading ---- */

static int read_policy(const struct config_node *n, const char *what, struct policy_settings *out,
		       struct arena *arena, struct err *e)
{
	struct str prefix;
	unsigned kind = 0;
	int rc = settings_read(policy_table, n, what, out, arena, e);

	if (!rc)
		rc = arena_printf(arena, &prefix, "%s: policy \"%.*s\"", what, STR_ARG(out->name));
	if (rc)
		return rc;
	if (!out->name.n)
		return config_fail(n, e, "%s: a policy needs a name", what);
	while (kind < POLICY_KINDS && !str_eq(out->type, str_from(policy_types[kind])))
		kind++;
	if (kind == POLICY_KINDS)
		return config_fail(n, e, "%s: unknown type \"%.*s\": use " POLICY_TYPES, prefix.p,
				   STR_ARG(out->type));
	out->kind = kind;
	return check_policy(n, prefix.p, out, e);
}

int policy_list_read(const struct config_node *n, const char *what, void *to, struct arena *arena,
		     struct err *e)
{
	struct policy_list *out = to;
	uint32_t count = 0;
	int rc = 0;

	if (n->kind != CONFIG_LIST)
		return config_fail(n, e, "%s: \"%.*s\" has to be a list of policies", what,
				   STR_ARG(n->key));
	for (const struct config_node *c = n->first; c; c = c->next)
		count++;
	if (count > POLICIES_MAX)
		return config_fail(n, e, "%s: more than %d policies", what, POLICIES_MAX);
	out->at = arena_zalloc(arena, count + 1, sizeof(*out->at));
	if (!out->at)
		return -ENOMEM;
	for (const struct config_node *c = n->first; c && !rc; c = c->next)
		rc = read_policy(c, what, &out->at[out->n++], arena, e);
	return rc;
}

static int read_sub_policy(const struct config_node *n, const char *what, void *to,
			   struct arena *arena, struct err *e)
{
	struct policy_list *out = to;

	out->at = arena_zalloc(arena, 1, sizeof(*out->at));
	if (!out->at)
		return -ENOMEM;
	out->n = 1;
	return read_policy(n, what, out->at, arena, e);
}
