/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Metrics of the program: values of many threads, series and their limit, observable instruments,
 * exemplars, and both encodings. Instruments live as long as the process, so each test has names of
 * its own.
 */
#include "sdk/metrics/instruments.h"

#include <math.h>
#include <pthread.h>
#include <sys/wait.h>
#include <unistd.h>

#include "sdk/metrics/proto_parts.h"
#include "sdk/trace/span.h"
#include "varve/varve.h"

enum { ATTRIBUTES_TEST_KEYS = 33 };

static struct proto_writer encoded;

/* Encode all instruments, and return the metric of that name; empty when it has no value. */
static struct str metric(const char *name)
{
	struct str scope, found;

	proto_writer_clear(&encoded);
	instruments_put(&encoded, 2000);
	assert_int_equal(proto_writer_error(&encoded), 0);
	scope = proto_part(proto_writer_str(&encoded), 2, 0);
	for (unsigned i = 0; (found = proto_part(scope, 2, i)).n; i++)
		if (str_eq(proto_part(found, 1, 0), str_from(name)))
			return found;
	return (struct str){0};
}

/* Return point `index` of the data with this field number. */
static struct str point(struct str m, uint32_t data, unsigned index)
{
	return proto_part(proto_part(m, data, 0), 1, index);
}

/* Return the Prometheus text, valid until the next call. */
static const char *text(void)
{
	static struct buf out;

	buf_clear(&out);
	instruments_text(&out);
	buf_put_char(&out, 0);
	assert_int_equal(buf_error(&out), 0);
	return out.p;
}

static void has_line(const char *line)
{
	if (!strstr(text(), line))
		fail_msg("no line %s in:\n%s", line, text());
}

enum { ADDERS = 8, ADDITIONS = 50000 };

static void *add_many(void *series)
{
	for (int i = 0; i < ADDITIONS; i++)
		varve_add(series, 1);
	return NULL;
}

static void additions_of_many_threads_are_all_counted(void **state)
{
	struct varve_attribute route[] = {varve_str("route", "/cart")};
	struct varve_series *s = varve_bind(varve_counter("threads.added", NULL, NULL), route, 1);
	pthread_t threads[ADDERS];
	struct str m;

	(void)state;
	assert_non_null(s);
	for (int i = 0; i < ADDERS; i++)
		assert_int_equal(pthread_create(&threads[i], NULL, add_many, s), 0);
	m = metric("threads.added"); /* meanwhile */
	assert_in_range(proto_number(point(m, 7, 0), 6), 0, ADDERS * ADDITIONS);
	for (int i = 0; i < ADDERS; i++)
		pthread_join(threads[i], NULL);
	m = metric("threads.added");
	assert_int_equal(proto_number(point(m, 7, 0), 6), ADDERS * ADDITIONS);
	assert_int_equal(proto_number(proto_part(m, 7, 0), 2), 2); /* cumulative */
	assert_int_equal(proto_number(proto_part(m, 7, 0), 3), 1); /* monotonic */
	assert_str_equal(proto_part(proto_attribute(point(m, 7, 0), 7, "route"), 1, 0),
			 STR("/cart"));
}

static void a_series_is_found_by_its_attributes_in_any_order(void **state)
{
	struct varve_instrument *i = varve_counter("series.order", NULL, NULL);
	struct varve_attribute a[] = {varve_int("n", 3), varve_str("k", "v"), varve_bool("b", 1)};
	struct varve_attribute b[] = {varve_bool("b", 1), varve_int("n", 3), varve_str("k", "v")};
	struct varve_attribute c[] = {varve_bool("b", 1), varve_int("n", 4), varve_str("k", "v")};
	/* of one key the last value counts; an empty key does not count */
	struct varve_attribute d[] = {varve_str("k", "x"), varve_bool("b", 1), varve_int("n", 3),
				      varve_str("", "?"), varve_str("k", "v")};

	(void)state;
	assert_ptr_equal(varve_bind(i, a, 3), varve_bind(i, b, 3));
	assert_ptr_equal(varve_bind(i, a, 3), varve_bind(i, d, 5));
	assert_ptr_not_equal(varve_bind(i, a, 3), varve_bind(i, c, 3));
	assert_ptr_equal(varve_bind(i, NULL, 0), varve_bind(i, a, 0));
	varve_add_with(i, 5, a, 3);
	varve_add_with(i, 6, b, 3);
	has_line("series_order_total{b=\"true\",k=\"v\",n=\"3\"} 11\n");
}

static void an_instrument_exists_once_and_conflicts_are_refused(void **state)
{
	static const double descending[] = {2, 1};
	struct varve_instrument_options o = {.kind = VARVE_HISTOGRAM,
					     .name = "bad.bounds",
					     .bounds = descending,
					     .bound_count = 2};

	(void)state;
	assert_non_null(varve_counter("once", "By", NULL));
	assert_ptr_equal(varve_counter("once", "By", "x"), varve_counter("ONCE", "By", NULL));
	assert_null(varve_gauge("once", "By", NULL));
	assert_non_null(strstr(varve_last_error(), "once"));
	assert_null(varve_counter("once", "s", NULL));
	assert_null(varve_counter("1st", NULL, NULL));
	assert_null(varve_counter("with space", NULL, NULL));
	assert_null(varve_counter("", NULL, NULL));
	assert_null(varve_counter(NULL, NULL, NULL));
	assert_null(varve_instrument_new(&o));
	assert_non_null(strstr(varve_last_error(), "bound number 2"));
	assert_null(varve_instrument_new(NULL));
}

static void null_and_wrong_kinds_do_nothing(void **state)
{
	struct varve_series *g = varve_bind(varve_gauge("kinds.gauge", NULL, NULL), NULL, 0);
	struct varve_series *c = varve_bind(varve_counter("kinds.counter", NULL, NULL), NULL, 0);

	(void)state;
	varve_add(NULL, 1);
	varve_set(NULL, 1);
	varve_record(NULL, 1);
	varve_observe(NULL, 1, NULL, 0);
	varve_instrument_unobserve(NULL);
	assert_null(varve_bind(NULL, NULL, 0));
	varve_add(g, 1);
	varve_record(g, 1);
	varve_set(c, 9);
	varve_record(c, 9);
	varve_add(c, -5); /* a counter only grows */
	varve_add_double(c, NAN);
	assert_int_equal(metric("kinds.gauge").n, 0); /* never set */
	assert_int_equal(proto_number(point(metric("kinds.counter"), 7, 0), 6), 0);
	varve_add_double(c, 2.6); /* rounded: it counts integers */
	assert_int_equal(proto_number(point(metric("kinds.counter"), 7, 0), 6), 3);
}

static void sums_may_be_doubles_and_fall(void **state)
{
	struct varve_instrument_options o = {
		.kind = VARVE_UP_DOWN_COUNTER, .name = "real.sum", .real = 1};
	struct varve_series *s = varve_bind(varve_instrument_new(&o), NULL, 0);
	struct varve_series *whole =
		varve_bind(varve_up_down_counter("whole.sum", NULL, NULL), NULL, 0);

	(void)state;
	varve_add_double(s, 1.5);
	varve_add(s, -4);
	assert_true(proto_real(point(metric("real.sum"), 7, 0), 4) == -2.5);
	assert_int_equal(proto_number(proto_part(metric("real.sum"), 7, 0), 3), -1);
	varve_add(whole, -7);
	assert_int_equal(proto_number(point(metric("whole.sum"), 7, 0), 6), -7);
}

static void a_histogram_counts_between_its_bounds(void **state)
{
	static const double bounds[] = {1, 10};
	struct varve_instrument_options o = {.kind = VARVE_HISTOGRAM,
					     .name = "request.size",
					     .unit = "By",
					     .description = "Size",
					     .bounds = bounds,
					     .bound_count = 2};
	struct varve_series *s = varve_bind(varve_instrument_new(&o), NULL, 0);
	struct str p, counts;

	(void)state;
	assert_int_equal(metric("request.size").n, 0); /* without values: not sent */
	varve_record(s, 1);			       /* a bound is inclusive */
	varve_record(s, 0.5);
	varve_record(s, 5);
	varve_record(s, 100);
	varve_record(s, NAN);
	p = point(metric("request.size"), 9, 0);
	assert_int_equal(proto_number(p, 4), 4);
	assert_true(proto_real(p, 5) == 106.5);
	counts = proto_part(p, 6, 0);
	assert_int_equal(counts.n, 24);
	assert_memory_equal(counts.p, ((uint64_t[]){2, 1, 1}), 24);
	assert_memory_equal(proto_part(p, 7, 0).p, bounds, 16);
	assert_true(proto_real(p, 11) == 0.5 && proto_real(p, 12) == 100);
	has_line("# HELP request_size_bytes Size\n# TYPE request_size_bytes histogram\n"
		 "request_size_bytes_bucket{le=\"1\"} 2\n"
		 "request_size_bytes_bucket{le=\"10\"} 3\n"
		 "request_size_bytes_bucket{le=\"+Inf\"} 4\n"
		 "request_size_bytes_sum 106.5\nrequest_size_bytes_count 4\n");
}

static void an_exponential_histogram_is_sent_with_its_scale(void **state)
{
	struct varve_instrument_options o = {
		.kind = VARVE_EXPONENTIAL_HISTOGRAM, .name = "latency", .unit = "s"};
	struct varve_attribute a[] = {varve_str("op", "get")};
	struct varve_series *s = varve_bind(varve_instrument_new(&o), a, 1);
	struct str p, buckets;

	(void)state;
	varve_record(s, 0);
	varve_record(s, 3);
	varve_record(s, 3);
	varve_record(s, 100);
	varve_record(s, -1);
	varve_record(s, INFINITY); /* has no bucket */
	p = point(metric("latency"), 10, 0);
	assert_int_equal(proto_number(p, 4), 5);
	assert_int_equal(proto_number(p, 7), 1);
	assert_true(proto_number(p, 6) > 0); /* scale > 0, zigzag: even */
	assert_int_equal(proto_number(p, 6) % 2, 0);
	buckets = proto_part(proto_part(p, 8, 0), 2, 0);
	assert_true(buckets.n > 1);
	assert_int_equal(buckets.p[0], 2);
	assert_int_equal(buckets.p[buckets.n - 1], 1);
	assert_str_equal(proto_part(proto_attribute(p, 1, "op"), 1, 0), STR("get"));
	has_line("latency_seconds_bucket{op=\"get\",le=\"-0.5\"} 1\n"
		 "latency_seconds_bucket{op=\"get\",le=\"0\"} 2\n"
		 "latency_seconds_bucket{op=\"get\",le=\"4\"} 4\n");
	has_line("latency_seconds_bucket{op=\"get\",le=\"128\"} 5\n"
		 "latency_seconds_bucket{op=\"get\",le=\"+Inf\"} 5\n");
}

static void further_series_are_counted_as_overflow(void **state)
{
	struct varve_instrument *i = varve_counter("overflowing", NULL, NULL);
	struct varve_attribute many[40];
	struct str m;
	unsigned points = 0;
	int64_t sum = 0;

	(void)state;
	instruments_configure(10, VARVE_EXEMPLARS_TRACE_BASED);
	for (int n = 0; n < 100; n++) {
		struct varve_attribute a = varve_int("user", n);

		varve_add_with(i, 1, &a, 1);
	}
	for (int n = 0; n < 40; n++)
		many[n] = varve_int((const char *[]){"a", "b"}[n % 2], n);
	varve_add_with(i, 1, many, 40); /* two keys only: it is no large set */
	m = metric("overflowing");
	for (struct str p; (p = point(m, 7, points)).n; points++) {
		bool over = proto_attribute(p, 7, "otel.metric.overflow").n != 0;

		assert_int_equal(proto_number(p, 6), over ? 92 : 1);
		sum += proto_number(p, 6);
	}
	assert_int_equal(points, 10);
	assert_int_equal(sum, 101);
	has_line("overflowing_total{otel_metric_overflow=\"true\"} 92\n");
	instruments_configure(2000, VARVE_EXEMPLARS_TRACE_BASED);
}

static void too_many_attributes_are_overflow(void **state)
{
	static char keys[ATTRIBUTES_TEST_KEYS][16];
	struct varve_attribute many[ATTRIBUTES_TEST_KEYS];
	struct varve_instrument *i = varve_counter("large.set", NULL, NULL);

	(void)state;
	for (int n = 0; n < ATTRIBUTES_TEST_KEYS; n++) {
		snprintf(keys[n], sizeof(keys[n]), "k%02d", n);
		many[n] = varve_int(keys[n], n);
	}
	varve_add_with(i, 1, many, ATTRIBUTES_TEST_KEYS);
	has_line("large_set_total{otel_metric_overflow=\"true\"} 1\n");
}

struct observed {
	int calls;
	double value;
	bool second;
};

static void observe_queue(void *arg, struct varve_observation *out)
{
	struct observed *o = arg;
	struct varve_attribute a[] = {varve_str("queue", "a")}, b[] = {varve_str("queue", "b")};

	o->calls++;
	varve_observe(out, o->value, a, 1);
	if (o->second)
		varve_observe(out, 1, b, 1);
}

static void an_observable_instrument_is_asked_before_each_export(void **state)
{
	static struct observed o = {.value = 5, .second = true};
	struct varve_instrument_options options = {
		.kind = VARVE_GAUGE, .name = "queue.length", .observe = observe_queue, .arg = &o};
	struct varve_instrument *i = varve_instrument_new(&options);
	struct str m;

	(void)state;
	m = metric("queue.length");
	assert_int_equal(o.calls, 1);
	assert_true(point(m, 5, 1).n > 0);
	o.value = 6;
	o.second = false; /* the series that it leaves out is not sent */
	m = metric("queue.length");
	assert_int_equal(proto_number(point(m, 5, 0), 6), 6);
	assert_int_equal(point(m, 5, 1).n, 0);
	has_line("queue_length{queue=\"a\"} 6\n");
	varve_instrument_unobserve(i);
	assert_int_equal(metric("queue.length").n, 0);
	assert_int_equal(o.calls, 3);
}

static void an_exemplar_has_the_ids_of_the_sampled_span(void **state)
{
	static const double bounds[] = {10};
	struct varve_instrument_options o = {
		.kind = VARVE_HISTOGRAM, .name = "exemplars", .bounds = bounds, .bound_count = 1};
	struct varve_series *s = varve_bind(varve_instrument_new(&o), NULL, 0);
	struct varve_series *c = varve_bind(varve_counter("exemplar.sum", NULL, NULL), NULL, 0);
	struct tracer_options t = {.sampler = VARVE_SAMPLER_ALWAYS_ON, .ratio = 1, .export = true};
	struct varve_context ids, unsampled = {.trace_id = {1}, .span_id = {2}}, before;
	struct varve_span *span;
	struct str p, x;

	(void)state;
	assert_ok(tracer_start(&t, NULL));
	varve_record(s, 1); /* outside of a span: no exemplar */
	varve_context_attach(&unsampled, &before);
	varve_record(s, 1); /* nor in a span that is not sampled */
	varve_context_detach(&before);
	assert_int_equal(proto_part(point(metric("exemplars"), 9, 0), 8, 0).n, 0);
	span = varve_span_start("request", NULL);
	assert_ok(varve_context_of(span, &ids));
	varve_record(s, 3);
	varve_record(s, 4); /* the bucket has one already */
	varve_record(s, 40);
	varve_add(c, 7);
	p = point(metric("exemplars"), 9, 0);
	x = proto_part(p, 8, 0);
	assert_true(proto_real(x, 3) == 3);
	assert_memory_equal(proto_part(x, 5, 0).p, ids.trace_id, 16);
	assert_memory_equal(proto_part(x, 4, 0).p, ids.span_id, 8);
	assert_true(proto_real(proto_part(p, 8, 1), 3) == 40);
	assert_int_equal(proto_part(p, 8, 2).n, 0);
	assert_int_equal(proto_part(point(metric("exemplars"), 9, 0), 8, 0).n, 0); /* taken */
	varve_add(c, 7);
	x = proto_part(point(metric("exemplar.sum"), 7, 0), 5, 0);
	assert_int_equal(proto_number(x, 6), 7);
	varve_span_end(span);
	instruments_configure(2000, VARVE_EXEMPLARS_ALWAYS_ON);
	varve_record(s, 5);
	x = proto_part(point(metric("exemplars"), 9, 0), 8, 0);
	assert_true(proto_real(x, 3) == 5);
	assert_int_equal(proto_part(x, 5, 0).n, 0); /* without a span */
	instruments_configure(2000, VARVE_EXEMPLARS_ALWAYS_OFF);
	varve_record(s, 6);
	assert_int_equal(proto_part(point(metric("exemplars"), 9, 0), 8, 0).n, 0);
	instruments_configure(2000, VARVE_EXEMPLARS_TRACE_BASED);
	tracer_stop();
}

static void names_and_labels_of_the_text_are_escaped(void **state)
{
	struct varve_attribute a[] = {varve_str("http.route", "a\"b\\c\nd"),
				      varve_double("9d", 0.5), varve_str("bad", "\xff!")};

	(void)state;
	varve_add_with(varve_counter("http.server-time_total", "ms", "a\\b\nc"), 2, a, 3);
	has_line("# HELP http_server_time_milliseconds_total a\\\\b\\nc\n");
	has_line(
		"http_server_time_milliseconds_total{_9d=\"0.5\",bad=\"?!\",http_route=\"a\\\"b\\\\"
		"c\\nd\"} 2\n");
	varve_set_with(varve_gauge("cache.hit", "1", NULL), 0.25, NULL, 0);
	has_line("cache_hit_ratio 0.25\n");
}

static void a_forked_child_begins_at_zero(void **state)
{
	struct varve_series *s = varve_bind(varve_counter("forked", NULL, NULL), NULL, 0);
	int status;
	pid_t pid;

	(void)state;
	varve_add(s, 5);
	assert_true(instruments_have_values());
	pid = fork();
	if (!pid) {
		bool empty;

		instruments_in_child(); /* as the fork handler of a running library does */
		empty = !instruments_have_values();
		varve_add(s, 2);
		_exit(empty && proto_number(point(metric("forked"), 7, 0), 6) == 2 ? 0 : 1);
	}
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_int_equal(status, 0);
	assert_int_equal(proto_number(point(metric("forked"), 7, 0), 6), 5);
}

enum { BINDERS = 4, BINDS = 3000 };

static void *bind_many(void *instrument)
{
	for (int i = 0; i < BINDS; i++) {
		struct varve_attribute a = varve_int("n", i % 300);

		varve_add_with(instrument, 1, &a, 1);
	}
	return NULL;
}

static void series_made_by_many_threads_exist_once(void **state)
{
	struct varve_instrument *i = varve_counter("bound.together", NULL, NULL);
	pthread_t threads[BINDERS];
	unsigned points = 0;
	struct str m;

	(void)state;
	for (int k = 0; k < BINDERS; k++)
		assert_int_equal(pthread_create(&threads[k], NULL, bind_many, i), 0);
	for (int k = 0; k < BINDERS; k++)
		pthread_join(threads[k], NULL);
	m = metric("bound.together");
	for (struct str p; (p = point(m, 7, points)).n; points++)
		assert_int_equal(proto_number(p, 6), BINDERS * BINDS / 300);
	assert_int_equal(points, 300);
}

TEST_MAIN(test(additions_of_many_threads_are_all_counted),
	  test(a_series_is_found_by_its_attributes_in_any_order),
	  test(an_instrument_exists_once_and_conflicts_are_refused),
	  test(null_and_wrong_kinds_do_nothing), test(sums_may_be_doubles_and_fall),
	  test(a_histogram_counts_between_its_bounds),
	  test(an_exponential_histogram_is_sent_with_its_scale),
	  test(further_series_are_counted_as_overflow), test(too_many_attributes_are_overflow),
	  test(an_observable_instrument_is_asked_before_each_export),
	  test(an_exemplar_has_the_ids_of_the_sampled_span),
	  test(names_and_labels_of_the_text_are_escaped), test(a_forked_child_begins_at_zero),
	  test(series_made_by_many_threads_exist_once))
