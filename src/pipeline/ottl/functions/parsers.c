/* SPDX-License-Identifier: Apache-2.0 */
/* Parsers of text. Their results are lists and maps of bounded depth. */
#include "pipeline/ottl/functions/parsers.h"

#include <errno.h>
#include <stdlib.h>

#include "wire/json.h"

/* ---- ParseJSON ---- */

static int value_of_json(struct ottl_eval *ev, const struct json_value *j, unsigned depth,
			 struct ottl_value *out);

/* NOLINTNEXTLINE(misc-no-recursion): the depth is limited */
static int list_of_json(struct ottl_eval *ev, const struct json_value *j, unsigned depth,
			struct ottl_value *out)
{
	struct ottl_list *list = ottl_list_new(&ev->scratch);
	int rc = list ? 0 : -ENOMEM;

	json_each(item, j)
	{
		struct ottl_value v = {0};

		if (!rc)
			rc = value_of_json(ev, item, depth + 1, &v);
		if (!rc)
			rc = ottl_list_add(&ev->scratch, list, v);
	}
	*out = (struct ottl_value){.kind = OTTL_LIST, .list = list};
	return rc;
}

/* NOLINTNEXTLINE(misc-no-recursion): the depth is limited */
static int map_of_json(struct ottl_eval *ev, const struct json_value *j, unsigned depth,
		       struct ottl_value *out)
{
	struct ottl_map *map = ottl_map_new(&ev->scratch);
	int rc = map ? 0 : -ENOMEM;

	json_each_member(key, j)
	{
		struct ottl_value v = {0};

		if (!rc)
			rc = value_of_json(ev, json_member(key), depth + 1, &v);
		if (!rc)
			rc = ottl_map_set(&ev->scratch, map, json_str(key), v);
	}
	*out = (struct ottl_value){.kind = OTTL_MAP, .map = map};
	return rc;
}

/* Numbers become doubles, as in the collector. */
/* NOLINTNEXTLINE(misc-no-recursion): the depth is limited */
static int value_of_json(struct ottl_eval *ev, const struct json_value *j, unsigned depth,
			 struct ottl_value *out)
{
	double number = 0;

	*out = (struct ottl_value){0};
	if (depth > OTTL_DEPTH_MAX)
		return ottl_fail(ev, "the JSON is nested deeper than %d levels", OTTL_DEPTH_MAX);
	switch (json_kind(j)) {
	case JSON_FALSE:
	case JSON_TRUE:
		*out = OTTL_VALUE_BOOL(json_kind(j) == JSON_TRUE);
		return 0;
	case JSON_NUMBER:
		if (json_double(j, &number))
			return ottl_fail(ev, "the JSON has an invalid number");
		*out = OTTL_VALUE_DOUBLE(number);
		return 0;
	case JSON_STRING:
		*out = OTTL_VALUE_STRING(json_str(j));
		return 0;
	case JSON_ARRAY:
		return list_of_json(ev, j, depth, out);
	case JSON_OBJECT:
		return map_of_json(ev, j, depth, out);
	default:
		return 0;
	}
}

static int run_parse_json(struct ottl_eval *ev, struct ottl_args *a, struct ottl_value *out)
{
	struct json doc;
	int rc;

	json_init(&doc, &ev->scratch);
	rc = json_parse(&doc, a->v[0].s, ev->e);
	if (rc)
		return rc;
	if (json_kind(json_root(&doc)) < JSON_ARRAY)
		return ottl_fail(ev, "the JSON is neither an object nor an array");
	return value_of_json(ev, json_root(&doc), 1, out);
}

/* ---- ParseKeyValue ---- */

/*
 * Cut the part before a delimiter that is not in quotes. Quotes are kept; a backslash in them
 * escapes the next character. Return false if a quote is not closed.
 */
static bool cut_quoted(struct str *rest, struct str delimiter, struct str *part)
{
	char quote = '\0';

	for (size_t i = 0; i < rest->n; i++) {
		char c = rest->p[i];

		if (quote) {
			i += c == '\\' && i + 1 < rest->n;
			quote = c == quote ? '\0' : quote;
		} else if (str_starts(str_from_at(*rest, i), delimiter)) {
			*part = str_head(*rest, i);
			*rest = str_from_at(*rest, i + delimiter.n);
			return true;
		} else if (c == '"' || c == '\'') {
			quote = c;
		}
	}
	*part = *rest;
	*rest = (struct str){0};
	return !quote;
}

static struct str unquote(struct str s)
{
	bool quoted = s.n >= 2 && (s.p[0] == '"' || s.p[0] == '\'') && s.p[s.n - 1] == s.p[0];

	return quoted ? str_of(s.p + 1, s.n - 2) : s;
}

static int put_key_value(struct ottl_eval *ev, struct ottl_map *map, struct str pair,
			 struct str delimiter)
{
	size_t at = str_find_str(pair, delimiter);
	struct str key = str_trim(str_head(pair, at));

	if (at == pair.n)
		return ottl_fail(ev, "cannot split \"%.*s\" into 2 items, got 1 item(s)",
				 STR_ARG(str_head(pair, 60)));
	return ottl_map_set(
		&ev->scratch, map, unquote(key),
		OTTL_VALUE_STRING(unquote(str_trim(str_from_at(pair, at + delimiter.n)))));
}

static int run_parse_key_value(struct ottl_eval *ev, struct ottl_args *a, struct ottl_value *out)
{
	struct str delimiter = a->given[1] ? a->v[1].s : STR("=");
	struct str pairs = a->given[2] ? a->v[2].s : STR(" ");
	struct str rest = a->v[0].s, pair;
	struct ottl_map *map = ottl_map_new(&ev->scratch);
	int rc = map ? 0 : -ENOMEM;

	if (!delimiter.n || !pairs.n || str_eq(delimiter, pairs))
		return ottl_fail(ev, "the delimiters have to be different and not empty");
	if (!rest.n)
		return ottl_fail(ev, "cannot parse from empty target");
	while (rest.n && !rc) {
		if (!cut_quoted(&rest, pairs, &pair))
			return ottl_fail(ev, "a quote is not closed in \"%.*s\"",
					 STR_ARG(str_head(pair, 60)));
		if (str_trim(pair).n)
			rc = put_key_value(ev, map, str_trim(pair), delimiter);
	}
	*out = (struct ottl_value){.kind = OTTL_MAP, .map = map};
	return rc;
}

/* Append a key or value, in quotes if it contains a delimiter or a quote. */
static void put_token(struct buf *b, struct str s, struct str delimiter, struct str pairs)
{
	bool quotes = !s.n || str_find(s, '"') < s.n || str_find_str(s, delimiter) < s.n ||
		      str_find_str(s, pairs) < s.n;

	if (quotes)
		buf_put_char(b, '"');
	for (size_t i = 0; i < s.n; i++) {
		if (s.p[i] == '"')
			buf_put_char(b, '\\');
		buf_put_char(b, s.p[i]);
	}
	if (quotes)
		buf_put_char(b, '"');
}

static int compare_pairs(const void *x, const void *y)
{
	const struct ottl_pair *a = x, *b = y;

	return str_cmp(a->key, b->key);
}

static int run_to_key_value(struct ottl_eval *ev, struct ottl_args *a, struct ottl_value *out)
{
	struct str delimiter = a->given[1] ? a->v[1].s : STR("=");
	struct str pairs = a->given[2] ? a->v[2].s : STR(" ");
	struct buf b = ottl_text_buf(ev);
	struct ottl_value copy;
	int rc = ottl_value_copy(&ev->scratch, &a->v[0], false, &copy);

	if (rc)
		return rc == -E2BIG ? ottl_fail(ev, "the value is nested too deep") : rc;
	if (copy.map->pairs.n && a->given[3] && a->v[3].i)
		qsort(copy.map->pairs.at, copy.map->pairs.n, sizeof(struct ottl_pair),
		      compare_pairs);
	for (uint32_t i = 0; i < copy.map->pairs.n; i++) {
		struct str text = {0};

		rc = ottl_text_of(ev, &copy.map->pairs.at[i].value, &text);
		if (rc) {
			buf_fini(&b);
			return rc;
		}
		if (i)
			buf_put_str(&b, pairs);
		put_token(&b, copy.map->pairs.at[i].key, delimiter, pairs);
		buf_put_str(&b, delimiter);
		put_token(&b, text, delimiter, pairs);
	}
	return ottl_return_text(ev, &b, out);
}

/* ---- ParseCSV ---- */

enum csv_mode { CSV_STRICT, CSV_LAZY, CSV_IGNORE };

/* Append the content of a field in quotes, in which "" is a quote. Return the rest, or NULL. */
static const char *put_quoted_field(struct buf *b, const char *at, const char *end)
{
	while (at < end) {
		if (*at != '"') {
			buf_put_char(b, *at++);
			continue;
		}
		if (at + 1 == end || at[1] != '"')
			return at + 1;
		buf_put_char(b, '"');
		at += 2;
	}
	return NULL;
}

/* Cut one field of a row. Return 1, 0 if that was the last one, or an error. */
static int cut_csv_field(struct ottl_eval *ev, struct str *rest, char delimiter, enum csv_mode mode,
			 struct str *field)
{
	struct str part = str_head(*rest, str_find(*rest, delimiter));
	struct buf b = ottl_text_buf(ev);
	const char *after = NULL, *end = rest->p + rest->n;
	struct ottl_value text;
	bool quoted = mode != CSV_IGNORE && rest->n && rest->p[0] == '"';
	int rc;

	if (quoted) {
		after = put_quoted_field(&b, rest->p + 1, end);
		quoted = after && (after == end || *after == delimiter);
		if (!quoted && mode == CSV_STRICT) {
			buf_fini(&b);
			return ottl_fail(ev, "wrong quotes in a field of CSV");
		}
	}
	if (quoted) {
		rc = ottl_return_text(ev, &b, &text);
		*field = text.s;
		part.n = (size_t)(after - rest->p);
		if (rc)
			return rc;
	} else {
		buf_fini(&b);
		*field = part;
	}
	rc = part.n < rest->n;
	*rest = str_from_at(*rest, part.n + 1);
	return rc;
}

static int split_csv(struct ottl_eval *ev, struct str row, char delimiter, enum csv_mode mode,
		     struct ottl_list **out)
{
	struct ottl_list *list = ottl_list_new(&ev->scratch);
	int more = 1;

	while (list && more == 1) {
		struct str field;

		more = cut_csv_field(ev, &row, delimiter, mode, &field);
		if (more >= 0 && ottl_list_add(&ev->scratch, list, OTTL_VALUE_STRING(field)))
			more = -ENOMEM;
	}
	*out = list;
	return list ? more : -ENOMEM;
}

static enum csv_mode csv_mode_of(const struct ottl_args *a)
{
	if (!a->given[4] || str_eq(a->v[4].s, STR("strict")))
		return CSV_STRICT;
	return str_eq(a->v[4].s, STR("lazyQuotes")) ? CSV_LAZY : CSV_IGNORE;
}

static int run_parse_csv(struct ottl_eval *ev, struct ottl_args *a, struct ottl_value *out)
{
	struct str delimiter = a->given[2] ? a->v[2].s : STR(",");
	struct str header_delimiter = a->given[3] ? a->v[3].s : delimiter;
	struct ottl_map *map = ottl_map_new(&ev->scratch);
	struct ottl_list *names, *fields;
	struct str row = a->v[0].s;
	int rc = map ? 0 : -ENOMEM;

	if (delimiter.n != 1 || header_delimiter.n != 1)
		return ottl_fail(ev, "the delimiter of CSV has to be one character");
	if (str_ends(row, STR("\n")))
		row.n--;
	if (!rc)
		rc = split_csv(ev, a->v[1].s, header_delimiter.p[0], CSV_STRICT, &names);
	if (!rc)
		rc = split_csv(ev, row, delimiter.p[0], csv_mode_of(a), &fields);
	if (!rc && names->items.n != fields->items.n)
		return ottl_fail(ev, "wrong number of fields: expected %u, found %u",
				 names->items.n, fields->items.n);
	for (uint32_t i = 0; !rc && i < names->items.n; i++)
		rc = ottl_map_set(&ev->scratch, map, names->items.at[i].s, fields->items.at[i]);
	*out = (struct ottl_value){.kind = OTTL_MAP, .map = map};
	return rc;
}

/* ---- URL ---- */

static int put_part(struct ottl_eval *ev, struct ottl_map *map, const char *key, struct str value)
{
	return value.n ? ottl_map_set(&ev->scratch, map, str_from(key), OTTL_VALUE_STRING(value))
		       : 0;
}

/* Put user, host and port: user:password@host:1234, [::1]:80. */
static int put_authority(struct ottl_eval *ev, struct ottl_map *map, struct str authority)
{
	size_t at = str_find_last(authority, '@'), colon;
	struct str host = at < authority.n ? str_from_at(authority, at + 1) : authority;
	struct str user = at < authority.n ? str_head(authority, at) : (struct str){0}, port;
	uint64_t number = 0;
	int rc = put_part(ev, map, "url.username", str_cut(&user, ':'));

	if (!rc)
		rc = put_part(ev, map, "url.password", user);
	colon = str_find_last(host, ':');
	if (str_ends(host, STR("]")))
		colon = host.n;
	port = str_from_at(host, colon + 1);
	if (port.n && (str_to_u64(port, 10, &number) || number > 65535))
		return ottl_fail(ev, "invalid port \"%.*s\" in a URL", STR_ARG(port));
	if (!rc)
		rc = put_part(ev, map, "url.domain", str_head(host, colon));
	return rc || !port.n ? rc
			     : ottl_map_set(&ev->scratch, map, STR("url.port"),
					    OTTL_VALUE_INT((int64_t)number));
}

static struct str extension_of(struct str path)
{
	size_t slash = str_find_last(path, '/');
	struct str file = slash < path.n ? str_from_at(path, slash + 1) : path;
	size_t dot = str_find_last(file, '.');

	return dot < file.n ? str_from_at(file, dot + 1) : (struct str){0};
}

static int run_url(struct ottl_eval *ev, struct ottl_args *a, struct ottl_value *out)
{
	struct ottl_map *map = ottl_map_new(&ev->scratch);
	struct str rest = a->v[0].s, fragment, query, authority = {0};
	size_t scheme = str_find_str(rest, STR("://")), slash;
	int rc = map ? 0 : -ENOMEM;

	if (!rc)
		rc = ottl_map_set(&ev->scratch, map, STR("url.original"), a->v[0]);
	if (!rc && scheme < rest.n)
		rc = put_part(ev, map, "url.scheme", str_head(rest, scheme));
	fragment = str_from_at(rest, str_find(rest, '#') + 1);
	rest = str_head(rest, str_find(rest, '#'));
	query = str_from_at(rest, str_find(rest, '?') + 1);
	rest = str_head(rest, str_find(rest, '?'));
	if (scheme < rest.n) {
		rest = str_from_at(rest, scheme + 3);
		slash = str_find(rest, '/');
		authority = str_head(rest, slash);
		rest = str_from_at(rest, slash);
	}
	if (!rc)
		rc = put_authority(ev, map, authority);
	if (!rc)
		rc = ottl_map_set(&ev->scratch, map, STR("url.path"), OTTL_VALUE_STRING(rest));
	if (!rc)
		rc = put_part(ev, map, "url.extension", extension_of(rest));
	if (!rc)
		rc = put_part(ev, map, "url.query", query);
	if (!rc)
		rc = put_part(ev, map, "url.fragment", fragment);
	*out = (struct ottl_value){.kind = OTTL_MAP, .map = map};
	return rc;
}

const struct ottl_function ottl_parser_functions[] = {
	{"ParseJSON", run_parse_json, {{"target", PARAM_STRING}}},
	{"ParseKeyValue",
	 run_parse_key_value,
	 {{"target", PARAM_STRING},
	  {"delimiter", PARAM_STRING, .optional = true},
	  {"pair_delimiter", PARAM_STRING, .optional = true}}},
	{"ToKeyValueString",
	 run_to_key_value,
	 {{"target", PARAM_MAP},
	  {"delimiter", PARAM_STRING, .optional = true},
	  {"pair_delimiter", PARAM_STRING, .optional = true},
	  {"sort_output", PARAM_BOOL, .optional = true}}},
	{"ParseCSV",
	 run_parse_csv,
	 {{"target", PARAM_STRING},
	  {"header", PARAM_STRING},
	  {"delimiter", PARAM_STRING, .optional = true},
	  {"header_delimiter", PARAM_STRING, .optional = true},
	  {"mode", PARAM_CHOICE, .optional = true, .choices = "strict|lazyQuotes|ignoreQuotes"}}},
	{"URL", run_url, {{"url", PARAM_STRING}}},
	{.name = NULL},
};
