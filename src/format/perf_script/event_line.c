/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Parses an event line. A comm may contain blanks, digits and colons ("nginx: worker 1"), so a line
 * is parsed outwards from an anchor: the time, a number that ends with a colon and follows the
 * thread's id; without a time the event, a word that ends with a colon.
 */
#include "format/perf_script/event_line.h"

#include "format/perf_script/frame_line.h"

static bool is_blank(char c)
{
	return c == ' ' || c == '\t';
}

static bool is_digit(char c)
{
	return c >= '0' && c <= '9';
}

static struct str trim_right(struct str s)
{
	while (s.n && is_blank(s.p[s.n - 1]))
		s.n--;
	return s;
}

/* Return the next word and advance *rest past it; empty at the end. */
static struct str next_word(struct str *rest)
{
	size_t from = 0, to;

	while (from < rest->n && is_blank(rest->p[from]))
		from++;
	for (to = from; to < rest->n && !is_blank(rest->p[to]); to++)
		;

	struct str word = str_of(rest->p + from, to - from);

	*rest = str_of(rest->p + to, rest->n - to);
	return word;
}

/* Return the last word and cut it off *s. */
static struct str last_word(struct str *s)
{
	size_t from;

	*s = trim_right(*s);
	for (from = s->n; from && !is_blank(s->p[from - 1]); from--)
		;

	struct str word = str_of(s->p + from, s->n - from);

	s->n = from;
	return word;
}

/* Parse "1096.025751:" with up to nine digits after the point into nanoseconds. */
static bool parse_time(struct str word, uint64_t *out)
{
	size_t point = str_find(word, '.');
	uint64_t seconds, fraction;
	struct str digits;

	if (point == word.n || word.p[word.n - 1] != ':')
		return false;
	digits = str_of(word.p + point + 1, word.n - point - 2);
	if (!digits.n || digits.n > 9 || str_to_u64(str_head(word, point), 10, &seconds) ||
	    str_to_u64(digits, 10, &fraction) || seconds > UINT64_MAX / 1000000000u - 1)
		return false;
	for (size_t i = digits.n; i < 9; i++)
		fraction *= 10;
	*out = seconds * 1000000000u + fraction;
	return true;
}

/* Parse "25607" or "24636/25607"; perf prints -1 for a thread that has exited. */
static bool parse_ids(struct str word, struct perf_event *out)
{
	size_t slash = str_find(word, '/');
	int64_t first, second;

	if (!word.n || str_to_i64(str_head(word, slash), &first))
		return false;
	if (slash == word.n) { /* by default perf prints the thread's id */
		out->has_tid = true;
		out->tid = first;
		return true;
	}
	if (str_to_i64(str_from_at(word, slash + 1), &second))
		return false;
	out->has_pid = out->has_tid = true;
	out->pid = first;
	out->tid = second;
	return true;
}

static bool parse_cpu(struct str word, uint64_t *out)
{
	return word.n > 2 && word.p[0] == '[' && word.p[word.n - 1] == ']' &&
	       !str_to_u64(str_of(word.p + 1, word.n - 2), 10, out);
}

/* Match the field -F misc: "K", "U", "kH"... */
static bool is_misc(struct str word)
{
	for (size_t i = 0; i < word.n; i++)
		if (!strchr("KUHGgMEFSh", word.p[i]))
			return false;
	return word.n > 0 && word.n <= 2;
}

/* Parse comm, ids and CPU from the text before the anchor. Return whether there are ids. */
static bool parse_source(struct str before, struct perf_event *out)
{
	struct str left = before, word;

	out->source = str_trim(before);
	word = last_word(&left);
	if (is_misc(word) && left.n) {
		struct str further = left, previous = last_word(&further);
		uint64_t cpu;

		if (parse_cpu(previous, &cpu) || parse_ids(previous, &(struct perf_event){0}))
			word = last_word(&left);
	}
	if (parse_cpu(word, &out->cpu)) {
		out->has_cpu = true;
		word = last_word(&left);
	}
	if (parse_ids(word, out)) {
		out->comm = str_trim(left);
		return true;
	}
	out->comm = str_trim(str_of(left.p, (size_t)(word.p + word.n - left.p)));
	return false;
}

static bool is_event_word(struct str word)
{
	uint64_t ignored;

	return word.n > 1 && word.p[word.n - 1] == ':' && !parse_time(word, &ignored);
}

/* Parse the text after the time: "period event: rest", "event: rest", or neither. */
static void parse_after_time(struct str after, struct perf_event *out)
{
	struct str rest = after, word = next_word(&rest);
	uint64_t period = 0;
	bool has_period = false;

	if (word.n && is_digit(word.p[0]) && !str_to_u64(word, 10, &period)) {
		struct str after_next = rest, next = next_word(&after_next);

		/* without an event it could as well be an address */
		has_period = is_event_word(next) || !next.n;
		if (has_period) {
			word = next;
			rest = after_next;
		}
	}
	out->has_period = has_period;
	out->period = period;
	if (!is_event_word(word)) {
		out->rest = has_period ? STR("") : after;
		return;
	}
	out->event = str_head(word, word.n - 1);
	out->rest = rest;
}

/*
 * Find the time. A time with ids before it is certain; the first time without ids is accepted if no
 * word before it ends with a colon.
 */
static bool find_time_anchor(struct str line, struct perf_event *out)
{
	struct str rest = line;
	bool colon = false;

	for (struct str word = next_word(&rest); word.n; word = next_word(&rest)) {
		struct str before = str_of(line.p, (size_t)(word.p - line.p));
		struct perf_event found = {0};

		if (!parse_time(word, &found.time)) {
			colon = colon || word.p[word.n - 1] == ':';
			continue;
		}
		if (!parse_source(before, &found) && colon)
			continue;
		found.has_time = true;
		parse_after_time(rest, &found);
		*out = found;
		return true;
	}
	return false;
}

/*
 * Parse the text before the event of a line without a time: "comm tid period event:". A single
 * number is the tid unless there is no comm.
 */
static bool parse_before_event(struct str before, struct perf_event *out)
{
	struct str left = before, word = last_word(&left);
	struct perf_event trial = {0};
	uint64_t period;

	if (word.n && !str_to_u64(word, 10, &period)) {
		bool sourced = parse_source(left, &trial);

		if (sourced || trial.has_cpu || !str_trim(left).n) {
			*out = trial;
			out->has_period = true;
			out->period = period;
			return true;
		}
	}
	return parse_source(before, out) || out->has_cpu;
}

static bool find_event_anchor(struct str line, bool loose, struct perf_event *out)
{
	struct str rest = line;

	for (struct str word = next_word(&rest); word.n; word = next_word(&rest)) {
		struct str before = str_of(line.p, (size_t)(word.p - line.p));
		struct perf_event found = {0};

		if (!is_event_word(word))
			continue;
		if (!parse_before_event(before, &found) &&
		    !(loose && found.comm.n && !str_trim(rest).n))
			continue;
		found.event = str_head(word, word.n - 1);
		found.rest = rest;
		*out = found;
		return true;
	}
	return false;
}

bool perf_event_parse(struct str line, bool loose, struct perf_event *out)
{
	*out = (struct perf_event){0};
	return find_time_anchor(line, out) || find_event_anchor(line, loose, out);
}

bool perf_event_parse_with_frame(struct str line, struct perf_event *out)
{
	enum { ADDRESS_DIGITS_MIN = 6 };
	struct str rest = line;
	struct perf_frame frame;

	*out = (struct perf_event){0};
	next_word(&rest); /* the comm has at least one word */
	for (;;) {
		struct str tail = rest, word = next_word(&rest);

		if (!word.n)
			return false;
		if (word.n < ADDRESS_DIGITS_MIN || !perf_frame_parse(tail, &frame) ||
		    !frame.has_dso)
			continue;
		parse_source(str_of(line.p, (size_t)(word.p - line.p)), out);
		out->rest = tail;
		return true;
	}
}

bool perf_event_parse_bare(struct str line, struct perf_event *out)
{
	*out = (struct perf_event){0};
	if (!line.n || is_blank(line.p[0]))
		return false;
	parse_source(line, out);
	return out->comm.n > 0;
}

bool perf_event_is_record(const struct perf_event *e)
{
	return str_starts(str_trim(e->rest), STR("PERF_RECORD_")) ||
	       str_starts(e->event, STR("PERF_RECORD_"));
}

static bool is_modifiers(struct str s)
{
	for (size_t i = 0; i < s.n; i++)
		if (!strchr("ukhGHIpPSDWeRTb", s.p[i]))
			return false;
	return true;
}

struct str perf_event_base(struct str event)
{
	size_t colon = str_find_last(event, ':');

	if (colon == event.n || !is_modifiers(str_from_at(event, colon + 1)))
		return event;
	return str_head(event, colon);
}

bool perf_event_is_tracepoint(struct str event)
{
	struct str base = perf_event_base(event);

	return str_find(base, ':') != base.n;
}
