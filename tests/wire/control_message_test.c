/* SPDX-License-Identifier: Apache-2.0 */
/* The messages between instances and the server: what is written is read back; bad ones are errors. */
#include "wire/control_message.h"

#include <errno.h>

#include "test/test.h"

static struct control_report full_report(void)
{
	return (struct control_report){
		.instance = STR("92a0cefe-14b5"),
		.service = STR("checkout \xc3\xa9"),
		.host = STR("h"),
		.version = STR("0.1.0"),
		.pid = 4711,
		.now = {.has_profiles = true,
			.profiles = 3,
			.cpu_hz = 100,
			.wall_hz = 20,
			.heap_interval = 524288},
		.max_cpu_hz = 500,
		.max_profiles = 0xff,
		.max_seconds = 3600,
		.lease = UINT64_MAX,
		.lease_state = CONTROL_LEASE_REFUSED,
		.lease_error = STR("too much"),
		.capture = 5,
		.capture_state = CONTROL_CAPTURE_FAILED,
		.capture_error = STR("no"),
	};
}

static void a_report_is_read_back(void **state)
{
	struct control_report r = full_report(), back;
	struct buf text = {0};
	struct err e = {0};

	(void)state;
	assert_ok(control_report_encode(&text, &r));
	assert_ok_err(control_report_decode(&back, buf_str(&text), &e), &e);
	assert_str_equal(back.instance, r.instance);
	assert_str_equal(back.service, r.service);
	assert_str_equal(back.lease_error, r.lease_error);
	assert_str_equal(back.capture_error, r.capture_error);
	assert_int_equal(back.pid, r.pid);
	assert_true(back.now.has_profiles);
	assert_int_equal(back.now.profiles, 3);
	assert_int_equal(back.now.cpu_hz, 100);
	assert_int_equal(back.now.wall_hz, 20);
	assert_int_equal(back.now.heap_interval, 524288);
	assert_int_equal(back.max_cpu_hz, 500);
	assert_true(back.lease == UINT64_MAX);
	assert_int_equal(back.lease_state, CONTROL_LEASE_REFUSED);
	assert_int_equal(back.capture_state, CONTROL_CAPTURE_FAILED);
	buf_fini(&text);
}

static void an_order_is_read_back(void **state)
{
	struct control_order o = {.poll_ms = 4000,
				  .lease = 9,
				  .remaining_ms = 60000,
				  .settings = {.has_profiles = true, .cpu_hz = 500},
				  .author = STR("user alice"),
				  .reason = STR("slow"),
				  .capture = 3,
				  .capture_kind = 16,
				  .capture_seconds = 30},
			     back;
	struct buf text = {0};
	struct err e = {0};

	(void)state;
	assert_ok(control_order_encode(&text, &o));
	assert_ok_err(control_order_decode(&back, buf_str(&text), &e), &e);
	assert_int_equal(back.poll_ms, 4000);
	assert_true(back.settings.has_profiles);
	assert_int_equal(back.settings.profiles, 0);
	assert_int_equal(back.settings.cpu_hz, 500);
	assert_str_equal(back.author, o.author);
	assert_int_equal(back.capture_kind, 16);
	buf_fini(&text);
}

static void bad_reports_are_refused_with_the_field(void **state)
{
	static const struct {
		struct control_report r;
		const char *says;
	} cases[] = {
		{{.service = STR_INIT("s")}, "instance: expected letters"},
		{{.instance = STR_INIT("a/../b"), .service = STR_INIT("s")}, "instance"},
		{{.instance = STR_INIT("a")}, "needs a service"},
		{{.instance = STR_INIT("a"), .service = STR_INIT("\x1b[2J")}, "service: expected"},
		{{.instance = STR_INIT("a"), .service = STR_INIT("\xc2\x9b")}, "service: expected"},
		{{.instance = STR_INIT("a"), .service = STR_INIT("\xff")}, "service: expected"},
		{{.instance = STR_INIT("a"), .service = STR_INIT("s"), .max_cpu_hz = 1001},
		 "max_cpu_hz: 1001 is more than 1000"},
		{{.instance = STR_INIT("a"), .service = STR_INIT("s"), .now = {.profiles = 256}},
		 "now.profiles: 256"},
		{{.instance = STR_INIT("a"), .service = STR_INIT("s"), .lease_state = 4},
		 "lease_state: 4"},
	};

	(void)state;
	for (size_t i = 0; i < countof(cases); i++) {
		struct control_report back;
		struct buf text = {0};
		struct err e = {0};

		assert_ok(control_report_encode(&text, &cases[i].r));
		assert_int_equal(control_report_decode(&back, buf_str(&text), &e), -EBADMSG);
		assert_err_says(&e, cases[i].says);
		buf_fini(&text);
	}
}

static void every_truncation_is_an_error_or_a_shorter_message(void **state)
{
	struct control_report r = full_report(), back;
	struct buf text = {0};

	(void)state;
	assert_ok(control_report_encode(&text, &r));
	for (size_t n = 0; n < text.n; n++) {
		struct err e = {0};
		int rc = control_report_decode(&back, str_head(buf_str(&text), n), &e);

		assert_true(rc == 0 || rc == -EBADMSG);
		assert_true(rc == 0 || e.text[0]);
	}
	buf_fini(&text);
}

static void a_message_that_is_too_long_is_refused(void **state)
{
	static char zeros[CONTROL_MESSAGE_MAX + 1];
	struct control_report back;
	struct err e = {0};

	(void)state;
	assert_int_equal(control_report_decode(&back, str_of(zeros, sizeof(zeros)), &e), -EBADMSG);
	assert_err_says(&e, "more than 4096 bytes");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		test(a_report_is_read_back),
		test(an_order_is_read_back),
		test(bad_reports_are_refused_with_the_field),
		test(every_truncation_is_an_error_or_a_shorter_message),
		test(a_message_that_is_too_long_is_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
