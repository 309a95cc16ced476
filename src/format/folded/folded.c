/* SPDX-License-Identifier: Apache-2.0 */
/* FlameGraph's collapsed stacks, and Pyroscope's lines, read line by line. */
#include "format/folded/folded.h"

#include <math.h>

#include "format/text.h"

static bool is_blank(char c)
{
	return c == ' ' || c == '\t';
}

/*
 * "# interval: 100" is a comment (Austin writes such), "#1 main;work 5" is a stack.
 */
static bool is_comment(struct str line)
{
	return line.p[0] == '#' &&
	       (line.n == 1 || is_blank(line.p[1]) || str_find(line, ';') == line.n);
}

/* A count is a number of digits, maybe with a fraction, which is rounded. */
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
	int64_t count;
	bool rounded;
};

/*
 * Names may hold blanks: the count is what stands behind the last one. Nothing before it is a stack
 * without frames, which py-spy writes.
 */
static bool parse_line(struct str line, struct folded_line *out)
{
	size_t at;

	while (line.n && is_blank(line.p[line.n - 1]))
		line.n--;
	for (at = line.n; at && !is_blank(line.p[at - 1]); at--)
		;
	if (!at || parse_count(str_from_at(line, at), &out->count, &out->rounded))
		return false;
	out->stack = str_head(line, at);
	while (out->stack.n && is_blank(out->stack.p[out->stack.n - 1]))
		out->stack.n--;
	return true;
}

struct folded_decoder {
	struct folded_frames *frames;
	struct text_warnings warnings;
	uint64_t stacks;
	bool told_rounding;
};

static int take_folded_line(struct folded_decoder *d, struct str line, uint64_t number,
			    struct err *e)
{
	struct folded_line l;
	int rc = 0;

	if (!parse_line(line, &l))
		return text_warn(&d->warnings, e,
				 "line %llu: expected \"frame;frame count\", found \"%.*s\"",
				 (unsigned long long)number, STR_ARG(str_head(line, 60)));
	if (l.rounded && !d->told_rounding) {
		d->told_rounding = true;
		rc = text_warn(&d->warnings, e,
			       "line %llu: counts with a fraction are rounded to whole numbers",
			       (unsigned long long)number);
	}
	d->stacks++;
	return rc ? rc : folded_add(d->frames, l.stack, l.count);
}

static int take_plain_line(struct folded_decoder *d, struct str line, uint64_t number,
			   struct err *e)
{
	(void)number;
	(void)e;
	d->stacks++;
	return folded_add(d->frames, line, 1);
}

static int decode_with(struct profile_batch *out, struct line_source *in,
		       const struct decode_options *o, struct err *e,
		       int (*take)(struct folded_decoder *, struct str, uint64_t, struct err *))
{
	struct folded_decoder d = {.warnings = {.options = o}};
	struct str line;
	int rc = folded_frames_new(&d.frames, out), more = 0;

	while (!rc && (more = in->next(in->arg, &line, e)) > 0) {
		if (in->number == 1 && str_starts(line, STR("\xef\xbb\xbf")))
			line = str_from_at(line, 3);
		if (!str_trim(line).n || is_comment(line))
			continue;
		rc = take(&d, line, in->number, e);
	}
	if (!rc)
		rc = more;
	if (!rc && !d.stacks)
		rc = err_set(e, -EBADMSG, "line 1: expected \"frame;frame count\", found no stack");
	if (!rc)
		rc = folded_finish(d.frames);
	folded_frames_free(d.frames);
	return rc;
}

static int folded_decode(struct profile_batch *out, struct line_source *in,
			 const struct decode_options *o, struct err *e)
{
	return decode_with(out, in, o, e, take_folded_line);
}

static int lines_decode(struct profile_batch *out, struct line_source *in,
			const struct decode_options *o, struct err *e)
{
	return decode_with(out, in, o, e, take_plain_line);
}

/* Text where nearly every line is a stack with its count; sure only when stacks have frames. */
static int folded_sniff(struct str head)
{
	enum { LINES_MAX = 50 };
	unsigned good = 0, bad = 0, deep = 0;
	struct str rest = head, line;
	struct folded_line l;

	if (str_find(head, '\0') != head.n || !head.n || head.p[0] == '{' || head.p[0] == '[')
		return 0;
	while (good + bad < LINES_MAX && str_next_line(&rest, &line)) {
		if (!rest.p && good + bad) /* the head may end inside of it */
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
	.summary = "collapsed stacks of FlameGraph: \"main;work 12\" a line",
	.extensions = folded_extensions,
	.sniff = folded_sniff,
	.decode_lines = folded_decode,
	.encode = folded_encode,
};

const struct format format_lines = {
	.name = "lines",
	.summary = "stacks of Pyroscope: \"main;work\" a line, each counts one",
	.decode_lines = lines_decode,
};
