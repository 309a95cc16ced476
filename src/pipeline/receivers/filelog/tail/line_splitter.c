/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Patterns are searched in windows that grow, because a search checks all of its text for UTF-8, and
 * most entries are much shorter than the buffer. pcre2 reports if more text could change the result.
 */
#include "pipeline/receivers/filelog/tail/line_splitter.h"

enum { SEARCH_WINDOW = 256, LINE_END_MAX = 4 /* \r\n in UTF-16 */ };

int line_splitter_init(struct line_splitter *s, const struct filelog_settings *settings,
		       struct err *e)
{
	const struct filelog_multiline *m = &settings->multiline;
	int rc = 0;

	*s = (struct line_splitter){
		.encoding = filelog_encoding(settings),
		.omit = m->omit,
		.truncate = str_eq(settings->max_log_size_behavior, STR("truncate")),
		.max = (size_t)settings->max_log_size,
	};
	if (m->start.n)
		rc = regex_new(&s->start, m->start, REGEX_LINES, e);
	if (!rc && m->end.n)
		rc = regex_new(&s->end, m->end, REGEX_LINES, e);
	return rc;
}

void line_splitter_fini(struct line_splitter *s)
{
	regex_free(s->start);
	regex_free(s->end);
	s->start = s->end = NULL;
}

/* ---- the ends of entries ---- */

/* The end of an entry: its text, and where the next one begins. */
struct entry_end {
	struct str text;
	size_t next;
};

static bool is_wide(const struct line_splitter *s)
{
	return s->encoding == TEXT_UTF16LE || s->encoding == TEXT_UTF16BE;
}

static bool wide_char_is(const struct line_splitter *s, struct str data, size_t at, char c)
{
	bool big = s->encoding == TEXT_UTF16BE;

	return data.p[at + big] == c && !data.p[at + !big];
}

static bool find_wide_line(const struct line_splitter *s, struct str data, struct entry_end *out)
{
	size_t at = 0;

	while (at + 1 < data.n && !wide_char_is(s, data, at, '\n'))
		at += 2;
	if (at + 1 >= data.n)
		return false;
	out->next = at + 2;
	if (at >= 2 && wide_char_is(s, data, at - 2, '\r'))
		at -= 2;
	out->text = str_head(data, at);
	return true;
}

static bool find_line(struct str data, struct entry_end *out)
{
	const char *newline = data.n ? memchr(data.p, '\n', data.n) : NULL;
	size_t n;

	if (!newline)
		return false;
	n = (size_t)(newline - data.p);
	out->next = n + 1;
	out->text = str_head(data, n - (n && newline[-1] == '\r'));
	return true;
}

/* Search from `from` on. Return 1, 0 for none, or REGEX_NEEDS_MORE. */
static int search_pattern(struct regex *regex, struct str data, size_t from, bool final,
			  struct str *found)
{
	size_t window = SEARCH_WINDOW;

	for (;;) {
		bool whole = data.n - from <= window;
		struct str text = whole ? data : str_head(data, from + window);
		int rc = regex_find(regex, text, from, !whole || !final, found, NULL);

		if (rc == 1 || (whole && rc >= 0))
			return rc;
		if (rc < 0) /* too many steps: cut at the longest size instead */
			return REGEX_NEEDS_MORE;
		window *= 2;
	}
}

/* An entry ends where the pattern matches again. Text before the first match is an entry, too. */
static bool find_next_start(const struct line_splitter *s, struct str data, bool final,
			    struct entry_end *out)
{
	struct str first, second;
	size_t begin, after;

	if (search_pattern(s->start, data, 0, final, &first) != 1)
		return false;
	begin = (size_t)(first.p - data.p);
	if (begin) {
		*out = (struct entry_end){str_head(data, begin), begin};
		return true;
	}
	after = max_size(first.n, 1);
	begin = s->omit ? first.n : 0;
	*out = (struct entry_end){str_from_at(data, begin), data.n};
	if (after >= data.n || search_pattern(s->start, data, after, final, &second) != 1)
		return final;
	out->next = (size_t)(second.p - data.p);
	out->text = str_of(data.p + begin, out->next - begin);
	return true;
}

static bool find_pattern_end(const struct line_splitter *s, struct str data, bool final,
			     struct entry_end *out)
{
	struct str found;
	size_t begin;

	if (search_pattern(s->end, data, 0, final, &found) != 1)
		return false;
	begin = (size_t)(found.p - data.p);
	if (!found.n && !begin)
		return false;
	out->next = begin + found.n;
	out->text = str_head(data, s->omit ? begin : out->next);
	return true;
}

static bool find_end(const struct line_splitter *s, struct str data, bool final,
		     struct entry_end *out)
{
	if (s->encoding == TEXT_NOP) {
		*out = (struct entry_end){str_head(data, s->max), min_size(data.n, s->max)};
		return data.n > 0;
	}
	if (s->start)
		return find_next_start(s, data, final, out);
	if (s->end)
		return find_pattern_end(s, data, final, out);
	return is_wide(s) ? find_wide_line(s, data, out) : find_line(data, out);
}

/* ---- limits ---- */

/* Return at most `max` bytes of the text, without cutting a character. */
static struct str cut_text(const struct line_splitter *s, struct str text)
{
	size_t n = min_size(text.n, s->max), least = n > 3 ? n - 3 : 1;

	if (n == text.n)
		return text;
	if (is_wide(s)) {
		n -= n % 2;
	} else if (s->encoding != TEXT_NOP) {
		while (n > least && ((unsigned char)text.p[n] & 0xc0) == 0x80)
			n--;
		if (((unsigned char)text.p[n] & 0xc0) == 0x80)
			n = min_size(text.n, s->max); /* this is no UTF-8 */
	}
	return str_head(text, n);
}

/* Find where the entry after a truncated one begins. */
static bool find_rest_end(const struct line_splitter *s, struct str data, bool final, size_t *next)
{
	struct entry_end end;
	struct str found;

	if (s->start) {
		if (search_pattern(s->start, data, 0, final, &found) != 1)
			return false;
		*next = (size_t)(found.p - data.p);
		return true;
	}
	if (!find_end(s, data, final, &end))
		return false;
	*next = end.next;
	return true;
}

/* Skip the rest of a truncated entry, but not what may be the begin of a match of the pattern. */
static size_t skip_rest(const struct line_splitter *s, struct str data, bool final, bool *skipping)
{
	size_t keep = s->start || s->end ? s->max / 2 : is_wide(s) ? data.n % 2 : 0, next;

	if (find_rest_end(s, data, final, &next)) {
		*skipping = false;
		return next;
	}
	*skipping = !final;
	return final ? data.n : data.n - min_size(data.n, keep);
}

bool line_split(const struct line_splitter *s, struct str data, bool final, bool *skipping,
		struct line_token *out)
{
	struct entry_end end = {data, data.n};
	bool found;

	if (!data.n)
		return false;
	if (*skipping) {
		*out = (struct line_token){.advance = skip_rest(s, data, final, skipping)};
		if (out->advance || *skipping)
			return out->advance > 0;
	}
	found = find_end(s, data, final, &end);
	if (!found && !final && data.n <= s->max + LINE_END_MAX)
		return false;
	if (!found)
		end = (struct entry_end){data, data.n};
	*out = (struct line_token){.advance = end.next, .text = end.text, .is_entry = true};
	if (end.text.n <= s->max)
		return true;
	out->text = cut_text(s, end.text);
	if (s->truncate && (found || final))
		return true;
	out->advance = (size_t)(out->text.p - data.p) + out->text.n;
	*skipping = s->truncate;
	return true;
}
