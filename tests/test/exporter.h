/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VARVE_TEST_EXPORTER_H
#define VARVE_TEST_EXPORTER_H

/*
 * An exporter that sends, for tests: an environment, deliveries that are waited for, and payloads
 * of each signal.
 */

#include <pthread.h>
#include <stdarg.h>
#include <unistd.h>

#include "format/format.h"
#include "format/otlp/otlp.h"
#include "signal/otlp/build.h"
#include "signal/profile/profile_builder.h"
#include "signal/profile/profile_rows.h"
#include "test/component.h"

struct test_exporter {
	struct host host;
	struct log log;
	FILE *log_file;
	struct test_component x;
	struct component_env env; /* of the instance */
	struct arena arena;
	const struct extension *extensions;
	uint32_t extension_count;
	struct err e;
};

static inline int test_exporter_setup(void **state)
{
	struct test_exporter *f = calloc(1, sizeof(*f));

	*state = f;
	arena_init(&f->arena, NULL);
	f->log_file = tmpfile();
	f->log = (struct log){.fd = fileno(f->log_file), .level = LOG_INFO};
	return host_init(&f->host, 1, 64 * MIB, &f->log, &f->e);
}

static inline struct component_env test_exporter_env(struct test_exporter *f)
{
	return (struct component_env){.id = "test",
				      .host = &f->host,
				      .log = &f->log,
				      .extensions = f->extensions,
				      .extension_count = f->extension_count};
}

/* Stop and destroy the instance. All memory of payloads has to be free. */
static inline void test_exporter_end(struct test_exporter *f)
{
	if (!f->x.type)
		return;
	f->x.type->stop(f->x.instance);
	test_component_free(&f->x);
	f->x = (struct test_component){0};
	while (intake_pool_trim(&f->host.intakes))
		;
	assert_int_equal(atomic_load(&f->host.memory.used), 0);
}

static inline int test_exporter_teardown(void **state)
{
	struct test_exporter *f = *state;

	test_exporter_end(f);
	host_fini(&f->host);
	fclose(f->log_file);
	arena_fini(&f->arena);
	free(f);
	return 0;
}

/* Create and start an instance, in the place of the last one, with formatted YAML. */
static inline void test_exporter_make(struct test_exporter *f, const struct component *type,
				      const char *fmt, ...) PRINTF_LIKE(3, 4);
static inline void test_exporter_make(struct test_exporter *f, const struct component *type,
				      const char *fmt, ...)
{
	char yaml[4000];
	va_list args;

	test_exporter_end(f);
	va_start(args, fmt);
	vsnprintf(yaml, sizeof(yaml), fmt, args);
	va_end(args);
	f->env = test_exporter_env(f);
	assert_ok_err(test_component_new(&f->x, type, &f->env, yaml), &f->x.e);
	assert_ok_err(type->start(f->x.instance, &f->e), &f->e);
}

static inline void test_exporter_log(struct test_exporter *f, const char *part, bool there)
{
	char text[1 << 16];
	ssize_t n = pread(fileno(f->log_file), text, sizeof(text) - 1, 0);

	assert_true(n >= 0);
	text[n] = 0;
	if (!strstr(text, part) == there)
		fail_msg("log: expected %s\"%s\" in:\n%s", there ? "" : "no ", part, text);
}

static inline void test_exporter_metric(struct test_exporter *f, const char *line)
{
	struct buf text = {0};

	telemetry_write(&f->host.telemetry, &text);
	buf_put_char(&text, '\0');
	if (!strstr(text.p, line))
		fail_msg("no \"%s\" in:\n%s", line, text.p);
	buf_fini(&text);
}

/* ---- deliveries ---- */

struct test_delivery {
	struct delivery d;
	pthread_mutex_t mu;
	pthread_cond_t changed;
	struct delivery_result result;
	bool done;
};

static inline void test_delivery_done(struct delivery *d, const struct delivery_result *result)
{
	struct test_delivery *t = d->owner;

	pthread_mutex_lock(&t->mu);
	t->result = *result;
	t->done = true;
	pthread_cond_signal(&t->changed);
	pthread_mutex_unlock(&t->mu);
}

/* Deliver the payload, drop the reference, and wait for the result. */
static inline struct delivery_result test_exporter_send(struct test_exporter *f, struct payload *p)
{
	struct test_delivery t = {
		.d = {.signal = p->signal, .payload = p, .done = test_delivery_done, .owner = &t}};
	struct timespec until;
	int rc = 0;

	pthread_mutex_init(&t.mu, NULL);
	pthread_cond_init(&t.changed, NULL);
	clock_gettime(CLOCK_REALTIME, &until);
	until.tv_sec += 60;
	f->x.type->consume(f->x.instance, &t.d);
	pthread_mutex_lock(&t.mu);
	while (!t.done && !rc)
		rc = pthread_cond_timedwait(&t.changed, &t.mu, &until);
	pthread_mutex_unlock(&t.mu);
	assert_int_equal(rc, 0);
	pthread_cond_destroy(&t.changed);
	pthread_mutex_destroy(&t.mu);
	payload_release(p);
	return t.result;
}

/* Check the result, and that its reason contains `part`. */
static inline void test_result(struct delivery_result r, int rc, const char *part)
{
	if (r.rc != rc || !strstr(r.reason, part))
		fail_msg("result %d \"%s\", expected %d \"%s\"", r.rc, r.reason, rc, part);
}

/* ---- payloads ---- */

/* Return a slice of one resource of this service with `n` spans of different traces. */
static inline struct str test_spans_bytes(struct arena *arena, const char *service, unsigned first,
					  unsigned n)
{
	struct proto_writer w;
	struct str copy;
	size_t mark;

	proto_writer_init(&w, NULL);
	for (unsigned i = n; i-- > 0;) {
		uint8_t id[16] = {1, (uint8_t)((first + i) >> 8), (uint8_t)(first + i)};

		mark = proto_mark(&w);
		proto_put_bytes(&w, 5, STR("work"));
		proto_put_bytes(&w, 2, str_of((char *)id, 8));
		proto_put_bytes(&w, 1, str_of((char *)id, 16));
		proto_put_header(&w, 2, mark);
	}
	proto_put_header(&w, 2, 0);
	mark = proto_mark(&w);
	proto_put_bytes(&w, 1, str_from(service));
	proto_put_header(&w, 2, mark);
	proto_put_bytes(&w, 1, STR("service.name"));
	proto_put_header(&w, 1, mark);
	proto_put_header(&w, 1, mark);
	proto_put_header(&w, 1, 0);
	assert_ok(arena_copy_str(arena, proto_writer_str(&w), &copy));
	proto_writer_fini(&w);
	return copy;
}

static inline struct payload *test_spans(struct arena *arena, const char *service, unsigned first,
					 unsigned n)
{
	struct payload *p =
		payload_copy(SIGNAL_TRACES, n, test_spans_bytes(arena, service, first, n), NULL);

	assert_non_null(p);
	return p;
}

/* Return a payload of `slices` slices with 10 spans each. */
static inline struct payload *test_sliced_spans(struct arena *arena, unsigned slices)
{
	struct payload *parts[100], *p;

	assert_true(slices <= countof(parts));
	for (unsigned i = 0; i < slices; i++)
		parts[i] = test_spans(arena, "shop", i * 10, 10);
	p = payload_concat(parts, slices);
	assert_non_null(p);
	for (unsigned i = 0; i < slices; i++)
		payload_release(parts[i]);
	return p;
}

static inline struct payload *test_logs(const char *body)
{
	struct otlp_builder b;
	struct payload *p;

	otlp_builder_init(&b, SIGNAL_LOGS, NULL);
	otlp_add_log(&b, &(struct otlp_log){.time = 1, .body = VALUE_OF_STR(str_from(body))});
	p = otlp_builder_finish(&b);
	otlp_builder_fini(&b);
	assert_non_null(p);
	return p;
}

static inline struct payload *test_gauge(const char *name, unsigned points)
{
	struct otlp_builder b;
	struct payload *p;

	otlp_builder_init(&b, SIGNAL_METRICS, NULL);
	otlp_begin_metric(&b, &(struct otlp_metric){.name = str_from(name), .kind = OTLP_GAUGE});
	for (unsigned i = 0; i < points; i++)
		otlp_add_number(&b, &(struct otlp_number){.point = {.time = 1 + i}, .d = 1.5});
	p = otlp_builder_finish(&b);
	otlp_builder_fini(&b);
	assert_non_null(p);
	return p;
}

/* Return a profile of the service with one sample. */
static inline struct payload *test_profile(const char *service, int64_t value)
{
	struct keyvalue name = {STR("service.name"), VALUE_OF_STR(str_from(service))};
	struct profile row = {.time_unix_nano = 1700000000000000000, .duration_nano = 10000000000};
	struct profile_builder b;
	struct profile_batch batch;
	struct buf out = {0};
	struct payload *p;
	struct err e = {0};
	uint32_t location, stack;

	assert_ok(profile_batch_init(&batch, NULL));
	assert_ok(profile_builder_init(&b, &batch));
	assert_ok(profile_add_resource(&b, &name, 1));
	assert_ok(profile_add_scope(&b, STR(""), STR(""), NULL, 0));
	assert_ok(profile_add_string(&b, STR("cpu"), &row.sample_type.type));
	assert_ok(profile_add_string(&b, STR("nanoseconds"), &row.sample_type.unit));
	assert_ok(profile_add_profile(&b, &row, NULL, 0));
	assert_ok(profile_add_frame(&b, STR("work"), STR("w.c"), 3, &location));
	assert_ok(profile_add_stack(&b, &location, 1, &stack));
	assert_ok(profile_add_sample(&b, stack, 0, NULL, 0, value));
	assert_ok_err(format_otlp.encode(&out, &batch, NULL, &e), &e);
	p = payload_take(SIGNAL_PROFILES, 1, &out);
	assert_non_null(p);
	profile_batch_fini(&batch);
	return p;
}

#endif
