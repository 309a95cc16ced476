/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A record is formatted on the stack and written by one system call: no lock, no allocation, and
 * lines of several threads do not mix. A record that cannot be written is lost.
 */
#include "base/log.h"

#include <errno.h>
#include <stdio.h>
#include <unistd.h>

#include "base/clock.h"

static const char *const level_names[] = {
	[LOG_DEBUG] = "debug", [LOG_INFO] = "info", [LOG_WARN] = "warn",
	[LOG_ERROR] = "error", [LOG_OFF] = "off",
};

/* What may follow the last field: the longest mark of a truncated line, with a NUL. */
enum { LONGEST_END = sizeof(",\"cut\":true}\n") };

/* The line so far. Room for a closing quote, the truncation mark and the newline is reserved. */
struct log_line {
	char text[LOG_LINE_MAX];
	size_t n;
	bool truncated;
	bool quoted; /* inside quotes, which truncation has to close */
	bool json;
};

static size_t line_room(const struct log_line *l)
{
	return sizeof(l->text) - LONGEST_END - 1 - l->n;
}

/* Append all of `s`; if it does not fit, append nothing and mark the line as truncated. */
static void put_text(struct log_line *l, struct str s)
{
	if (l->truncated || s.n > line_room(l)) {
		l->truncated = true;
		return;
	}
	memcpy(l->text + l->n, s.p, s.n);
	l->n += s.n;
}

static bool needs_quotes(struct str s)
{
	for (size_t i = 0; i < s.n; i++) {
		unsigned char c = (unsigned char)s.p[i];

		if (c <= ' ' || c >= 0x7f || c == '"' || c == '=' || c == '\\')
			return true;
	}
	return !s.n;
}

static void put_escaped(struct log_line *l, unsigned char c)
{
	char text[8];

	switch (c) {
	case '"':
		put_text(l, STR("\\\""));
		break;
	case '\\':
		put_text(l, STR("\\\\"));
		break;
	case '\n':
		put_text(l, STR("\\n"));
		break;
	case '\t':
		put_text(l, STR("\\t"));
		break;
	default:
		if (l->json && c >= 0x80)
			snprintf(text, sizeof(text), "\\ufffd");
		else
			snprintf(text, sizeof(text), l->json ? "\\u%04x" : "\\x%02x", c);
		put_text(l, str_from(text));
	}
}

/* Return how many leading bytes of `s` need no escape; characters are not split. */
static size_t printable_length(struct str s)
{
	size_t i = 0;

	s = str_head(s, str_utf8_valid(s));
	while (i < s.n && (unsigned char)s.p[i] >= ' ' && s.p[i] != 0x7f && s.p[i] != '"' &&
	       s.p[i] != '\\')
		i++;
	return i;
}

static void put_quoted_text(struct log_line *l, struct str s)
{
	put_text(l, STR("\""));
	l->quoted = !l->truncated;
	while (s.n && !l->truncated) {
		size_t room = line_room(l);
		/* 4 bytes more, so that the last character is whole */
		size_t printable = printable_length(str_head(s, room + 4));

		if (printable > room) { /* fill the line, but do not split a character */
			while (room && ((unsigned char)s.p[room] & 0xc0) == 0x80)
				room--;
			put_text(l, str_head(s, room));
			l->truncated = true;
			return;
		}
		put_text(l, str_head(s, printable));
		s = str_from_at(s, printable);
		if (s.n)
			put_escaped(l, (unsigned char)s.p[0]);
		s = str_from_at(s, 1);
	}
	put_text(l, STR("\""));
	l->quoted = l->truncated && l->quoted;
}

/* Append a member of a JSON object. A member that is cut before its value begins is left out. */
static void put_member(struct log_line *l, const char *key, bool quoted, struct str value)
{
	size_t before = l->n;

	put_text(l, l->n > 1 ? STR(",\"") : STR("\""));
	put_text(l, str_from(key));
	put_text(l, STR("\":"));
	if (quoted)
		put_quoted_text(l, value);
	else
		put_text(l, value);
	if (l->truncated && !l->quoted)
		l->n = before;
}

static void put_log_field(struct log_line *l, const struct log_field *f)
{
	char text[24];
	struct str value = f->text;

	if (f->kind == LOG_SIGNED)
		value = str_of(text, (size_t)snprintf(text, sizeof(text), "%lld", (long long)f->i));
	if (f->kind == LOG_UNSIGNED)
		value = str_of(text, (size_t)snprintf(text, sizeof(text), "%llu",
						      (unsigned long long)f->u));
	if (l->json) {
		if (!l->truncated)
			put_member(l, f->key, f->kind == LOG_TEXT, value);
		return;
	}
	if (l->n)
		put_text(l, STR(" "));
	put_text(l, str_from(f->key));
	put_text(l, STR("="));
	if (f->kind == LOG_TEXT && needs_quotes(value))
		put_quoted_text(l, value);
	else
		put_text(l, value);
}

/*
 * Apply the rate limit. If the site may write, *suppressed is the number of records suppressed
 * since its last one.
 */
static bool site_allows(struct log_site *site, uint64_t *suppressed)
{
	uint64_t now = clock_monotonic_ns() / NS_PER_SECOND + 1; /* 0 is a new site */
	uint64_t second = atomic_load(&site->second);

	if (second != now && atomic_compare_exchange_strong(&site->second, &second, now))
		atomic_store(&site->count, 0);
	if (atomic_fetch_add(&site->count, 1) >= LOG_BURST) {
		atomic_fetch_add(&site->suppressed, 1);
		return false;
	}
	*suppressed = atomic_exchange(&site->suppressed, 0);
	return true;
}

static void write_all(int fd, const char *p, size_t n)
{
	while (n) {
		ssize_t done = write(fd, p, n);

		if (done < 0 && errno == EINTR)
			continue;
		if (done <= 0)
			return;
		p += done;
		n -= (size_t)done;
	}
}

/* Append what follows the last field, for which there is always room. */
static void end_line(struct log_line *l)
{
	struct str mark = l->json ? STR(",\"cut\":true}\n") : STR(" cut=true\n");
	struct str end = l->json ? STR("}\n") : STR("\n");

	if (l->quoted)
		l->text[l->n++] = '"';
	if (l->truncated)
		end = mark;
	memcpy(l->text + l->n, end.p, end.n);
	l->n += end.n;
}

void log_write(const struct log *log, enum log_level level, struct log_site *site,
	       const struct log_field *fields, size_t count)
{
	struct log_line l;
	char time[CLOCK_TEXT_SIZE];
	uint64_t suppressed;
	int saved = errno; /* logging must not change the caller's errno */

	if (level < log->level || level >= LOG_OFF || !site_allows(site, &suppressed))
		return;
	l.n = 0;
	l.truncated = l.quoted = false;
	l.json = log->json;
	if (l.json)
		put_text(&l, STR("{"));
	put_log_field(&l, &LOG_STR("ts", str_from(clock_format(clock_realtime_ns(), time))));
	put_log_field(&l, &LOG_STR("level", str_from(level_names[level])));
	if (suppressed)
		put_log_field(&l, &LOG_U64("suppressed", suppressed));
	for (size_t i = 0; i < count; i++)
		put_log_field(&l, &fields[i]);
	end_line(&l);
	write_all(log->fd, l.text, l.n);
	errno = saved;
}
