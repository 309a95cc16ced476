/* SPDX-License-Identifier: Apache-2.0 */
/*
 * One line at a time, with a cursor that never leaves its line. OpenMetrics allows exactly one
 * space between tokens and no empty lines; the older format any blanks.
 */
#include "pipeline/receivers/prometheus/text_parser.h"

#include <errno.h>
#include <math.h>
#include <strings.h>

static bool is_blank(char c)
{
	return c == ' ' || c == '\t';
}

static bool is_digit(char c)
{
	return c >= '0' && c <= '9';
}

static bool is_name_start(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}

static int parse_error(const struct text_parser *p, struct err *e, const char *what)
{
	return err_set(e, -EBADMSG, "line %u: %s", p->line, what);
}

void text_parser_init(struct text_parser *p, enum text_format format, struct str body)
{
	*p = (struct text_parser){.format = format, .rest = body};
}

/* ---- numbers ---- */

/* Parse digits with a point if the result is exact: few digits, divided once. */
static bool exact_decimal(struct str s, double *out)
{
	static const double powers[] = {1e0, 1e1, 1e2,	1e3,  1e4,  1e5,  1e6,	1e7,
					1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15};
	uint64_t digits = 0;
	size_t i = s.n && s.p[0] == '-', point = SIZE_MAX, after;
	bool negative = i == 1;

	if (s.n > 16)
		return false;
	for (; i < s.n; i++) {
		if (s.p[i] == '.' && point == SIZE_MAX)
			point = i;
		else if (is_digit(s.p[i]))
			digits = digits * 10 + (uint64_t)(s.p[i] - '0');
		else
			return false;
	}
	after = point == SIZE_MAX ? 0 : s.n - point - 1;
	if (s.n - negative - (point != SIZE_MAX) == 0 || digits >> 53 || after >= countof(powers))
		return false;
	*out = (double)digits / powers[after];
	if (negative)
		*out = -*out;
	return true;
}

static bool special_value(struct str s, double *out)
{
	struct str word = s;
	bool sign = s.n && (s.p[0] == '+' || s.p[0] == '-');

	if (sign)
		word = str_from_at(s, 1);
	if (word.n == 3 && !sign && !strncasecmp(word.p, "nan", 3))
		*out = NAN;
	else if ((word.n == 3 && !strncasecmp(word.p, "inf", 3)) ||
		 (word.n == 8 && !strncasecmp(word.p, "infinity", 8)))
		*out = s.p[0] == '-' ? -INFINITY : INFINITY;
	else
		return false;
	return true;
}

int scraped_value(struct str s, double *out)
{
	if (likely(exact_decimal(s, out)))
		return 0;
	if (special_value(s, out))
		return 0;
	for (size_t i = 0; i < s.n; i++)
		if (!is_digit(s.p[i]) && !memchr("+-.eE", s.p[i], 5))
			return -EINVAL;
	return str_to_double(s, out);
}

/* Seconds with a fraction, as milliseconds. */
static int scraped_seconds(struct str s, int64_t *out)
{
	double seconds;

	if (scraped_value(s, &seconds) || !(fabs(seconds) < 1e14))
		return -EINVAL;
	*out = llround(seconds * 1000);
	return 0;
}

/* ---- series ---- */

/* Return the offset after the quoted string that begins at `i`, or 0 if it does not end. */
static size_t skip_quoted(struct str s, size_t i)
{
	for (i++; i < s.n; i++) {
		if (s.p[i] == '"')
			return i + 1;
		if (s.p[i] == '\\')
			i++;
	}
	return 0;
}

/* Return the offset after the labels whose '{' is at `i`, or 0 if they do not end. */
static size_t skip_braces(struct str s, size_t i)
{
	while (i < s.n && s.p[i] != '}') {
		i = s.p[i] == '"' ? skip_quoted(s, i) : i + 1;
		if (!i)
			return 0;
	}
	return i < s.n ? i + 1 : 0;
}

static size_t skip_blanks(struct str s, size_t i)
{
	while (i < s.n && is_blank(s.p[i]))
		i++;
	return i;
}

/* Return the length of name and labels at the beginning of a line, or 0. */
static size_t series_length(const struct text_parser *p, struct str line)
{
	size_t name = 0, i;

	while (name < line.n && !is_blank(line.p[name]) && line.p[name] != '{')
		name++;
	i = p->format == TEXT_OPENMETRICS ? name : skip_blanks(line, name);
	return i < line.n && line.p[i] == '{' ? skip_braces(line, i) : name;
}

/* A cursor in the labels of one series. */
struct label_cursor {
	struct str s;
	size_t at;
	struct arena *arena;
	struct err *e;
};

static int label_error(const struct label_cursor *c, const char *what)
{
	return err_set(c->e, -EBADMSG, "%s in \"%.*s\"", what, STR_ARG(str_head(c->s, 120)));
}

static bool at_char(struct label_cursor *c, char wanted)
{
	c->at = skip_blanks(c->s, c->at);
	if (c->at >= c->s.n || c->s.p[c->at] != wanted)
		return false;
	c->at++;
	return true;
}

static struct str plain_name(struct label_cursor *c, bool colons)
{
	size_t from;

	c->at = skip_blanks(c->s, c->at);
	from = c->at;
	while (c->at < c->s.n &&
	       (is_name_start(c->s.p[c->at]) || (colons && c->s.p[c->at] == ':') ||
		(c->at > from && is_digit(c->s.p[c->at]))))
		c->at++;
	return str_head(str_from_at(c->s, from), c->at - from);
}

struct str scraped_text(struct str text, struct arena *arena)
{
	char *copy, *to;

	if (str_find(text, '\\') == text.n)
		return text;
	copy = to = arena_alloc(arena, text.n, 1);
	if (!copy)
		return (struct str){0};
	for (size_t i = 0; i < text.n; i++) {
		char next = i + 1 < text.n ? text.p[i + 1] : 0;

		if (text.p[i] != '\\' || (next != '\\' && next != '"' && next != 'n')) {
			*to++ = text.p[i];
			continue;
		}
		*to++ = next == 'n' ? '\n' : next;
		i++;
	}
	return str_of(copy, (size_t)(to - copy));
}

/* Read a quoted string whose quote is next. */
static int quoted_text(struct label_cursor *c, struct str *out)
{
	size_t from = c->at, end;

	if (from >= c->s.n || c->s.p[from] != '"')
		return label_error(c, "expected a quoted string");
	end = skip_quoted(c->s, from);
	if (!end)
		return label_error(c, "a quoted string does not end");
	*out = scraped_text(str_of(c->s.p + from + 1, end - from - 2), c->arena);
	if (end - from > 2 && !out->n)
		return -ENOMEM;
	if (str_utf8_valid(*out) != out->n)
		return label_error(c, "invalid UTF-8");
	c->at = end;
	return 0;
}

/* Read `name="value"`, or a quoted metric name. */
static int one_label(struct label_cursor *c, struct prom_labels *out)
{
	struct str name, value;
	int rc = 0;

	c->at = skip_blanks(c->s, c->at);
	if (c->at < c->s.n && c->s.p[c->at] == '"') {
		rc = quoted_text(c, &name);
		c->at = skip_blanks(c->s, c->at);
		if (!rc && c->at < c->s.n && c->s.p[c->at] != '=') {
			if (out->list.n)
				return label_error(c, "a second metric name");
			return name.n ? vec_push(c->arena, &out->list,
						 (struct prom_label){STR("__name__"), name})
				      : label_error(c, "an empty metric name");
		}
	} else {
		name = plain_name(c, false);
	}
	if (rc)
		return rc;
	if (!name.n)
		return label_error(c, "expected a label name");
	if (!at_char(c, '='))
		return label_error(c, "expected '=' after a label name");
	c->at = skip_blanks(c->s, c->at);
	rc = quoted_text(c, &value);
	if (rc || !value.n)
		return rc;
	return vec_push(c->arena, &out->list, (struct prom_label){name, value});
}

/* Read labels after their '{' up to the '}'. */
static int label_list(struct label_cursor *c, struct prom_labels *out)
{
	while (!at_char(c, '}')) {
		int rc = one_label(c, out);

		if (rc)
			return rc;
		if (out->list.n > SCRAPED_LABELS_MAX)
			return label_error(c, "too many labels");
		if (at_char(c, ','))
			continue;
		if (at_char(c, '}'))
			return 0;
		return label_error(c, "expected ',' or '}'");
	}
	return 0;
}

int scraped_labels(struct prom_labels *out, struct str series, struct arena *arena, struct err *e)
{
	struct label_cursor c = {series, 0, arena, e};
	struct str name = plain_name(&c, true);
	int rc = 0;

	*out = (struct prom_labels){0};
	if (name.n)
		rc = vec_push(arena, &out->list, (struct prom_label){STR("__name__"), name});
	if (!rc && at_char(&c, '{'))
		rc = label_list(&c, out);
	if (rc)
		return rc;
	if (skip_blanks(series, c.at) != series.n)
		return label_error(&c, "invalid name");
	if (!out->list.n || !str_eq(out->list.at[0].name, STR("__name__")))
		return label_error(&c, "no metric name");
	return 0;
}

int scraped_exemplar(struct scraped_exemplar *out, struct str text, struct arena *arena,
		     struct err *e)
{
	struct label_cursor c = {text, 0, arena, e};
	struct str rest, value;
	size_t characters = 0;
	int rc;

	*out = (struct scraped_exemplar){0};
	rc = at_char(&c, '{') ? label_list(&c, &out->labels) : label_error(&c, "expected '{'");
	if (rc)
		return rc;
	for (uint32_t i = 0; i < out->labels.list.n; i++)
		characters += out->labels.list.at[i].name.n + out->labels.list.at[i].value.n;
	if (characters > SCRAPED_EXEMPLAR_MAX)
		return label_error(&c, "more than 128 characters of exemplar labels");
	rest = str_from_at(text, c.at);
	if (!rest.n || rest.p[0] != ' ')
		return label_error(&c, "expected a value of the exemplar");
	rest = str_from_at(rest, 1);
	value = str_cut(&rest, ' ');
	if (scraped_value(value, &out->value))
		return label_error(&c, "invalid value of the exemplar");
	out->has_time = rest.n > 0;
	if (out->has_time && scraped_seconds(rest, &out->time_ms))
		return label_error(&c, "invalid time of the exemplar");
	return 0;
}

/* ---- lines ---- */

static const struct {
	const char *name;
	enum scraped_type type;
	bool old, new; /* in the text format, in OpenMetrics */
} types[] = {
	{"counter", SCRAPED_COUNTER, true, true},
	{"gauge", SCRAPED_GAUGE, true, true},
	{"histogram", SCRAPED_HISTOGRAM, true, true},
	{"summary", SCRAPED_SUMMARY, true, true},
	{"untyped", SCRAPED_UNKNOWN, true, false},
	{"unknown", SCRAPED_UNKNOWN, true, true},
	{"gaugehistogram", SCRAPED_GAUGEHISTOGRAM, false, true},
	{"info", SCRAPED_INFO, false, true},
	{"stateset", SCRAPED_STATESET, false, true},
};

static int parse_type(const struct text_parser *p, struct text_entry *out, struct err *e)
{
	for (size_t i = 0; i < countof(types); i++)
		if (str_eq(out->text, str_from(types[i].name)) &&
		    (p->format == TEXT_OPENMETRICS ? types[i].new : types[i].old)) {
			out->type = types[i].type;
			return 1;
		}
	return err_set(e, -EBADMSG, "line %u: invalid metric type \"%.*s\"", p->line,
		       STR_ARG(str_head(out->text, 40)));
}

/* Cut the next token of a comment off *rest. */
static struct str cut_token(const struct text_parser *p, struct str *rest)
{
	size_t from = p->format == TEXT_OPENMETRICS ? 0 : skip_blanks(*rest, 0), end = from;

	if (from < rest->n && rest->p[from] == '"')
		end = skip_quoted(*rest, from);
	while (end < rest->n && !is_blank(rest->p[end]))
		end++;

	struct str token = str_head(str_from_at(*rest, from), end - from);

	*rest = str_from_at(*rest, end + (end < rest->n));
	return token;
}

static int parse_family_line(const struct text_parser *p, struct str rest, struct text_entry *out,
			     struct err *e)
{
	out->name = cut_token(p, &rest);
	if (!out->name.n)
		return parse_error(p, e, "expected the name of a metric");
	if (out->name.p[0] == '"') {
		if (out->name.n < 3 || out->name.p[out->name.n - 1] != '"')
			return parse_error(p, e, "invalid quoted name");
		out->name = str_of(out->name.p + 1, out->name.n - 2);
	}
	if (p->format == TEXT_PROMETHEUS)
		rest = str_from_at(rest, skip_blanks(rest, 0));
	out->text = out->kind == TEXT_HELP ? rest : str_trim(rest);
	if (str_utf8_valid(out->name) != out->name.n || str_utf8_valid(out->text) != out->text.n)
		return parse_error(p, e, "invalid UTF-8");
	return out->kind == TEXT_TYPE ? parse_type(p, out, e) : 1;
}

/* Parse a line that begins with '#'. Return 1, 0 if it is to be ignored, or an error. */
static int parse_comment(struct text_parser *p, struct str line, struct text_entry *out,
			 struct err *e)
{
	static const struct {
		struct str word;
		enum text_kind kind;
	} words[] = {{STR_INIT("HELP"), TEXT_HELP},
		     {STR_INIT("TYPE"), TEXT_TYPE},
		     {STR_INIT("UNIT"), TEXT_UNIT}};
	struct str rest = str_from_at(line, 1), word;

	if (p->format == TEXT_OPENMETRICS) {
		if (str_eq(line, STR("# EOF"))) {
			p->ended = true;
			return 0;
		}
		if (!rest.n || rest.p[0] != ' ')
			return parse_error(p, e,
					   "expected \"# TYPE\", \"# HELP\", \"# UNIT\" or "
					   "\"# EOF\"");
		rest = str_from_at(rest, 1);
	}
	word = cut_token(p, &rest);
	for (size_t i = 0; i < countof(words); i++)
		if (str_eq(word, words[i].word) &&
		    (words[i].kind != TEXT_UNIT || p->format == TEXT_OPENMETRICS)) {
			out->kind = words[i].kind;
			return parse_family_line(p, rest, out, e);
		}
	if (p->format == TEXT_OPENMETRICS)
		return parse_error(p, e, "unknown comment");
	return 0;
}

/* Skip what has to be between two tokens. Return false if it is missing. */
static bool skip_gap(const struct text_parser *p, struct str line, size_t *at)
{
	size_t to = p->format == TEXT_OPENMETRICS ? *at + (*at < line.n && line.p[*at] == ' ')
						  : skip_blanks(line, *at);
	bool gap = to > *at || (*at && line.p[*at - 1] == '}' && p->format == TEXT_PROMETHEUS);

	*at = to;
	return gap;
}

static struct str token_at(struct str line, size_t at)
{
	size_t end = at;

	while (end < line.n && !is_blank(line.p[end]))
		end++;
	return str_head(str_from_at(line, at), end - at);
}

/* Parse what follows the value: a time, an exemplar. */
static int parse_sample_tail(const struct text_parser *p, struct str line, size_t at,
			     struct text_entry *out, struct err *e)
{
	struct str time;
	bool open = p->format == TEXT_OPENMETRICS;
	int rc;

	if (at == line.n)
		return 1;
	if (!skip_gap(p, line, &at) || (open && at == line.n))
		return parse_error(p, e, "expected a space");
	time = token_at(line, at);
	if (time.n && !(open && str_eq(time, STR("#")))) {
		out->has_time = true;
		rc = open ? scraped_seconds(time, &out->time_ms) : str_to_i64(time, &out->time_ms);
		if (rc)
			return parse_error(p, e, "invalid timestamp");
		at += time.n;
		if (at < line.n && !skip_gap(p, line, &at))
			return parse_error(p, e, "expected a space");
	}
	if (at == line.n)
		return 1;
	if (!open || !str_starts(str_from_at(line, at), STR("# {")))
		return parse_error(p, e, "unexpected text after the value");
	out->exemplar = str_from_at(line, at + 2);
	return 1;
}

static int parse_sample(const struct text_parser *p, struct str line, struct text_entry *out,
			struct err *e)
{
	size_t at = series_length(p, line);
	struct str value;

	out->kind = TEXT_SAMPLE;
	out->series = str_head(line, at);
	if (!at)
		return parse_error(p, e, "invalid name or labels");
	if (!skip_gap(p, line, &at))
		return parse_error(p, e, "expected a value");
	value = token_at(line, at);
	if (scraped_value(value, &out->value))
		return err_set(e, -EBADMSG, "line %u: invalid value \"%.*s\"", p->line,
			       STR_ARG(str_head(value, 40)));
	return parse_sample_tail(p, line, at + value.n, out, e);
}

/* Return the next line, with its '\r' if it has one. */
static bool next_scraped_line(struct text_parser *p, struct str *line)
{
	if (!p->rest.n)
		return false;
	*line = str_cut(&p->rest, '\n');
	p->line++;
	return true;
}

int text_parser_next(struct text_parser *p, struct text_entry *out, struct err *e)
{
	struct str line;
	int rc = 0;

	*out = (struct text_entry){0};
	while (!rc && !p->ended) {
		if (!next_scraped_line(p, &line)) {
			if (p->format == TEXT_OPENMETRICS)
				return parse_error(p, e, "data does not end with # EOF");
			return 0;
		}
		if (p->format == TEXT_PROMETHEUS)
			line = str_from_at(line, skip_blanks(line, 0));
		if (line.n && line.p[0] == '#')
			rc = parse_comment(p, line, out, e);
		else if (line.n)
			rc = parse_sample(p, line, out, e);
		else if (p->format == TEXT_OPENMETRICS)
			return parse_error(p, e, "empty line");
	}
	if (p->ended && p->rest.n)
		return parse_error(p, e, "unexpected data after # EOF");
	return rc;
}
