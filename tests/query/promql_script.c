/* SPDX-License-Identifier: Apache-2.0 */
#include "query/promql_script.h"

#include <float.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include "query/promql/promql.h"
#include "query/promql/syntax/promql_functions.h"
#include "query/promql/syntax/promql_literal.h"
#include "rules/test/promql_memory.h"
#include "rules/test/series_notation.h"
#include "signal/metric/native_work.h"

enum { EXPECT_MAX = 16 };

enum expect_kind {
	EXPECT_FAIL,
	EXPECT_WARN,
	EXPECT_INFO,
	EXPECT_NO_WARN,
	EXPECT_NO_INFO,
	EXPECT_ORDERED
};

struct expectation {
	enum expect_kind kind;
	struct str message, pattern;
};

struct eval {
	struct str expr;
	unsigned line;
	bool instant, has_scalar, has_string, has_range, old_warn, old_info;
	int64_t start, end, step, at;
	double scalar;
	struct str string;
	VEC(struct series_line) lines;
	struct expectation expects[EXPECT_MAX];
	unsigned expect_count;
};

struct script {
	const char *name;
	struct arena arena;
	struct promql_memory memory;
	const struct promql_script_place *place; /* NULL: the memory */
	bool changed;				 /* the memory, since the last evaluation */
	struct buf *log;
	struct promql_script_result result;
	struct str rest;
	unsigned line;
	bool failed; /* the current command */
};

static void complain(struct script *s, unsigned line, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));

static void complain(struct script *s, unsigned line, const char *fmt, ...)
{
	char text[2048];
	va_list args;

	va_start(args, fmt);
	vsnprintf(text, sizeof(text), fmt, args);
	va_end(args);
	if (!s->failed)
		buf_printf(s->log, "%s:%u: %s\n", s->name, line, text);
	s->failed = true;
}

bool promql_script_read(const char *path, struct buf *out)
{
	FILE *f = fopen(path, "rb");
	char bytes[65536];
	size_t n;

	if (!f)
		return false;
	while ((n = fread(bytes, 1, sizeof(bytes), f)) > 0)
		buf_put(out, bytes, n);
	fclose(f);
	return !buf_error(out);
}

/* Get the next line, trimmed; comments are empty lines. */
static bool next_line(struct script *s, struct str *line)
{
	if (!str_next_line(&s->rest, line))
		return false;
	s->line++;
	*line = str_trim(*line);
	if (line->n && line->p[0] == '#')
		*line = STR("");
	return true;
}

static struct str cut_word(struct str *rest)
{
	size_t n = 0;
	struct str word;

	*rest = str_trim(*rest);
	while (n < rest->n && rest->p[n] != ' ' && rest->p[n] != '\t')
		n++;
	word = str_head(*rest, n);
	*rest = str_trim(str_from_at(*rest, n));
	return word;
}

static bool is_stale(double value)
{
	uint64_t bits;

	memcpy(&bits, &value, sizeof(bits));
	return bits == NATIVE_STALE_BITS;
}

/* Loading. */

/* Parse a duration that may be negative, such as 5m or -1h. */
static int parse_duration(struct str text, int64_t *ms)
{
	bool negative = text.n && text.p[0] == '-';
	int64_t ns;

	if (text.n && (text.p[0] == '-' || text.p[0] == '+'))
		text = str_from_at(text, 1);
	if (promql_parse_duration(text, &ns))
		return -EINVAL;
	*ms = (negative ? -ns : ns) / 1000000;
	return 0;
}

/* Parse start times such as "-1m _x2 0s+30sx3". */
static void parse_starts(struct script *s, struct str text, struct series_line *out)
{
	while (text.n) {
		struct str item = cut_word(&text);
		struct series_value v = {0};
		size_t n = 0, x = str_find_last(item, 'x');
		int64_t base = 0, step = 0;
		uint64_t count = 0;

		if (x < item.n && str_to_u64(str_from_at(item, x + 1), 10, &count))
			complain(s, s->line, "bad count of start times");
		if (item.p[0] == '_') {
			v.omitted = true;
			for (uint64_t i = 0; i < (x < item.n ? count : 1); i++)
				if (vec_push(&s->arena, &out->values, v))
					abort();
			continue;
		}
		item = str_head(item, x);
		n = item.p[0] == '-' || item.p[0] == '+';
		while (n < item.n && item.p[n] != '+' && item.p[n] != '-')
			n++;
		if (parse_duration(str_head(item, n), &base) ||
		    (n < item.n && parse_duration(str_from_at(item, n), &step)))
			complain(s, s->line, "bad start time");
		for (uint64_t i = 0; i <= count; i++) {
			v.value = (double)(base + step * (int64_t)i);
			if (vec_push(&s->arena, &out->values, v))
				abort();
		}
	}
}

static void put_values(struct script *s, const struct series_line *line,
		       const struct series_line *starts, int64_t step)
{
	struct promql_memory_series *to =
		promql_memory_add(&s->memory, line->labels, line->label_count);
	uint32_t from = to->histograms.n;

	for (uint32_t i = 0; i < line->values.n; i++) {
		const struct series_value *v = &line->values.at[i];
		int64_t time = (int64_t)i * step, start = 0;

		if (v->omitted)
			continue;
		if (i < starts->values.n && !starts->values.at[i].omitted)
			start = time + (int64_t)starts->values.at[i].value;
		if (v->histogram
			    ? promql_memory_put_histogram(&s->memory, to, time, v->histogram, start)
			    : promql_memory_put(&s->memory, to, time, v->value, start))
			abort();
	}
	promql_memory_set_hints(to, from);
}

/* Classic histograms of one load, which become native ones with custom buckets. */
struct classic {
	struct promql_label labels[SERIES_LABELS_MAX];
	uint32_t label_count;
	VEC(double) bounds;
	VEC(const struct series_line *) buckets;
	const struct series_line *count, *sum;
};

static bool same_labels(const struct classic *c, const struct promql_label *labels, uint32_t n)
{
	if (c->label_count != n)
		return false;
	for (uint32_t i = 0; i < n; i++) {
		bool found = false;

		for (uint32_t k = 0; k < n; k++)
			found |= str_eq(c->labels[i].name, labels[k].name) &&
				 str_eq(c->labels[i].value, labels[k].value);
		if (!found)
			return false;
	}
	return true;
}

static double value_of(const struct series_line *line, uint32_t i, bool *found)
{
	if (!line || i >= line->values.n || line->values.at[i].omitted ||
	    line->values.at[i].histogram)
		return 0;
	*found = true;
	return line->values.at[i].value;
}

/* Make the histogram of one time. Return false if there is none. */
static bool convert(struct script *s, const struct classic *c, uint32_t i,
		    struct native_histogram *out)
{
	struct native_work w;
	double *custom = arena_alloc(&s->arena, c->bounds.n + 1, sizeof(*custom)), before = 0;
	bool any = false, has_count = false;
	struct native_histogram h = {.schema = NATIVE_CUSTOM}, *made;
	double counts[256];
	uint32_t n = 0;

	h.count = value_of(c->count, i, &has_count);
	any |= has_count;
	h.sum = value_of(c->sum, i, &any);
	for (uint32_t k = 0; k < c->bounds.n && n < countof(counts); k++) {
		bool found = false;
		double count = value_of(c->buckets.at[k], i, &found);

		if (!found)
			continue;
		any = true;
		if (!isinf(c->bounds.at[k]))
			custom[h.custom_count++] = c->bounds.at[k];
		else if (!has_count)
			h.count = count;
		counts[n++] = count;
		if (!has_count)
			h.count = count;
	}
	if (!any)
		return false;
	if (n == h.custom_count)
		counts[n++] = h.count;
	h.custom = custom;
	native_work_init(&w, &s->arena);
	h.positive.spans = &(struct native_span){0, n};
	h.positive.span_count = 1;
	h.positive.counts = counts;
	h.positive.count = n;
	for (uint32_t k = 0; k < n; k++) {
		double count = counts[k];

		counts[k] = count - before;
		before = count;
	}
	if (native_work_set(&w, &h))
		abort();
	native_work_compact(&w);
	made = native_work_finish(&w, &s->arena);
	if (!made)
		abort();
	*out = *made;
	return true;
}

typedef VEC(struct classic) classic_list;

static void add_classic(struct script *s, classic_list *list, const struct series_line *line)
{
	static const struct str suffixes[] = {STR_INIT("_bucket"), STR_INIT("_count"),
					      STR_INIT("_sum")};
	struct promql_label labels[SERIES_LABELS_MAX];
	struct classic *c = NULL, made = {0};
	unsigned kind = 3;
	uint32_t n = 0, at = 0;
	double bound = NAN;

	for (uint32_t i = 0; i < line->label_count; i++) {
		struct promql_label l = line->labels[i];

		if (str_eq(l.name, STR("__name__")))
			for (kind = 0; kind < 3 && !str_ends(l.value, suffixes[kind]);)
				kind++;
		if (str_eq(l.name, STR("__name__")) && kind < 3)
			l.value.n -= suffixes[kind].n;
		if (!str_eq(l.name, STR("le")))
			labels[n++] = l;
		else if (str_eq(l.value, STR("+Inf")))
			bound = INFINITY;
		else if (str_to_double(l.value, &bound))
			bound = NAN;
	}
	if (kind == 3 || (kind == 0 && isnan(bound)))
		return;
	for (uint32_t i = 0; i < list->n && !c; i++)
		if (same_labels(&list->at[i], labels, n))
			c = &list->at[i];
	if (!c) {
		memcpy(made.labels, labels, n * sizeof(*labels));
		made.label_count = n;
		if (vec_push(&s->arena, list, made))
			abort();
		c = &list->at[list->n - 1];
	}
	if (kind == 1)
		c->count = line;
	if (kind == 2)
		c->sum = line;
	if (kind)
		return;
	if (vec_push(&s->arena, &c->bounds, bound) || vec_push(&s->arena, &c->buckets, line))
		abort();
	for (at = c->bounds.n - 1; at && c->bounds.at[at - 1] > bound; at--) {
		c->bounds.at[at] = c->bounds.at[at - 1];
		c->buckets.at[at] = c->buckets.at[at - 1];
	}
	c->bounds.at[at] = bound;
	c->buckets.at[at] = line;
}

static void put_native(struct script *s, classic_list *list, int64_t step)
{
	for (uint32_t i = 0; i < list->n; i++) {
		const struct classic *c = &list->at[i];
		struct promql_memory_series *to =
			promql_memory_add(&s->memory, c->labels, c->label_count);
		uint32_t longest = c->count ? c->count->values.n : 0, from = to->histograms.n;
		struct native_histogram h;

		for (uint32_t k = 0; k < c->buckets.n; k++)
			longest = c->buckets.at[k]->values.n > longest ? c->buckets.at[k]->values.n
								       : longest;
		for (uint32_t k = 0; k < longest; k++)
			if (convert(s, c, k, &h) &&
			    promql_memory_put_histogram(&s->memory, to, (int64_t)k * step, &h, 0))
				abort();
		promql_memory_set_hints(to, from);
	}
}

static void load(struct script *s, struct str command, struct str step_text)
{
	struct series_line starts = {0};
	classic_list classics = {0};
	struct str line;
	int64_t step;

	if (parse_duration(step_text, &step)) {
		complain(s, s->line, "bad step");
		return;
	}
	while (next_line(s, &line) && line.n) {
		struct series_line *parsed = arena_zalloc(&s->arena, 1, sizeof(*parsed));
		size_t space = min_size(str_find(line, ' '), str_find(line, '\t'));
		struct err e = {0};

		if (!parsed)
			abort();
		if (str_ends(str_head(line, space), STR("@st"))) {
			starts = (struct series_line){0};
			parse_starts(s, str_trim(str_from_at(line, space)), &starts);
			continue;
		}
		if (series_parse(parsed, line, &s->arena, &e)) {
			complain(s, s->line, "%s", e.text);
			continue;
		}
		put_values(s, parsed, &starts, step);
		starts = (struct series_line){0};
		if (str_eq(command, STR("load_with_nhcb")))
			add_classic(s, &classics, parsed);
	}
	put_native(s, &classics, step);
}

/* Comparing. */

static bool nearly_equal(double a, double b)
{
	double sum = fabs(a) + fabs(b), diff = fabs(a - b);

	if (is_stale(a) || is_stale(b))
		return is_stale(a) && is_stale(b);
	if ((isnan(a) && isnan(b)) || a == b)
		return true;
	if (a == 0 || b == 0 || sum < DBL_MIN)
		return diff < 1e-6 * DBL_MIN;
	return diff / fmin(sum, DBL_MAX) < 1e-6;
}

static bool side_equal(const struct native_side *a, const struct native_side *b)
{
	struct native_side_iter x, y;
	bool more_x, more_y;

	native_side_iter_init(&x, a);
	native_side_iter_init(&y, b);
	for (;;) {
		while ((more_x = native_side_iter_next(&x)) && x.count == 0)
			;
		while ((more_y = native_side_iter_next(&y)) && y.count == 0)
			;
		if (more_x != more_y)
			return false;
		if (!more_x)
			return true;
		if (x.index != y.index || !nearly_equal(x.count, y.count))
			return false;
	}
}

static bool histograms_equal(const struct series_value *want, const struct native_histogram *h)
{
	const struct native_histogram *w = want->histogram;

	return w->schema == h->schema && nearly_equal(w->count, h->count) &&
	       nearly_equal(w->sum, h->sum) && native_same_bounds(w, h) &&
	       w->zero_threshold == h->zero_threshold &&
	       nearly_equal(w->zero_count, h->zero_count) &&
	       side_equal(&w->positive, &h->positive) && side_equal(&w->negative, &h->negative) &&
	       (!want->hint_set || w->reset == h->reset);
}

static bool labels_equal(const struct series_line *line, const struct promql_labels *l)
{
	uint32_t n = 0;

	for (uint32_t i = 0; i < line->label_count; i++) {
		if (!line->labels[i].value.n)
			continue;
		n++;
		if (!str_eq(promql_labels_get(l, line->labels[i].name), line->labels[i].value))
			return false;
	}
	return n == l->n;
}

static const struct series_line *find_line(const struct eval *v, const struct promql_labels *l,
					   uint32_t *position)
{
	/* The last line of equal labels counts. */
	for (uint32_t i = v->lines.n; i-- > 0;)
		if (labels_equal(&v->lines.at[i], l)) {
			*position = i;
			return &v->lines.at[i];
		}
	return NULL;
}

static void put_sample(struct buf *b, double value, const struct native_histogram *h)
{
	if (h) {
		native_put_text(b, h);
		buf_printf(b, " hint %d", h->reset);
	} else {
		buf_printf(b, "%.17g", value);
	}
}

/* Compare one sample with what is expected. */
static void check_sample(struct script *s, const struct eval *v, const struct promql_labels *l,
			 const struct series_value *want, double value,
			 const struct native_histogram *h, const char *how)
{
	struct buf name = {0}, got = {0}, expected = {0};
	bool equal;

	if (h || want->histogram)
		equal = h && want->histogram && histograms_equal(want, h);
	else
		equal = nearly_equal(want->value, value);
	if (!equal) {
		promql_labels_put(&name, l);
		put_sample(&got, value, h);
		put_sample(&expected, want->value, want->histogram);
		complain(s, v->line, "%.*s%s: %.*s is %.*s, expected %.*s", STR_ARG(v->expr), how,
			 STR_ARG(buf_str(&name)), STR_ARG(buf_str(&got)),
			 STR_ARG(buf_str(&expected)));
	}
	buf_fini(&name);
	buf_fini(&got);
	buf_fini(&expected);
}

static void complain_series(struct script *s, const struct eval *v, const struct promql_labels *l,
			    const char *how, const char *what)
{
	struct buf b = {0};

	promql_labels_put(&b, l);
	complain(s, v->line, "%.*s%s: %s %.*s", STR_ARG(v->expr), how, what, STR_ARG(buf_str(&b)));
	buf_fini(&b);
}

static bool is_expected(const struct eval *v, enum expect_kind kind)
{
	for (unsigned i = 0; i < v->expect_count; i++)
		if (v->expects[i].kind == kind)
			return true;
	return false;
}

/* Compare the vector of one step of a result. */
static void check_vector(struct script *s, const struct eval *v, const struct promql_result *r,
			 uint32_t step, const char *how)
{
	uint32_t found = 0, distinct = 0;

	for (uint32_t i = 0; i < v->lines.n; i++) {
		bool again = false;

		for (uint32_t k = i + 1; k < v->lines.n && !again; k++) {
			again = v->lines.at[k].label_count == v->lines.at[i].label_count;
			for (uint32_t m = 0; again && m < v->lines.at[i].label_count; m++)
				again = str_eq(v->lines.at[k].labels[m].name,
					       v->lines.at[i].labels[m].name) &&
					str_eq(v->lines.at[k].labels[m].value,
					       v->lines.at[i].labels[m].value);
		}
		distinct += !again;
	}
	for (uint32_t i = 0; i < r->series.n; i++) {
		const struct promql_series *got = &r->series.at[i];
		const struct native_histogram *h = got->histograms ? got->histograms[step] : NULL;
		const struct series_line *line;
		uint32_t position = 0;

		if (!h && promql_is_absent(got->floats[step]))
			continue;
		line = find_line(v, got->labels, &position);
		if (!line) {
			complain_series(s, v, got->labels, how, "unexpected series");
			continue;
		}
		if (!*how && is_expected(v, EXPECT_ORDERED) && position != found)
			complain_series(s, v, got->labels, how, "wrong position of");
		found++;
		if (line->values.n)
			check_sample(s, v, got->labels, &line->values.at[0], got->floats[step], h,
				     how);
	}
	if (found != distinct)
		complain(s, v->line, "%.*s%s: %u series, expected %u", STR_ARG(v->expr), how, found,
			 distinct);
}

/* Compare a series of times and values with a line. */
static void check_range_series(struct script *s, const struct eval *v,
			       const struct promql_labels *l, const int64_t *times,
			       const double *values, const struct native_histogram **histograms,
			       uint32_t n)
{
	const struct series_line *line;
	uint32_t position, k = 0;

	line = find_line(v, l, &position);
	if (!line) {
		complain_series(s, v, l, "", "unexpected series");
		return;
	}
	for (uint32_t i = 0; i < line->values.n; i++) {
		const struct series_value *want = &line->values.at[i];
		int64_t time = v->start + (int64_t)i * v->step;

		if (want->omitted)
			continue;
		if (k == n || times[k] != time) {
			complain_series(s, v, l, "",
					k < n && times[k] < time ? "unexpected sample of"
								 : "missing sample of");
			return;
		}
		check_sample(s, v, l, want, values[k], histograms[k], "");
		k++;
	}
	if (k < n)
		complain_series(s, v, l, "", "unexpected samples at the end of");
}

static void check_matrix(struct script *s, const struct eval *v, const struct promql_result *r)
{
	uint32_t found = 0;

	for (uint32_t i = 0; i < r->series.n; i++) {
		const struct promql_series *got = &r->series.at[i];
		int64_t *times = calloc(r->steps, sizeof(*times));
		double *values = calloc(r->steps, sizeof(*values));
		const struct native_histogram **h = calloc(r->steps, sizeof(*h));
		uint32_t n = 0;

		for (uint32_t k = 0; k < r->steps; k++) {
			const struct native_histogram *at =
				got->histograms ? got->histograms[k] : NULL;

			if (!at && promql_is_absent(got->floats[k]))
				continue;
			times[n] = promql_step_time(r, k);
			values[n] = got->floats[k];
			h[n++] = at;
		}
		if (n) {
			found++;
			check_range_series(s, v, got->labels, times, values, h, n);
		}
		free(times);
		free(values);
		free(h);
	}
	for (uint32_t i = 0; i < r->raw.n; i++) {
		const struct promql_raw_series *raw = &r->raw.at[i];
		uint32_t n = raw->count + raw->histogram_count, a = 0, b = 0;
		int64_t *times = calloc(n, sizeof(*times));
		double *values = calloc(n, sizeof(*values));
		const struct native_histogram **h = calloc(n, sizeof(*h));

		for (uint32_t k = 0; k < n; k++) {
			if (b == raw->histogram_count ||
			    (a < raw->count && raw->times[a] < raw->histogram_times[b])) {
				times[k] = raw->times[a];
				values[k] = raw->values[a++];
			} else {
				times[k] = raw->histogram_times[b];
				h[k] = raw->histograms[b++];
			}
		}
		found++;
		check_range_series(s, v, raw->labels, times, values, h, n);
		free(times);
		free(values);
		free(h);
	}
	if (found != v->lines.n)
		complain(s, v->line, "%.*s: %u series, expected %u", STR_ARG(v->expr), found,
			 v->lines.n);
}

/* Annotations and errors. */

static bool text_matches(struct script *s, const struct expectation *x, struct str text)
{
	struct regex *regex = NULL;
	struct err e = {0};
	int rc;

	if (!x->pattern.n)
		return !x->message.n || str_eq(x->message, text);
	if (regex_new(&regex, x->pattern, 0, &e)) {
		complain(s, s->line, "%s", e.text);
		return false;
	}
	rc = regex_match(regex, text, &e);
	regex_free(regex);
	return rc == 1;
}

static void check_notes(struct script *s, const struct eval *v, const struct promql_result *r,
			enum promql_note note, enum expect_kind kind, enum expect_kind none)
{
	bool wanted = is_expected(v, kind);
	bool matched[EXPECT_MAX] = {0};
	unsigned count = 0;

	for (uint32_t i = 0; i < r->annotations.list.n; i++) {
		const struct promql_annotation *a = &r->annotations.list.at[i];
		struct buf text = {0};
		bool any = false;

		if (a->note != note)
			continue;
		count++;
		promql_annotation_put(&text, a, v->expr);
		for (unsigned k = 0; k < v->expect_count; k++)
			if (v->expects[k].kind == kind &&
			    text_matches(s, &v->expects[k], buf_str(&text)))
				any = matched[k] = true;
		if ((wanted && !any) || is_expected(v, none))
			complain(s, v->line, "%.*s: unexpected: %.*s", STR_ARG(v->expr),
				 STR_ARG(buf_str(&text)));
		buf_fini(&text);
	}
	for (unsigned k = 0; k < v->expect_count; k++)
		if (v->expects[k].kind == kind && !matched[k])
			complain(s, v->line, "%.*s: missing annotation: %.*s%.*s (%u others)",
				 STR_ARG(v->expr), STR_ARG(v->expects[k].message),
				 STR_ARG(v->expects[k].pattern), count);
}

static void check_failure(struct script *s, const struct eval *v, const struct err *e)
{
	for (unsigned i = 0; i < v->expect_count; i++)
		if (v->expects[i].kind == EXPECT_FAIL &&
		    !text_matches(s, &v->expects[i], str_from(e->text)))
			complain(s, v->line, "%.*s: error is \"%s\", expected %.*s%.*s",
				 STR_ARG(v->expr), e->text, STR_ARG(v->expects[i].message),
				 STR_ARG(v->expects[i].pattern));
}

/* Evaluation. */

static int evaluate(struct script *s, struct promql_expr *expr, const struct promql_times *times,
		    struct promql_result *r, struct err *e)
{
	struct promql_options options = {.delayed_name_removal = true, .use_start_times = true};
	struct promql_source *source = &s->memory.source;

	if (s->place)
		source = s->place->source(s->place->ctx, &s->memory, s->changed);
	s->changed = false;
	return promql_evaluate(r, expr, times, source, &options, e);
}

/* Put @ on all selectors and subqueries. Return false if that changes the result. */
static bool fix_times(struct promql_node *node, int64_t at)
{
	bool ok = true;

	switch (node->kind) {
	case PROMQL_SELECTOR:
		if (!node->selector.shift.at_kind) {
			node->selector.shift.at_kind = PROMQL_AT_TIME;
			node->selector.shift.at_ms = at;
		}
		return true;
	case PROMQL_RANGE:
		return fix_times(node->range.selector, at);
	case PROMQL_SUBQUERY:
		if (node->subquery.shift.at_kind == PROMQL_AT_TIME)
			return true;
		if (!node->subquery.shift.at_kind) {
			node->subquery.shift.at_kind = PROMQL_AT_TIME;
			node->subquery.shift.at_ms = at;
			/* What is inside now depends on it alone. */
			return fix_times(node->subquery.expr, at) || true;
		}
		return true;
	case PROMQL_CALL:
		for (uint32_t i = 0; i < node->call.args.n; i++)
			ok &= fix_times(node->call.args.at[i], at);
		return ok && !promql_function_varies(node->call.function->id);
	case PROMQL_AGGREGATE:
		ok = !node->aggregate.param || fix_times(node->aggregate.param, at);
		return fix_times(node->aggregate.expr, at) && ok;
	case PROMQL_BINARY:
		ok = fix_times(node->binary.left, at);
		return fix_times(node->binary.right, at) && ok;
	case PROMQL_UNARY:
		return fix_times(node->unary.expr, at);
	case PROMQL_PAREN:
	case PROMQL_INVARIANT:
		return fix_times(node->inner, at);
	default:
		return true;
	}
}

static bool has_subquery(const struct promql_node *node)
{
	switch (node->kind) {
	case PROMQL_SUBQUERY:
		return true;
	case PROMQL_CALL:
		for (uint32_t i = 0; i < node->call.args.n; i++)
			if (has_subquery(node->call.args.at[i]))
				return true;
		return false;
	case PROMQL_AGGREGATE:
		return has_subquery(node->aggregate.expr);
	case PROMQL_BINARY:
		return has_subquery(node->binary.left) || has_subquery(node->binary.right);
	case PROMQL_UNARY:
		return has_subquery(node->unary.expr);
	case PROMQL_PAREN:
		return has_subquery(node->inner);
	default:
		return false;
	}
}

static void check_result(struct script *s, const struct eval *v, const struct promql_result *r,
			 uint32_t step, const char *how)
{
	double scalar = r->scalar;

	if (v->has_scalar) {
		if (r->type == PROMQL_MATRIX && r->series.n == 1)
			scalar = r->series.at[0].floats[step];
		else if (r->type != PROMQL_SCALAR)
			complain(s, v->line, "%.*s%s: no scalar", STR_ARG(v->expr), how);
		if (!nearly_equal(v->scalar, scalar))
			complain(s, v->line, "%.*s%s: %.17g, expected %.17g", STR_ARG(v->expr), how,
				 scalar, v->scalar);
	} else if (v->has_string) {
		if (r->type != PROMQL_STRING || !str_eq(r->string, v->string))
			complain(s, v->line, "%.*s: string is \"%.*s\"", STR_ARG(v->expr),
				 STR_ARG(r->string));
	} else if (r->type == PROMQL_SCALAR) {
		complain(s, v->line, "%.*s: unexpected scalar", STR_ARG(v->expr));
	} else if (v->has_range || !v->instant) {
		check_matrix(s, v, r);
	} else {
		check_vector(s, v, r, step, how);
	}
}

/* Evaluate once more in another way, which must have the same result at `step`. */
static void check_variant(struct script *s, const struct eval *v, bool at_modifiers, int64_t time,
			  int64_t step, const char *how)
{
	struct promql_times times = {time, time, step};
	struct promql_expr expr = {0};
	struct promql_result r = {0};
	struct err e = {0};
	uint32_t index = 0;

	if (step) {
		times = (struct promql_times){time - step, time + step, step};
		index = 1;
	}
	if (promql_parse(&expr, v->expr, PROMQL_ALL_SYNTAX, NULL, &e)) {
		complain(s, v->line, "%s", e.text);
		return;
	}
	if (!at_modifiers || (!has_subquery(expr.root) && fix_times(expr.root, v->at))) {
		int rc = evaluate(s, &expr, &times, &r, &e);

		if (rc)
			complain(s, v->line, "%.*s%s: %s", STR_ARG(v->expr), how, e.text);
		else
			check_result(s, v, &r, index, how);
	}
	promql_result_fini(&r);
	promql_expr_fini(&expr);
}

static bool asks_for_times(struct str expr)
{
	static const struct str names[] = {STR_INIT("start()"), STR_INIT("end()"),
					   STR_INIT("range()"), STR_INIT("step()")};

	for (unsigned i = 0; i < countof(names); i++)
		if (str_find_str(expr, names[i]) < expr.n)
			return true;
	return false;
}

static void run_eval(struct script *s, const struct eval *v)
{
	struct promql_times times = {v->start, v->end, v->step};
	bool fails = is_expected(v, EXPECT_FAIL);
	struct promql_expr expr = {0};
	struct promql_result r = {0};
	struct err e = {0};
	int rc;

	if (v->instant)
		times = (struct promql_times){v->at, v->at, 0};
	rc = promql_parse(&expr, v->expr, PROMQL_ALL_SYNTAX, NULL, &e);
	if (!rc)
		rc = evaluate(s, &expr, &times, &r, &e);
	if (rc && fails)
		check_failure(s, v, &e);
	else if (rc)
		complain(s, v->line, "%.*s: %s", STR_ARG(v->expr), e.text);
	else if (fails)
		complain(s, v->line, "%.*s: no error", STR_ARG(v->expr));
	if (!rc && !fails) {
		check_notes(s, v, &r, PROMQL_WARNING, EXPECT_WARN, EXPECT_NO_WARN);
		check_notes(s, v, &r, PROMQL_INFO, EXPECT_INFO, EXPECT_NO_INFO);
		check_result(s, v, &r, 0, "");
	}
	promql_result_fini(&r);
	promql_expr_fini(&expr);
	if (s->failed || fails || !v->instant || v->has_range || v->has_string)
		return;
	if (!asks_for_times(v->expr)) {
		check_variant(s, v, false, v->at, 60000, " (range)");
		check_variant(s, v, true, v->at + 77000, 60000, " (@, range)");
	}
	check_variant(s, v, true, 10 * v->at, 0, " (@)");
}

/* Parsing of eval. */

static void add_expectation(struct script *s, struct eval *v, enum expect_kind kind,
			    struct str kind_of_text, struct str text)
{
	struct expectation x = {.kind = kind};

	if (str_eq(kind_of_text, STR("msg:")))
		x.message = text;
	else if (str_eq(kind_of_text, STR("regex:")))
		x.pattern = text;
	else if (kind_of_text.n)
		complain(s, s->line, "bad expectation");
	if (v->expect_count < EXPECT_MAX)
		v->expects[v->expect_count++] = x;
}

static void parse_expect(struct script *s, struct eval *v, struct str rest)
{
	static const struct {
		struct str name;
		enum expect_kind kind;
	} kinds[] = {
		{STR_INIT("fail"), EXPECT_FAIL},       {STR_INIT("warn"), EXPECT_WARN},
		{STR_INIT("info"), EXPECT_INFO},       {STR_INIT("no_warn"), EXPECT_NO_WARN},
		{STR_INIT("no_info"), EXPECT_NO_INFO}, {STR_INIT("ordered"), EXPECT_ORDERED},
	};
	struct str word = cut_word(&rest);

	if (str_eq(word, STR("string"))) {
		v->has_string = true;
		if (promql_unquote(&s->arena, rest, &v->string))
			abort();
		return;
	}
	if (str_eq(word, STR("range"))) {
		(void)cut_word(&rest); /* vector */
		(void)cut_word(&rest); /* from */
		v->has_range = true;
		if (parse_duration(cut_word(&rest), &v->start))
			complain(s, s->line, "bad range");
		(void)cut_word(&rest); /* to */
		if (parse_duration(cut_word(&rest), &v->end))
			complain(s, s->line, "bad range");
		(void)cut_word(&rest); /* step */
		if (parse_duration(cut_word(&rest), &v->step))
			complain(s, s->line, "bad range");
		v->at = v->end;
		return;
	}
	for (unsigned i = 0; i < countof(kinds); i++)
		if (str_eq(word, kinds[i].name)) {
			struct str kind_of_text = cut_word(&rest);

			add_expectation(s, v, kinds[i].kind, kind_of_text, rest);
			return;
		}
	complain(s, s->line, "unknown expectation: %.*s", STR_ARG(word));
}

static bool parse_times(struct eval *v, struct str rest)
{
	struct str word = cut_word(&rest);

	v->instant = str_eq(word, STR("instant"));
	if (v->instant) {
		if (str_starts(rest, STR("at "))) {
			(void)cut_word(&rest);
			if (parse_duration(cut_word(&rest), &v->at))
				return false;
		}
	} else {
		(void)cut_word(&rest); /* from */
		if (parse_duration(cut_word(&rest), &v->start))
			return false;
		(void)cut_word(&rest); /* to */
		if (parse_duration(cut_word(&rest), &v->end))
			return false;
		(void)cut_word(&rest); /* step */
		if (parse_duration(cut_word(&rest), &v->step))
			return false;
	}
	v->expr = rest;
	return true;
}

static void eval_command(struct script *s, struct str command, struct str rest)
{
	struct eval v = {.line = s->line};
	struct str line;

	if (!parse_times(&v, rest))
		complain(s, s->line, "bad times");
	if (str_eq(command, STR("eval_fail")))
		add_expectation(s, &v, EXPECT_FAIL, STR(""), STR(""));
	if (str_eq(command, STR("eval_warn")))
		add_expectation(s, &v, EXPECT_WARN, STR(""), STR(""));
	if (str_eq(command, STR("eval_info")))
		add_expectation(s, &v, EXPECT_INFO, STR(""), STR(""));
	if (str_eq(command, STR("eval_ordered")))
		add_expectation(s, &v, EXPECT_ORDERED, STR(""), STR(""));
	while (next_line(s, &line) && line.n) {
		struct series_line parsed;
		struct err e = {0};
		struct str text = line;

		if (str_eq(cut_word(&text), STR("expect"))) {
			parse_expect(s, &v, text);
		} else if (str_starts(line, STR("expected_fail_message"))) {
			v.expects[0].message = str_trim(str_from_at(line, 21));
		} else if (str_starts(line, STR("expected_fail_regexp"))) {
			v.expects[0].pattern = str_trim(str_from_at(line, 20));
		} else if (!promql_parse_number(line, &v.scalar)) {
			v.has_scalar = true;
		} else if (series_parse(&parsed, line, &s->arena, &e)) {
			complain(s, s->line, "%s", e.text);
		} else if (vec_push(&s->arena, &v.lines, parsed)) {
			abort();
		}
	}
	s->result.evals++;
	run_eval(s, &v);
	s->result.failures += s->failed;
	s->failed = false;
}

struct promql_script_result promql_script_run(const char *name, struct str text, struct buf *log)
{
	return promql_script_run_in(name, text, log, NULL);
}

struct promql_script_result promql_script_run_in(const char *name, struct str text, struct buf *log,
						 const struct promql_script_place *place)
{
	struct script s = {.name = name, .log = log, .rest = text, .place = place, .changed = true};
	struct str line;

	arena_init(&s.arena, NULL);
	if (promql_memory_init(&s.memory, NULL))
		abort();
	while (next_line(&s, &line)) {
		struct str rest = line, command = cut_word(&rest);

		s.failed = false;
		if (!line.n)
			continue;
		if (str_eq(command, STR("clear"))) {
			promql_memory_fini(&s.memory);
			if (promql_memory_init(&s.memory, NULL))
				abort();
			s.changed = true;
		} else if (str_starts(command, STR("load"))) {
			load(&s, command, rest);
			s.changed = true;
			s.result.failures += s.failed;
		} else if (str_starts(command, STR("eval"))) {
			eval_command(&s, command, rest);
		} else {
			complain(&s, s.line, "unknown command: %.*s", STR_ARG(command));
			s.result.failures++;
		}
	}
	promql_memory_fini(&s.memory);
	arena_fini(&s.arena);
	return s.result;
}
