/* SPDX-License-Identifier: Apache-2.0 */
/* Leases inside a process: when they apply, when they are refused, and when they end. */
#include "sdk/control/lease.h"

#include "base/clock.h"
#include "test/test.h"

#define SECOND NS_PER_SECOND

static const struct lease_limits limits = {.max_cpu_hz = 500, .profiles = 0x7, .max_seconds = 600};

static struct control_order make_order(uint64_t id, unsigned hz, uint64_t ms)
{
	return (struct control_order){
		.lease = id, .remaining_ms = ms, .settings = {.cpu_hz = hz}, .poll_ms = 4000};
}

static void a_lease_applies_once_and_ends_by_the_clock(void **state)
{
	struct control_order o = make_order(7, 400, 60000), later = make_order(7, 400, 50000);
	struct lease l = {0};

	(void)state;
	assert_int_equal(lease_take_order(&l, &o, &limits, 100 * SECOND), LEASE_APPLY);
	assert_int_equal(l.state, CONTROL_LEASE_APPLIED);
	assert_int_equal(l.settings.cpu_hz, 400);
	assert_int_equal(lease_take_order(&l, &later, &limits, 110 * SECOND), LEASE_KEEP);
	assert_int_equal(lease_check_time(&l, 159 * SECOND), LEASE_KEEP);
	assert_int_equal(lease_check_time(&l, 160 * SECOND), LEASE_REVERT);
	assert_int_equal(l.state, CONTROL_LEASE_ENDED);
	assert_int_equal(lease_check_time(&l, 161 * SECOND), LEASE_KEEP);
	/* the server's clock is late: the lease is not applied again */
	assert_int_equal(lease_take_order(&l, &later, &limits, 162 * SECOND), LEASE_KEEP);
}

static void it_ends_when_the_server_does_not_send_it_any_more(void **state)
{
	struct control_order o = make_order(7, 400, 60000), none = {.poll_ms = 4000};
	struct lease l = {0};

	(void)state;
	assert_int_equal(lease_take_order(&l, &none, &limits, SECOND), LEASE_KEEP);
	assert_int_equal(lease_take_order(&l, &o, &limits, 2 * SECOND), LEASE_APPLY);
	assert_int_equal(lease_take_order(&l, &none, &limits, 3 * SECOND), LEASE_REVERT);
	assert_string_equal(l.error, "ended by the server");
}

static void it_ends_when_the_server_is_silent(void **state)
{
	struct control_order o = make_order(7, 400, 600000);
	struct lease l = {0};
	struct lease_limits wide = limits;

	(void)state;
	wide.max_seconds = 3600;
	o.remaining_ms = 3600000;
	assert_int_equal(lease_take_order(&l, &o, &wide, SECOND), LEASE_APPLY);
	assert_int_equal(lease_check_time(&l, 500 * SECOND), LEASE_KEEP);
	assert_int_equal(lease_check_time(&l, (LEASE_SILENCE_SECONDS + 2) * SECOND), LEASE_REVERT);
	assert_string_equal(l.error, "the server does not answer");
}

static void a_new_lease_replaces_the_old(void **state)
{
	struct control_order o = make_order(7, 400, 60000), p = make_order(8, 300, 60000);
	struct lease l = {0};

	(void)state;
	assert_int_equal(lease_take_order(&l, &o, &limits, SECOND), LEASE_APPLY);
	assert_int_equal(lease_take_order(&l, &p, &limits, 2 * SECOND), LEASE_APPLY);
	assert_int_equal(l.id, 8);
	assert_int_equal(l.settings.cpu_hz, 300);
}

static void a_lease_beyond_the_limits_is_refused_as_a_whole(void **state)
{
	static const struct {
		struct control_order order;
		const char *says;
	} cases[] = {
		{{.lease = 1, .remaining_ms = 1000, .settings = {.cpu_hz = 501}},
		 "501 Hz is above control.max_cpu_hz (500)"},
		{{.lease = 1, .remaining_ms = 1000, .settings = {.wall_hz = 999, .cpu_hz = 1}},
		 "999 Hz"},
		{{.lease = 1,
		  .remaining_ms = 1000,
		  .settings = {.has_profiles = true, .profiles = 0x18}},
		 "control.profiles"},
		{{.lease = 1, .remaining_ms = 601000, .settings = {.cpu_hz = 50}},
		 "601 s is longer than control.max_seconds (600)"},
	};

	(void)state;
	for (size_t i = 0; i < countof(cases); i++) {
		struct lease l = {0};

		assert_int_equal(lease_take_order(&l, &cases[i].order, &limits, SECOND),
				 LEASE_KEEP);
		assert_int_equal(l.state, CONTROL_LEASE_REFUSED);
		assert_non_null(strstr(l.error, cases[i].says));
		assert_int_equal(lease_check_time(&l, 9000 * SECOND), LEASE_KEEP);
	}
}

static void a_refused_lease_ends_the_one_before_it(void **state)
{
	struct control_order o = make_order(7, 400, 60000), p = make_order(8, 900, 60000);
	struct lease l = {0};

	(void)state;
	assert_int_equal(lease_take_order(&l, &o, &limits, SECOND), LEASE_APPLY);
	assert_int_equal(lease_take_order(&l, &p, &limits, 2 * SECOND), LEASE_REVERT);
	assert_int_equal(l.state, CONTROL_LEASE_REFUSED);
}

static void a_change_by_the_program_counts(void **state)
{
	struct control_order o = make_order(7, 400, 60000);
	struct lease l = {0};

	(void)state;
	assert_int_equal(lease_take_order(&l, &o, &limits, SECOND), LEASE_APPLY);
	lease_override(&l);
	assert_int_equal(l.state, CONTROL_LEASE_ENDED);
	assert_int_equal(lease_take_order(&l, &o, &limits, 2 * SECOND), LEASE_KEEP);
	assert_int_equal(lease_check_time(&l, 100 * SECOND), LEASE_KEEP);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		test(a_lease_applies_once_and_ends_by_the_clock),
		test(it_ends_when_the_server_does_not_send_it_any_more),
		test(it_ends_when_the_server_is_silent),
		test(a_new_lease_replaces_the_old),
		test(a_lease_beyond_the_limits_is_refused_as_a_whole),
		test(a_refused_lease_ends_the_one_before_it),
		test(a_change_by_the_program_counts),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
