/* SPDX-License-Identifier: Apache-2.0 */
/* The common part of parsers, and the operators json_parser and regex_parser. */
#include "pipeline/receivers/filelog/operators/parser.h"

#include <errno.h>
#include <stdlib.h>

#include "base/regex.h"

int parser_init(struct parser *p, const struct parser_settings *s, struct err *e)
{
	int rc = 0;

	p->settings = s;
	p->to = s->to;
	if (!s->to.set)
		p->to = (struct entry_field){.root = ENTRY_ATTRIBUTES, .text = STR("attributes")};
	if (s->timestamp.configured)
		rc = time_parser_init(&p->time, &s->timestamp, e);
	if (!rc && s->severity.configured)
		rc = severity_check(&s->severity, e);
	return rc;
}

void parser_fini(struct parser *p)
{
	time_parser_fini(&p->time);
}

int parser_input(const struct parser *p, struct log_entry *entry, struct str *out, struct err *e)
{
	const struct log_node *value = entry_field_get(entry, &p->settings->from);

	if (operator_text(value, out))
		return 0;
	return err_set(e, -EINVAL, "%.*s is %s, expected a string",
		       STR_ARG(p->settings->from.set ? p->settings->from.text : STR("body")),
		       log_node_kind_name(value));
}

int parser_output(const struct parser *p, struct operator_run *run, struct log_entry *entry,
		  const struct log_node *parsed, struct err *e)
{
	const struct parser_settings *s = p->settings;
	int rc = entry_field_set(entry, &p->to, parsed, run->arena, e);

	if (!rc && s->timestamp.configured)
		rc = time_parser_apply(&p->time, &s->timestamp, run, entry, e);
	if (!rc && s->severity.configured)
		rc = severity_apply(&s->severity, run, entry, e);
	if (!rc && s->trace.configured)
		rc = trace_apply(&s->trace, entry, e);
	return rc;
}

/* ---- json_parser ---- */

struct json_parser_settings {
	struct parser_settings parser;
	bool parse_ints;
};

static const struct setting json_parser_table[] = {
	PARSER_COMMON(struct json_parser_settings, parser),
	SET_BOOL(struct json_parser_settings, parse_ints, "parse_ints", "false",
		 "Numbers without a fraction become integers; default: all are doubles."),
	SET_END,
};

static int json_parser_create(void **state, const void *settings, struct operator_build *b,
			      struct err *e)
{
	struct parser *p = calloc(1, sizeof(*p));

	(void)b;
	if (!p)
		return -ENOMEM;
	*state = p;
	return parser_init(p, settings, e);
}

static void parser_destroy(void *state)
{
	parser_fini(state);
	free(state);
}

static int json_parser_process(struct op *op, struct operator_run *run, struct log_entry *entry,
			       struct err *e)
{
	const struct json_parser_settings *s = (const void *)op->settings;
	const struct parser *p = op->state;
	struct log_node parsed;
	struct json doc;
	struct str text;
	int rc = parser_input(p, entry, &text, e);

	json_init(&doc, run->arena);
	rc = rc ? rc : json_parse(&doc, text, e);
	if (rc)
		return rc;
	if (json_kind(json_root(&doc)) != JSON_OBJECT)
		return err_set(e, -EINVAL, "expected a JSON object, found %s",
			       json_kind_name(json_kind(json_root(&doc))));
	rc = log_node_of_json(&parsed, json_root(&doc), s->parse_ints, run->arena);
	if (rc)
		return err_set(e, rc, "%s",
			       rc == -ENOMEM ? "out of memory" : "JSON is nested too deeply");
	return parser_output(p, run, entry, &parsed, e);
}

const struct operator_type json_parser_operator = {
	.name = "json_parser",
	.table = json_parser_table,
	.settings_size = sizeof(struct json_parser_settings),
	.create = json_parser_create,
	.process = json_parser_process,
	.destroy = parser_destroy,
};

/* ---- regex_parser ---- */

struct regex_parser_settings {
	struct parser_settings parser;
	struct str regex;
};

struct regex_parser {
	struct parser parser;
	struct regex *regex;
	struct str *groups; /* scratch */
	uint32_t named;
};

static const struct setting regex_parser_table[] = {
	PARSER_COMMON(struct regex_parser_settings, parser),
	SET_STRING(struct regex_parser_settings, regex, "regex", NULL,
		   "A regular expression with named groups (?P<name>...)."),
	SET_IGNORED("cache", "expressions are not cached"),
	SET_END,
};

static int compile_regex_parser(struct regex_parser *p, const struct regex_parser_settings *s,
				struct err *e)
{
	int rc;

	if (!s->regex.n)
		return err_set(e, -EINVAL, "missing required key \"regex\"");
	rc = regex_new(&p->regex, s->regex, REGEX_CAPTURE, e);
	if (rc)
		return rc;
	for (uint32_t i = 1; i <= regex_group_count(p->regex); i++)
		p->named += regex_group_name(p->regex, i).n > 0;
	if (!p->named)
		return err_set(e, -EINVAL,
			       "\"regex\" has no named group: write (?P<name>...) around what to "
			       "keep");
	p->groups = calloc(regex_group_count(p->regex) + 1, sizeof(*p->groups));
	return p->groups ? 0 : -ENOMEM;
}

static int regex_parser_create(void **state, const void *settings, struct operator_build *b,
			       struct err *e)
{
	struct regex_parser *p = calloc(1, sizeof(*p));
	int rc;

	(void)b;
	if (!p)
		return -ENOMEM;
	*state = p;
	rc = parser_init(&p->parser, settings, e);
	return rc ? rc : compile_regex_parser(p, settings, e);
}

static void regex_parser_destroy(void *state)
{
	struct regex_parser *p = state;

	parser_fini(&p->parser);
	regex_free(p->regex);
	free(p->groups);
	free(p);
}

static int regex_parser_process(struct op *op, struct operator_run *run, struct log_entry *entry,
				struct err *e)
{
	struct regex_parser *p = op->state;
	struct log_node parsed = {.kind = VALUE_MAP};
	struct str text;
	int rc = parser_input(&p->parser, entry, &text, e);

	if (rc)
		return rc;
	rc = regex_capture(p->regex, text, 0, p->groups, e);
	if (!rc)
		return err_set(e, -EINVAL, "the regular expression does not match \"%.*s\"",
			       STR_ARG(str_head(text, 100)));
	for (uint32_t i = 1; rc > 0 && i <= regex_group_count(p->regex); i++) {
		struct str name = regex_group_name(p->regex, i);
		struct log_node value = LOG_NODE_STR(p->groups[i]);

		if (name.n && log_node_set(&parsed, run->arena, name, &value))
			return err_errno(e, -ENOMEM, "regex_parser");
	}
	return rc < 0 ? rc : parser_output(&p->parser, run, entry, &parsed, e);
}

const struct operator_type regex_parser_operator = {
	.name = "regex_parser",
	.table = regex_parser_table,
	.settings_size = sizeof(struct regex_parser_settings),
	.create = regex_parser_create,
	.process = regex_parser_process,
	.destroy = regex_parser_destroy,
};
