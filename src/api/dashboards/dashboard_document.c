/* SPDX-License-Identifier: Apache-2.0 */
#include "api/dashboards/dashboard_document.h"

#include <errno.h>
#include <stdio.h>

#include "wire/json.h"

enum { EXPECTED_MAX = 160, WORD_MAX = 40, SHORT_TEXT_MAX = 1024 };

struct check {
	struct json doc;
	struct err *e;
};

typedef int check_value(struct check *c, const struct json_value *v, const char *key);

struct field {
	struct str key;
	check_value *check;
	bool required;
};

/* Fail with "KEY: at byte N (line L, column C): expected WHAT, found ...". */
static int fail(struct check *c, const struct json_value *v, const char *key, const char *expected)
{
	(void)json_fail(&c->doc, v, c->e, expected);
	err_prefix(c->e, "%s", key);
	return -EINVAL;
}

/* Check the members of an object against a table. */
static int check_object(struct check *c, const struct json_value *v, const char *key,
			const struct field *fields, size_t n)
{
	char expected[EXPECTED_MAX];
	int rc = 0;

	if (json_kind(v) != JSON_OBJECT)
		return fail(c, v, key, "an object");
	json_each_member(name, v)
	{
		size_t i = 0;

		if (rc)
			break;
		while (i < n && !str_eq(fields[i].key, json_str(name)))
			i++;
		if (i == n) {
			snprintf(expected, sizeof(expected), "a known field instead of \"%.*s\"",
				 STR_ARG(str_head(json_str(name), WORD_MAX)));
			rc = fail(c, name, key, expected);
		} else {
			rc = fields[i].check(c, json_member(name), fields[i].key.p);
		}
	}
	for (size_t i = 0; i < n && !rc; i++)
		if (fields[i].required && !json_get(v, fields[i].key)) {
			snprintf(expected, sizeof(expected), "the field \"%s\"", fields[i].key.p);
			rc = fail(c, v, key, expected);
		}
	return rc;
}

/* Check each item of an array of at most `most` items. */
static int check_array(struct check *c, const struct json_value *v, const char *key, uint32_t most,
		       check_value *item_check)
{
	char expected[EXPECTED_MAX];
	int rc = 0;

	snprintf(expected, sizeof(expected), "a list of at most %u items", most);
	if (json_kind(v) != JSON_ARRAY || json_count(v) > most)
		return fail(c, v, key, expected);
	json_each(item, v)
	{
		if (!rc)
			rc = item_check(c, item, key);
	}
	return rc;
}

static int check_length(struct check *c, const struct json_value *v, const char *key, size_t most)
{
	char expected[EXPECTED_MAX];

	snprintf(expected, sizeof(expected), "a string of at most %zu bytes", most);
	return json_kind(v) == JSON_STRING && json_str(v).n <= most ? 0 : fail(c, v, key, expected);
}

static int check_short(struct check *c, const struct json_value *v, const char *key)
{
	return check_length(c, v, key, SHORT_TEXT_MAX);
}

static int check_query_text(struct check *c, const struct json_value *v, const char *key)
{
	return check_length(c, v, key, DASHBOARD_QUERY_MAX);
}

static int check_title(struct check *c, const struct json_value *v, const char *key)
{
	return json_kind(v) == JSON_STRING && !str_trim(json_str(v)).n
		       ? fail(c, v, key, "a title")
		       : check_length(c, v, key, DASHBOARD_TITLE_MAX);
}

static int check_flag(struct check *c, const struct json_value *v, const char *key)
{
	return json_kind(v) == JSON_TRUE || json_kind(v) == JSON_FALSE
		       ? 0
		       : fail(c, v, key, "true or false");
}

static int check_number(struct check *c, const struct json_value *v, const char *key)
{
	return json_kind(v) == JSON_NUMBER ? 0 : fail(c, v, key, "a number");
}

static int check_whole(struct check *c, const struct json_value *v, const char *key, uint64_t least,
		       uint64_t most)
{
	char expected[EXPECTED_MAX];
	uint64_t n;

	snprintf(expected, sizeof(expected), "a whole number from %llu to %llu",
		 (unsigned long long)least, (unsigned long long)most);
	return json_kind(v) == JSON_NUMBER && !json_u64(v, &n) && n >= least && n <= most
		       ? 0
		       : fail(c, v, key, expected);
}

static int check_version(struct check *c, const struct json_value *v, const char *key)
{
	return check_whole(c, v, key, DASHBOARD_VERSION, DASHBOARD_VERSION);
}

static int check_column(struct check *c, const struct json_value *v, const char *key)
{
	return check_whole(c, v, key, 0, DASHBOARD_COLUMNS - 1);
}

static int check_width(struct check *c, const struct json_value *v, const char *key)
{
	return check_whole(c, v, key, 1, DASHBOARD_COLUMNS);
}

static int check_row(struct check *c, const struct json_value *v, const char *key)
{
	return check_whole(c, v, key, 0, DASHBOARD_ROWS_MAX);
}

static int check_height(struct check *c, const struct json_value *v, const char *key)
{
	return check_whole(c, v, key, 1, 100);
}

static int check_limit(struct check *c, const struct json_value *v, const char *key)
{
	return check_whole(c, v, key, 1, 1000);
}

static int check_decimals(struct check *c, const struct json_value *v, const char *key)
{
	return check_whole(c, v, key, 0, 10);
}

/* Check that a string is one of the words, which are separated by spaces. */
static int check_word(struct check *c, const struct json_value *v, const char *key,
		      const char *words)
{
	char expected[EXPECTED_MAX];
	struct str rest = str_from(words);

	while (rest.n)
		if (str_eq(str_cut(&rest, ' '), json_str(v)) && json_str(v).n)
			return 0;
	snprintf(expected, sizeof(expected), "one of %s", words);
	return fail(c, v, key, expected);
}

static int check_panel_type(struct check *c, const struct json_value *v, const char *key)
{
	return check_word(c, v, key, "chart stat bar heat table flame traces logs text row");
}

static int check_source(struct check *c, const struct json_value *v, const char *key)
{
	return check_word(c, v, key, "promql traceql profiles logs");
}

static int check_style(struct check *c, const struct json_value *v, const char *key)
{
	return check_word(c, v, key, "lines stacked bars");
}

static int check_calculation(struct check *c, const struct json_value *v, const char *key)
{
	return check_word(c, v, key, "last mean min max sum");
}

static int check_variable_type(struct check *c, const struct json_value *v, const char *key)
{
	return check_word(c, v, key, "labels profiles list text");
}

static int check_colour(struct check *c, const struct json_value *v, const char *key)
{
	return check_word(c, v, key, "good warn bad plain");
}

/* A name that queries can refer to as $name. */
static int check_variable_name(struct check *c, const struct json_value *v, const char *key)
{
	struct str name = json_str(v);
	bool valid = name.n && name.n <= WORD_MAX && !(name.p[0] >= '0' && name.p[0] <= '9');

	for (size_t i = 0; i < name.n; i++)
		valid &= name.p[i] == '_' || (name.p[i] >= '0' && name.p[i] <= '9') ||
			 ((name.p[i] | 32) >= 'a' && (name.p[i] | 32) <= 'z');
	return valid ? 0 : fail(c, v, key, "a name of up to 40 letters, digits and _");
}

static int check_query(struct check *c, const struct json_value *v, const char *key)
{
	static const struct field fields[] = {
		{STR_INIT("query"), check_query_text, true},
		{STR_INIT("source"), check_source, false},
		{STR_INIT("legend"), check_short, false},
		{STR_INIT("type"), check_short, false},
		{STR_INIT("hidden"), check_flag, false},
	};

	return check_object(c, v, key, fields, countof(fields));
}

static int check_queries(struct check *c, const struct json_value *v, const char *key)
{
	return check_array(c, v, key, DASHBOARD_QUERIES_MAX, check_query);
}

static int check_threshold(struct check *c, const struct json_value *v, const char *key)
{
	static const struct field fields[] = {
		{STR_INIT("from"), check_number, true},
		{STR_INIT("colour"), check_colour, true},
	};

	return check_object(c, v, key, fields, countof(fields));
}

static int check_thresholds(struct check *c, const struct json_value *v, const char *key)
{
	return check_array(c, v, key, 20, check_threshold);
}

static int check_panel(struct check *c, const struct json_value *v, const char *key)
{
	static const struct field fields[] = {
		{STR_INIT("type"), check_panel_type, true},
		{STR_INIT("title"), check_short, false},
		{STR_INIT("description"), check_short, false},
		{STR_INIT("x"), check_column, true},
		{STR_INIT("y"), check_row, true},
		{STR_INIT("w"), check_width, true},
		{STR_INIT("h"), check_height, true},
		{STR_INIT("queries"), check_queries, false},
		{STR_INIT("unit"), check_short, false},
		{STR_INIT("decimals"), check_decimals, false},
		{STR_INIT("style"), check_style, false},
		{STR_INIT("calculation"), check_calculation, false},
		{STR_INIT("thresholds"), check_thresholds, false},
		{STR_INIT("min"), check_number, false},
		{STR_INIT("max"), check_number, false},
		{STR_INIT("limit"), check_limit, false},
		{STR_INIT("text"), check_query_text, false},
	};

	return check_object(c, v, key, fields, countof(fields));
}

static int check_panels(struct check *c, const struct json_value *v, const char *key)
{
	return check_array(c, v, key, DASHBOARD_PANELS_MAX, check_panel);
}

static int check_values(struct check *c, const struct json_value *v, const char *key)
{
	return check_array(c, v, key, 1000, check_short);
}

static int check_variable(struct check *c, const struct json_value *v, const char *key)
{
	static const struct field fields[] = {
		{STR_INIT("name"), check_variable_name, true},
		{STR_INIT("type"), check_variable_type, true},
		{STR_INIT("title"), check_short, false},
		{STR_INIT("label"), check_short, false},
		{STR_INIT("match"), check_query_text, false},
		{STR_INIT("values"), check_values, false},
		{STR_INIT("regex"), check_short, false},
		{STR_INIT("value"), check_values, false},
		{STR_INIT("multi"), check_flag, false},
		{STR_INIT("all"), check_flag, false},
	};

	return check_object(c, v, key, fields, countof(fields));
}

static int check_variables(struct check *c, const struct json_value *v, const char *key)
{
	return check_array(c, v, key, DASHBOARD_VARIABLES_MAX, check_variable);
}

int dashboard_check(struct str text, struct arena *arena, struct dashboard_summary *out,
		    struct err *e)
{
	static const struct field fields[] = {
		{STR_INIT("version"), check_version, true},
		{STR_INIT("title"), check_title, true},
		{STR_INIT("description"), check_short, false},
		{STR_INIT("from"), check_short, false},
		{STR_INIT("to"), check_short, false},
		{STR_INIT("refresh"), check_flag, false},
		{STR_INIT("variables"), check_variables, false},
		{STR_INIT("panels"), check_panels, true},
	};
	struct check c = {.e = e};
	const struct json_value *root;
	int rc;

	json_init(&c.doc, arena);
	rc = json_parse(&c.doc, text, e);
	if (rc)
		return rc == -EBADMSG || rc == -EFBIG ? -EINVAL : rc;
	root = json_root(&c.doc);
	rc = check_object(&c, root, "the dashboard", fields, countof(fields));
	if (!rc)
		*out = (struct dashboard_summary){
			.title = json_str(json_get(root, STR("title"))),
			.description = json_str(json_get(root, STR("description"))),
			.panels = json_count(json_get(root, STR("panels"))),
		};
	return rc;
}
