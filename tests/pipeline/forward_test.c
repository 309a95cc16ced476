/* SPDX-License-Identifier: Apache-2.0 */
/* Deliveries that are forwarded with another payload. */
#include "test/test.h"

#include <errno.h>

#include "pipeline/forward.h"

struct seen {
	struct delivery *held;
	const struct payload *payload;
	struct str tenant;
	bool copied;
	unsigned deliveries, results;
	int rc;
};

static bool sink_consume(void *state, struct delivery *d)
{
	struct seen *seen = state;

	seen->deliveries++;
	seen->payload = d->payload;
	seen->tenant = d->tenant;
	seen->held = d;
	return false;
}

static void record_result(struct delivery *d, const struct delivery_result *result)
{
	struct seen *seen = d->owner;

	seen->results++;
	seen->rc = result->rc;
	seen->copied = d->copied;
}

static void test_other_payload(void **state)
{
	struct seen seen = {0};
	struct consumer sink = {.state = &seen, .consume = sink_consume};
	struct delivery d = {.signal = SIGNAL_TRACES,
			     .tenant = STR("acme"),
			     .done = record_result,
			     .owner = &seen};
	struct payload *p = payload_copy(SIGNAL_TRACES, 1, STR("xy"), NULL);

	(void)state;
	assert_non_null(p);
	assert_false(delivery_forward(&sink, &d, p));
	assert_int_equal(seen.deliveries, 1);
	assert_ptr_equal(seen.payload, p);
	assert_true(str_eq(seen.tenant, STR("acme")));
	assert_int_equal(seen.results, 0);
	delivery_fail(seen.held, -EIO, 0, "disk");
	assert_int_equal(seen.results, 1);
	assert_int_equal(seen.rc, -EIO);
}

static void test_nothing_left(void **state)
{
	struct seen seen = {.rc = 1};
	struct consumer sink = {.state = &seen, .consume = sink_consume};
	struct delivery d = {.signal = SIGNAL_LOGS, .done = record_result, .owner = &seen};

	(void)state;
	(void)delivery_forward(&sink, &d, payload_copy(SIGNAL_LOGS, 0, (struct str){0}, NULL));
	assert_int_equal(seen.deliveries, 0);
	assert_int_equal(seen.results, 1);
	assert_int_equal(seen.rc, 0);
	(void)delivery_forward(&sink, &d, NULL);
	assert_int_equal(seen.results, 2);
	assert_int_equal(seen.rc, -ENOMEM);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_other_payload),
		cmocka_unit_test(test_nothing_left),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
