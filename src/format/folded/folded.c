/* SPDX-License-Identifier: Apache-2.0 */
/* Decodes FlameGraph's collapsed stacks and Pyroscope's lines, line by line. */
#include "format/folded/folded.h"

#include <math.h>

#include "format/folded/frames.h"
#include "format/text.h"

static bool is_blank(char c)
{
	return c == ' ' || c == '\t';
}

/* "# interval: 100" is a comment (written by Austin), "#1 main;work 5" is a stack. */
static bool is_comment(struct str line)
{
	return line.p[0] == '#' &&
	       (line.n == 1 || is_blank(line.p[1]) || str_find(line, ';') == line.n);
}

/* Parse a count, a number that may have a fraction, which is rounded. */
static int parse_count(struct str text, int64_t *count, bool *rounded)
{
	double d;
	int rc = str_to_i64(text, count);

	*rounded = false;
	if (rc != -EINVAL)
		return rc;
	for (size_t i = 0; i < text.n; i++)
		if (!strchr("0123456789.eE+-", text.p[i]))
			return -EINVAL;
	rc = str_to_double(text, &d);
	if (rc)
		return rc;
	if (!(fabs(d) < 9.2e18))
		return -ERANGE;
	*count = llround(d);
	*rounded = (double)*count != d;
	return 0;
}

struct folded_line {
	struct str stack;
	int64_t counts[FOLDED_BEFORE_AFTER];
	bool rounded;
};

static struct str cut_blanks(struct str s)
{
	while (s.n && is_blank(s.p[s.n - 1]))
		s.n--;
	return s;
}

/* Cut the number after the last blank off the text. */
static bool cut_count(struct str *text, int64_t *count, bool *rounded)
{
	struct str s = cut_blanks(*text);
	size_t at;

	for (at = s.n; at && !is_blank(s.p[at - 1]); at--)
		;
	if (!at || parse_count(str_from_at(s, at), count, rounded))
		return false;
	*text = cut_blanks(str_head(s, at));
	return true;
}

/*
 * Names may contain blanks, so the count is what follows the last one. A line with only a count is
 * a stack without frames, which py-spy writes.
 */
static bool parse_line(struct str line, struct folded_line *out)
{
	out->stack = line;
	return cut_count(&out->stack, &out->counts[0], &out->rounded);
}

/* Parse "a;b 10 12": a count before and a count after. */
static bool parse_two_counts(struct str line, struct folded_line *out)
{
	bool rounded;

	out->stack = line;
	if (!cut_count(&out->stack, &out->counts[1], &rounded) ||
	    !cut_count(&out->stack, &out->counts[0], &out->rounded))
		return false;
	out->rounded |= rounded;
	return out->stack.n > 0;
}

/* A line that is buffered until the number of columns is known. */
struct buffered_line {
	struct str text;
	uint64_t number;
};

struct folded_decoder {
	struct folded_frames *frames;
	enum folded_columns columns;
	struct arena scratch;
	VEC(struct buffered_line) buffered;
	struct text_warnings warnings;
	uint64_t stacks;
	bool warned_rounding;
};

static int decode_folded_line(struct folded_decoder *d, struct str line, uint64_t number,
			      struct err *e)
{
	bool two = d->columns == FOLDED_BEFORE_AFTER;
	struct folded_line l;
	int rc = 0;

	if (two ? !parse_two_counts(line, &l) : !parse_line(line, &l))
		return text_warn(&d->warnings, e,
				 "line %llu: expected \"frame;frame %s\", found \"%.*s\"",
				 (unsigned long long)number, two ? "before after" : "count",
				 STR_ARG(str_head(line, 60)));
	if (l.rounded && !d->warned_rounding) {
		d->warned_rounding = true;
		rc = text_warn(&d->warnings, e,
			       "line %llu: counts with a fraction are rounded to whole numbers",
			       (unsigned long long)number);
	}
	d->stacks++;
	return rc ? rc : folded_add(d->frames, l.stack, l.counts);
}

static int decode_plain_line(struct folded_decoder *d, struct str line, uint64_t number,
			     struct err *e)
{
	(void)number;
	(void)e;
	d->stacks++;
	return folded_add(d->frames, line, &(int64_t){1});
}

/* Get the next line that is neither empty nor a comment. Return 1, 0 at the end, or -errno. */
static int next_stack_line(struct line_source *in, struct str *line, struct err *e)
{
	int more;

	while ((more = in->next(in->arg, line, e)) > 0) {
		if (in->number == 1 && str_starts(*line, STR("\xef\xbb\xbf")))
			*line = str_from_at(*line, 3);
		if (str_trim(*line).n && !is_comment(*line))
			break;
	}
	return more;
}

/*
 * Buffer the first lines and decide whether there are two columns. One line is not enough, because
 * a name may end with a number: all buffered lines must have two, and one of them several frames.
 */
static int buffer_first_lines(struct folded_decoder *d, struct line_source *in, struct err *e)
{
	enum { LINES_MAX = 50 };
	bool two = true, deep = false;
	struct folded_line l;
	struct str line;
	int rc = 0, more = 1;

	while (!rc && two && d->buffered.n < LINES_MAX &&
	       (more = next_stack_line(in, &line, e)) > 0) {
		two = parse_two_counts(line, &l);
		deep |= two && str_find(l.stack, ';') != l.stack.n;
		rc = arena_copy_str(&d->scratch, line, &line);
		if (!rc)
			rc = vec_push(&d->scratch, &d->buffered,
				      (struct buffered_line){line, in->number});
	}
	d->columns = two && deep ? FOLDED_BEFORE_AFTER : FOLDED_ONE;
	return rc ? rc : more < 0 ? more : 0;
}

static int decode_lines(struct folded_decoder *d, struct line_source *in, struct err *e,
			int (*decode_line)(struct folded_decoder *, struct str, uint64_t,
					   struct err *))
{
	struct str line;
	int rc = 0, more = 0;

	for (uint32_t i = 0; !rc && i < d->buffered.n; i++)
		rc = decode_line(d, d->buffered.at[i].text, d->buffered.at[i].number, e);
	while (!rc && (more = next_stack_line(in, &line, e)) > 0)
		rc = decode_line(d, line, in->number, e);
	if (!rc)
		rc = more;
	if (!rc && !d->stacks)
		rc = err_set(e, -EBADMSG, "line 1: expected \"frame;frame count\", found no stack");
	return rc ? rc : folded_finish(d->frames);
}

static int folded_decode(struct profile_batch *out, struct line_source *in,
			 const struct decode_options *o, struct err *e)
{
	struct folded_decoder d = {.warnings = {.options = o}};
	int rc;

	arena_init(&d.scratch, out->arena.budget);
	rc = buffer_first_lines(&d, in, e);
	if (!rc)
		rc = folded_frames_new(&d.frames, out, d.columns);
	if (!rc)
		rc = decode_lines(&d, in, e, decode_folded_line);
	folded_frames_free(d.frames);
	arena_fini(&d.scratch);
	return rc;
}

static int lines_decode(struct profile_batch *out, struct line_source *in,
			const struct decode_options *o, struct err *e)
{
	struct folded_decoder d = {.warnings = {.options = o}};
	int rc = folded_frames_new(&d.frames, out, FOLDED_ONE);

	if (!rc)
		rc = decode_lines(&d, in, e, decode_plain_line);
	folded_frames_free(d.frames);
	return rc;
}

/*
 * Match text in which nearly every line is a stack with a count; certain only with several frames.
 */
static int folded_sniff(struct str head)
{
	enum { LINES_MAX = 50 };
	unsigned good = 0, bad = 0, deep = 0;
	struct str rest = head, line;
	struct folded_line l;

	if (str_find(head, '\0') != head.n || !head.n || head.p[0] == '{' || head.p[0] == '[')
		return 0;
	while (good + bad < LINES_MAX && str_next_line(&rest, &line)) {
		if (!rest.p && good + bad) /* the head may end inside this line */
			break;
		if (!str_trim(line).n || is_comment(line))
			continue;
		if (!parse_line(line, &l) || !l.stack.n) {
			bad++;
			continue;
		}
		good++;
		deep += str_find(l.stack, ';') != l.stack.n;
	}
	if (good <= 3 * bad)
		return 0;
	return deep ? 60 : 10;
}

static const char *const folded_extensions[] = {"folded", "collapsed", "collapsedstack.txt", NULL};

const struct format format_folded = {
	.name = "folded",
	.summary = "FlameGraph's collapsed stacks: one \"main;work 12\" per line",
	.extensions = folded_extensions,
	.sniff = folded_sniff,
	.decode_lines = folded_decode,
	.encode = folded_encode,
};

const struct format format_lines = {
	.name = "lines",
	.summary = "Pyroscope's stacks: one \"main;work\" per line, each counts one",
	.decode_lines = lines_decode,
};
