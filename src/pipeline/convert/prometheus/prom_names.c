/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A name is split into tokens at all characters that Prometheus' names cannot have, and joined by
 * `_`. Unit and type are tokens at the end, which are not repeated.
 */
#include "pipeline/convert/prometheus/prom_names.h"

#include <errno.h>

#include "base/buf.h"
#include "base/container/vec.h"
#include "pipeline/convert/prometheus/prom_units.h"

bool prom_strategy_find(struct str name, bool suffixes, enum prom_strategy *out)
{
	static const struct str names[] = {STR_INIT("UnderscoreEscapingWithSuffixes"),
					   STR_INIT("UnderscoreEscapingWithoutSuffixes"),
					   STR_INIT("NoUTF8EscapingWithSuffixes"),
					   STR_INIT("NoTranslation")};

	*out = suffixes ? PROM_ESCAPE_WITH_SUFFIXES : PROM_ESCAPE_WITHOUT_SUFFIXES;
	for (unsigned i = 0; i < countof(names); i++)
		if (str_eq(name, names[i])) {
			*out = (enum prom_strategy)i;
			return true;
		}
	return !name.n;
}

static bool is_digit(char c)
{
	return c >= '0' && c <= '9';
}

static bool is_letter(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

bool prom_name_is_plain(struct str name, bool label)
{
	if (!name.n || is_digit(name.p[0]))
		return false;
	for (size_t i = 0; i < name.n; i++) {
		char c = name.p[i];

		if (!is_letter(c) && !is_digit(c) && c != '_' && (label || c != ':'))
			return false;
	}
	return true;
}

struct name_tokens {
	VEC(struct str) list;
	struct arena *arena;
	int rc;
};

static bool has_token(const struct name_tokens *t, struct str token)
{
	for (uint32_t i = 0; i < t->list.n; i++)
		if (str_eq(t->list.at[i], token))
			return true;
	return false;
}

static void add_token(struct name_tokens *t, struct str token)
{
	if (!t->rc && token.n)
		t->rc = vec_push(t->arena, &t->list, token);
}

static void split_tokens(struct name_tokens *t, struct str text)
{
	size_t from = 0;

	for (size_t i = 0; i <= text.n; i++) {
		char c = i < text.n ? text.p[i] : 0;

		if (is_letter(c) || is_digit(c) || c == ':')
			continue;
		add_token(t, str_head(str_from_at(text, from), i - from));
		from = i + 1;
	}
}

/* Move a token to the end, or add it. */
static void end_with_token(struct name_tokens *t, struct str token)
{
	uint32_t kept = 0;

	for (uint32_t i = 0; i < t->list.n; i++)
		if (!str_eq(t->list.at[i], token))
			t->list.at[kept++] = t->list.at[i];
	t->list.n = kept;
	add_token(t, token);
}

/* Return the words of a unit before and after the `/`, in the arena. */
static int unit_words(struct str unit, struct str *main, struct str *per, struct arena *arena)
{
	struct buf word = {0};
	size_t at;
	int rc;

	prom_unit_word(&word, unit);
	rc = buf_error(&word);
	if (!rc)
		rc = arena_copy_str(arena, buf_str(&word), main);
	buf_fini(&word);
	if (rc)
		return rc;
	at = str_starts(*main, STR("per_")) ? 0 : str_find_str(*main, STR("_per_"));
	*per = at < main->n ? str_from_at(*main, at + (at > 0)) : (struct str){0};
	*main = str_head(*main, at);
	return 0;
}

static int join_tokens(struct str *out, const struct name_tokens *t)
{
	struct buf name = {0};
	int rc;

	for (uint32_t i = 0; i < t->list.n; i++) {
		if (i || is_digit(t->list.at[0].p[0]))
			buf_put_char(&name, '_');
		buf_put_str(&name, t->list.at[i]);
	}
	rc = buf_error(&name);
	if (!rc && name.n)
		rc = arena_copy_str(t->arena, buf_str(&name), out);
	buf_fini(&name);
	return rc;
}

/* Append `_word` unless the name ends with it. */
static void put_suffix(struct buf *name, struct str word)
{
	struct str all = buf_str(name);

	if (!word.n || (str_ends(all, word) && all.n > word.n && all.p[all.n - word.n - 1] == '_'))
		return;
	buf_put_char(name, '_');
	buf_put_str(name, word);
}

static int utf8_metric_name(struct str *out, bool suffixes, struct str prefix, struct str text,
			    struct str unit, enum prom_suffix suffix, struct arena *arena)
{
	struct str main, per;
	struct buf name = {0};
	int rc = unit_words(unit, &main, &per, arena);

	if (rc || !text.n)
		return rc;
	if (prefix.n) {
		buf_put_str(&name, prefix);
		buf_put_char(&name, '_');
	}
	buf_put_str(&name, text);
	if (suffixes) {
		put_suffix(&name, main);
		put_suffix(&name, per);
		if (suffix == PROM_SUFFIX_TOTAL)
			put_suffix(&name, STR("total"));
		if (suffix == PROM_SUFFIX_GAUGE && str_eq(unit, STR("1")))
			put_suffix(&name, STR("ratio"));
	}
	rc = buf_error(&name);
	if (!rc)
		rc = arena_copy_str(arena, buf_str(&name), out);
	buf_fini(&name);
	return rc;
}

int prom_metric_name(struct str *out, enum prom_strategy strategy, struct str prefix,
		     struct str name, struct str unit, enum prom_suffix suffix, struct arena *arena)
{
	struct name_tokens t = {.arena = arena};
	struct str main, per;
	int rc;

	*out = (struct str){0};
	if (strategy == PROM_UTF8_WITH_SUFFIXES || strategy == PROM_NO_TRANSLATION)
		return utf8_metric_name(out, strategy == PROM_UTF8_WITH_SUFFIXES, prefix, name,
					unit, suffix, arena);
	split_tokens(&t, name);
	if (t.rc || !t.list.n)
		return t.rc;
	if (prefix.n) {
		struct name_tokens all = {.arena = arena};

		split_tokens(&all, prefix);
		for (uint32_t i = 0; i < t.list.n; i++)
			add_token(&all, t.list.at[i]);
		t = all;
	}
	if (strategy == PROM_ESCAPE_WITH_SUFFIXES) {
		rc = unit_words(unit, &main, &per, arena);
		if (rc)
			return rc;
		if (!has_token(&t, main))
			add_token(&t, main);
		if (!has_token(&t, per) &&
		    !(per.n > 4 && has_token(&t, STR("per")) && has_token(&t, str_from_at(per, 4))))
			add_token(&t, per);
		if (suffix == PROM_SUFFIX_TOTAL)
			end_with_token(&t, STR("total"));
		if (suffix == PROM_SUFFIX_GAUGE && str_eq(unit, STR("1")))
			end_with_token(&t, STR("ratio"));
	}
	return t.rc ? t.rc : join_tokens(out, &t);
}

int prom_label_name(struct str *out, enum prom_strategy strategy, struct str name,
		    struct arena *arena)
{
	bool reserved = name.n && name.p[0] == '_' && !(name.n > 1 && name.p[1] == '_');
	char *copy;
	size_t prefix;

	*out = name;
	if (strategy == PROM_UTF8_WITH_SUFFIXES || strategy == PROM_NO_TRANSLATION ||
	    (prom_name_is_plain(name, true) && !reserved) || !name.n)
		return 0;
	copy = arena_alloc(arena, name.n + 4, 1);
	if (!copy)
		return -ENOMEM;
	for (size_t i = 0; i < name.n; i++)
		copy[4 + i] = is_letter(name.p[i]) || is_digit(name.p[i]) ? name.p[i] : '_';
	reserved = copy[4] == '_' && !(name.n > 1 && copy[5] == '_');
	prefix = reserved || is_digit(copy[4]) ? reserved ? 3 : 4 : 0;
	memcpy(copy + 4 - prefix, "key_", prefix);
	*out = str_of(copy + 4 - prefix, name.n + prefix);
	return 0;
}
