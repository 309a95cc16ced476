/* SPDX-License-Identifier: Apache-2.0 */
/* Translates each block into the text of an OTTL condition, which is then compiled as any other. */
#include "pipeline/processors/filter/match_blocks.h"

enum match_field_kind { MATCH_TEXTS, MATCH_PAIRS, MATCH_SEVERITY };

/* A field of a block and the path that it is about. */
struct match_field {
	enum signal_kind signal;
	const char *name;
	enum match_field_kind kind;
	const char *path;
};

static const struct match_field fields[] = {
	{SIGNAL_METRICS, "metric_names", MATCH_TEXTS, "metric.name"},
	{SIGNAL_METRICS, "resource_attributes", MATCH_PAIRS, "resource.attributes"},
	{SIGNAL_LOGS, "bodies", MATCH_TEXTS, "log.body"},
	{SIGNAL_LOGS, "severity_texts", MATCH_TEXTS, "log.severity_text"},
	{SIGNAL_LOGS, "severity_number", MATCH_SEVERITY, "log.severity_number"},
	{SIGNAL_LOGS, "record_attributes", MATCH_PAIRS, "log.attributes"},
	{SIGNAL_LOGS, "resource_attributes", MATCH_PAIRS, "resource.attributes"},
	{SIGNAL_TRACES, "services", MATCH_TEXTS, "resource.attributes[\"service.name\"]"},
	{SIGNAL_TRACES, "span_names", MATCH_TEXTS, "span.name"},
	{SIGNAL_TRACES, "span_kinds", MATCH_TEXTS, "span.kind.deprecated_string"},
	{SIGNAL_TRACES, "attributes", MATCH_PAIRS, "span.attributes"},
	{SIGNAL_TRACES, "resources", MATCH_PAIRS, "resource.attributes"},
};

/* Append a string literal of OTTL. */
static void put_literal(struct buf *out, struct str s)
{
	buf_put_char(out, '"');
	for (size_t i = 0; i < s.n; i++) {
		if (s.p[i] == '\n') {
			buf_put_str(out, STR("\\n"));
			continue;
		}
		if (s.p[i] == '"' || s.p[i] == '\\')
			buf_put_char(out, '\\');
		buf_put_char(out, s.p[i]);
	}
	buf_put_char(out, '"');
}

/* Append a value of YAML: numbers and bools that are not quoted are no strings. */
static void put_scalar(struct buf *out, const struct config_node *n)
{
	bool plain = !n->quoted && (str_eq(n->text, STR("true")) || str_eq(n->text, STR("false")));
	double number;
	int64_t integer;

	if (!n->quoted && !str_to_i64(n->text, &integer))
		plain = true;
	if (!n->quoted && str_find(n->text, '.') < n->text.n && !str_to_double(n->text, &number) &&
	    n->text.p[n->text.n - 1] >= '0' && n->text.p[n->text.n - 1] <= '9')
		plain = true;
	if (plain)
		buf_put_str(out, n->text);
	else
		put_literal(out, n->text);
}

static void put_match(struct buf *out, struct str path, const struct config_node *value,
		      bool regexp, bool texts)
{
	if (regexp)
		buf_printf(out, "IsMatch(%.*s, ", STR_ARG(path));
	else
		buf_printf(out, "%.*s == ", STR_ARG(path));
	if (regexp || texts)
		put_literal(out, value->text);
	else
		put_scalar(out, value);
	if (regexp)
		buf_put_char(out, ')');
}

/* One of the texts has to match. */
static int put_texts(struct buf *out, const struct match_field *f, const struct config_node *list,
		     bool regexp, struct err *e)
{
	if (list->kind != CONFIG_LIST || !list->first)
		return config_fail(list, e, "\"%s\" has to be a list of texts", f->name);
	for (const struct config_node *n = list->first; n; n = n->next) {
		if (n->kind != CONFIG_SCALAR)
			return config_fail(n, e, "\"%s\" has to be a list of texts", f->name);
		buf_put_str(out, n == list->first ? STR("(") : STR(" or "));
		put_match(out, str_from(f->path), n, regexp, true);
	}
	buf_put_char(out, ')');
	return 0;
}

static int put_pair(struct buf *out, const struct match_field *f, const struct config_node *pair,
		    bool regexp, struct err *e)
{
	const struct config_node *key = config_get(pair, STR("key"));
	const struct config_node *value = config_get(pair, STR("value"));
	struct buf path = {0};

	if (!key || key->kind != CONFIG_SCALAR || (value && value->kind > CONFIG_SCALAR))
		return config_fail(pair, e, "\"%s\" has to be a list of {key, value}", f->name);
	buf_printf(&path, "%s[", f->path);
	put_literal(&path, key->text);
	buf_put_char(&path, ']');
	if (value && value->kind == CONFIG_SCALAR)
		put_match(out, buf_str(&path), value, regexp, false);
	else
		buf_printf(out, "%.*s != nil", STR_ARG(buf_str(&path)));
	out->failed |= path.failed;
	buf_fini(&path);
	return 0;
}

/* All attributes have to match. */
static int put_pairs(struct buf *out, const struct match_field *f, const struct config_node *list,
		     bool regexp, struct err *e)
{
	int rc = 0;

	if (list->kind != CONFIG_LIST || !list->first)
		return config_fail(list, e, "\"%s\" has to be a list of {key, value}", f->name);
	for (const struct config_node *n = list->first; n && !rc; n = n->next) {
		buf_put_str(out, n == list->first ? STR("(") : STR(" and "));
		rc = put_pair(out, f, n, regexp, e);
	}
	buf_put_char(out, ')');
	return rc;
}

/* {min: WARN, match_undefined: true} */
static int put_severity(struct buf *out, const struct match_field *f, const struct config_node *map,
			struct err *e)
{
	const struct config_node *min = config_get(map, STR("min"));
	const struct config_node *undefined = config_get(map, STR("match_undefined"));
	int64_t number;

	if (!min || min->kind != CONFIG_SCALAR || !min->text.n)
		return config_fail(map, e, "\"severity_number\" needs min, as WARN or 13");
	if (undefined && str_eq(undefined->text, STR("true")))
		buf_printf(out, "(%s == 0 or ", f->path);
	else
		buf_printf(out, "(%s != 0 and ", f->path);
	if (str_to_i64(min->text, &number))
		buf_printf(out, "%s >= SEVERITY_NUMBER_%.*s)", f->path, STR_ARG(min->text));
	else
		buf_printf(out, "%s >= %lld)", f->path, (long long)number);
	return 0;
}

static int put_field(struct buf *out, const struct match_field *f, const struct config_node *n,
		     bool regexp, struct err *e)
{
	switch (f->kind) {
	case MATCH_TEXTS:
		return put_texts(out, f, n, regexp, e);
	case MATCH_PAIRS:
		return put_pairs(out, f, n, regexp, e);
	default:
		return put_severity(out, f, n, e);
	}
}

static const struct match_field *find_field(enum signal_kind signal, struct str name)
{
	for (size_t i = 0; i < countof(fields); i++)
		if (fields[i].signal == signal && str_eq(str_from(fields[i].name), name))
			return &fields[i];
	return NULL;
}

int match_block_condition(struct buf *out, enum signal_kind signal, const struct config_node *block,
			  bool negate, struct err *e)
{
	const struct config_node *type = config_get(block, STR("match_type"));
	bool regexp = type && str_eq(type->text, STR("regexp"));
	unsigned count = 0;
	int rc = 0;

	if (!type || (!regexp && !str_eq(type->text, STR("strict"))))
		return config_fail(type ? type : block, e,
				   "\"match_type\" has to be strict or regexp; for other tests use "
				   "conditions");
	buf_put_str(out, negate ? STR("not (") : STR("("));
	for (const struct config_node *n = block->first; n && !rc; n = n->next) {
		const struct match_field *f = find_field(signal, n->key);

		if (str_eq(n->key, STR("match_type")) || str_eq(n->key, STR("regexp")))
			continue;
		if (!f)
			return config_fail(n, e, "\"%.*s\" is not supported here: use conditions",
					   STR_ARG(n->key));
		buf_put_str(out, count++ ? STR(" and ") : STR(""));
		rc = put_field(out, f, n, regexp, e);
	}
	buf_put_char(out, ')');
	if (!rc && !count)
		rc = config_fail(block, e, "the block has nothing to match");
	return rc;
}
