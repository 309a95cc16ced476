/* SPDX-License-Identifier: Apache-2.0 */
/* TraceQL against Tempo's answers: 500 traces, and queries with what the real Tempo found. */
#include <math.h>
#include <stdlib.h>
#include <zlib.h>

#include "format/otlp/traces.h"
#include "query/traceql/traceql.h"
#include "query/traceql/traceql_metrics.h"
#include "query/traceql/traceql_search.h"
#include "signal/trace/trace_fill.h"
#include "wire/json.h"
#include "wire/text.h"

#include "test/test.h"

enum { FILES = 9, TRACES = 500, BASE = 1767225600 };

/* One batch with all spans; by trace the rows, in the order of traces.json. */
struct fixture {
	struct arena arena;
	struct buf messages[FILES];
	struct span_batch batch;
	struct json traces, queries;
	struct buf traces_text, queries_text;
	uint32_t *rows[TRACES], counts[TRACES];
	/* By batch row: the number of the span in its trace. */
	uint32_t *numbers;
};

static bool read_file(struct buf *out, const char *name)
{
	const char *root = getenv("SOURCE_ROOT");
	char path[512], bytes[65536];
	gzFile f;
	int n;

	snprintf(path, sizeof(path), "%s/../shared/fixtures/traceql/%s", root ? root : ".", name);
	f = gzopen(path, "rb");
	if (!f) {
		print_message("skipped: %s does not exist\n", path);
		return false;
	}
	while ((n = gzread(f, bytes, sizeof(bytes))) > 0)
		buf_put(out, bytes, (size_t)n);
	gzclose(f);
	return true;
}

/* Append the spans of a message to the batch of the fixture. */
static void add_message(struct fixture *f, struct str message)
{
	struct span_batch b;
	struct err e = {0};
	uint32_t resources = f->batch.resources.n, scopes = f->batch.scopes.n;

	span_batch_init(&b, NULL);
	assert_ok_err(otlp_traces_decode(&b, message, &e), &e);
	for (uint32_t i = 0; i < b.resources.n; i++)
		assert_ok(vec_push(&f->arena, &f->batch.resources, b.resources.at[i]));
	for (uint32_t i = 0; i < b.scopes.n; i++)
		assert_ok(vec_push(&f->arena, &f->batch.scopes, b.scopes.at[i]));
	for (uint32_t i = 0; i < b.spans.n; i++) {
		struct span s = b.spans.at[i];

		assert_ok(arena_copy_str(&f->arena, s.name, &s.name));
		assert_ok(arena_copy_str(&f->arena, s.details, &s.details));
		s.resource += s.resource ? resources : 0;
		s.scope += s.scope ? scopes : 0;
		assert_ok(vec_push(&f->arena, &f->batch.spans, s));
	}
	span_batch_fini(&b);
}

static bool id_is(const uint8_t *id, size_t n, struct str hex)
{
	char text[32];

	hex_digits(text, str_of((const char *)id, n));
	return str_eq(str_of(text, 2 * n), hex);
}

/* Find the rows of each trace, and the number of each span in it. */
static void sort_traces(struct fixture *f)
{
	uint32_t trace = 0;

	f->numbers = arena_zalloc(&f->arena, f->batch.spans.n, sizeof(uint32_t));
	json_each(t, json_root(&f->traces))
	{
		struct str id = json_str(json_get(t, STR("id")));
		uint32_t n = 0;

		f->rows[trace] = arena_alloc(&f->arena, f->batch.spans.n, sizeof(uint32_t));
		for (uint32_t i = 0; i < f->batch.spans.n; i++) {
			const struct span *s = &f->batch.spans.at[i];
			uint32_t number = 0;

			if (!id_is(s->trace_id, 16, id))
				continue;
			json_each(span, json_get(t, STR("spans")))
			{
				if (id_is(s->span_id, 8, json_str(span)))
					f->numbers[i] = number;
				number++;
			}
			f->rows[trace][n++] = i;
		}
		f->counts[trace++] = n;
	}
	assert_int_equal(trace, TRACES);
}

static int fixture_setup(void **state)
{
	struct fixture *f = calloc(1, sizeof(*f));
	struct err e = {0};

	*state = f;
	arena_init(&f->arena, NULL);
	span_batch_init(&f->batch, NULL);
	json_init(&f->traces, &f->arena);
	json_init(&f->queries, &f->arena);
	for (unsigned i = 0; i < FILES; i++) {
		char name[64];

		snprintf(name, sizeof(name), "traces-%02u.otlp.gz", i);
		if (!read_file(&f->messages[i], name))
			return 0;
		add_message(f, buf_str(&f->messages[i]));
	}
	if (!read_file(&f->traces_text, "traces.json") ||
	    !read_file(&f->queries_text, "queries.json"))
		return 0;
	assert_ok_err(json_parse(&f->traces, buf_str(&f->traces_text), &e), &e);
	assert_ok_err(json_parse(&f->queries, buf_str(&f->queries_text), &e), &e);
	sort_traces(f);
	return 0;
}

static int fixture_teardown(void **state)
{
	struct fixture *f = *state;

	for (unsigned i = 0; i < FILES; i++)
		buf_fini(&f->messages[i]);
	buf_fini(&f->traces_text);
	buf_fini(&f->queries_text);
	f->batch.spans.at = NULL;
	span_batch_fini(&f->batch);
	arena_fini(&f->arena);
	free(f);
	return 0;
}

/* ---- answers as text ---- */

static int by_text(const void *a, const void *b)
{
	return str_cmp(*(const struct str *)a, *(const struct str *)b);
}

static int by_number(const void *a, const void *b)
{
	const uint32_t *x = a, *y = b;

	return (*x > *y) - (*x < *y);
}

/* "0-2,7" */
static struct str set_text(struct arena *a, uint32_t *numbers, uint32_t n)
{
	struct buf out = {0};
	struct str text;

	qsort(numbers, n, sizeof(*numbers), by_number);
	for (uint32_t i = 0; i < n; i++) {
		uint32_t end = i;

		while (end + 1 < n && numbers[end + 1] == numbers[end] + 1)
			end++;
		buf_printf(&out, "%s%u", i ? "," : "", numbers[i]);
		if (end > i)
			buf_printf(&out, "-%u", numbers[end]);
		i = end;
	}
	assert_ok(arena_copy_str(a, buf_str(&out), &text));
	buf_fini(&out);
	return text;
}

/* Sort the texts, and append them with a separator. */
static void put_sorted(struct buf *out, struct str *texts, uint32_t n, char separator)
{
	if (n)
		qsort(texts, n, sizeof(*texts), by_text);
	for (uint32_t i = 0; i < n; i++) {
		if (i)
			buf_put_char(out, separator);
		buf_put_str(out, texts[i]);
	}
}

/* Bring "3:0-2|1 5:0" into one order. */
static void put_normal(struct buf *out, struct arena *a, struct str traces)
{
	VEC(struct str) list = {0};

	while (traces.n) {
		struct str sets = str_cut(&traces, ' '), trace = str_cut(&sets, ':');
		VEC(struct str) parts = {0};
		struct buf text = {0};
		struct str copy;

		while (sets.n)
			assert_ok(vec_push(a, &parts, str_cut(&sets, '|')));
		buf_put_str(&text, trace);
		buf_put_char(&text, ':');
		put_sorted(&text, parts.at, parts.n, '|');
		assert_ok(arena_copy_str(a, buf_str(&text), &copy));
		assert_ok(vec_push(a, &list, copy));
		buf_fini(&text);
	}
	put_sorted(out, list.at, list.n, ' ');
}

/* The number of a trace of the answer. */
static uint32_t trace_number(const struct fixture *f, const uint8_t *id)
{
	for (uint32_t t = 0; t < TRACES; t++)
		if (!memcmp(f->batch.spans.at[f->rows[t][0]].trace_id, id, 16))
			return t;
	fail_msg("an unknown trace");
	return 0;
}

static uint32_t span_number(const struct fixture *f, uint32_t trace,
			    const struct traceql_found_span *s)
{
	for (uint32_t i = 0; i < f->counts[trace]; i++) {
		const struct span *x = &f->batch.spans.at[f->rows[trace][i]];

		if (!memcmp(x->span_id, s->id, 8) && x->start == s->start)
			return f->numbers[f->rows[trace][i]];
	}
	fail_msg("an unknown span");
	return 0;
}

/* Append a text in quotes, escaped as in JSON. */
static void put_quoted(struct buf *out, struct str text)
{
	buf_put_char(out, '"');
	for (size_t i = 0; i < text.n; i++) {
		char c = text.p[i];

		if (c == '"' || c == '\\')
			buf_put_char(out, '\\');
		if (c == '\n')
			buf_put_str(out, STR("\\n"));
		else
			buf_put_char(out, c);
	}
	buf_put_char(out, '"');
}

/* "text", int 5, double 0.5, true, ["a", "b"] */
static void put_value(struct buf *out, const struct traceql_value *v)
{
	struct buf text = {0};

	switch (v->type) {
	case TRACEQL_TYPE_INT:
		buf_printf(out, "int %lld", (long long)v->number);
		break;
	case TRACEQL_TYPE_DOUBLE:
		buf_printf(out, "double %.12g", v->real);
		break;
	case TRACEQL_TYPE_BOOL:
		buf_put_str(out, v->truth ? STR("true") : STR("false"));
		break;
	case TRACEQL_TYPE_ARRAY:
		buf_put_char(out, '[');
		for (uint32_t i = 0; i < v->n; i++) {
			struct traceql_value x = traceql_value_of(&v->elements[i]);

			buf_put_str(out, i ? STR(", ") : STR(""));
			put_value(out, &x);
		}
		buf_put_char(out, ']');
		break;
	default:
		traceql_value_text(&text, v);
		put_quoted(out, buf_str(&text));
		buf_fini(&text);
	}
}

/* {"key"="text", "n"=int 5} */
static struct str attributes_text(struct arena *a, const struct traceql_attribute *at, uint32_t n)
{
	VEC(struct str) list = {0};
	struct buf out = {0};
	struct str text;

	for (uint32_t i = 0; i < n; i++) {
		struct buf one = {0};

		if (at[i].value.type == TRACEQL_TYPE_NIL)
			continue;
		put_quoted(&one, at[i].name);
		buf_put_char(&one, '=');
		put_value(&one, &at[i].value);
		assert_ok(arena_copy_str(a, buf_str(&one), &text));
		assert_ok(vec_push(a, &list, text));
		buf_fini(&one);
	}
	buf_put_str(&out, STR("{"));
	if (list.n)
		qsort(list.at, list.n, sizeof(*list.at), by_text);
	for (uint32_t i = 0; i < list.n; i++)
		buf_printf(&out, "%s%.*s", i ? ", " : "", STR_ARG(list.at[i]));
	buf_put_str(&out, STR("}"));
	assert_ok(arena_copy_str(a, buf_str(&out), &text));
	buf_fini(&out);
	return text;
}

/* ---- searches ---- */

/*
 * Answers in which Tempo contradicts its documentation: with by() of the same attribute `!= nil`
 * passes all spans; by() of http.status_code, which has a column of ints, sees no strings.
 */
static bool is_defect_of_tempo(struct str query)
{
	static const char *const defects[] = {
		"{ span.http.method != nil } | by(span.http.method) | count() > 3",
		"{} | count_over_time() by (span.http.status_code)",
	};

	for (size_t i = 0; i < countof(defects); i++)
		if (str_eq(query, str_from(defects[i])))
			return true;
	return false;
}

static uint64_t parameter(struct str url, const char *name, uint64_t none)
{
	char pattern[32];
	struct str rest;
	uint64_t n;

	snprintf(pattern, sizeof(pattern), "%s=", name);
	rest = str_from_at(url, str_find_str(url, str_from(pattern)));
	if (!rest.n)
		return none;
	rest = str_from_at(rest, strlen(pattern));
	rest = str_cut(&rest, '&');
	rest = str_head(rest, strspn(rest.p, "0123456789"));
	return str_to_u64(rest, 10, &n) ? none : n;
}

/* Visit the traces that overlap the range of the query. */
static void each_view(struct fixture *f, const struct traceql *q, struct str url,
		      int (*visit)(void *ctx, const struct trace_view *v, struct err *e), void *ctx)
{
	uint64_t from = parameter(url, "start", 0) * 1000000000;
	uint64_t to = parameter(url, "end", UINT32_MAX) * 1000000000;
	struct trace_maker m;
	struct arena shared, a;
	struct err e = {0};

	arena_init(&shared, NULL);
	arena_init(&a, NULL);
	assert_ok(trace_maker_init(&m, &f->batch, q->fields.at, q->fields.n, &shared));
	for (uint32_t t = 0; t < TRACES; t++) {
		struct trace_view v;
		uint64_t first = UINT64_MAX, last = 0;

		arena_reset(&a);
		assert_ok(trace_maker_view(&m, f->rows[t], f->counts[t], &a, &v));
		for (uint32_t i = 0; i < v.span_count; i++) {
			uint64_t end = v.spans[i].start + v.spans[i].duration;

			first = v.spans[i].start < first ? v.spans[i].start : first;
			last = end > last ? end : last;
		}
		if (first < to && last >= from)
			assert_ok_err(visit(ctx, &v, &e), &e);
	}
	arena_fini(&a);
	arena_fini(&shared);
}

static int search_visit(void *ctx, const struct trace_view *v, struct err *e)
{
	return traceql_search_add(ctx, v, e);
}

static void put_found(struct fixture *f, const struct traceql_search *s, struct buf *out,
		      struct buf *attrs, struct arena *a)
{
	struct buf all = {0};

	for (uint32_t i = 0; i < s->found.n; i++) {
		const struct traceql_found *x = &s->found.at[i];
		uint32_t trace = trace_number(f, x->id);

		buf_printf(&all, "%s%u:", i ? " " : "", trace);
		for (uint32_t k = 0; k < x->set_count; k++) {
			const struct traceql_found_set *set = &x->sets[k];
			uint32_t *numbers = arena_alloc(a, set->n, sizeof(*numbers));
			struct str text;

			assert_int_equal(set->n, set->matched);
			for (uint32_t j = 0; j < set->n; j++) {
				numbers[j] = span_number(f, trace, &set->spans[j]);
				text = attributes_text(a, set->spans[j].attributes,
						       set->spans[j].attribute_count);
				buf_printf(attrs, "%u:%u=%.*s\n", trace, numbers[j], STR_ARG(text));
			}
			text = set_text(a, numbers, set->n);
			buf_printf(&all, "%s%.*s", k ? "|" : "", STR_ARG(text));
			if (set->attribute_count) {
				struct str set_attributes =
					attributes_text(a, set->attributes, set->attribute_count);

				buf_printf(attrs, "%u:%.*s set=%.*s\n", trace, STR_ARG(text),
					   STR_ARG(set_attributes));
			}
		}
	}
	put_normal(out, a, buf_str(&all));
	buf_fini(&all);
}

/* Compare attributes: each line of the answer has to be in ours. */
static bool has_attributes(const struct json_value *wanted, struct str attrs)
{
	bool ok = true;

	json_each_member(key, wanted)
	{
		struct buf line = {0};

		buf_printf(&line, "%.*s=%.*s\n", STR_ARG(json_str(key)),
			   STR_ARG(json_str(json_member(key))));
		if (str_find_str(attrs, buf_str(&line)) == attrs.n) {
			print_message("no attributes %.*s", STR_ARG(buf_str(&line)));
			ok = false;
		}
		buf_fini(&line);
	}
	return ok;
}

/* Print where two texts begin to differ. */
static void print_difference(struct str query, struct str found, struct str wanted)
{
	size_t at = 0;

	while (at < found.n && at < wanted.n && found.p[at] == wanted.p[at])
		at++;
	at = at > 20 ? at - 20 : 0;
	print_message("%.*s:\n  found  ..%.*s\n  wanted ..%.*s\n", STR_ARG(query),
		      STR_ARG(str_head(str_from_at(found, at), 100)),
		      STR_ARG(str_head(str_from_at(wanted, at), 100)));
}

static bool search_is_right(struct fixture *f, struct str query, struct str url,
			    const struct json_value *answer)
{
	struct arena a;
	struct traceql q;
	struct traceql_search s;
	struct buf found = {0}, attrs = {0}, wanted = {0};
	struct err e = {0};
	bool ok;

	arena_init(&a, NULL);
	if (traceql_compile(&q, query, &a, &e)) {
		print_message("%.*s: %s\n", STR_ARG(query), e.text);
		arena_fini(&a);
		return false;
	}
	traceql_search_init(&s, &q, 2000, 5000, NULL);
	each_view(f, &q, url, search_visit, &s);
	traceql_search_finish(&s);
	put_found(f, &s, &found, &attrs, &a);
	put_normal(&wanted, &a, json_str(json_get(answer, STR("traces"))));
	ok = str_eq(buf_str(&found), buf_str(&wanted));
	if (!ok)
		print_difference(query, buf_str(&found), buf_str(&wanted));
	if (!has_attributes(json_get(answer, STR("attrs")), buf_str(&attrs))) {
		print_message("%.*s\n  has %.*s\n", STR_ARG(query),
			      STR_ARG(str_head(buf_str(&attrs), 400)));
		ok = false;
	}
	traceql_search_fini(&s);
	traceql_fini(&q);
	arena_fini(&a);
	buf_fini(&found);
	buf_fini(&attrs);
	buf_fini(&wanted);
	return ok;
}

static void searches_find_what_tempo_finds(void **state)
{
	struct fixture *f = *state;
	unsigned searches = 0, wrong = 0;

	if (!f->queries_text.n)
		skip();
	json_each(q, json_root(&f->queries))
	{
		struct str mode = json_str(json_get(q, STR("mode")));
		struct str query = json_str(json_get(q, STR("q")));
		struct str url = json_str(json_get(q, STR("url")));

		if (!query.n || is_defect_of_tempo(query) ||
		    !str_starts(url, STR("/api/search?")) ||
		    (!str_eq(mode, STR("spans")) && !str_eq(mode, STR("attrs"))))
			continue;
		searches++;
		wrong += !search_is_right(f, query, url, json_get(q, STR("answer")));
	}
	print_message("%u searches, %u wrong\n", searches, wrong);
	assert_true(searches > 100);
	assert_int_equal(wrong, 0);
}

/* ---- metrics ---- */

static int metrics_visit(void *ctx, const struct trace_view *v, struct err *e)
{
	return traceql_metrics_add(ctx, v, e);
}

static struct str series_text(struct arena *a, const struct traceql_series *s)
{
	struct traceql_attribute labels[TRACEQL_LABELS_MAX];

	for (uint32_t i = 0; i < s->label_count; i++)
		labels[i] = (struct traceql_attribute){s->labels[i].name, s->labels[i].value};
	return attributes_text(a, labels, s->label_count);
}

static bool value_is(double value, double wanted, bool quantile)
{
	if (quantile)
		return value >= wanted / 2 && value <= wanted * 2;
	return fabs(value - wanted) <= 1e-6 * fmax(fabs(wanted), 1e-12);
}

/* Compare the points "60:1.5 120:2" of a series. */
static bool points_are_right(const struct traceql_series *s, const struct traceql_range *range,
			     struct str points, bool quantile)
{
	for (uint32_t i = 0; i < range->n; i++) {
		uint64_t seconds = range->first / 1000000000 + i * (range->step / 1000000000);
		double wanted = 0, value = isnan(s->values[i]) ? 0 : s->values[i];
		struct str rest = points;

		while (rest.n) {
			struct str v = str_cut(&rest, ' '), time = str_cut(&v, ':');
			uint64_t t;

			assert_ok(str_to_u64(time, 10, &t));
			if (range->instant || t + BASE == seconds)
				assert_ok(str_to_double(v, &wanted));
		}
		if (!value_is(value, wanted, quantile) && !(value == 0 && wanted == 0)) {
			print_message("at %llu: %g, expected %g\n",
				      (unsigned long long)seconds - BASE, value, wanted);
			return false;
		}
	}
	return true;
}

static bool series_are_right(const struct traceql_series_list *l, const struct traceql_range *range,
			     const struct json_value *answer, struct arena *a)
{
	bool quantile = json_kind(json_get(answer, STR("quantile"))) == JSON_TRUE;
	const struct json_value *series = json_get(answer, STR("series"));
	bool ok = true;

	json_each_member(key, series)
	{
		bool found = false;

		for (uint32_t i = 0; i < l->list.n; i++)
			if (str_eq(series_text(a, &l->list.at[i]), json_str(key))) {
				found = true;
				ok &= points_are_right(&l->list.at[i], range,
						       json_str(json_member(key)), quantile);
			}
		if (!found) {
			print_message("no series %.*s\n", STR_ARG(json_str(key)));
			ok = false;
		}
	}
	for (uint32_t i = 0; i < l->list.n; i++) {
		bool any = false;

		for (uint32_t k = 0; k < range->n; k++)
			any |= !isnan(l->list.at[i].values[k]) && l->list.at[i].values[k] != 0;
		if (any && !json_get(series, series_text(a, &l->list.at[i]))) {
			print_message("too much: %.*s\n", STR_ARG(series_text(a, &l->list.at[i])));
			ok = false;
		}
	}
	return ok;
}

static bool metrics_are_right(struct fixture *f, struct str query, struct str url,
			      const struct json_value *answer)
{
	uint64_t start = parameter(url, "start", 0), end = parameter(url, "end", 0);
	struct traceql_metrics_run *run = NULL;
	struct traceql_series_list l;
	struct traceql_range range;
	struct arena a;
	struct traceql q;
	struct err e = {0};
	bool ok;

	arena_init(&a, NULL);
	assert_ok_err(traceql_compile(&q, query, &a, &e), &e);
	assert_non_null(q.metrics);
	if (str_starts(url, STR("/api/metrics/query_range")))
		assert_ok_err(traceql_range_set(&range, start * 1000000000, end * 1000000000,
						parameter(url, "step", 60) * 1000000000, &e),
			      &e);
	else
		range = (struct traceql_range){.first = start * 1000000000,
					       .step = (end - start) * 1000000000,
					       .n = 1,
					       .instant = true};
	assert_ok(traceql_metrics_new(&run, &q, &range, 0, NULL));
	each_view(f, &q, STR(""), metrics_visit, run);
	assert_ok_err(traceql_metrics_finish(run, &l, &e), &e);
	ok = series_are_right(&l, &range, answer, &a);
	if (!ok)
		print_message("  in %.*s\n", STR_ARG(query));
	traceql_metrics_free(run);
	traceql_fini(&q);
	arena_fini(&a);
	return ok;
}

static void metrics_are_those_of_tempo(void **state)
{
	struct fixture *f = *state;
	unsigned queries = 0, wrong = 0;

	if (!f->queries_text.n)
		skip();
	json_each(q, json_root(&f->queries))
	{
		struct str query = json_str(json_get(q, STR("q")));

		if (!str_eq(json_str(json_get(q, STR("mode"))), STR("series")) ||
		    is_defect_of_tempo(query))
			continue;
		queries++;
		wrong += !metrics_are_right(f, query, json_str(json_get(q, STR("url"))),
					    json_get(q, STR("answer")));
	}
	print_message("%u queries, %u wrong\n", queries, wrong);
	assert_true(queries > 20);
	assert_int_equal(wrong, 0);
}

TEST_MAIN(test_with(fixture, searches_find_what_tempo_finds),
	  test_with(fixture, metrics_are_those_of_tempo))
