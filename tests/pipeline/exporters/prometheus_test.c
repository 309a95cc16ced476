/* SPDX-License-Identifier: Apache-2.0 */
/* The exporter prometheus: what a scrape gets. */
#include "pipeline/exporters/prometheus/prometheus_exporter.h"

#include <errno.h>
#include <math.h>

#include "pipeline/exporters/prometheus/exposition.h"
#include "test/exporter.h"
#include "test/net.h"

#define MS ((uint64_t)1000000)

/* A payload that is being made: one resource, one scope. */
struct making {
	struct otlp_builder b;
	struct arena *arena;
};

static struct attributes *attribute(struct arena *arena, const char *key, const char *value)
{
	struct attributes *a = arena_zalloc(arena, 1, sizeof(*a));

	assert_ok(attributes_set(a, arena, str_from(key), &VALUE_OF_STR(str_from(value))));
	return a;
}

static void begin(struct making *m, struct arena *arena)
{
	struct attributes *a = attribute(arena, "service.name", "shop");

	m->arena = arena;
	assert_ok(attributes_set(a, arena, STR("service.namespace"), &VALUE_OF_STR(STR("eu"))));
	assert_ok(attributes_set(a, arena, STR("service.instance.id"), &VALUE_OF_STR(STR("i1"))));
	assert_ok(attributes_set(a, arena, STR("host.name"), &VALUE_OF_STR(STR("h"))));
	otlp_builder_init(&m->b, SIGNAL_METRICS, NULL);
	otlp_begin_resource(&m->b, a, STR(""));
	otlp_begin_scope(&m->b, STR("lib"), STR("1.2"));
}

static struct payload *finish(struct making *m)
{
	struct payload *p = otlp_builder_finish(&m->b);

	assert_non_null(p);
	otlp_builder_fini(&m->b);
	return p;
}

static void add_sum(struct making *m, const char *name, enum otlp_temporality temporality,
		    uint64_t start, uint64_t time, int64_t value)
{
	otlp_begin_metric(&m->b, &(struct otlp_metric){.name = str_from(name),
						       .description = STR("Sum\nof \"it\""),
						       .unit = STR("By"),
						       .kind = OTLP_SUM,
						       .temporality = temporality,
						       .monotonic = true});
	otlp_add_number(
		&m->b, &(struct otlp_number){.point = {.attributes = attribute(
							       m->arena, "http.path", "a\"b\\c\nd"),
						       .start = start,
						       .time = time},
					     .is_int = true,
					     .i = value});
}

static void add_histogram(struct making *m, enum otlp_temporality temporality, uint64_t start,
			  uint64_t time)
{
	static const double bounds[] = {0.5, 1};
	static const uint64_t counts[] = {1, 2, 3};
	struct otlp_exemplar exemplar = {
		.time = 1500 * MS, .d = 0.75, .trace_id = {1}, .span_id = {2}};

	otlp_begin_metric(&m->b, &(struct otlp_metric){.name = STR("latency"),
						       .unit = STR("s"),
						       .kind = OTLP_HISTOGRAM,
						       .temporality = temporality});
	otlp_add_histogram(&m->b, &(struct otlp_histogram){.point = {.start = start,
								     .time = time,
								     .exemplars = &exemplar,
								     .exemplar_count = 1},
							   .count = 6,
							   .has_sum = true,
							   .sum = 7.5,
							   .bounds = bounds,
							   .counts = counts,
							   .bound_count = 2,
							   .count_count = 3});
}

/* ---- kept points and text ---- */

struct kept {
	struct kept_points points;
	struct prom_options options;
	struct arena arena;
	struct buf text;
};

static int kept_setup(void **state)
{
	struct kept *k = calloc(1, sizeof(*k));

	*state = k;
	arena_init(&k->arena, NULL);
	k->options = (struct prom_options){.target_info = true, .scope_labels = true};
	return kept_points_init(&k->points, NULL);
}

static int kept_teardown(void **state)
{
	struct kept *k = *state;

	kept_points_fini(&k->points);
	arena_fini(&k->arena);
	buf_fini(&k->text);
	free(k);
	return 0;
}

static int put(void *arg, const struct prom_point *p)
{
	struct kept *k = arg;

	assert_int_not_equal(kept_points_put(&k->points, p, 5), KEPT_NO_MEMORY);
	return 0;
}

static void keep(struct kept *k, struct payload *p)
{
	struct err e = {0};
	uint32_t refused;

	assert_ok_err(prom_points(p, &k->options, put, k, &refused, &k->arena, &e), &e);
	payload_release(p);
}

static const char *text_of(struct kept *k, bool openmetrics, bool utf8, bool timestamps)
{
	buf_clear(&k->text);
	assert_ok(exposition_write(&k->text, &k->points,
				   &(struct exposition_options){openmetrics, utf8, timestamps}));
	buf_put_char(&k->text, 0);
	return k->text.p;
}

#define LABELS "instance=\"i1\",job=\"eu/shop\",otel_scope_name=\"lib\",otel_scope_version=\"1.2\""

static void points_become_text(void **state)
{
	struct kept *k = *state;
	struct making m;

	begin(&m, &k->arena);
	add_sum(&m, "sent.data", OTLP_CUMULATIVE, 1 * MS, 2500 * MS, 42);
	add_histogram(&m, OTLP_CUMULATIVE, 1 * MS, 2500 * MS);
	keep(k, finish(&m));
	assert_string_equal(text_of(k, false, false, false),
			    "# TYPE latency_seconds histogram\n"
			    "latency_seconds_bucket{" LABELS ",le=\"0.5\"} 1\n"
			    "latency_seconds_bucket{" LABELS ",le=\"1\"} 3\n"
			    "latency_seconds_bucket{" LABELS ",le=\"+Inf\"} 6\n"
			    "latency_seconds_sum{" LABELS "} 7.5\n"
			    "latency_seconds_count{" LABELS "} 6\n"
			    "# HELP sent_data_bytes_total Sum\\nof \"it\"\n"
			    "# TYPE sent_data_bytes_total counter\n"
			    "sent_data_bytes_total{http_path=\"a\\\"b\\\\c\\nd\"," LABELS "} 42\n"
			    "# HELP target_info Target metadata\n"
			    "# TYPE target_info gauge\n"
			    "target_info{host_name=\"h\",instance=\"i1\",job=\"eu/shop\"} 1\n");
	assert_string_equal(
		text_of(k, true, false, true),
		"# TYPE latency_seconds histogram\n"
		"# UNIT latency_seconds seconds\n"
		"latency_seconds_bucket{" LABELS ",le=\"0.5\"} 1 2.500\n"
		"latency_seconds_bucket{" LABELS ",le=\"1\"} 3 2.500 # "
		"{trace_id=\"01000000000000000000000000000000\",span_id=\"0200000000000000\"} 0.75 "
		"1.500\n"
		"latency_seconds_bucket{" LABELS ",le=\"+Inf\"} 6 2.500\n"
		"latency_seconds_sum{" LABELS "} 7.5 2.500\n"
		"latency_seconds_count{" LABELS "} 6 2.500\n"
		"# HELP sent_data_bytes Sum\\nof \\\"it\\\"\n"
		"# TYPE sent_data_bytes counter\n"
		"# UNIT sent_data_bytes bytes\n"
		"sent_data_bytes_total{http_path=\"a\\\"b\\\\c\\nd\"," LABELS "} 42 2.500\n"
		"# HELP target_info Target metadata\n"
		"# TYPE target_info gauge\n"
		"target_info{host_name=\"h\",instance=\"i1\",job=\"eu/shop\"} 1 2.500\n"
		"# EOF\n");
}

static void names_can_be_utf8(void **state)
{
	struct kept *k = *state;
	struct making m;

	k->options = (struct prom_options){.strategy = PROM_NO_TRANSLATION};
	begin(&m, &k->arena);
	add_sum(&m, "sent.data", OTLP_CUMULATIVE, 1, 2, 1);
	keep(k, finish(&m));
	assert_non_null(strstr(text_of(k, false, true, false),
			       "# TYPE \"sent.data\" counter\n"
			       "{\"sent.data\",\"http.path\"=\"a\\\"b\\\\c\\nd\",instance="));
	assert_non_null(strstr(text_of(k, false, false, false),
			       "# TYPE sent_data counter\nsent_data{http_path="));
}

static void deltas_are_added_up(void **state)
{
	struct kept *k = *state;
	struct making m;

	k->options = (struct prom_options){0};
	for (unsigned i = 0; i < 3; i++) {
		begin(&m, &k->arena);
		add_sum(&m, "d", OTLP_DELTA, 10 + i, 11 + i, 5);
		add_histogram(&m, OTLP_DELTA, 10 + i, 11 + i);
		keep(k, finish(&m));
	}
	assert_non_null(strstr(text_of(k, false, false, false), "job=\"eu/shop\"} 15\n"));
	assert_non_null(strstr(k->text.p, "le=\"1\"} 9\n"));
	assert_non_null(
		strstr(k->text.p, "latency_seconds_count{instance=\"i1\",job=\"eu/shop\"} 18"));
	begin(&m, &k->arena); /* a gap: the sum begins again */
	add_sum(&m, "d", OTLP_DELTA, 20, 21, 7);
	keep(k, finish(&m));
	assert_non_null(strstr(text_of(k, false, false, false), "job=\"eu/shop\"} 7\n"));
}

static void stale_and_old_series_are_removed(void **state)
{
	struct kept *k = *state;
	struct making m;

	k->options = (struct prom_options){0};
	begin(&m, &k->arena);
	add_sum(&m, "a", OTLP_CUMULATIVE, 1, 2, 1);
	add_sum(&m, "b", OTLP_CUMULATIVE, 1, 2, 1);
	keep(k, finish(&m));
	begin(&m, &k->arena);
	otlp_begin_metric(&m.b, &(struct otlp_metric){.name = STR("a"),
						      .unit = STR("By"),
						      .kind = OTLP_SUM,
						      .temporality = OTLP_CUMULATIVE,
						      .monotonic = true});
	otlp_add_number(
		&m.b, &(struct otlp_number){
			      .point = {.attributes = attribute(m.arena, "http.path", "a\"b\\c\nd"),
					.time = 3,
					.flags = OTLP_NO_RECORDED_VALUE}});
	keep(k, finish(&m));
	assert_null(strstr(text_of(k, false, false, false), "a_bytes_total{"));
	assert_non_null(strstr(k->text.p, "b_bytes_total{"));
	kept_points_expire(&k->points, 5);
	assert_non_null(strstr(text_of(k, false, false, false), "b_bytes_total{"));
	kept_points_expire(&k->points, 6);
	assert_string_equal(text_of(k, false, false, false), "");
}

static void another_type_is_refused(void **state)
{
	struct kept *k = *state;
	struct making m;

	k->options = (struct prom_options){0};
	begin(&m, &k->arena);
	add_sum(&m, "x", OTLP_CUMULATIVE, 1, 2, 1);
	otlp_begin_metric(&m.b,
			  &(struct otlp_metric){.name = STR("x.bytes.total"), .kind = OTLP_GAUGE});
	otlp_add_number(&m.b, &(struct otlp_number){.point = {.time = 1}, .d = 99});
	otlp_begin_metric(&m.b, &(struct otlp_metric){.name = STR("delta"),
						      .kind = OTLP_SUM,
						      .temporality = OTLP_DELTA});
	otlp_add_number(&m.b, &(struct otlp_number){.point = {.time = 1}, .d = 98});
	keep(k, finish(&m));
	assert_null(strstr(text_of(k, false, false, false), "99"));
	assert_null(strstr(k->text.p, "98"));
	assert_non_null(strstr(k->text.p, "x_bytes_total{"));
}

/* Many series that come and go. */
static void tables_grow_and_shrink(void **state)
{
	struct kept *k = *state;
	char name[20];

	k->options = (struct prom_options){0};
	for (unsigned round = 0; round < 3; round++) {
		struct otlp_builder b;
		struct payload *p;

		otlp_builder_init(&b, SIGNAL_METRICS, NULL);
		for (unsigned i = 0; i < 5000; i++) {
			snprintf(name, sizeof(name), "m%u", i / 10);
			if (i % 10 == 0)
				otlp_begin_metric(&b, &(struct otlp_metric){.name = str_from(name),
									    .kind = OTLP_GAUGE});
			snprintf(name, sizeof(name), "v%u", i);
			otlp_add_number(
				&b, &(struct otlp_number){.point = {.time = 1 + round,
								    .attributes = attribute(
									    &k->arena, "k", name)},
							  .d = i + round});
		}
		p = otlp_builder_finish(&b);
		otlp_builder_fini(&b);
		keep(k, p);
		assert_int_equal(k->points.point_count, 5000);
		assert_int_equal(k->points.family_count, 500);
		assert_non_null(strstr(text_of(k, false, false, false), "m499{k=\"v4999\"} "));
		if (round == 1) {
			kept_points_expire(&k->points, 6);
			assert_int_equal(k->points.point_count + k->points.family_count, 0);
		}
	}
}

/* ---- the component ---- */

static void request(int fd, const char *headers, struct test_answer *a)
{
	char text[500];

	snprintf(text, sizeof(text), "GET /metrics HTTP/1.1\r\nHost: h\r\n%s\r\n", headers);
	assert_true(test_send(fd, str_from(text)));
	test_next_answer(fd, a);
}

static void scrapes_are_answered(void **state)
{
	struct test_exporter *f = *state;
	struct component_env env = test_exporter_env(f);
	struct net_options options;
	struct test_answer a = {0};
	struct test_delivery t = {.d = {.signal = SIGNAL_METRICS, .done = test_delivery_done}};
	struct payload *p = test_gauge("g", 2);
	int fd;

	assert_ok_err(test_component_new(&f->x, &prometheus_exporter, &env,
					 "endpoint: '127.0.0.1:0'\nenable_open_metrics: true\n"
					 "namespace: n\nconst_labels: {c: d}"),
		      &f->x.e);
	net_options_init(&options);
	assert_ok_err(listeners_start(&f->host.listeners, &options, NULL, &f->e), &f->e);
	t.d.payload = p;
	t.d.owner = &t;
	pthread_mutex_init(&t.mu, NULL);
	pthread_cond_init(&t.changed, NULL);
	assert_true(prometheus_exporter.consume(f->x.instance, &t.d));
	assert_true(t.done && !t.result.rc);
	payload_release(p);
	fd = test_connect(listeners_port(&f->host.listeners, STR("127.0.0.1:0")));
	request(fd, "", &a);
	assert_int_equal(a.status, 200);
	assert_str_equal(test_answer_header(&a, "content-type"),
			 STR("text/plain; version=0.0.4; charset=utf-8"));
	assert_str_equal(a.body, STR("# TYPE n_g gauge\nn_g{c=\"d\"} 1.5\n"));
	request(fd, "Accept: application/openmetrics-text; version=1.0.0\r\n", &a);
	assert_str_equal(test_answer_header(&a, "content-type"),
			 STR("application/openmetrics-text; version=1.0.0; charset=utf-8"));
	assert_str_equal(a.body, STR("# TYPE n_g gauge\nn_g{c=\"d\"} 1.5\n# EOF\n"));
	close(fd);
	test_answer_fini(&a);
	listeners_stop(&f->host.listeners);
	f->x.type->destroy(f->x.instance);
	f->x.instance = NULL;
	test_component_free(&f->x);
	f->x = (struct test_component){0};
	pthread_cond_destroy(&t.changed);
	pthread_mutex_destroy(&t.mu);
}

static void wrong_settings_are_refused(void **state)
{
	struct test_exporter *f = *state;
	struct component_env env = test_exporter_env(f);

	test_component_refused(&prometheus_exporter, &env, "namespace: x",
			       "\"endpoint\" is required");
	test_component_refused(&prometheus_exporter, &env,
			       "endpoint: '127.0.0.1:0'\ntranslation_strategy: foo",
			       "expected UnderscoreEscapingWithSuffixes");
	test_component_refused(&prometheus_exporter, &env,
			       "endpoint: '127.0.0.1:0'\nauth: {authenticator: nope}",
			       "not listed in service.extensions");
}

TEST_MAIN(test_with(kept, points_become_text), test_with(kept, names_can_be_utf8),
	  test_with(kept, deltas_are_added_up), test_with(kept, stale_and_old_series_are_removed),
	  test_with(kept, another_type_is_refused), test_with(kept, tables_grow_and_shrink),
	  test_with(test_exporter, scrapes_are_answered),
	  test_with(test_exporter, wrong_settings_are_refused))
