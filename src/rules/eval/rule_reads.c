/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Which earlier rules of its group an expression may read. It is decided by the text: a rule whose
 * name does not occur in it is not read, unless a selector has no name.
 */
#include <ctype.h>

#include "rules/eval/rule_group.h"

static bool contains(struct str text, struct str part)
{
	return str_find_str(text, part) < text.n;
}

static bool is_word(char c)
{
	return isalnum((unsigned char)c) || c == '_' || c == ':';
}

static bool word_is(struct str a, const char *b)
{
	size_t i = 0;

	while (i < a.n && b[i] && tolower((unsigned char)a.p[i]) == b[i])
		i++;
	return i == a.n && !b[i];
}

/* Return whether the brace at `at` begins a selector that does not follow a name. */
static bool is_nameless(struct str text, size_t at)
{
	static const char *const keywords[] = {"and",	   "or",	 "unless",     "atan2",
					       "bool",	   "by",	 "on",	       "without",
					       "ignoring", "group_left", "group_right"};
	struct str word;
	size_t end, from;

	while (at && isspace((unsigned char)text.p[at - 1]))
		at--;
	for (end = from = at; from && is_word(text.p[from - 1]);)
		from--;
	word = str_of(text.p + from, end - from);
	for (size_t i = 0; i < countof(keywords); i++)
		if (word_is(word, keywords[i]))
			return true;
	return !word.n;
}

/* Return whether the expression may select any series. */
static bool reads_anything(struct str text)
{
	if (contains(text, STR("__name__")) || contains(text, STR("info")) ||
	    str_find(text, '\\') < text.n || str_find(text, '#') < text.n)
		return true;
	for (size_t i = 0; i < text.n; i++)
		if (text.p[i] == '{' && is_nameless(text, i))
			return true;
	return false;
}

/* Templates may execute queries. */
static bool templates_read(const struct rule *rule)
{
	bool reads = false;

	for (uint32_t i = 0; i < rule->label_count && rule->kind == RULE_ALERTING; i++)
		reads |= contains(rule->labels[i].value, STR("query"));
	for (uint32_t i = 0; i < rule->annotation_count; i++)
		reads |= contains(rule->annotations[i].value, STR("query"));
	return reads;
}

uint32_t rule_reads(const struct rule_group_def *g, uint32_t at)
{
	const struct rule *rule = &g->rules[at];

	if (templates_read(rule) || reads_anything(rule->expr))
		return at;
	for (uint32_t i = at; i > 0; i--) {
		const struct rule *earlier = &g->rules[i - 1];
		struct str name = earlier->kind == RULE_ALERTING ? STR("ALERTS") : earlier->name;

		if (contains(rule->expr, name))
			return i;
	}
	return 0;
}
