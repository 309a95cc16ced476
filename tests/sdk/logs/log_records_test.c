/* SPDX-License-Identifier: Apache-2.0 */
/* Log records: what is encoded, the level, the limits of the buffer, and many threads. */
#include "sdk/logs/log_records.h"

#include <errno.h>
#include <pthread.h>
#include <unistd.h>

#include "sdk/metrics/proto_parts.h"
#include "sdk/trace/span.h"
#include "signal/profile/profile.h"

static struct buf taken;

static int logs_setup(void **state)
{
	struct tracer_options t = {.sampler = VARVE_SAMPLER_ALWAYS_ON, .ratio = 1, .export = true};

	(void)state;
	return tracer_start(&t, NULL) || logs_start(VARVE_DEBUG, NULL);
}

static int logs_teardown(void **state)
{
	(void)state;
	tracer_stop();
	logs_stop();
	buf_fini(&taken);
	return 0;
}

/* Take all records, and return their ScopeLogs. */
static struct str take_logs(void)
{
	const struct keyvalue resource[] = {{STR("service.name"), VALUE_OF_STR(STR("shop"))}};

	buf_clear(&taken);
	assert_ok(logs_take(&taken, resource, 1));
	return proto_part(proto_part(buf_str(&taken), 1, 0), 2, 0);
}

static struct str body_of(struct str record)
{
	return proto_part(proto_part(record, 5, 0), 1, 0);
}

static void a_record_has_the_ids_of_the_span(void **state)
{
	struct varve_attribute a[] = {varve_str("user", "u1"), varve_int("n", -3)};
	struct varve_span *span = varve_span_start("request", NULL);
	struct varve_context ids;
	struct str scope, r;

	(void)state;
	assert_ok(varve_context_of(span, &ids));
	assert_ok(varve_log_with(VARVE_WARN, "slow query", a, 2));
	varve_span_end(span);
	assert_ok(varve_log(VARVE_ERROR, "outside"));
	scope = take_logs();
	assert_str_equal(proto_part(proto_part(scope, 1, 0), 1, 0), STR("varve"));
	r = proto_part(scope, 2, 0);
	assert_str_equal(body_of(r), STR("slow query"));
	assert_int_equal(proto_number(r, 2), VARVE_WARN);
	assert_str_equal(proto_part(r, 3, 0), STR("WARN"));
	assert_memory_equal(proto_part(r, 9, 0).p, ids.trace_id, 16);
	assert_memory_equal(proto_part(r, 10, 0).p, ids.span_id, 8);
	assert_int_equal(proto_number(r, 8), 1); /* sampled */
	assert_str_equal(proto_part(proto_attribute(r, 6, "user"), 1, 0), STR("u1"));
	assert_int_equal(proto_number(proto_attribute(r, 6, "n"), 3), -3);
	assert_true(proto_number(r, 1) > 0 && proto_number(r, 11) > 0);
	r = proto_part(scope, 2, 1);
	assert_str_equal(body_of(r), STR("outside"));
	assert_int_equal(proto_part(r, 9, 0).n, 0);
	assert_int_equal(take_logs().n, 0); /* taken once */
}

static void records_below_the_level_are_ignored(void **state)
{
	struct str scope;

	(void)state;
	assert_ok(varve_log(VARVE_TRACE, "too low"));
	assert_ok(varve_log(VARVE_DEBUG, "kept"));
	assert_ok(varve_log((enum varve_severity)0, "unknown is kept"));
	assert_ok(varve_log((enum varve_severity)99, "as is this"));
	scope = take_logs();
	assert_str_equal(body_of(proto_part(scope, 2, 0)), STR("kept"));
	assert_str_equal(body_of(proto_part(scope, 2, 1)), STR("unknown is kept"));
	assert_int_equal(proto_number(proto_part(scope, 2, 2), 2), -1);
}

static void long_and_invalid_texts_are_repaired(void **state)
{
	static char text[LOG_BODY_MAX + 100];
	struct str scope, body;

	(void)state;
	memset(text, 'x', sizeof(text) - 1);
	memcpy(text + LOG_BODY_MAX - 1, "\xc3\xa4", 2); /* a character across the limit */
	assert_ok(varve_log(VARVE_INFO, text));
	assert_ok(varve_log(VARVE_INFO, "a\xff\xc3\xa4"));
	assert_ok(varve_log(VARVE_INFO, NULL));
	assert_ok(varve_logf(VARVE_INFO, "%s=%d", "n", 42));
	text[LOG_BODY_MAX - 1] = 'x';
	text[LOG_BODY_MAX] = 0;
	assert_ok(varve_logf(VARVE_INFO, "%s", text));
	scope = take_logs();
	assert_int_equal(body_of(proto_part(scope, 2, 0)).n, LOG_BODY_MAX - 1);
	assert_str_equal(body_of(proto_part(scope, 2, 1)), STR("a?\xc3\xa4"));
	assert_int_equal(body_of(proto_part(scope, 2, 2)).n, 0);
	assert_str_equal(body_of(proto_part(scope, 2, 3)), STR("n=42"));
	body = body_of(proto_part(scope, 2, 4));
	assert_int_equal(body.n, LOG_FORMATTED_MAX - 1);
}

static void a_full_buffer_drops_and_counts(void **state)
{
	static char text[8000];
	uint64_t records, lost;
	int kept = 0, dropped = 0;

	(void)state;
	memset(text, 'x', sizeof(text) - 1);
	for (int i = 0; i < 200; i++) {
		int rc = varve_log(VARVE_INFO, text);

		assert_true(rc == 0 || rc == -ENOBUFS);
		kept += rc == 0;
		dropped += rc != 0;
	}
	assert_true(kept > 50 && dropped > 50);
	assert_true(logs_pending() <= LOG_BUFFER);
	take_logs();
	logs_counters(&records, &lost);
	assert_int_equal(records, kept);
	assert_int_equal(lost, dropped);
	assert_ok(varve_log(VARVE_INFO, text)); /* there is room again */
}

enum { LOGGERS = 4, LOGGED = 500 };

static void *log_many(void *arg)
{
	for (int i = 0; i < LOGGED; i++)
		assert_ok(varve_logf(VARVE_INFO, "%d from %d", i, (int)(intptr_t)arg));
	return NULL;
}

static void records_of_many_threads_are_complete(void **state)
{
	pthread_t threads[LOGGERS];
	uint64_t records, lost;
	unsigned seen = 0;

	(void)state;
	for (intptr_t i = 0; i < LOGGERS; i++)
		assert_int_equal(pthread_create(&threads[i], NULL, log_many, (void *)i), 0);
	for (int round = 0; round < 200 && seen < LOGGERS * LOGGED; round++) {
		struct str scope = take_logs();

		/* a request has one ResourceLogs for each half of the buffer */
		for (unsigned half = 0;
		     (scope = proto_part(proto_part(buf_str(&taken), 1, half), 2, 0)).n; half++)
			for (unsigned i = 0; proto_part(scope, 2, i).n; i++)
				seen += str_find_str(body_of(proto_part(scope, 2, i)),
						     STR(" from ")) > 0;
		usleep(1000);
	}
	for (int i = 0; i < LOGGERS; i++)
		pthread_join(threads[i], NULL);
	if (seen < LOGGERS * LOGGED) {
		struct str scope;

		take_logs();
		for (unsigned half = 0;
		     (scope = proto_part(proto_part(buf_str(&taken), 1, half), 2, 0)).n; half++)
			for (unsigned i = 0; proto_part(scope, 2, i).n; i++)
				seen++;
	}
	logs_counters(&records, &lost);
	assert_int_equal(lost, 0);
	assert_int_equal(seen, LOGGERS * LOGGED);
	assert_int_equal(records, LOGGERS * LOGGED);
}

static void without_a_library_nothing_is_logged(void **state)
{
	(void)state;
	assert_int_equal(varve_log(VARVE_INFO, "x"), -ENOTCONN);
	assert_int_equal(logs_pending(), 0);
	buf_clear(&taken);
	assert_ok(logs_take(&taken, NULL, 0));
	assert_int_equal(taken.n, 0);
}

TEST_MAIN(test_with(logs, a_record_has_the_ids_of_the_span),
	  test_with(logs, records_below_the_level_are_ignored),
	  test_with(logs, long_and_invalid_texts_are_repaired),
	  test_with(logs, a_full_buffer_drops_and_counts),
	  test_with(logs, records_of_many_threads_are_complete),
	  test(without_a_library_nothing_is_logged))
