/* SPDX-License-Identifier: Apache-2.0 */
/* The forward connector: deliveries reach the next pipeline as they are. */
#include "pipeline/connectors/forward/forward_connector.h"

#include "test/component.h"

static bool accept_delivery(void *state, struct delivery *d)
{
	*(struct delivery **)state = d;
	return true;
}

static void deliveries_go_on_as_they_are(void **state)
{
	struct delivery *got = NULL, d = {.signal = SIGNAL_LOGS};
	struct consumer next = {.state = &got, .consume = accept_delivery};
	struct component_env env = {.id = "forward"};
	struct test_component x;

	(void)state;
	env.next[signal_index(SIGNAL_LOGS)] = &next;
	assert_ok_err(test_component_new(&x, &forward_connector, &env, "{}"), &x.e);
	assert_true(x.type->consume(x.instance, &d));
	assert_ptr_equal(got, &d);
	test_component_free(&x);
}

static void there_are_no_settings(void **state)
{
	struct component_env env = {.id = "forward"};

	(void)state;
	test_component_refused(&forward_connector, &env, "{to: logs}", "to");
}

TEST_MAIN(test(deliveries_go_on_as_they_are), test(there_are_no_settings))
