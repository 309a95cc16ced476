/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Checks of bodies. A JSON path is a list of names and indexes, separated by dots, as in
 * "items.0.name"; "\\." is a dot in a name, and "#" at the end the number of items. These are the
 * simple paths of the gjson syntax, which the collector uses; the others are refused.
 */
#include "pipeline/receivers/httpcheck/response_checks.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#include "wire/json.h"

enum { CHECKS_MAX = 100, PATH_PART_MAX = 256 };

const char *const response_check_names[RESPONSE_CHECK_TYPES] = {
	[CHECK_CONTAINS] = "contains",	 [CHECK_NOT_CONTAINS] = "not_contains",
	[CHECK_JSON_PATH] = "json_path", [CHECK_SIZE] = "size",
	[CHECK_REGEX] = "regex",
};

/* ---- settings ---- */

static const struct setting check_table[] = {
	SET_STRING(struct response_check, contains, "contains", NULL, "The body has this text."),
	SET_STRING(struct response_check, not_contains, "not_contains", NULL,
		   "The body does not have this text."),
	SET_STRING(struct response_check, json_path, "json_path", NULL,
		   "The place of a value in the body, such as data.items.0.name."),
	SET_STRING(struct response_check, equals, "equals", NULL, "The value at json_path."),
	SET_INT(struct response_check, min_size, "min_size", "-1", -1, INT64_MAX, "bytes",
		"The body has at least this size; -1: any."),
	SET_INT(struct response_check, max_size, "max_size", "-1", -1, INT64_MAX, "bytes",
		"The body has at most this size; -1: any."),
	SET_STRING(struct response_check, regex, "regex", NULL,
		   "A regular expression that matches a part of the body."),
	SET_END,
};

/* Return whether a path uses only names, indexes and "#" at the end. */
static bool is_simple_path(struct str path)
{
	if (path.n && path.p[path.n - 1] == '#')
		path.n--;
	for (size_t i = 0; i < path.n; i++)
		if (memchr("#*?|@!{[(", path.p[i], 9))
			return false;
	return true;
}

static int check_entry(const struct config_node *n, const char *what,
		       const struct response_check *c, struct err *e)
{
	struct regex *compiled = NULL;
	struct err why = {0};
	int rc;

	if (!c->contains.n && !c->not_contains.n && !c->json_path.n && !c->regex.n &&
	    c->min_size < 0 && c->max_size < 0)
		return config_fail(n, e,
				   "%s: a validation needs contains, not_contains, json_path, "
				   "min_size, max_size or regex",
				   what);
	if (!is_simple_path(c->json_path))
		return config_fail(n, e,
				   "%s: \"json_path\": \"%.*s\": only names, indexes and # at the "
				   "end are supported, separated by dots",
				   what, STR_ARG(str_head(c->json_path, 100)));
	if (!c->regex.n)
		return 0;
	rc = regex_new(&compiled, c->regex, 0, &why);
	regex_free(compiled);
	return rc == -EINVAL ? config_fail(n, e, "%s: \"regex\": %s", what, why.text) : rc;
}

int response_checks_read(const struct config_node *n, const char *what, void *to,
			 struct arena *arena, struct err *e)
{
	struct response_checks *out = to;
	struct response_check *at;
	uint32_t count = 0;
	int rc = 0;

	if (n->kind != CONFIG_LIST)
		return config_fail(n, e, "%s: \"validations\" has to be a list", what);
	for (const struct config_node *c = n->first; c; c = c->next)
		count++;
	if (count > CHECKS_MAX)
		return config_fail(n, e, "%s: more than %d validations", what, CHECKS_MAX);
	at = arena_zalloc(arena, count + 1, sizeof(*at));
	if (!at)
		return -ENOMEM;
	*out = (struct response_checks){at, count};
	for (const struct config_node *c = n->first; c && !rc; c = c->next, at++) {
		rc = settings_read(check_table, c, what, at, arena, e);
		if (!rc)
			rc = check_entry(c, what, at, e);
	}
	return rc;
}

/* ---- JSON ---- */

/* Cut the next part off a path, without its escapes. */
static struct str path_part(struct str *path, char *to)
{
	size_t n = 0, i = 0;

	for (; i < path->n && path->p[i] != '.' && n < PATH_PART_MAX; i++) {
		if (path->p[i] == '\\' && i + 1 < path->n)
			i++;
		to[n++] = path->p[i];
	}
	*path = str_from_at(*path, i + 1);
	return str_of(to, n);
}

static const struct json_value *value_at(const struct json_value *v, struct str part)
{
	uint64_t index;

	if (json_kind(v) == JSON_OBJECT)
		return json_get(v, part);
	if (json_kind(v) != JSON_ARRAY || str_to_u64(part, 10, &index))
		return NULL;
	json_each(item, v) if (!index--) return item;
	return NULL;
}

/* Return whether a value, as text, is `text`. */
static bool is_value(const struct json_value *v, struct str text)
{
	switch (json_kind(v)) {
	case JSON_STRING:
	case JSON_NUMBER:
		return str_eq(str_of(v->p, v->n), text);
	case JSON_TRUE:
		return str_eq(text, STR("true"));
	case JSON_FALSE:
		return str_eq(text, STR("false"));
	case JSON_NULL:
		return !text.n;
	default:
		return false;
	}
}

static bool path_fits(const struct response_check *c, const struct json_value *root)
{
	struct str path = c->json_path;
	const struct json_value *v = root;

	if (str_starts(path, STR("$.")))
		path = str_from_at(path, 2);
	while (path.n && v) {
		char text[PATH_PART_MAX], number[24];
		struct str part = path_part(&path, text);

		if (!path.n && str_eq(part, STR("#"))) {
			snprintf(number, sizeof(number), "%u", json_count(v));
			return json_kind(v) == JSON_ARRAY && str_eq(str_from(number), c->equals);
		}
		v = value_at(v, part);
	}
	return v && is_value(v, c->equals);
}

/* ---- checks ---- */

int response_matcher_init(struct response_matcher *m, const struct response_checks *checks,
			  struct err *e)
{
	int rc = 0;

	*m = (struct response_matcher){.checks = checks};
	m->regexes = calloc(checks->n + 1, sizeof(*m->regexes));
	if (!m->regexes)
		return -ENOMEM;
	for (uint32_t i = 0; i < checks->n && !rc; i++)
		if (checks->at[i].regex.n)
			rc = regex_new(&m->regexes[i], checks->at[i].regex, 0, e);
	return rc;
}

void response_matcher_fini(struct response_matcher *m)
{
	for (uint32_t i = 0; m->regexes && i < m->checks->n; i++)
		regex_free(m->regexes[i]);
	free((void *)m->regexes);
	*m = (struct response_matcher){0};
}

static bool has_text(struct str body, struct str text)
{
	return body.n && memmem(body.p, body.n, text.p, text.n) != NULL;
}

static void count_check(struct response_counts *counts, enum response_check_type type, bool passed)
{
	(passed ? counts->passed : counts->failed)[type]++;
}

static void run_check(const struct response_check *c, struct regex *regex, struct str body,
		      const struct json_value *root, struct response_counts *counts)
{
	if (c->contains.n)
		count_check(counts, CHECK_CONTAINS, has_text(body, c->contains));
	if (c->not_contains.n)
		count_check(counts, CHECK_NOT_CONTAINS, !has_text(body, c->not_contains));
	if (c->json_path.n)
		count_check(counts, CHECK_JSON_PATH, path_fits(c, root));
	if (c->min_size >= 0 || c->max_size >= 0)
		count_check(counts, CHECK_SIZE,
			    (c->min_size < 0 || body.n >= (uint64_t)c->min_size) &&
				    (c->max_size < 0 || body.n <= (uint64_t)c->max_size));
	if (regex)
		count_check(counts, CHECK_REGEX, regex_match(regex, body, NULL) == 1);
}

void response_matcher_run(const struct response_matcher *m, struct str body,
			  struct response_counts *counts)
{
	const struct json_value *root = NULL;
	bool wants_json = false;
	struct arena arena;
	struct json doc;

	for (uint32_t i = 0; i < m->checks->n; i++)
		wants_json |= m->checks->at[i].json_path.n != 0;
	arena_init(&arena, NULL);
	json_init(&doc, &arena);
	if (wants_json && !json_parse(&doc, body, NULL))
		root = json_root(&doc);
	for (uint32_t i = 0; i < m->checks->n; i++)
		run_check(&m->checks->at[i], m->regexes[i], body, root, counts);
	arena_fini(&arena);
}
