/* SPDX-License-Identifier: Apache-2.0 */
/* Converters of strings. Results are in the arena of the evaluation. */
#include "pipeline/ottl/functions/strings.h"

#include <ctype.h>
#include <errno.h>
#include <string.h>

static int return_str(struct ottl_value *out, struct str s)
{
	*out = OTTL_VALUE_STRING(s);
	return 0;
}

static int return_yes(struct ottl_value *out, bool yes)
{
	*out = OTTL_VALUE_BOOL(yes);
	return 0;
}

/* ---- tests ---- */

static int run_is_match(struct ottl_eval *ev, struct ottl_args *a, struct ottl_value *out)
{
	struct regex *regex;
	int rc;

	*out = OTTL_VALUE_BOOL(false);
	if (a->v[0].kind == OTTL_NIL)
		return 0;
	rc = ottl_regex_of(ev, a->site, a->v[1].s, &regex);
	if (!rc)
		rc = regex_match(regex, a->v[0].s, ev->e);
	if (rc < 0)
		return rc;
	return return_yes(out, rc == 1);
}

static int run_has_prefix(struct ottl_eval *ev, struct ottl_args *a, struct ottl_value *out)
{
	(void)ev;
	return return_yes(out, str_starts(a->v[0].s, a->v[1].s));
}

static int run_has_suffix(struct ottl_eval *ev, struct ottl_args *a, struct ottl_value *out)
{
	(void)ev;
	return return_yes(out, str_ends(a->v[0].s, a->v[1].s));
}

/* ---- joining and splitting ---- */

static int run_concat(struct ottl_eval *ev, struct ottl_args *a, struct ottl_value *out)
{
	struct buf b = ottl_text_buf(ev);
	const struct ottl_list *list = a->v[0].list;

	for (uint32_t i = 0; i < list->items.n; i++) {
		struct str text = STR("<nil>");
		int rc = list->items.at[i].kind == OTTL_NIL
				 ? 0
				 : ottl_text_of(ev, &list->items.at[i], &text);

		if (rc) {
			buf_fini(&b);
			return rc;
		}
		if (i)
			buf_put_str(&b, a->v[1].s);
		buf_put_str(&b, text);
	}
	return ottl_return_text(ev, &b, out);
}

/* Cut *rest at the delimiter; an empty one cuts after each character. */
static struct str cut_at(struct str *rest, struct str delimiter, bool *more)
{
	size_t at = delimiter.n ? str_find_str(*rest, delimiter) : 1;
	struct str part;

	while (!delimiter.n && at < rest->n && ((unsigned char)rest->p[at] & 0xc0) == 0x80)
		at++;
	part = str_head(*rest, at);
	*more = at < rest->n;
	*rest = str_from_at(*rest, at + delimiter.n);
	return part;
}

static int run_split(struct ottl_eval *ev, struct ottl_args *a, struct ottl_value *out)
{
	struct ottl_list *list = ottl_list_new(&ev->scratch);
	struct str rest = a->v[0].s;
	bool more = a->v[1].s.n || rest.n;
	int rc = list ? 0 : -ENOMEM;

	while (more && !rc) {
		struct str part = cut_at(&rest, a->v[1].s, &more);

		rc = ottl_list_add(&ev->scratch, list, OTTL_VALUE_STRING(part));
	}
	*out = (struct ottl_value){.kind = OTTL_LIST, .list = list};
	return rc;
}

static bool in_set(char c, struct str set)
{
	return str_find(set, c) < set.n;
}

static int run_trim(struct ottl_eval *ev, struct ottl_args *a, struct ottl_value *out)
{
	struct str s = a->v[0].s, set = a->given[1] ? a->v[1].s : STR(" ");

	(void)ev;
	while (s.n && in_set(s.p[0], set))
		s = str_from_at(s, 1);
	while (s.n && in_set(s.p[s.n - 1], set))
		s.n--;
	return return_str(out, s);
}

static int run_trim_prefix(struct ottl_eval *ev, struct ottl_args *a, struct ottl_value *out)
{
	bool found = str_starts(a->v[0].s, a->v[1].s);

	(void)ev;
	return return_str(out, found ? str_from_at(a->v[0].s, a->v[1].s.n) : a->v[0].s);
}

static int run_trim_suffix(struct ottl_eval *ev, struct ottl_args *a, struct ottl_value *out)
{
	bool found = str_ends(a->v[0].s, a->v[1].s);

	(void)ev;
	return return_str(out, found ? str_head(a->v[0].s, a->v[0].s.n - a->v[1].s.n) : a->v[0].s);
}

static int run_substring(struct ottl_eval *ev, struct ottl_args *a, struct ottl_value *out)
{
	int64_t start = a->v[1].i, length = a->v[2].i, size = (int64_t)a->v[0].s.n;

	if (start < 0)
		return ottl_fail(ev,
				 "invalid start for substring function, %lld cannot be negative",
				 (long long)start);
	if (length <= 0)
		return ottl_fail(ev,
				 "invalid length for substring function, %lld cannot be negative "
				 "or zero",
				 (long long)length);
	if (start > size || length > size - start)
		return ottl_fail(ev,
				 "invalid range for substring function, %lld cannot be greater "
				 "than the length of target string(%lld)",
				 (long long)(start > size ? start : start + length),
				 (long long)size);
	return return_str(out, str_of(a->v[0].s.p + start, (size_t)length));
}

/* ---- case ---- */

/* Change ASCII letters and the two-byte letters of Latin-1, Greek and Cyrillic. */
static uint32_t change_case(uint32_t c, bool upper)
{
	bool latin = c != 0xd7 && c != 0xf7 && c != 0xdf && c != 0xff;

	if (c < 0x80)
		return (uint32_t)(upper ? toupper((int)c) : tolower((int)c));
	if (upper) {
		if ((c >= 0xe0 && c <= 0xfe && latin) || (c >= 0x3b1 && c <= 0x3c9 && c != 0x3c2) ||
		    (c >= 0x430 && c <= 0x44f))
			return c - 32;
		return c >= 0x450 && c <= 0x45f ? c - 80 : c;
	}
	if ((c >= 0xc0 && c <= 0xde && latin) || (c >= 0x391 && c <= 0x3a9 && c != 0x3a2) ||
	    (c >= 0x410 && c <= 0x42f))
		return c + 32;
	return c >= 0x400 && c <= 0x40f ? c + 80 : c;
}

static int convert_case(struct ottl_eval *ev, struct str s, bool upper, struct ottl_value *out)
{
	char *text = arena_alloc(&ev->scratch, max_size(s.n, 1), 1);

	if (!text)
		return -ENOMEM;
	for (size_t i = 0; i < s.n; i++) {
		unsigned char c = (unsigned char)s.p[i];
		uint32_t code;

		if ((c & 0xe0) != 0xc0 || i + 1 == s.n) {
			text[i] = c < 0x80 ? (char)change_case(c, upper) : (char)c;
			continue;
		}
		code = change_case((uint32_t)(c & 0x1f) << 6 | ((unsigned char)s.p[i + 1] & 0x3f),
				   upper);
		text[i] = (char)(0xc0 | code >> 6);
		text[++i] = (char)(0x80 | (code & 0x3f));
	}
	return return_str(out, str_of(text, s.n));
}

static int run_to_lower(struct ottl_eval *ev, struct ottl_args *a, struct ottl_value *out)
{
	return convert_case(ev, a->v[0].s, false, out);
}

static int run_to_upper(struct ottl_eval *ev, struct ottl_args *a, struct ottl_value *out)
{
	return convert_case(ev, a->v[0].s, true, out);
}

/* Return whether a new word begins at s.p[i]: aB, ABc before B, a1 does not. */
static bool word_begins(struct str s, size_t i)
{
	bool next_small = i + 1 < s.n && islower((unsigned char)s.p[i + 1]);
	unsigned char c = (unsigned char)s.p[i], before = i ? (unsigned char)s.p[i - 1] : 0;

	return i && isupper(c) &&
	       (islower(before) || isdigit(before) || (isupper(before) && next_small));
}

static int snake_case(struct ottl_eval *ev, struct str s, struct ottl_value *out)
{
	struct buf b = ottl_text_buf(ev);

	for (size_t i = 0; i < s.n; i++) {
		bool separator = strchr(" -._", s.p[i]) && s.p[i];

		if (separator || (word_begins(s, i) && b.n && b.p[b.n - 1] != '_'))
			buf_put_char(&b, '_');
		if (!separator)
			buf_put_char(&b, (char)tolower((unsigned char)s.p[i]));
	}
	return ottl_return_text(ev, &b, out);
}

static int camel_case(struct ottl_eval *ev, struct str s, struct ottl_value *out)
{
	struct buf b = ottl_text_buf(ev);
	bool begin = true;

	for (size_t i = 0; i < s.n; i++) {
		unsigned char c = (unsigned char)s.p[i];

		if (c && strchr(" -._", c)) {
			begin = true;
			continue;
		}
		buf_put_char(&b, (char)(begin ? toupper(c) : c));
		begin = false;
	}
	return ottl_return_text(ev, &b, out);
}

static int run_convert_case(struct ottl_eval *ev, struct ottl_args *a, struct ottl_value *out)
{
	struct str to = a->v[1].s;

	if (str_eq(to, STR("lower")) || str_eq(to, STR("upper")))
		return convert_case(ev, a->v[0].s, str_eq(to, STR("upper")), out);
	return str_eq(to, STR("snake")) ? snake_case(ev, a->v[0].s, out)
					: camel_case(ev, a->v[0].s, out);
}

/* ---- Format ---- */

/* Append a number by a directive as %5d or %.2f, which is checked to be one of numbers. */
static int put_number(struct ottl_eval *ev, struct buf *b, struct str directive,
		      const struct ottl_value *v)
{
	char format[24], verb = directive.p[directive.n - 1];
	size_t n = directive.n - 1;

	if (n + 4 > sizeof(format))
		return ottl_fail(ev, "the directive \"%.*s\" is too long", STR_ARG(directive));
	memcpy(format, directive.p, n);
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
	if (strchr("dxXo", verb) && v->kind == OTTL_INT) {
		memcpy(format + n, (char[]){'l', 'l', verb, 0}, 4);
		buf_printf(b, format, (long long)v->i);
		return 0;
	}
	if (strchr("feEgG", verb) && v->kind == OTTL_DOUBLE) {
		memcpy(format + n, (char[]){verb, 0}, 2);
		buf_printf(b, format, v->d);
		return 0;
	}
#pragma GCC diagnostic pop
	return ottl_fail(ev, "Format: %.*s does not fit %s", STR_ARG(directive),
			 ottl_kind_names[v->kind]);
}

static int put_directive(struct ottl_eval *ev, struct buf *b, struct str directive,
			 const struct ottl_value *v)
{
	char verb = directive.p[directive.n - 1];
	struct str text;
	int rc;

	if (!strchr("svq", verb))
		return put_number(ev, b, directive, v);
	text = STR("<nil>");
	rc = v->kind == OTTL_NIL ? 0 : ottl_text_of(ev, v, &text);
	if (rc)
		return rc;
	if (verb == 'q')
		buf_put_char(b, '"');
	buf_put_str(b, text);
	if (verb == 'q')
		buf_put_char(b, '"');
	return 0;
}

/* Cut a directive, which begins with %, from *rest: flags, width up to 999, precision, verb. */
static struct str cut_directive(struct str *rest)
{
	size_t n = 1, digits = 0;
	struct str directive;

	while (n < rest->n && strchr("+- #0123456789.", rest->p[n]) && digits <= 6) {
		digits += isdigit((unsigned char)rest->p[n]) != 0;
		n++;
	}
	directive = str_head(*rest, n + 1);
	*rest = str_from_at(*rest, n + 1);
	return directive;
}

static bool is_verb(char c)
{
	return c && strchr("svqdxXofeEgG", c);
}

/* Return whether all numbers in a directive are below 1000, so that the text stays short. */
static bool is_small(struct str directive)
{
	size_t run = 0;

	for (size_t i = 0; i < directive.n; i++) {
		run = isdigit((unsigned char)directive.p[i]) ? run + 1 : 0;
		if (run > 3)
			return false;
	}
	return true;
}

static int put_format(struct ottl_eval *ev, struct buf *b, struct str rest,
		      const struct ottl_list *list)
{
	uint32_t used = 0;
	int rc = 0;

	while (rest.n && !rc) {
		size_t at = str_find(rest, '%');
		struct str directive;

		buf_put_str(b, str_head(rest, at));
		rest = str_from_at(rest, at);
		if (!rest.n)
			break;
		directive = cut_directive(&rest);
		if (str_eq(directive, STR("%%"))) {
			buf_put_char(b, '%');
			continue;
		}
		if (!is_verb(directive.p[directive.n - 1]) || directive.n < 2 ||
		    !is_small(directive))
			return ottl_fail(ev, "Format: unknown directive \"%.*s\"",
					 STR_ARG(directive));
		if (used >= list->items.n)
			return ottl_fail(ev, "Format: there are only %u values", list->items.n);
		rc = put_directive(ev, b, directive, &list->items.at[used++]);
	}
	return rc;
}

static int run_format(struct ottl_eval *ev, struct ottl_args *a, struct ottl_value *out)
{
	struct buf b = ottl_text_buf(ev);
	int rc = put_format(ev, &b, a->v[0].s, a->v[1].list);

	if (!rc)
		return ottl_return_text(ev, &b, out);
	buf_fini(&b);
	return rc;
}

/* ---- patterns ---- */

enum { NAMED_GROUPS_MAX = 200 };

/* Return the texts of the named groups; a map without pairs if there is no match. */
static int run_extract_patterns(struct ottl_eval *ev, struct ottl_args *a, struct ottl_value *out)
{
	struct ottl_map *map = ottl_map_new(&ev->scratch);
	struct str groups[NAMED_GROUPS_MAX + 1];
	struct regex *regex;
	bool named = false;
	int rc = map ? ottl_regex_of(ev, a->site, a->v[1].s, &regex) : -ENOMEM;

	if (rc)
		return rc;
	if (regex_group_count(regex) > NAMED_GROUPS_MAX)
		return ottl_fail(ev, "the regular expression has more than %d groups",
				 NAMED_GROUPS_MAX);
	*out = (struct ottl_value){.kind = OTTL_MAP, .map = map};
	rc = regex_capture(regex, a->v[0].s.p ? a->v[0].s : STR(""), 0, groups, ev->e);
	for (uint32_t i = 1; i <= regex_group_count(regex) && rc >= 0; i++) {
		struct str name = regex_group_name(regex, i);

		named |= name.n > 0;
		if (!name.n || !rc)
			continue;
		if (arena_copy_str(&ev->scratch, name, &name) ||
		    ottl_map_set(&ev->scratch, map, name, OTTL_VALUE_STRING(groups[i])))
			return -ENOMEM;
	}
	if (rc >= 0 && !named)
		return ottl_fail(ev, "at least 1 named capture group must be supplied in the given "
				     "regex");
	return rc < 0 ? rc : 0;
}

const struct ottl_function ottl_string_functions[] = {
	{"IsMatch", run_is_match, {{"target", PARAM_TEXT}, {"pattern", PARAM_PATTERN}}},
	{"HasPrefix", run_has_prefix, {{"value", PARAM_STRING}, {"prefix", PARAM_STRING}}},
	{"HasSuffix", run_has_suffix, {{"value", PARAM_STRING}, {"suffix", PARAM_STRING}}},
	{"Concat", run_concat, {{"values", PARAM_LIST}, {"delimiter", PARAM_STRING}}},
	{"Split", run_split, {{"target", PARAM_STRING}, {"delimiter", PARAM_STRING}}},
	{"Trim",
	 run_trim,
	 {{"target", PARAM_STRING}, {"replacement", PARAM_STRING, .optional = true}}},
	{"TrimPrefix", run_trim_prefix, {{"value", PARAM_STRING}, {"prefix", PARAM_STRING}}},
	{"TrimSuffix", run_trim_suffix, {{"value", PARAM_STRING}, {"suffix", PARAM_STRING}}},
	{"Substring",
	 run_substring,
	 {{"target", PARAM_STRING}, {"start", PARAM_INT}, {"length", PARAM_INT}}},
	{"ToLowerCase", run_to_lower, {{"target", PARAM_STRING}}},
	{"ToUpperCase", run_to_upper, {{"target", PARAM_STRING}}},
	{"ConvertCase",
	 run_convert_case,
	 {{"target", PARAM_STRING},
	  {"to_case", PARAM_CHOICE, .choices = "lower|upper|snake|camel"}}},
	{"Format", run_format, {{"format", PARAM_STRING}, {"args", PARAM_LIST}}},
	{"ExtractPatterns",
	 run_extract_patterns,
	 {{"target", PARAM_STRING}, {"pattern", PARAM_PATTERN}}},
	{.name = NULL},
};
