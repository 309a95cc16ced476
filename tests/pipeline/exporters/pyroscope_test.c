/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The exporter pyroscope. A request is decoded as the receiver does it: its series and their totals
 * have to be those of the data that was exported.
 */
#include "pipeline/exporters/pyroscope/pyroscope_exporter.h"

#include "pipeline/receivers/pyroscope/push.h"
#include "test/exporter.h"
#include "test/http_sink.h"
#include "test/otlp_receiver.h"

#define UNQUEUED "sending_queue: {enabled: false}"
#define ONCE UNQUEUED ", retry_on_failure: {enabled: false}"
#define FAST UNQUEUED ", retry_on_failure: {initial_interval: 1ms, max_interval: 1ms}"
#define REPLY(status, more) "HTTP/1.1 " status " X\r\n" more "Content-Length: 0\r\n\r\n"

/* ---- a batch ---- */

static uint32_t add_stack(struct profile_builder *b, const char *name)
{
	uint32_t location, stack;

	assert_ok(profile_add_frame(b, str_from(name), STR("w.c"), 3, &location));
	assert_ok(profile_add_stack(b, &location, 1, &stack));
	return stack;
}

static void add_profile(struct profile_builder *b, const char *type, const char *unit,
			const char *period_type, int64_t period)
{
	struct profile p = {.time_unix_nano = 1700000000000000000,
			    .duration_nano = 10000000000,
			    .period = period,
			    .id = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16}};

	assert_ok(profile_add_string(b, str_from(type), &p.sample_type.type));
	assert_ok(profile_add_string(b, str_from(unit), &p.sample_type.unit));
	assert_ok(profile_add_string(b, str_from(period_type), &p.period_type.type));
	assert_ok(
		profile_add_string(b, period ? STR("nanoseconds") : STR(""), &p.period_type.unit));
	assert_ok(profile_add_profile(b, &p, NULL, 0));
}

static void add_sample(struct profile_builder *b, const char *function, const char *thread,
		       int64_t value)
{
	uint32_t stack = add_stack(b, function), attribute;

	if (*thread) {
		assert_ok(profile_add_attribute(b, STR("thread.name"),
						VALUE_OF_STR(str_from(thread)), STR(""),
						&attribute));
		assert_ok(vec_push(&b->batch->arena, &b->batch->sample_attributes, attribute));
	}
	assert_ok(vec_push(&b->batch->arena, &b->batch->values, value));
	assert_ok(profile_sample_end(b->batch, stack, 0));
}

/* Add a sample with two times and no value. */
static void add_timed_sample(struct profile_builder *b, const char *function)
{
	uint32_t stack = add_stack(b, function);

	assert_ok(vec_push(&b->batch->arena, &b->batch->times, 1700000000000000001));
	assert_ok(vec_push(&b->batch->arena, &b->batch->times, 1700000000000000002));
	assert_ok(profile_sample_end(b->batch, stack, 0));
}

/* The heap of a shop, whose four types belong together, and CPU samples of a bank on two threads. */
static void fill_batch(struct profile_batch *batch)
{
	struct keyvalue shop[] = {{STR("service.name"), VALUE_OF_STR(STR("shop"))},
				  {STR("k8s.pod/name"), VALUE_OF_STR(STR("p-1"))},
				  {STR("process.pid"), VALUE_OF_INT(7)}};
	struct keyvalue bank = {STR("service.name"), VALUE_OF_STR(STR("bank"))};
	static const char *const types[][2] = {{"alloc_objects", "count"},
					       {"alloc_space", "bytes"},
					       {"inuse_objects", "count"},
					       {"inuse_space", "bytes"}};
	struct profile_builder b;

	assert_ok(profile_batch_init(batch, NULL));
	assert_ok(profile_builder_init(&b, batch));
	assert_ok(profile_add_resource(&b, shop, countof(shop)));
	assert_ok(profile_add_scope(&b, STR(""), STR(""), NULL, 0));
	for (unsigned i = 0; i < countof(types); i++) {
		add_profile(&b, types[i][0], types[i][1], "", 0);
		add_sample(&b, "alloc", "", 10 + i);
		add_sample(&b, "cache", "", 100 + i);
	}
	assert_ok(profile_add_resource(&b, &bank, 1));
	assert_ok(profile_add_scope(&b, STR(""), STR(""), NULL, 0));
	add_profile(&b, "samples", "count", "cpu", 10000000);
	add_sample(&b, "pay", "one", 3);
	add_sample(&b, "pay", "two", 4);
	add_timed_sample(&b, "wait");
	add_profile(&b, "lock-time", "nanoseconds", "lock", 0);
	add_sample(&b, "lock", "", 5);
}

static struct payload *payload_of(const struct profile_batch *batch)
{
	struct buf out = {0};
	struct payload *p;
	struct err e = {0};

	assert_ok_err(format_otlp.encode(&out, batch, NULL, &e), &e);
	p = payload_take(SIGNAL_PROFILES, batch->sample_count, &out);
	assert_non_null(p);
	return p;
}

/* ---- texts of series ---- */

struct lines {
	char text[50][600];
	unsigned n;
};

static int by_text(const void *a, const void *b)
{
	return strcmp(a, b);
}

/* Append a line for each series: its labels and the total of its samples. */
static void describe(struct lines *to, const struct profile_batch *b, struct arena *arena)
{
	struct series_map m = {0};

	assert_ok(series_map_init(&m, b, NULL, arena));
	for (uint32_t i = 0; i < m.series.n; i++) {
		char *line = to->text[to->n++];
		struct label_set labels = m.series.at[i].labels;
		int64_t total = 0;
		size_t n = 0;

		for (uint32_t k = 0; k < labels.n; k++)
			n += (size_t)snprintf(line + n, sizeof(to->text[0]) - n, "%.*s=%.*s ",
					      STR_ARG(labels.at[k].name),
					      STR_ARG(labels.at[k].value));
		for (uint32_t k = 0; k < b->sample_count; k++)
			if (m.of_sample[k] == i)
				total += sample_total(b, k) * m.series.at[i].scale;
		snprintf(line + n, sizeof(to->text[0]) - n, "total=%lld", (long long)total);
	}
	qsort(to->text, to->n, sizeof(to->text[0]), by_text);
}

/* Decode a request as the receiver does. */
static unsigned read_request(struct lines *to, struct str body, struct arena *arena)
{
	struct push_request r;
	struct err e = {0};

	assert_ok_err(push_read(&r, body, arena, &e), &e);
	for (uint32_t i = 0; i < r.profiles.n; i++) {
		struct profile_batch batch;

		assert_ok(profile_batch_init(&batch, NULL));
		assert_ok_err(push_decode(&batch, arena, &r, i, MIB, &e), &e);
		describe(to, &batch, arena);
		profile_batch_fini(&batch);
	}
	return r.series.n;
}

static const char *find_line(const struct lines *l, const char *part)
{
	for (unsigned i = 0; i < l->n; i++)
		if (strstr(l->text[i], part))
			return l->text[i];
	for (unsigned i = 0; i < l->n; i++)
		fprintf(stderr, "%s\n", l->text[i]);
	fail_msg("no line has \"%s\"", part);
	return NULL;
}

/* ---- tests ---- */

/* Names with characters that Pyroscope refuses arrive with others. */
static void rename_refused(struct lines *l)
{
	for (unsigned i = 0; i < l->n; i++) {
		char *pod = strstr(l->text[i], "pod/name"), *lock = l->text[i];

		if (pod)
			pod[3] = '_';
		while ((lock = strstr(lock, "lock-time")))
			lock[4] = '_';
	}
}

static void check_round_trip(struct test_exporter *f, struct http_sink *s, unsigned request,
			     const struct profile_batch *batch)
{
	static struct lines want, got;
	struct str body = buf_str(&s->requests[request].body);

	want.n = got.n = 0;
	describe(&want, batch, &f->arena);
	rename_refused(&want);
	assert_int_equal(read_request(&got, body, &f->arena), 3);
	assert_int_equal(got.n, 8);
	assert_int_equal(want.n, 8);
	for (unsigned i = 0; i < got.n; i++)
		assert_string_equal(got.text[i], want.text[i]);
	find_line(&got, "__profile_type__=process_cpu:cpu:nanoseconds:cpu:nanoseconds");
	find_line(&got, "thread.name=one total=30000000");
	find_line(&got, "process.pid=7 service_name=shop total=112");
}

static void profiles_arrive_as_the_same_series(void **state)
{
	struct test_exporter *f = *state;
	struct profile_batch batch;
	struct http_sink s;

	fill_batch(&batch);
	http_sink_start(&s);
	test_exporter_make(f, &pyroscope_exporter, "{endpoint: '%s/base', " ONCE "}", s.url);
	test_result(test_exporter_send(f, payload_of(&batch)), 0, "");
	check_round_trip(f, &s, 0, &batch);
	test_exporter_make(f, &pyroscope_exporter, "{endpoint: '%s', compression: none, " ONCE "}",
			   s.url);
	test_result(test_exporter_send(f, payload_of(&batch)), 0, "");
	check_round_trip(f, &s, 1, &batch);
	assert_non_null(strstr(s.requests[0].head, "POST /base/push.v1.PusherService/Push HTTP"));
	assert_non_null(strstr(s.requests[0].head, "content-type: application/proto\r\n"));
	assert_non_null(strstr(s.requests[1].head, "POST /push.v1.PusherService/Push HTTP"));
	assert_true(s.requests[0].body.n != s.requests[1].body.n);
	test_exporter_end(f);
	http_sink_stop(&s);
	profile_batch_fini(&batch);
}

static void external_labels_replace_others(void **state)
{
	struct test_exporter *f = *state;
	static struct lines got;
	struct push_request r;
	struct err e = {0};
	struct http_sink s;

	got.n = 0;
	http_sink_start(&s);
	test_exporter_make(f, &pyroscope_exporter,
			   "{endpoint: '%s', headers: {X-Scope-OrgID: team}, external_labels: "
			   "{cluster: eu, service_name: other}, " ONCE "}",
			   s.url);
	test_result(test_exporter_send(f, test_profile("shop", 5)), 0, "");
	read_request(&got, buf_str(&s.requests[0].body), &f->arena);
	assert_int_equal(got.n, 1);
	find_line(&got, "cluster=eu service_name=other total=5");
	assert_non_null(strstr(s.requests[0].head, "x-scope-orgid: team\r\n"));
	assert_ok_err(push_read(&r, buf_str(&s.requests[0].body), &f->arena, &e), &e);
	assert_int_equal(r.labels.n, 3); /* and __name__ */
	test_exporter_end(f);
	http_sink_stop(&s);
}

static void profiles_keep_their_ids(void **state)
{
	struct test_exporter *f = *state;
	struct profile_batch batch;
	struct push_request r;
	struct err e = {0};
	struct http_sink s;

	fill_batch(&batch);
	http_sink_start(&s);
	test_exporter_make(f, &pyroscope_exporter, "{endpoint: '%s', " ONCE "}", s.url);
	test_result(test_exporter_send(f, payload_of(&batch)), 0, "");
	assert_ok_err(push_read(&r, buf_str(&s.requests[0].body), &f->arena, &e), &e);
	assert_str_equal(r.profiles.at[0].id, STR("01020304-0506-0708-090a-0b0c0d0e0f10"));
	test_exporter_end(f);
	http_sink_stop(&s);
	profile_batch_fini(&batch);
}

static void server_errors_are_repeated(void **state)
{
	struct test_exporter *f = *state;
	struct delivery_result r;
	struct http_sink s;

	http_sink_start(&s);
	s.answers[0] = REPLY("500", "");
	s.answers[1] = REPLY("429", "");
	s.answers[2] = NULL;
	s.answers[3] = HTTP_SINK_OK;
	s.answers[4] = "HTTP/1.1 400 X\r\nContent-Type: application/json\r\n"
		       "Content-Length: 24\r\n\r\n{\"message\":\"bad labels\"}";
	s.answers[5] = REPLY("429", "Retry-After: 3\r\n");
	s.answer_count = 6;
	test_exporter_make(f, &pyroscope_exporter, "{endpoint: '%s', " FAST "}", s.url);
	test_result(test_exporter_send(f, test_profile("shop", 5)), 0, "");
	assert_int_equal(http_sink_count(&s), 4);
	test_result(test_exporter_send(f, test_profile("shop", 5)), -EINVAL, "bad labels");
	test_exporter_make(f, &pyroscope_exporter, "{endpoint: '%s', " ONCE "}", s.url);
	r = test_exporter_send(f, test_profile("shop", 5));
	test_result(r, -EAGAIN, "/push.v1.PusherService/Push responded with HTTP Status Code 429");
	assert_int_equal(r.retry_after_ms, 3000);
	test_exporter_end(f);
	http_sink_stop(&s);
}

static void queued_profiles_arrive_at_a_second_instance(void **state)
{
	struct test_exporter *f = *state;
	struct test_receiver r;

	test_receiver_start(&r);
	atomic_store(&r.busy, true);
	test_exporter_make(f, &pyroscope_exporter,
			   "{endpoint: 'http://127.0.0.1:%u', retry_on_failure: "
			   "{initial_interval: 1ms, max_interval: 1ms}}",
			   r.port);
	for (unsigned i = 0; i < 20; i++)
		test_result(test_exporter_send(f, test_profile("shop", 5)), 0, "");
	while (atomic_load(&r.requests) < 2)
		usleep(1000);
	atomic_store(&r.busy, false);
	test_exporter_end(f); /* drains the queue */
	assert_int_equal(r.items[signal_index(SIGNAL_PROFILES)], 20);
	test_exporter_log(f, "Dropping", false);
	test_receiver_stop(&r);
}

/* A profile without a sample type cannot be a series: it is rejected, and nothing is sent. */
static void profiles_that_cannot_be_sent_are_rejected(void **state)
{
	struct keyvalue name = {STR("service.name"), VALUE_OF_STR(STR("shop"))};
	struct test_exporter *f = *state;
	struct profile_batch batch;
	struct profile_builder b;
	struct delivery_result r;
	struct http_sink s;

	http_sink_start(&s);
	assert_ok(profile_batch_init(&batch, NULL));
	assert_ok(profile_builder_init(&b, &batch));
	assert_ok(profile_add_resource(&b, &name, 1));
	assert_ok(profile_add_scope(&b, STR(""), STR(""), NULL, 0));
	add_profile(&b, "", "", "", 0);
	add_sample(&b, "work", "", 5);
	test_exporter_make(f, &pyroscope_exporter, "{endpoint: '%s', " ONCE "}", s.url);
	r = test_exporter_send(f, payload_of(&batch));
	test_result(r, 0, "sample type");
	assert_int_equal(r.rejected, 1);
	assert_int_equal(http_sink_count(&s), 0);
	test_result(test_exporter_send(f, payload_copy(SIGNAL_PROFILES, 1, STR("\x0a\x7f"), NULL)),
		    -EINVAL, "not retryable error");
	test_exporter_end(f);
	http_sink_stop(&s);
	profile_batch_fini(&batch);
}

static void bad_settings_are_refused(void **state)
{
	struct component_env env = test_exporter_env(*state);
	static const struct {
		const char *yaml, *says;
	} cases[] = {
		{"{}", "\"endpoint\": expected a URL"},
		{"{endpoint: 'pyroscope:4040'}", "\"endpoint\": expected a URL"},
		{"{endpoint: 'http://a', compression: zstd}", "expected gzip or none"},
		{"{endpoint: 'http://a', compression: br}", "unsupported compression type"},
		{"{endpoint: 'http://a', external_labels: [a]}", "external_labels"},
	};

	for (size_t i = 0; i < countof(cases); i++)
		test_component_refused(&pyroscope_exporter, &env, cases[i].yaml, cases[i].says);
}

TEST_MAIN(test_with(test_exporter, profiles_arrive_as_the_same_series),
	  test_with(test_exporter, external_labels_replace_others),
	  test_with(test_exporter, profiles_keep_their_ids),
	  test_with(test_exporter, server_errors_are_repeated),
	  test_with(test_exporter, queued_profiles_arrive_at_a_second_instance),
	  test_with(test_exporter, profiles_that_cannot_be_sent_are_rejected),
	  test_with(test_exporter, bad_settings_are_refused))
