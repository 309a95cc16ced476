/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The operator severity_parser, and the key `severity` of parsers. Values are compared without case;
 * the mapping of the configuration is searched before the preset.
 */
#include <errno.h>
#include <stdio.h>
#include <strings.h>

#include "pipeline/receivers/filelog/operators/parser.h"

enum { SEVERITY_RULES_MAX = 10000, SEVERITY_MAX = 24, SEVERITY_TEXT_MAX = 64 };

/* ---- names ---- */

/* Names of severities: a level, and a number 2 to 4 after it. */
static const struct {
	struct str name;
	uint32_t severity;
	bool extra; /* only in the default preset */
} severity_names[] = {
	{STR_INIT("trace"), 1, false},	 {STR_INIT("debug"), 5, false},
	{STR_INIT("info"), 9, false},	 {STR_INIT("warn"), 13, false},
	{STR_INIT("error"), 17, false},	 {STR_INIT("fatal"), 21, false},
	{STR_INIT("warning"), 13, true}, {STR_INIT("err"), 17, true},
};

static const char *const severity_texts[SEVERITY_MAX + 1] = {
	"",	  "TRACE",  "TRACE2", "TRACE3", "TRACE4", "DEBUG",  "DEBUG2", "DEBUG3", "DEBUG4",
	"INFO",	  "INFO2",  "INFO3",  "INFO4",	"WARN",	  "WARN2",  "WARN3",  "WARN4",	"ERROR",
	"ERROR2", "ERROR3", "ERROR4", "FATAL",	"FATAL2", "FATAL3", "FATAL4",
};

static bool same_text(struct str a, struct str b)
{
	return a.n == b.n && (!a.n || !strncasecmp(a.p, b.p, a.n));
}

/* Return the SeverityNumber of a name or number, or 0. */
static uint32_t severity_of_name(struct str text, bool extra)
{
	uint64_t number;

	if (!str_to_u64(text, 10, &number))
		return number <= SEVERITY_MAX ? (uint32_t)number : 0;
	for (size_t i = 0; i < countof(severity_names); i++) {
		size_t n = severity_names[i].name.n;
		uint32_t step = 0;

		if (severity_names[i].extra && !extra)
			continue;
		if (text.n == n + 1 && text.p[n] >= '2' && text.p[n] <= '4')
			step = (uint32_t)(text.p[n] - '1');
		if (same_text(str_head(text, text.n - (step > 0)), severity_names[i].name))
			return severity_names[i].severity + step;
	}
	return 0;
}

/* ---- settings ---- */

struct severity_list {
	struct severity_rule *at;
	uint32_t n, room;
};

static int add_rule(struct severity_list *l, struct arena *arena, struct severity_rule rule)
{
	uint32_t room = l->room ? 2 * l->room : 16;

	if (l->n == l->room) {
		struct severity_rule *at = arena_resize(arena, l->at, l->room, room, sizeof(*at));

		if (!at || room > SEVERITY_RULES_MAX)
			return -ENOMEM;
		l->at = at;
		l->room = room;
	}
	l->at[l->n++] = rule;
	return 0;
}

/* Read {min: 1, max: 3}. */
static int read_range(const struct config_node *n, const char *what, struct severity_rule *rule,
		      struct err *e)
{
	const struct config_node *min = config_get(n, STR("min")), *max = config_get(n, STR("max"));

	rule->is_range = true;
	if (!min || !max || str_to_i64(min->text, &rule->min) || str_to_i64(max->text, &rule->max))
		return config_fail(n, e, "%s: a range has to be {min: NUMBER, max: NUMBER}", what);
	if (rule->min > rule->max) {
		int64_t low = rule->max;

		rule->max = rule->min;
		rule->min = low;
	}
	return 0;
}

static int read_severity_value(const struct config_node *n, const char *what, uint32_t severity,
			       struct severity_list *l, struct arena *arena, struct err *e)
{
	struct severity_rule rule = {.severity = severity, .text = n->text};
	int rc = 0;

	if (n->kind == CONFIG_MAP) {
		rc = read_range(n, what, &rule, e);
	} else if (n->kind != CONFIG_SCALAR) {
		rc = config_fail(n, e,
				 "%s: a value of a severity has to be text, a number or a range",
				 what);
	} else if (n->text.n == 3 && n->text.p[0] >= '2' && n->text.p[0] <= '5' &&
		   str_ends(n->text, STR("xx"))) {
		rule.is_range = true;
		rule.min = (n->text.p[0] - '0') * 100;
		rule.max = rule.min + 99;
	}
	return rc ? rc : add_rule(l, arena, rule);
}

static int severity_mapping_read(const struct config_node *n, const char *what, void *to,
				 struct arena *arena, struct err *e)
{
	struct severity_rules *out = to;
	struct severity_list l = {0};
	int rc = 0;

	if (n->kind != CONFIG_MAP)
		return config_fail(n, e, "%s: \"mapping\" has to be a map of severities", what);
	for (const struct config_node *c = n->first; c && !rc; c = c->next) {
		uint32_t severity = severity_of_name(c->key, false);

		if (!severity)
			return config_fail(c, e,
					   "%s: unknown severity \"%.*s\": use trace, debug, info, "
					   "warn, error, fatal, or 1 to 24",
					   what, STR_ARG(str_head(c->key, 40)));
		if (c->kind != CONFIG_LIST)
			rc = read_severity_value(c, what, severity, &l, arena, e);
		for (const struct config_node *v = c->first; v && c->kind == CONFIG_LIST && !rc;
		     v = v->next)
			rc = read_severity_value(v, what, severity, &l, arena, e);
	}
	*out = (struct severity_rules){l.at, l.n};
	return rc;
}

#define SEVERITY_SETTINGS(struct_, member)                                                         \
	SET_CUSTOM(struct_, member from, "parse_from", operator_field_read, "field",               \
		   "The field with the severity."),                                                \
		SET_STRING(struct_, member preset, "preset", "default", "default, otel or none."), \
		SET_BOOL(struct_, member overwrite_text, "overwrite_text", "false",                \
			 "Write the name of the severity as its text, instead of what was read."), \
		SET_CUSTOM(struct_, member mapping, "mapping", severity_mapping_read, "map",       \
			   "Values of severities: {error: [5xx, E, {min: 1, max: 3}]}.")

const struct setting severity_settings_table[] = {
	SEVERITY_SETTINGS(struct severity_settings, ),
	SET_END,
};

int severity_check(const struct severity_settings *s, struct err *e)
{
	if (!s->from.set)
		return err_set(e, -EINVAL, "missing required key \"parse_from\" of the severity");
	if (str_eq(s->preset, STR("default")) || str_eq(s->preset, STR("otel")) ||
	    str_eq(s->preset, STR("none")))
		return 0;
	return err_set(e, -EINVAL, "unknown \"preset\" \"%.*s\": use default, otel or none",
		       STR_ARG(str_head(s->preset, 40)));
}

/* ---- parsing ---- */

static uint32_t find_severity(const struct severity_settings *s, struct str text)
{
	bool is_default = str_eq(s->preset, STR("default"));
	int64_t number;
	bool numeric = !str_to_i64(text, &number);

	for (uint32_t i = s->mapping.n; i-- > 0;) {
		const struct severity_rule *r = &s->mapping.at[i];

		if (r->is_range ? numeric && number >= r->min && number <= r->max
				: same_text(r->text, text))
			return r->severity;
	}
	return str_eq(s->preset, STR("none")) ? 0 : severity_of_name(text, is_default);
}

/* Return the value as text: numbers without a fraction as integers. */
static int severity_value_text(const struct log_node *value, struct arena *arena, struct str *out,
			       struct err *e)
{
	if (operator_text(value, out))
		return 0;
	if (value->kind == VALUE_INT)
		return arena_printf(arena, out, "%lld", (long long)value->i);
	if (value->kind == VALUE_DOUBLE)
		return arena_printf(arena, out, "%.0f", value->d);
	return err_set(e, -EINVAL, "%s cannot be parsed as a severity", log_node_kind_name(value));
}

int severity_apply(const struct severity_settings *s, struct operator_run *run,
		   struct log_entry *entry, struct err *e)
{
	const struct log_node *value = entry_field_get(entry, &s->from);
	struct str text;
	int rc;

	if (!value)
		return err_set(e, -EINVAL, "the entry has no field %.*s", STR_ARG(s->from.text));
	rc = severity_value_text(value, run->arena, &text, e);
	if (rc)
		return rc;
	entry->severity = find_severity(s, text);
	entry->severity_text = text;
	if (s->overwrite_text && entry->severity)
		entry->severity_text = str_from(severity_texts[entry->severity]);
	return 0;
}

/* ---- the operator ---- */

struct severity_operator_settings {
	struct operator_common common;
	struct severity_settings severity;
};

static const struct setting severity_operator_table[] = {
	OPERATOR_COMMON(struct severity_operator_settings, common),
	SEVERITY_SETTINGS(struct severity_operator_settings, severity.),
	SET_END,
};

static int severity_operator_create(void **state, const void *settings, struct operator_build *b,
				    struct err *e)
{
	(void)state;
	(void)b;
	return severity_check(&((const struct severity_operator_settings *)settings)->severity, e);
}

static int severity_operator_process(struct op *op, struct operator_run *run,
				     struct log_entry *entry, struct err *e)
{
	const struct severity_operator_settings *s = (const void *)op->settings;

	return severity_apply(&s->severity, run, entry, e);
}

const struct operator_type severity_parser_operator = {
	.name = "severity_parser",
	.table = severity_operator_table,
	.settings_size = sizeof(struct severity_operator_settings),
	.create = severity_operator_create,
	.process = severity_operator_process,
};
