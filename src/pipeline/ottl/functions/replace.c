/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Replacement of what a regular expression or a glob matches. Globs are translated into regular
 * expressions. A converter that is given is applied to each replacement, and a format to its
 * result.
 */
#include "pipeline/ottl/functions/replace.h"

#include <errno.h>

enum { GROUPS_MAX = 200 };

/* A replacement that is prepared for many texts. */
struct replacer {
	struct ottl_eval *ev;
	struct regex *regex;
	struct str text;		  /* with $1 and ${name}, unless `plain` */
	const struct ottl_node *function; /* NULL: none */
	struct str format;		  /* empty: none */
	bool plain;			  /* a glob: the whole text is replaced */
	struct str groups[GROUPS_MAX + 1];
};

/* ---- templates ---- */

static bool is_word(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
	       c == '_';
}

/* Cut the name of a group, which follows a $, from *rest. Return false if there is none. */
static bool cut_group(struct str *rest, struct str *name)
{
	bool braces = rest->n && rest->p[0] == '{';
	struct str s = braces ? str_from_at(*rest, 1) : *rest;
	size_t n = 0;

	while (n < s.n && is_word(s.p[n]))
		n++;
	if (!n || (braces && (n == s.n || s.p[n] != '}')))
		return false;
	*name = str_head(s, n);
	*rest = str_from_at(s, n + braces);
	return true;
}

/* Return the text of a group by number or name; empty if there is no such group. */
static struct str group_text(const struct replacer *x, struct str name)
{
	uint32_t count = regex_group_count(x->regex);
	uint64_t number;

	if (!str_to_u64(name, 10, &number))
		return number <= count ? x->groups[number] : (struct str){0};
	for (uint32_t i = 1; i <= count; i++)
		if (str_eq(regex_group_name(x->regex, i), name))
			return x->groups[i];
	return (struct str){0};
}

static void expand_template(const struct replacer *x, struct buf *out)
{
	struct str rest = x->text, name;

	while (rest.n) {
		size_t dollar = x->plain ? rest.n : str_find(rest, '$');

		buf_put_str(out, str_head(rest, dollar));
		rest = str_from_at(rest, dollar + 1);
		if (!rest.n) {
			if (dollar < x->text.n && x->text.p[x->text.n - 1] == '$' && !x->plain)
				buf_put_char(out, '$');
			break;
		}
		if (rest.p[0] == '$') {
			buf_put_char(out, '$');
			rest = str_from_at(rest, 1);
		} else if (cut_group(&rest, &name)) {
			buf_put_str(out, group_text(x, name));
		} else {
			buf_put_char(out, '$');
		}
	}
}

/* Append `format` with its first %s replaced by the text. */
static void put_formatted(struct buf *out, struct str format, struct str text)
{
	size_t at = str_find_str(format, STR("%s"));

	buf_put_str(out, str_head(format, at));
	if (at < format.n)
		buf_put_str(out, text);
	buf_put_str(out, str_from_at(format, at + 2));
}

/* Append the replacement of the current match. */
static int put_replacement(const struct replacer *x, struct buf *out)
{
	struct buf text = ottl_text_buf(x->ev);
	struct ottl_value v, result;
	int rc;

	if (!x->function) {
		expand_template(x, out);
		return 0;
	}
	expand_template(x, &text);
	rc = ottl_return_text(x->ev, &text, &v);
	if (!rc)
		rc = ottl_apply(x->ev, x->function, &v, &result);
	if (!rc && result.kind != OTTL_STRING)
		return ottl_fail(x->ev, "expected string but got %s: replacement function",
				 ottl_kind_names[result.kind]);
	if (rc)
		return rc;
	if (x->format.n)
		put_formatted(out, x->format, result.s);
	else
		buf_put_str(out, result.s);
	return 0;
}

/* ---- matching ---- */

static size_t char_size(struct str s, size_t at)
{
	size_t n = 1;

	while (at + n < s.n && ((unsigned char)s.p[at + n] & 0xc0) == 0x80)
		n++;
	return n;
}

/*
 * Replace all matches in a text. An empty match next to the previous match is no match. Return 1 if
 * there was a match, 0 if not, or an error.
 */
static int replace_in(struct replacer *x, struct str in, struct buf *out)
{
	size_t at = 0, copied = 0;
	bool matched = false, adjacent = false;

	while (at <= in.n) {
		int rc = regex_capture(x->regex, in, at, x->groups, x->ev->e);
		size_t start, end;

		if (rc < 0)
			return rc;
		if (!rc)
			break;
		start = (size_t)(x->groups[0].p - in.p);
		end = start + x->groups[0].n;
		if (end > start || !adjacent || start != copied) {
			buf_put_str(out, str_of(in.p + copied, start - copied));
			rc = put_replacement(x, out);
			if (rc)
				return rc;
			copied = end;
			matched = true;
		}
		adjacent = true;
		at = end > start ? end : end + char_size(in, end);
	}
	if (in.n > copied)
		buf_put_str(out, str_of(in.p + copied, in.n - copied));
	return matched;
}

/* Replace in *s. Return 1 with a new text in the scratch memory, 0 for no match, or an error. */
static int replace_text(struct replacer *x, struct str *s)
{
	struct buf text = ottl_text_buf(x->ev);
	struct str in = s->p ? *s : STR("");
	struct ottl_value v;
	int rc = replace_in(x, in, &text), failed;

	if (rc != 1) {
		buf_fini(&text);
		return rc;
	}
	failed = ottl_return_text(x->ev, &text, &v);
	*s = v.s;
	return failed ? failed : 1;
}

/* ---- globs ---- */

/* Append a set of characters: [abc], [!a-z]. Return the rest after it. */
static struct str put_glob_set(struct buf *out, struct str rest)
{
	size_t end = str_find(rest, ']');

	if (end >= rest.n) {
		buf_put_str(out, STR("\\["));
		return rest;
	}
	buf_put_char(out, '[');
	for (size_t i = 0; i < end; i++) {
		bool negation = !i && rest.p[i] == '!';

		if (negation || strchr("\\[^", rest.p[i]))
			buf_put_char(out, negation ? '^' : '\\');
		if (!negation)
			buf_put_char(out, rest.p[i]);
	}
	buf_put_char(out, ']');
	return str_from_at(rest, end + 1);
}

/* Translate a glob: *, ?, [set], {either,or}, and \ before any of them. */
static int glob_pattern(struct ottl_eval *ev, struct str glob, struct str *out)
{
	struct buf b = ottl_text_buf(ev);
	struct ottl_value v;
	unsigned braces = 0;
	int rc;

	buf_put_str(&b, STR("(?s)\\A(?:"));
	while (glob.n) {
		char c = glob.p[0];

		glob = str_from_at(glob, 1);
		if (c == '*' || c == '?') {
			buf_put_str(&b, c == '*' ? STR(".*") : STR("."));
		} else if (c == '[') {
			glob = put_glob_set(&b, glob);
		} else if (c == '{') {
			buf_put_str(&b, STR("(?:"));
			braces++;
		} else if (braces && (c == ',' || c == '}')) {
			buf_put_char(&b, c == ',' ? '|' : ')');
			braces -= c == '}';
		} else {
			if (c == '\\' && glob.n) {
				c = glob.p[0];
				glob = str_from_at(glob, 1);
			}
			if (strchr("\\^$.|?*+()[]{}", c) && c)
				buf_put_char(&b, '\\');
			buf_put_char(&b, c);
		}
	}
	buf_put_str(&b, STR(")\\z"));
	rc = ottl_return_text(ev, &b, &v);
	*out = v.s;
	return rc;
}

/* ---- the functions ---- */

/* Prepare a replacement by the arguments from `first` on: pattern, replacement, function, format. */
static int prepare_replacer(struct replacer *x, struct ottl_eval *ev, struct ottl_args *a,
			    unsigned first, bool glob)
{
	struct str pattern = a->v[first].s;
	int rc = glob ? glob_pattern(ev, pattern, &pattern) : 0;

	x->ev = ev;
	x->plain = glob;
	x->text = a->v[first + 1].s;
	x->function = a->given[first + 2] ? a->node[first + 2] : NULL;
	x->format = a->given[first + 3] ? a->v[first + 3].s : (struct str){0};
	if (!rc)
		rc = ottl_regex_of(ev, a->site, pattern, &x->regex);
	if (!rc && regex_group_count(x->regex) > GROUPS_MAX)
		rc = ottl_fail(ev, "the regular expression has more than %d groups", GROUPS_MAX);
	return rc;
}

static int replace_target(struct ottl_eval *ev, struct ottl_args *a, bool glob)
{
	struct ottl_value old;
	struct replacer x;
	int rc = ottl_path_get(ev, a->node[0], &old);

	if (rc || old.kind != OTTL_STRING)
		return rc;
	rc = prepare_replacer(&x, ev, a, 1, glob);
	if (!rc)
		rc = replace_text(&x, &old.s);
	return rc == 1 ? ottl_path_set(ev, a->node[0], &old) : rc;
}

static int run_replace_pattern(struct ottl_eval *ev, struct ottl_args *a, struct ottl_value *out)
{
	(void)out;
	return replace_target(ev, a, false);
}

static int run_replace_match(struct ottl_eval *ev, struct ottl_args *a, struct ottl_value *out)
{
	(void)out;
	return replace_target(ev, a, true);
}

static void remove_pair(struct ottl_map *map, uint32_t i)
{
	map->pairs.n--;
	memmove(&map->pairs.at[i], &map->pairs.at[i + 1],
		(map->pairs.n - i) * sizeof(map->pairs.at[0]));
}

/* Rename a key; a pair that has the new key already is replaced. */
static int replace_key(struct replacer *x, struct ottl_args *a, uint32_t *i)
{
	struct str key = a->map->pairs.at[*i].key;
	int rc = replace_text(x, &key);

	if (rc != 1 || str_eq(key, a->map->pairs.at[*i].key))
		return rc < 0 ? rc : 0;
	if (arena_copy_str(a->ref.arena, key, &key))
		return -ENOMEM;
	for (uint32_t k = 0; k < a->map->pairs.n; k++) {
		if (k == *i || !str_eq(a->map->pairs.at[k].key, key))
			continue;
		remove_pair(a->map, k);
		*i -= k < *i;
		break;
	}
	a->map->pairs.at[*i].key = key;
	a->map->pairs.at[*i].raw = (struct str){0};
	ottl_ref_changed(&a->ref);
	return 0;
}

static int replace_value(struct replacer *x, struct ottl_args *a, struct ottl_pair *pair)
{
	struct str text = pair->value.s;
	int rc = pair->value.kind == OTTL_STRING ? replace_text(x, &text) : 0;

	if (rc != 1 || str_eq(text, pair->value.s))
		return rc < 0 ? rc : 0;
	if (arena_copy_str(a->ref.arena, text, &pair->value.s))
		return -ENOMEM;
	pair->raw = (struct str){0};
	ottl_ref_changed(&a->ref);
	return 0;
}

static int run_replace_all_patterns(struct ottl_eval *ev, struct ottl_args *a,
				    struct ottl_value *out)
{
	bool keys = str_eq(a->v[1].s, STR("key"));
	struct replacer x;
	int rc = prepare_replacer(&x, ev, a, 2, false);

	(void)out;
	for (uint32_t i = 0; i < a->map->pairs.n && !rc; i++)
		rc = keys ? replace_key(&x, a, &i) : replace_value(&x, a, &a->map->pairs.at[i]);
	return rc;
}

static int run_replace_all_matches(struct ottl_eval *ev, struct ottl_args *a,
				   struct ottl_value *out)
{
	struct replacer x;
	int rc = prepare_replacer(&x, ev, a, 1, true);

	(void)out;
	for (uint32_t i = 0; i < a->map->pairs.n && !rc; i++)
		rc = replace_value(&x, a, &a->map->pairs.at[i]);
	return rc;
}

#define REPLACEMENT                                                                                \
	{"replacement", PARAM_STRING}, {"function", PARAM_FUNCTION, .optional = true},             \
	{                                                                                          \
		"replacement_format", PARAM_STRING, .optional = true                               \
	}

const struct ottl_function ottl_replace_editors[] = {
	{"replace_pattern",
	 run_replace_pattern,
	 {{"target", PARAM_TARGET}, {"regex", PARAM_PATTERN}, REPLACEMENT}},
	{"replace_match",
	 run_replace_match,
	 {{"target", PARAM_TARGET}, {"pattern", PARAM_STRING}, REPLACEMENT}},
	{"replace_all_patterns",
	 run_replace_all_patterns,
	 {{"target", PARAM_TARGET_MAP},
	  {"mode", PARAM_CHOICE, .choices = "key|value"},
	  {"regex", PARAM_PATTERN},
	  REPLACEMENT}},
	{"replace_all_matches",
	 run_replace_all_matches,
	 {{"target", PARAM_TARGET_MAP}, {"pattern", PARAM_STRING}, REPLACEMENT}},
	{.name = NULL},
};
