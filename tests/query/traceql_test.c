/* SPDX-License-Identifier: Apache-2.0 */
/* TraceQL on small traces made by hand: grammar, types, structure, errors. */
#include <math.h>

#include "query/traceql/traceql.h"
#include "query/traceql/traceql_metrics.h"
#include "query/traceql/traceql_search.h"
#include "query/traceql/traceql_want.h"
#include "signal/span_batch.h"

#include "test/test.h"

enum { SPANS = 7, FIELDS_MAX = 64 };

/*
 * The tree of spans by index; each has span.i = its index, span.s = "s" and its index, and more:
 *
 *	0 a	1 b   2 c   3 d is the child of 1, 4 e of 3   5 f: a second root   6 g: its parent is lost
 */
static const int32_t parents[SPANS] = {TRACE_NO_PARENT,	 0, 0, 1, 3, TRACE_NO_PARENT,
				       TRACE_LOST_PARENT};

struct trace {
	struct arena arena;
	struct trace_span spans[SPANS];
	struct trace_view view;
};

static struct trace_value int_value(int64_t n)
{
	struct trace_value v = {.type = TRACE_INT};

	v.number = n;
	return v;
}

static struct trace_value text_value(struct str s)
{
	struct trace_value v = {.type = TRACE_STRING};

	v.text = s;
	return v;
}

/* The value of a field of span `i`. */
static struct trace_value span_value(struct trace *t, const struct trace_field *f, uint32_t i)
{
	static const struct str names[SPANS] = {STR_INIT("a"), STR_INIT("b"), STR_INIT("c"),
						STR_INIT("d"), STR_INIT("e"), STR_INIT("f"),
						STR_INIT("g")};
	struct trace_value v = {0}, *list;
	struct str text;

	if (f->scope == TRACE_SCOPE_INTRINSIC && f->intrinsic == TRACE_SPAN_NAME)
		return text_value(names[i]);
	if (f->scope == TRACE_SCOPE_INTRINSIC && f->intrinsic == TRACE_SERVICE_NAME)
		return text_value(i < 3 ? STR("front") : STR("back"));
	if (f->scope == TRACE_SCOPE_RESOURCE && str_eq(f->key, STR("r")))
		return text_value(STR("resource"));
	if (f->scope != TRACE_SCOPE_SPAN)
		return v;
	if (str_eq(f->key, STR("i")))
		return int_value(i);
	if (str_eq(f->key, STR("s"))) {
		assert_ok(arena_printf(&t->arena, &text, "s%u", i));
		return text_value(text);
	}
	if (str_eq(f->key, STR("half"))) {
		v.type = TRACE_DOUBLE;
		v.real = i / 2.0;
	}
	if (str_eq(f->key, STR("even"))) {
		v.type = TRACE_BOOL;
		v.truth = i % 2 == 0;
	}
	if (str_eq(f->key, STR("few")) && i < 2) /* only two spans have it */
		v = int_value(i);
	if (str_eq(f->key, STR("list"))) {
		list = arena_alloc(&t->arena, 2, sizeof(*list));
		list[0] = int_value(i);
		list[1] = int_value(i + 10);
		v = (struct trace_value){.type = TRACE_ARRAY, .n = 2};
		v.elements = list;
	}
	if (str_eq(f->key, STR("a key")) && i == 3)
		v = text_value(STR("quoted"));
	return v;
}

/* Span 2 has the events x (code 1) and y (code 2). */
static void make_events(struct trace *t, const struct traceql *q)
{
	uint32_t *first = arena_zalloc(&t->arena, SPANS + 1, sizeof(*first));
	struct trace_value *values = arena_zalloc(&t->arena, 2 * FIELDS_MAX, sizeof(*values));

	for (uint32_t i = 3; i <= SPANS; i++)
		first[i] = 2;
	for (uint32_t event = 0; event < 2; event++)
		for (uint32_t i = 0; i < q->fields.n; i++) {
			const struct trace_field *f = &q->fields.at[i];
			struct trace_value *v = &values[event * q->fields.n + i];

			if (f->scope == TRACE_SCOPE_EVENT && str_eq(f->key, STR("code")))
				*v = int_value(event + 1);
			if (f->scope == TRACE_SCOPE_INTRINSIC && f->intrinsic == TRACE_EVENT_NAME)
				*v = text_value(event ? STR("y") : STR("x"));
		}
	t->view.events = (struct trace_items){.first = first, .values = values};
}

static void make_trace(struct trace *t, const struct traceql *q)
{
	struct trace_value *values;

	*t = (struct trace){0};
	arena_init(&t->arena, NULL);
	assert_true(q->fields.n <= FIELDS_MAX);
	values = arena_zalloc(&t->arena, SPANS * FIELDS_MAX, sizeof(*values));
	for (uint32_t i = 0; i < SPANS; i++) {
		t->spans[i] = (struct trace_span){.kind = (uint8_t)(i % SPAN_KINDS),
						  .status = (uint8_t)(i % SPAN_STATUSES),
						  .parent = parents[i],
						  .start = 1000000000ull * (i + 1),
						  .duration = 1000000ull * i};
		t->spans[i].id[7] = (uint8_t)(i + 1);
		for (uint32_t k = 0; k < q->fields.n; k++)
			values[i * q->fields.n + k] = span_value(t, &q->fields.at[k], i);
	}
	t->view = (struct trace_view){.span_count = SPANS,
				      .field_count = q->fields.n,
				      .spans = t->spans,
				      .values = values};
	t->view.id[15] = 0x2a;
	make_events(t, q);
}

/* Run a search; return the spans as "013|2", sets in the order of their first spans. */
static const char *search(const char *text)
{
	static char out[256];
	struct traceql_search s;
	struct traceql q;
	struct arena a;
	struct trace t;
	struct err e = {0};
	size_t n = 0;

	arena_init(&a, NULL);
	assert_ok_err(traceql_compile(&q, str_from(text), &a, &e), &e);
	make_trace(&t, &q);
	traceql_search_init(&s, &q, 10, 100, NULL);
	assert_ok_err(traceql_search_add(&s, &t.view, &e), &e);
	traceql_search_finish(&s);
	out[0] = 0;
	for (uint32_t i = 0; s.found.n && i < s.found.at[0].set_count; i++) {
		const struct traceql_found_set *set = &s.found.at[0].sets[i];

		if (i)
			out[n++] = '|';
		for (uint32_t k = 0; k < set->n; k++)
			out[n++] = (char)('0' + set->spans[k].id[7] - 1);
		out[n] = 0;
	}
	traceql_search_fini(&s);
	traceql_fini(&q);
	arena_fini(&t.arena);
	arena_fini(&a);
	return out;
}

static void filters_select_spans(void **state)
{
	static const char *const cases[][2] = {
		{"{}", "0123456"},
		{"{ true }", "0123456"},
		{"{ false }", ""},
		{"{ span.i = 3 }", "3"},
		{"{ 3 = span.i }", "3"},
		{"{ 3 < span.i }", "456"},
		{"{ span.i >= 2 && span.i < 4 }", "23"},
		{"{ span.half = 1 }", "2"}, /* an int and a float are compared */
		{"{ span.i = 3.0 }", "3"},
		{"{ span.even }", "0246"},
		{"{ !span.even }", "135"},
		{"{ !(span.few = 1) }", "023456"},
		{"{ span.few != 1 }", "0"}, /* no value: no comparison holds */
		{"{ span.few = nil }", "23456"},
		{"{ span.few != nil }", "01"},
		{"{ nil = nil }", ""},
		{"{ span.s = \"s3\" }", "3"},
		{"{ span.s =~ \"s[12]\" }", "12"},
		{"{ span.s =~ \"s\" }", ""}, /* anchored */
		{"{ span.s !~ \"s[12]\" }", "03456"},
		{"{ span.s > \"s4\" }", "56"},
		{"{ span.s = `s5` }", "5"},
		{"{ span.s = 3 }", ""}, /* another type */
		{"{ span.s != 3 }", ""},
		{"{ span.list = 12 }", "2"},
		{"{ span.list != 12 }", "013456"},
		{"{ span.list > 14 }", "56"},
		{"{ span.\"a key\" = \"quoted\" }", "3"},
		{"{ .\"a key\" = \"quoted\" }", "3"},
		{"{ .r = \"resource\" }", "0123456"},
		{"{ .i = 2 }", "2"},
		{"{ resource.service.name = \"back\" }", "3456"},
		{"{ name = \"c\" || name = \"e\" }", "24"},
		{"{ duration > 3ms }", "456"},
		{"{ duration = 0.002s }", "2"},
		{"{ span.i * 1ms = duration }", "0123456"},
		{"{ status = error }", "25"},
		{"{ kind = server }", "2"},
		{"{ kind = unspecified }", "06"},
		{"{ trace:id = \"2a\" }", ""},
		{"{ trace:id = \"0000000000000000000000000000002a\" }", "0123456"},
		{"{ span:id = \"0000000000000003\" }", "2"},
		{"{ span:childCount = 2 }", "0"},
		{"{ rootName = \"f\" }", "0123456"},
		{"{ nestedSetParent < 0 }", "05"},
		{"{ nestedSetParent = 0 }", "6"},
		{"{ nestedSetLeft = 2 }", "1"},
		{"{ event:name = \"x\" }", "2"},
		{"{ event.code = 2 }", "2"},
		{"{ event:name = \"x\" && event.code = 2 }", ""}, /* not the same event */
		{"{ event:name = \"x\" || event.code = 2 }", "2"},
		{"{ event.code = nil }", "013456"},
	};

	(void)state;
	for (size_t i = 0; i < countof(cases); i++)
		if (strcmp(search(cases[i][0]), cases[i][1]) != 0)
			fail_msg("%s: found \"%s\", expected \"%s\"", cases[i][0],
				 search(cases[i][0]), cases[i][1]);
}

static void operators_have_their_precedence(void **state)
{
	static const char *const cases[][2] = {
		{"{ span.i = 1 || span.i = 2 && span.i = 9 }", ""}, /* (a || b) && c */
		{"{ span.i + 1 * 2 = 4 }", "2"},
		{"{ 2 ^ 3 ^ 2 = 512 }", "0123456"},
		{"{ -span.i * 2 = -4 }", "2"},
		{"{ -2 + span.i = 1 }", "3"},
		{"{ span.i % 3 = 0 }", "036"},
		{"{ span.i / 2 = 1 }", "23"},
		{"{ (span.i + 1) * 2 = 8 }", "3"},
		{"{ !span.even = true }", "135"},
		/* { a } && ({ b } > { c }) */
		{"{ name = \"e\" } && { name = \"a\" } > { name = \"b\" }", "14"},
		{"{ name = \"a\" } > { name = \"b\" } > { name = \"d\" }", "3"},
		{"{ name = \"a\" } || { name = \"b\" } && { name = \"x\" }", ""},
	};

	(void)state;
	for (size_t i = 0; i < countof(cases); i++)
		if (strcmp(search(cases[i][0]), cases[i][1]) != 0)
			fail_msg("%s: found \"%s\", expected \"%s\"", cases[i][0],
				 search(cases[i][0]), cases[i][1]);
}

static void structure_relates_spans(void **state)
{
	static const char *const cases[][2] = {
		{"{ name = \"a\" } > {}", "12"},
		{"{ name = \"a\" } >> {}", "1234"},
		{"{ name = \"d\" } < {}", "1"},
		{"{ name = \"e\" } << {}", "013"},
		{"{ name = \"b\" } ~ {}", "2"},
		{"{ name = \"a\" } ~ {}", "5"}, /* two roots are siblings */
		{"{ name = \"a\" } !> {}", "03456"},
		{"{ name = \"a\" } !>> {}", "056"},
		{"{ name = \"e\" } !<< {}", "2456"},
		{"{ name = \"b\" } !~ {}", "013456"},
		{"{ name = \"x\" } !> { name = \"a\" }", "0"},
		{"{ name = \"b\" } &> {}", "13"},
		{"{ name = \"b\" } &>> {}", "134"},
		{"{ name = \"e\" } &<< {}", "0134"},
		{"{ name = \"b\" } &~ {}", "12"},
		{"{ name = \"a\" } && { name = \"g\" }", "06"},
		{"{ name = \"a\" } && { name = \"x\" }", ""},
		{"{ name = \"a\" } || { name = \"x\" }", "0"},
		{"({ name = \"a\" } | count() > 0) && ({ name = \"b\" })", "01"},
	};

	(void)state;
	for (size_t i = 0; i < countof(cases); i++)
		if (strcmp(search(cases[i][0]), cases[i][1]) != 0)
			fail_msg("%s: found \"%s\", expected \"%s\"", cases[i][0],
				 search(cases[i][0]), cases[i][1]);
}

static void pipelines_map_spansets(void **state)
{
	static const char *const cases[][2] = {
		{"{ span.i > 1 } | { span.even }", "246"},
		{"{} | count() = 7", "0123456"},
		{"{} | count() > 7", ""},
		{"{} | avg(span.i) = 3", "0123456"},
		{"{} | min(span.few) = 0", "0123456"},
		{"{} | max(span.few) = 1", "0123456"},
		{"{} | sum(span.i) = 21", "0123456"},
		{"{} | sum(duration) = 21ms", "0123456"},
		{"{} | avg(span.nope) >= 0", ""},
		{"{} | count() > 2 + 4", "0123456"},
		{"count() = 7", "0123456"},
		{"{} | by(resource.service.name)", "012|3456"},
		{"{} | by(resource.service.name) | count() = 4", "3456"},
		{"{} | by(span.few)", "0|1|23456"},
		{"{} | by(resource.service.name) | by(span.even)", "02|1|35|46"},
		{"{} | by(resource.service.name) | count() > 3 | coalesce()", "3456"},
		{"{} | by(span.even) | coalesce() | { span.i = 1 } > {}", "3"},
		{"{ span.i = 1 } | select(span.s)", "1"},
	};

	(void)state;
	for (size_t i = 0; i < countof(cases); i++)
		if (strcmp(search(cases[i][0]), cases[i][1]) != 0)
			fail_msg("%s: found \"%s\", expected \"%s\"", cases[i][0],
				 search(cases[i][0]), cases[i][1]);
}

static void errors_have_their_place(void **state)
{
	static const char *const cases[][2] = {
		{"", "parse error at line 1, col 1: syntax error: unexpected $end"},
		{"{", "col 2: syntax error: unexpected $end"},
		{"{ span.x = }", "col 12: syntax error: unexpected }"},
		{"{ span.x = 1", "col 13: syntax error: unexpected $end, expecting }"},
		{"{ } }", "col 5: syntax error: unexpected }"},
		{"{ } |", "unexpected $end"},
		{"{ nope = 1 }", "col 3: unknown identifier: nope"},
		{"{\n  nope = 1 }", "line 2, col 3: unknown identifier"},
		{"{ name = \"ключ\" && nope }", "col 20: unknown identifier"},
		{"{ 1 }", "a filter must be a condition"},
		{"{ \"x\" }", "a filter must be a condition"},
		{"{ duration }", "a filter must be a condition"},
		{"{ status = \"error\" }", "same type: status = string"},
		{"{ kind = error }", "same type: kind = status"},
		{"{ name > 3 }", "same type: string > int"},
		{"{ name + \"x\" = \"y\" }",
		 "illegal operation for the given types: string + string"},
		{"{ status > error }", "illegal operation for the given types: status > status"},
		{"{ true < false }", "illegal operation"},
		{"{ !1 = 2 }", "illegal operation for the given type: !int"},
		{"{ -name = 2 }", "illegal operation for the given type: -string"},
		{"{ name =~ span.x }", "must be a string"},
		{"{ name =~ \"(\" }", "missing"},
		{"{ name = nil }", "name always exists"},
		{"{ duration = nil }", "duration always exists"},
		{"{ resource.service.name = nil }", "resource.service.name always exists"},
		{"{ trace:id > \"a\" }", "trace:id supports = and != only"},
		{"{ parent.x = 1 }", "parent attributes are not yet supported"},
		{"{ name = 'x' }", "unexpected '"},
		{"{ name = \"x }", "the string has no closing quote"},
		{"{ name = \"\\q\" }", "unknown escape"},
		{"{ span. = 1 }", "the name of an attribute is missing"},
		{"{ span.x = 99999999999999999999 }", "bad number"},
		{"{ duration > 1q }", "bad number"},
		{"{ duration > 1mm }", "bad duration"},
		{"{ } | avg(1) > 2", "must refer to the span"},
		{"{ } | avg(name) > 2", "must be a number"},
		{"{ } | by(1)", "must refer to the span"},
		{"{ } | count() > \"x\"", "expected a number"},
		{"{ } | count() + 1 > 2", "not yet supported"},
		{"{ } | count() > count()", "not yet supported"},
		{"{ } | 2 < count()", "not yet supported"},
		{"{ } | count() > 1 / 0", "division by zero"},
		{"{ } | by(name) | {} > {}", "consider using coalesce()"},
		{"coalesce()", "unexpected coalesce"},
		{"{ } | rate() by(.a, .b, .c, .d, .e, .f)", "at most 5 labels"},
		{"{ } | histogram_over_time(duration) by(.a, .b, .c, .d, .e)", "at most 4 labels"},
		{"{ } | quantile_over_time(duration)", "needs a quantile"},
		{"{ } | quantile_over_time(duration, 2)", "between 0 and 1"},
		{"{ } | sum_over_time(name)", "needs a number"},
		{"{ } | rate() | topk(0)", "a number from 1"},
		{"{ } | rate() | count() > 1", "unexpected count"},
		{"({ } | rate()) && { }", "unexpected &&"},
		{"{ } with (x = )", "unexpected )"},
	};

	(void)state;
	for (size_t i = 0; i < countof(cases); i++) {
		struct traceql q;
		struct arena a;
		struct err e = {0};
		int rc;

		arena_init(&a, NULL);
		rc = traceql_compile(&q, str_from(cases[i][0]), &a, &e);
		if (rc != -EINVAL)
			fail_msg("no error for: %s", cases[i][0]);
		if (!strstr(e.text, cases[i][1]))
			fail_msg("%s: %s; expected %s", cases[i][0], e.text, cases[i][1]);
		arena_fini(&a);
	}
}

static void deep_and_large_queries_are_refused(void **state)
{
	struct buf text = {0};
	struct traceql q;
	struct arena a;
	struct err e = {0};

	(void)state;
	arena_init(&a, NULL);
	for (unsigned i = 0; i < 2000; i++)
		buf_put_char(&text, '(');
	assert_int_equal(traceql_compile(&q, buf_str(&text), &a, &e), -EINVAL);
	assert_err_says(&e, "nested too deeply");
	buf_clear(&text);
	e = (struct err){0};
	buf_put_str(&text, STR("{ "));
	for (unsigned i = 0; i < 300; i++)
		buf_printf(&text, "span.x%u = 1 || ", i);
	buf_put_str(&text, STR("true }"));
	assert_int_equal(traceql_compile(&q, buf_str(&text), &a, &e), -EINVAL);
	assert_err_says(&e, "more than 256 attributes");
	for (unsigned i = 0; i < (128 << 10); i++)
		buf_put_char(&text, ' ');
	e = (struct err){0};
	assert_int_equal(traceql_compile(&q, buf_str(&text), &a, &e), -EINVAL);
	assert_err_says(&e, "bytes, more than");
	buf_fini(&text);
	arena_fini(&a);
}

/* ---- metrics ---- */

/* Run a query of metrics over seconds 1 to 7, in steps of 1 s; return "labels: values; ...". */
static const char *metrics(const char *text)
{
	static struct buf out;
	struct traceql_metrics_run *run = NULL;
	struct traceql_series_list l;
	struct traceql_range range;
	struct traceql q;
	struct arena a;
	struct trace t;
	struct err e = {0};

	arena_init(&a, NULL);
	assert_ok_err(traceql_compile(&q, str_from(text), &a, &e), &e);
	make_trace(&t, &q);
	assert_ok_err(traceql_range_set(&range, 1000000000, 7000000000, 1000000000, &e), &e);
	assert_int_equal(range.n, 7);
	assert_ok(traceql_metrics_new(&run, &q, &range, 0, NULL));
	assert_ok_err(traceql_metrics_add(run, &t.view, &e), &e);
	assert_ok_err(traceql_metrics_finish(run, &l, &e), &e);
	buf_clear(&out);
	for (uint32_t i = 0; i < l.list.n; i++) {
		const struct traceql_series *s = &l.list.at[i];

		for (uint32_t k = 0; k < s->label_count; k++) {
			buf_printf(&out, "%s%.*s=",
				   k   ? ","
				   : i ? "; "
				       : "",
				   STR_ARG(s->labels[k].name));
			traceql_value_text(&out, &s->labels[k].value);
		}
		for (uint32_t k = 0; k < range.n; k++)
			if (isnan(s->values[k]))
				buf_put_str(&out, STR(" -"));
			else
				buf_printf(&out, " %g", s->values[k]);
	}
	buf_put_char(&out, 0);
	traceql_metrics_free(run);
	traceql_fini(&q);
	arena_fini(&t.arena);
	arena_fini(&a);
	return out.p;
}

static void spans_are_counted_over_time(void **state)
{
	static const char *const cases[][2] = {
		{"{} | rate()", "__name__=rate 1 1 1 1 1 1 1"},
		{"{ span.even } | count_over_time()", "__name__=count_over_time 1 0 1 0 1 0 1"},
		{"{} | count_over_time() by (resource.service.name)",
		 "resource.service.name=back 0 0 0 1 1 1 1; "
		 "resource.service.name=front 1 1 1 0 0 0 0"},
		{"{} | max_over_time(span.few)", "__name__=max_over_time 0 1 - - - - -"},
		{"{} | sum_over_time(duration)",
		 "__name__=sum_over_time 0 0.001 0.002 0.003 0.004 0.005 0.006"},
		{"{} | avg_over_time(span.half)", "__name__=avg_over_time 0 0.5 1 1.5 2 2.5 3"},
		{"{} | histogram_over_time(span.i)",
		 "__bucket=2 0 0 1 0 0 0 0; __bucket=4 0 0 0 1 1 0 0; __bucket=8 0 0 0 0 0 1 1"},
		{"{ span.i = 2 } | quantile_over_time(span.i, 1)", "p=1 0 0 2 0 0 0 0"},
		{"{} | count_over_time() by (span.few)",
		 "span.few=nil 0 0 1 1 1 1 1; span.few=0 1 0 0 0 0 0 0; span.few=1 0 1 0 0 0 0 0"},
		{"{} | sum_over_time(span.i) > 4", "__name__=sum_over_time - - - - - 5 6"},
		{"{} | count_over_time() by (resource.service.name) | topk(1)",
		 "resource.service.name=back - - - 1 1 1 1; "
		 "resource.service.name=front 1 1 1 - - - -"},
		{"({} | sum_over_time(span.i)) * 2 + 1",
		 "__name__=((sum_over_time * 2) + 1) 1 3 5 7 9 11 13"},
		{"({ span.even } | rate()) / ({} | rate())",
		 "__name__=(rate / rate) 1 0 1 0 1 0 1"},
		{"({} | rate()) / ({ span.even } | rate())",
		 "__name__=(rate / rate) 1 - 1 - 1 - 1"},
		{"100 * (({} | rate()) - 1)", "__name__=(100 * (rate - 1)) 0 0 0 0 0 0 0"},
	};

	(void)state;
	for (size_t i = 0; i < countof(cases); i++)
		if (strcmp(metrics(cases[i][0]), cases[i][1]) != 0)
			fail_msg("%s:\n  %s, expected\n  %s", cases[i][0], metrics(cases[i][0]),
				 cases[i][1]);
}

static void ranges_are_aligned_to_the_step(void **state)
{
	struct traceql_range r;
	struct err e = {0};

	(void)state;
	assert_ok(traceql_range_set(&r, 90, 330, 60, &e));
	assert_int_equal(r.first, 60);
	assert_int_equal(r.n, 6);
	assert_int_equal(traceql_range_set(&r, 0, 330, 0, &e), -EINVAL);
	e = (struct err){0};
	assert_int_equal(traceql_range_set(&r, 0, 1000000, 1, &e), -EINVAL);
	assert_err_says(&e, "use a larger step");
	assert_int_equal(traceql_default_step(0, 3600 * 1000000000ull), 15 * 1000000000ull);
	assert_int_equal(traceql_default_step(0, 30 * 1000000000ull), 100000000);
	assert_int_equal(traceql_default_step(0, 1000000), 50000000);
}

/* ---- what traces need to have ---- */

/* The alternatives as text: "i=3&s exists | duration>5". */
static const char *wanted(const char *text)
{
	static const char *const ops[] = {" exists", "=", ">", ">=", "<", "<="};
	static struct buf out;
	struct traceql_plan plan;
	struct trace_want w;
	struct traceql q;
	struct arena a;
	struct err e = {0};

	arena_init(&a, NULL);
	assert_ok_err(traceql_compile(&q, str_from(text), &a, &e), &e);
	assert_ok(traceql_plan(&q, &plan));
	w = plan.want;
	buf_clear(&out);
	buf_put_str(&out, w.all ? STR("all") : STR(""));
	for (uint32_t i = 0; i < w.n; i++)
		for (uint32_t k = 0; k < w.at[i].n; k++) {
			const struct trace_leaf *leaf = &w.at[i].leaves[k];

			buf_printf(&out, "%s%.*s%s",
				   k   ? "&"
				   : i ? " | "
				       : "",
				   STR_ARG(leaf->of == TRACE_LEAF_DURATION ? STR("duration")
					   : leaf->of == TRACE_LEAF_STATUS ? STR("status")
									   : leaf->field.key),
				   ops[leaf->op]);
			if (leaf->op != TRACE_LEAF_EXISTS && leaf->value.type == TRACE_INT)
				buf_put_i64(&out, leaf->value.number);
		}
	buf_put_char(&out, 0);
	traceql_fini(&q);
	arena_fini(&a);
	return out.p;
}

static void queries_say_what_traces_need(void **state)
{
	static const char *const cases[][2] = {
		{"{}", "all"},
		{"{ span.i = 3 }", "i=3"},
		{"{ 3 > span.i }", "i<3"},
		{"{ span.i = 3 && status = error }", "i=3&status=2"},
		{"{ span.i = 3 || span.j > 4 }", "i=3 | j>4"},
		{"{ (span.i = 1 || span.i = 2) && span.j = 3 }", "i=1&j=3 | i=2&j=3"},
		{"{ span.i = 3 || span.s =~ \"x\" }", "all"},
		{"{ span.i = 3 && span.s =~ \"x\" }", "i=3"},
		{"{ !(span.i = 3) }", "all"},
		{"{ span.i != 3 }", "all"},
		{"{ span.i != nil }", "i exists"},
		{"{ span.i = nil }", "all"},
		{"{ .i = 3 }", "i=3 | i=3 | i=3 | i=3 | i=3"},
		{"{ span.i = 3 } && { duration > 5ns }", "i=3"},
		{"{ duration > 5ns } && { span.i = 3 }", "i=3"},
		{"{ span.i = 3 } || { span.j = 4 }", "i=3 | j=4"},
		{"{ span.i = 3 } !> { span.j = 4 }", "j=4"},
		{"{} | { span.i = 3 } | count() > 1", "i=3"},
		{"{ span.i = 3 } | rate()", "i=3"},
		{"({ span.i = 3 } | rate()) / ({ span.j = 4 } | rate())", "i=3 | j=4"},
		{"({ span.i = 3 } | rate()) * 2", "i=3"},
	};

	(void)state;
	for (size_t i = 0; i < countof(cases); i++)
		if (strcmp(wanted(cases[i][0]), cases[i][1]) != 0)
			fail_msg("%s: \"%s\", expected \"%s\"", cases[i][0], wanted(cases[i][0]),
				 cases[i][1]);
}

TEST_MAIN(test(filters_select_spans), test(operators_have_their_precedence),
	  test(structure_relates_spans), test(pipelines_map_spansets),
	  test(errors_have_their_place), test(deep_and_large_queries_are_refused),
	  test(spans_are_counted_over_time), test(ranges_are_aligned_to_the_step),
	  test(queries_say_what_traces_need))
