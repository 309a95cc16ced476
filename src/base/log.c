/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A record is put together on the stack and written at once: no lock, no allocation, and lines of
 * several threads do not mix. A record that cannot be written is lost; there is nobody to tell.
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

static const char cut_mark[] = " cut=true\n";

/* The line so far. Room for a quote, the mark and the line end is kept back. */
struct line {
	char text[LOG_LINE_MAX];
	size_t n;
	bool cut;
	bool quoted; /* inside quotes, which the cut has to close */
};

int log_level_parse(struct str name, enum log_level *level)
{
	for (size_t i = 0; i < countof(level_names); i++) {
		if (!str_eq(name, str_from(level_names[i])))
			continue;
		*level = (enum log_level)i;
		return 0;
	}
	return -EINVAL;
}

static size_t line_room(const struct line *l)
{
	return sizeof(l->text) - sizeof(cut_mark) - 1 - l->n;
}

/* All of `s` or, when the line is full, nothing from here on. */
static void put(struct line *l, struct str s)
{
	if (l->cut || s.n > line_room(l)) {
		l->cut = true;
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

static void put_escaped(struct line *l, unsigned char c)
{
	char text[8];

	switch (c) {
	case '"':
		put(l, STR("\\\""));
		break;
	case '\\':
		put(l, STR("\\\\"));
		break;
	case '\n':
		put(l, STR("\\n"));
		break;
	case '\t':
		put(l, STR("\\t"));
		break;
	default:
		snprintf(text, sizeof(text), "\\x%02x", c);
		put(l, str_from(text));
	}
}

/* How many bytes at the front of `s` may stand between quotes as they are: whole characters. */
static size_t plain_length(struct str s)
{
	size_t i = 0;

	s = str_head(s, str_utf8_valid(s));
	while (i < s.n && (unsigned char)s.p[i] >= ' ' && s.p[i] != 0x7f && s.p[i] != '"' &&
	       s.p[i] != '\\')
		i++;
	return i;
}

static void put_quoted(struct line *l, struct str s)
{
	put(l, STR("\""));
	l->quoted = !l->cut;
	while (s.n && !l->cut) {
		size_t room = line_room(l);
		size_t plain = plain_length(str_head(s, room + 4)); /* the last character whole */

		if (plain > room) { /* fill the line up, but not with half a character */
			while (room && ((unsigned char)s.p[room] & 0xc0) == 0x80)
				room--;
			put(l, str_head(s, room));
			l->cut = true;
			return;
		}
		put(l, str_head(s, plain));
		s = str_from_at(s, plain);
		if (s.n)
			put_escaped(l, (unsigned char)s.p[0]);
		s = str_from_at(s, 1);
	}
	put(l, STR("\""));
	l->quoted = l->cut && l->quoted;
}

static void put_field(struct line *l, const struct log_field *f)
{
	char text[24];
	struct str value = f->text;

	if (f->kind == LOG_SIGNED)
		value = str_of(text, (size_t)snprintf(text, sizeof(text), "%lld", (long long)f->i));
	if (f->kind == LOG_UNSIGNED)
		value = str_of(text, (size_t)snprintf(text, sizeof(text), "%llu",
						      (unsigned long long)f->u));
	put(l, STR(" "));
	put(l, str_from(f->key));
	put(l, STR("="));
	if (f->kind == LOG_TEXT && needs_quotes(value))
		put_quoted(l, value);
	else
		put(l, value);
}

/* May this site write now? If so *suppressed is what it had to keep back since it last did. */
static bool site_allows(struct log_site *site, uint64_t *suppressed)
{
	uint64_t now = clock_monotonic_ns() / NS_PER_SECOND + 1; /* a fresh site has 0 */
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

void log_write(const struct log *log, enum log_level level, struct log_site *site,
	       const struct log_field *fields, size_t count)
{
	struct line l;
	char time[CLOCK_TEXT_SIZE];
	uint64_t suppressed;
	int saved = errno; /* a log line must not change what the caller is about to look at */

	if (level < log->level || level >= LOG_OFF || !site_allows(site, &suppressed))
		return;
	l.n = 0;
	l.cut = l.quoted = false;
	put(&l, STR("ts="));
	put(&l, str_from(clock_format(clock_realtime_ns(), time)));
	put_field(&l, &LOG_STR("level", str_from(level_names[level])));
	if (suppressed)
		put_field(&l, &LOG_U64("suppressed", suppressed));
	for (size_t i = 0; i < count; i++)
		put_field(&l, &fields[i]);
	if (l.cut) {
		if (l.quoted)
			l.text[l.n++] = '"';
		memcpy(l.text + l.n, cut_mark, sizeof(cut_mark) - 1);
		l.n += sizeof(cut_mark) - 1;
	} else {
		l.text[l.n++] = '\n';
	}
	write_all(log->fd, l.text, l.n);
	errno = saved;
}
