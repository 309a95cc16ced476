/* SPDX-License-Identifier: Apache-2.0 */
/* Names are taken apart without allocation, then compared with each pattern of the table. */
#include "query/findings/finding_names.h"

#include <ctype.h>

#include "query/findings/finding_name_table.h"

static bool is_digit(char c)
{
	return c >= '0' && c <= '9';
}

/* Return the length of `s` without ":123" or ":-1" at its end; s.n if there is none. */
static size_t without_line(struct str s)
{
	size_t n = s.n;

	while (n && is_digit(s.p[n - 1]))
		n--;
	if (n == s.n)
		return s.n;
	if (n && s.p[n - 1] == '-')
		n--;
	return n && s.p[n - 1] == ':' && (n < 2 || s.p[n - 2] != ':') ? n - 1 : s.n;
}

/* Split "FILE:LINE - FUNCTION" and "FILE:FUNCTION:LINE". */
static void split_place(struct finding_name *name)
{
	struct str text = name->function;
	size_t dash = str_find_str(text, STR(" - ")), colon;
	struct str head = str_head(text, dash);

	if (dash < text.n && without_line(head) < head.n) {
		name->file = str_head(head, without_line(head));
		name->function = str_from_at(text, dash + 3);
		return;
	}
	head = str_head(text, without_line(text));
	colon = str_find_last(head, ':');
	if (head.n < text.n && colon < head.n && (!colon || head.p[colon - 1] != ':')) {
		if (colon)
			name->file = str_head(head, colon);
		name->function = str_from_at(head, colon + 1);
	}
}

/* Return the name up to its arguments; "(*T)" of Go and "(idle)" of V8 are no arguments. */
static struct str without_arguments(struct str s)
{
	for (size_t i = 1; i < s.n; i++) {
		char before = s.p[i - 1];

		if (s.p[i] == '(' && (isalnum((unsigned char)before) || before == '_' ||
				      before == '>' || before == ']' || before == '$'))
			return str_head(s, i);
	}
	return s;
}

static bool is_java_file(struct str file)
{
	return str_ends(file, STR(".java")) || str_ends(file, STR(".kt")) ||
	       str_ends(file, STR(".scala")) || str_ends(file, STR(".groovy"));
}

struct finding_name finding_name_of(const struct frame_name *name)
{
	struct finding_name out = {name->text, name->file};

	split_place(&out);
	out.function = without_arguments(out.function);
	if (is_java_file(out.file)) {
		size_t space = str_find_last(out.function, ' ');

		if (space < out.function.n)
			out.function = str_from_at(out.function, space + 1);
	}
	return out;
}

static bool is_same_char(char pattern, char text)
{
	return pattern == text || (pattern == '/' && text == '.') ||
	       (pattern == '.' && text == '/');
}

bool finding_pattern_matches(const char *pattern, struct str text)
{
	const char *star = NULL; /* the last one, and the text that follows what it matched */
	size_t at = 0, after = 0;

	while (at < text.n) {
		if (*pattern == '*') {
			star = pattern++;
			after = at;
			if (!*pattern)
				return true;
		} else if (*pattern && is_same_char(*pattern, text.p[at])) {
			pattern++;
			at++;
		} else if (star) {
			pattern = star + 1;
			at = ++after;
		} else {
			return false;
		}
	}
	while (*pattern == '*')
		pattern++;
	return !*pattern;
}

/* Return whether the file is of another language than C, C++ and Rust. */
static bool is_foreign_file(struct str file)
{
	static const struct str ends[] = {
		STR_INIT(".py"),  STR_INIT(".js"),  STR_INIT(".ts"), STR_INIT(".mjs"),
		STR_INIT(".cjs"), STR_INIT(".tsx"), STR_INIT(".rb"), STR_INIT(".php"),
		STR_INIT(".go"),  STR_INIT(".s"),   STR_INIT(".cs"), STR_INIT(".jsx"),
		STR_INIT(".ex"),  STR_INIT(".lua"), STR_INIT(".pl"), STR_INIT(".erl"),
	};

	for (size_t i = 0; i < countof(ends); i++)
		if (str_ends(file, ends[i]))
			return true;
	return is_java_file(file) || str_starts(file, STR("<frozen")) ||
	       str_starts(file, STR("node:"));
}

static bool is_hex(struct str s)
{
	for (size_t i = 0; i < s.n; i++)
		if (!isxdigit((unsigned char)s.p[i]))
			return false;
	return s.n > 0;
}

/* Return whether a name is an address, as frames.c shows it, or what profilers put in its place. */
static bool is_unknown(struct str text, const struct frame_name *name)
{
	size_t plus = str_find_str(text, STR("+0x"));

	if (str_starts(text, STR("0x")))
		return is_hex(str_from_at(text, 2));
	if (plus < text.n && is_hex(str_from_at(text, plus + 3)))
		return !str_starts(text, STR("linux-vdso")) && !str_starts(text, STR("[vdso]"));
	return str_eq(text, STR("[unknown]")) || str_eq(text, STR("<unknown>")) ||
	       (str_eq(text, STR("??")) && !name->file.n);
}

static uint32_t roles_of_language(const struct finding_pattern *p, const struct finding_name *name,
				  struct str module)
{
	for (; p->function; p++) {
		char first = p->function[0];

		if (first != '*' &&
		    (!name->function.n || !is_same_char(first, name->function.p[0])))
			continue;
		if (finding_pattern_matches(p->function, name->function) &&
		    (!p->file || finding_pattern_matches(p->file, name->file) ||
		     finding_pattern_matches(p->file, module)))
			return p->roles;
	}
	return 0;
}

uint32_t finding_roles(const struct frame_name *name, enum finding_language *language)
{
	struct finding_name parts = finding_name_of(name);
	bool foreign = is_foreign_file(parts.file);
	uint32_t roles = 0;

	*language = LANGUAGE_ANY;
	if (is_unknown(name->text, name))
		return ROLE_UNKNOWN;
	for (size_t i = 0; i < finding_patterns_count; i++) {
		const struct finding_patterns *p = &finding_patterns[i];
		bool compiled = p->language == LANGUAGE_NATIVE || p->language == LANGUAGE_RUST;
		uint32_t found =
			compiled && foreign ? 0 : roles_of_language(p->at, &parts, name->module);

		if (found && !roles)
			*language = p->language;
		roles |= found;
	}
	return roles;
}
