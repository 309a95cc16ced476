/* SPDX-License-Identifier: Apache-2.0 */
#include "rules/test/series_notation.h"

#include <ctype.h>
#include <math.h>

#include "query/promql/syntax/promql_literal.h"
#include "signal/metric/native_work.h"

struct reader {
	struct str text;
	size_t at;
	struct arena *a;
	struct err *e;
	int rc; /* the first error */
};

static void fail(struct reader *r, const char *reason)
{
	if (!r->rc)
		r->rc = err_set(r->e, -EINVAL, "%s at column %zu of \"%.*s\"", reason, r->at + 1,
				STR_ARG(str_head(r->text, 200)));
}

static void fail_memory(struct reader *r)
{
	if (!r->rc)
		r->rc = err_set(r->e, -ENOMEM, "out of memory for series");
}

static char peek(const struct reader *r)
{
	return r->at < r->text.n ? r->text.p[r->at] : 0;
}

static bool take(struct reader *r, const char *s)
{
	size_t n = strlen(s);

	if (r->text.n - r->at < n || memcmp(r->text.p + r->at, s, n) != 0)
		return false;
	r->at += n;
	return true;
}

static void skip_spaces(struct reader *r)
{
	while (peek(r) && strchr(" \t\n\r", peek(r)))
		r->at++;
}

static bool is_word(char c)
{
	return isalnum((unsigned char)c) || c == '_' || c == ':';
}

static struct str word(struct reader *r)
{
	size_t from = r->at;

	while (is_word(peek(r)))
		r->at++;
	return str_of(r->text.p + from, r->at - from);
}

static struct str quoted(struct reader *r)
{
	size_t from = r->at;
	char quote = peek(r);
	struct str out = {0};

	r->at++;
	while (peek(r) && peek(r) != quote)
		r->at += peek(r) == '\\' ? 2 : 1;
	if (r->at >= r->text.n || peek(r) != quote) {
		r->at = min_size(r->at, r->text.n);
		fail(r, "unterminated string");
		return out;
	}
	r->at++;
	if (promql_unquote(r->a, str_of(r->text.p + from, r->at - from), &out))
		fail_memory(r);
	return out;
}

static void add_label(struct reader *r, struct series_line *out, struct str name, struct str value)
{
	if (out->label_count == SERIES_LABELS_MAX) {
		fail(r, "too many labels");
		return;
	}
	out->labels[out->label_count++] = (struct promql_label){name, value};
}

static void parse_labels(struct reader *r, struct series_line *out)
{
	if (is_word(peek(r)))
		add_label(r, out, STR("__name__"), word(r));
	if (!take(r, "{") || peek(r) == '{') {
		if (peek(r) == '{')
			r->at--;
		return;
	}
	for (;;) {
		struct str name;
		bool was_quoted;

		skip_spaces(r);
		if (take(r, "}") || r->rc)
			return;
		was_quoted = peek(r) == '"' || peek(r) == '\'' || peek(r) == '`';
		name = was_quoted ? quoted(r) : word(r);
		skip_spaces(r);
		if (was_quoted && peek(r) != '=') {
			add_label(r, out, STR("__name__"), name);
		} else {
			if (!take(r, "="))
				fail(r, "expected =");
			skip_spaces(r);
			add_label(r, out, name, quoted(r));
		}
		skip_spaces(r);
		if (!take(r, ",") && peek(r) != '}')
			fail(r, "expected , or }");
		if (r->rc)
			return;
	}
}

/* Parse a number without its sign; x ends it. */
static double number(struct reader *r)
{
	size_t from = r->at;
	double value = NAN;
	int64_t ns;

	if (isalpha((unsigned char)peek(r))) {
		while (isalpha((unsigned char)peek(r)) && peek(r) != 'x')
			r->at++;
	} else {
		while (isalnum((unsigned char)peek(r)) || peek(r) == '.' || peek(r) == '_' ||
		       ((peek(r) == '-' || peek(r) == '+') && r->at > from &&
			(r->text.p[r->at - 1] | 0x20) == 'e')) {
			if (peek(r) == 'x')
				break;
			r->at++;
		}
	}
	if (promql_parse_number(str_of(r->text.p + from, r->at - from), &value)) {
		if (promql_parse_duration(str_of(r->text.p + from, r->at - from), &ns))
			fail(r, "bad number");
		else
			value = (double)ns / 1e9;
	}
	return value;
}

static double signed_number(struct reader *r)
{
	bool negative = peek(r) == '-';

	if (negative || peek(r) == '+')
		r->at++;
	return negative ? -number(r) : number(r);
}

/* Parse a whole number that a schema or an offset can be. */
static int32_t small_number(struct reader *r)
{
	double value = signed_number(r);

	if (value >= -NATIVE_BUCKETS_MAX && value <= NATIVE_BUCKETS_MAX)
		return (int32_t)value;
	fail(r, "bad schema or offset");
	return 0;
}

/* Parse [1 2 3]. */
static uint32_t list(struct reader *r, double **out)
{
	VEC(double) values = {0};

	if (!take(r, "["))
		fail(r, "expected [");
	for (;;) {
		skip_spaces(r);
		if (take(r, "]") || r->rc)
			break;
		if (values.n >= NATIVE_BUCKETS_MAX)
			fail(r, "too many buckets");
		else if (vec_push(r->a, &values, signed_number(r)))
			fail_memory(r);
	}
	*out = values.at;
	return values.n;
}

static void set_side(struct reader *r, struct native_side *side, double *counts, uint32_t n,
		     int32_t offset)
{
	if (!n)
		return;
	side->spans = arena_alloc(r->a, 1, sizeof(*side->spans));
	if (!side->spans) {
		fail_memory(r);
		return;
	}
	side->spans[0] = (struct native_span){offset, n};
	side->span_count = 1;
	side->counts = counts;
	side->count = n;
}

static enum native_reset parse_hint(struct reader *r)
{
	struct str hint = word(r);

	if (str_eq(hint, STR("reset")))
		return NATIVE_RESET;
	if (str_eq(hint, STR("not_reset")))
		return NATIVE_NOT_RESET;
	if (str_eq(hint, STR("gauge")))
		return NATIVE_GAUGE;
	if (!str_eq(hint, STR("unknown")))
		fail(r, "bad hint");
	return NATIVE_UNKNOWN;
}

/* Replace the counts by copies without signs. */
static void remove_signs(struct reader *r, struct native_side *side)
{
	double *counts = arena_alloc(r->a, (size_t)side->count + 1, sizeof(*counts));

	if (!counts) {
		fail_memory(r);
		return;
	}
	for (uint32_t i = 0; i < side->count; i++)
		counts[i] = fabs(side->counts[i]);
	side->counts = counts;
}

/* Results that are expected may have negative counts; all else must be as the functions need it. */
static void check_histogram(struct reader *r, const struct native_histogram *h)
{
	struct native_histogram positive = *h;
	const char *wrong;

	positive.count = fabs(h->count);
	positive.zero_count = fabs(h->zero_count);
	remove_signs(r, &positive.positive);
	remove_signs(r, &positive.negative);
	wrong = r->rc ? NULL : native_check(&positive);
	if (wrong)
		fail(r, wrong);
}

/* Parse {{...}}, after the opening braces. */
static struct native_histogram *histogram(struct reader *r, bool *hint_set)
{
	struct native_histogram *h = arena_zalloc(r->a, 1, sizeof(*h));
	double *positive = NULL, *negative = NULL, *custom = NULL;
	int32_t offset = 0, n_offset = 0;
	uint32_t n = 0, m = 0;

	*hint_set = false;
	if (!h) {
		fail_memory(r);
		return NULL;
	}
	for (;;) {
		struct str key;

		skip_spaces(r);
		if (take(r, "}}") || r->rc)
			break;
		key = word(r);
		/* A word ends at the colon here. */
		if (str_find(key, ':') < key.n) {
			r->at -= key.n - str_find(key, ':');
			key = str_head(key, str_find(key, ':'));
		}
		if (!take(r, ":"))
			fail(r, "expected :");
		if (str_eq(key, STR("schema")))
			h->schema = small_number(r);
		else if (str_eq(key, STR("sum")))
			h->sum = signed_number(r);
		else if (str_eq(key, STR("count")))
			h->count = signed_number(r);
		else if (str_eq(key, STR("z_bucket")))
			h->zero_count = signed_number(r);
		else if (str_eq(key, STR("z_bucket_w")))
			h->zero_threshold = signed_number(r);
		else if (str_eq(key, STR("offset")))
			offset = small_number(r);
		else if (str_eq(key, STR("n_offset")))
			n_offset = small_number(r);
		else if (str_eq(key, STR("buckets")))
			n = list(r, &positive);
		else if (str_eq(key, STR("n_buckets")))
			m = list(r, &negative);
		else if (str_eq(key, STR("custom_values")))
			h->custom_count = list(r, &custom);
		else if (str_eq(key, STR("counter_reset_hint"))) {
			h->reset = parse_hint(r);
			*hint_set = true;
		} else
			fail(r, "unknown key");
	}
	h->custom = custom;
	set_side(r, &h->positive, positive, n, offset);
	set_side(r, &h->negative, negative, m, n_offset);
	check_histogram(r, h);
	return h;
}

static void add_value(struct reader *r, struct series_line *out, struct series_value v)
{
	if (out->values.n >= SERIES_VALUES_MAX)
		fail(r, "too many values");
	else if (vec_push(r->a, &out->values, v))
		fail_memory(r);
}

static uint32_t times(struct reader *r)
{
	double n = number(r);

	if (n >= 0 && n <= SERIES_VALUES_MAX)
		return (uint32_t)n;
	fail(r, "bad number of repetitions");
	return 0;
}

static void histogram_values(struct reader *r, struct series_line *out)
{
	struct series_value v = {0};
	struct native_histogram *step = NULL;
	struct native_work w;
	bool minus = false, unused;
	uint32_t n = 0;

	v.histogram = histogram(r, &v.hint_set);
	if (peek(r) == '+' || peek(r) == '-') {
		minus = peek(r) == '-';
		r->at++;
		if (!take(r, "{{"))
			fail(r, "expected {{");
		step = histogram(r, &unused);
	}
	if (take(r, "x"))
		n = times(r);
	add_value(r, out, v);
	native_work_init(&w, r->a);
	if (n > SERIES_HISTOGRAMS_MAX)
		fail(r, "too many histograms");
	for (uint32_t i = 0; i < n && !r->rc; i++) {
		struct native_notes notes = {0};

		if (step) {
			if (native_work_set(&w, v.histogram) ||
			    (minus ? native_work_subtract(&w, step, &notes)
				   : native_work_add(&w, step, &notes)))
				fail(r, "histograms do not fit");
			v.histogram = native_work_finish(&w, r->a);
			if (!v.histogram)
				fail_memory(r);
		}
		add_value(r, out, v);
	}
}

static void float_values(struct reader *r, struct series_line *out)
{
	struct series_value v = {0};
	double step = 0;
	uint32_t n = 0;

	if (take(r, "stale")) {
		uint64_t bits = NATIVE_STALE_BITS;

		memcpy(&v.value, &bits, sizeof(bits));
	} else {
		v.value = signed_number(r);
	}
	if (peek(r) == '+' || peek(r) == '-')
		step = signed_number(r);
	if (take(r, "x"))
		n = times(r);
	for (uint32_t i = 0; i <= n && !r->rc; i++) {
		add_value(r, out, v);
		if (step != 0)
			v.value += step;
	}
}

int series_parse(struct series_line *out, struct str line, struct arena *a, struct err *e)
{
	struct reader r = {.text = line, .a = a, .e = e};

	*out = (struct series_line){0};
	if (line.n > SERIES_TEXT_MAX)
		return err_set(e, -EINVAL, "a series is longer than %d bytes", SERIES_TEXT_MAX);
	skip_spaces(&r);
	parse_labels(&r, out);
	for (;;) {
		skip_spaces(&r);
		if (r.rc || r.at >= r.text.n)
			break;
		if (take(&r, "{{")) {
			histogram_values(&r, out);
		} else if (take(&r, "_")) {
			struct series_value none = {.omitted = true};
			uint32_t n = take(&r, "x") ? times(&r) : 1;

			for (uint32_t i = 0; i < n && !r.rc; i++)
				add_value(&r, out, none);
		} else {
			float_values(&r, out);
		}
	}
	return r.rc;
}
