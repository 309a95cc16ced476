/* SPDX-License-Identifier: Apache-2.0 */
/* The stage that repeats what exporters refuse, before an exporter that refuses on demand. */
#include "pipeline/service/retry_stage.h"

#include <errno.h>
#include <stdatomic.h>
#include <unistd.h>

#include "base/clock.h"
#include "test/test.h"

static _Atomic int refuse_rc; /* result of the exporter */
static _Atomic unsigned attempts, done_count;
static _Atomic int done_rc;

static bool refuse_or_accept(void *state, struct delivery *d)
{
	struct delivery_result result = {.rc = atomic_load(&refuse_rc)};

	(void)state;
	atomic_fetch_add(&attempts, 1);
	snprintf(result.reason, sizeof(result.reason), "%s", result.rc ? "queue is full" : "");
	delivery_done(d, &result);
	return true;
}

static void count_done(struct delivery *d, const struct delivery_result *result)
{
	(void)d;
	atomic_store(&done_rc, result->rc);
	atomic_fetch_add(&done_count, 1);
}

struct fixture {
	struct host host;
	struct consumer end;
	void *stage;
};

static int fixture_setup(void **state)
{
	struct fixture *f = calloc(1, sizeof(*f));
	struct err e = {0};

	*state = f;
	if (!f || host_init(&f->host, 1, MIB, NULL, &e))
		return -1;
	f->end = (struct consumer){.consume = refuse_or_accept};
	struct component_env env = {.pipeline = "traces", .host = &f->host, .next = {&f->end}};

	attempts = done_count = 0;
	refuse_rc = done_rc = 0;
	return retry_stage.create(&f->stage, &env, NULL, &e) || retry_stage.start(f->stage, &e);
}

static int fixture_teardown(void **state)
{
	struct fixture *f = *state;

	retry_stage.stop(f->stage);
	retry_stage.destroy(f->stage);
	host_fini(&f->host);
	free(f);
	return 0;
}

static bool admits(const struct fixture *f, struct delivery_result *why)
{
	*why = (struct delivery_result){0};
	return retry_stage.admit(f->stage, 1, why);
}

/* Wait until `n` deliveries are done. */
static void wait_for_done(unsigned n)
{
	uint64_t until = clock_monotonic_ns() + 20 * NS_PER_SECOND;

	while (atomic_load(&done_count) < n && clock_monotonic_ns() < until)
		usleep(1000);
	assert_int_equal(done_count, n);
}

static void refused_data_is_repeated_until_it_is_accepted(void **state)
{
	struct fixture *f = *state;
	struct delivery two[2] = {{.done = count_done}, {.done = count_done}};
	struct delivery_result why;

	refuse_rc = -EAGAIN;
	assert_false(retry_stage.consume(f->stage, &two[0]));
	assert_false(retry_stage.consume(f->stage, &two[1]));
	assert_int_equal(done_count, 0);
	assert_false(admits(f, &why));
	assert_int_equal(why.rc, -EAGAIN);
	assert_string_equal(why.reason, "queue is full");
	while (atomic_load(&attempts) < 4)
		usleep(1000);
	assert_int_equal(done_count, 0);
	refuse_rc = 0;
	wait_for_done(2);
	assert_int_equal(done_rc, 0);
	while (!admits(f, &why))
		usleep(1000);
}

static void accepted_data_and_lasting_errors_pass(void **state)
{
	struct fixture *f = *state;
	struct delivery d = {.done = count_done};
	struct delivery_result why;

	retry_stage.consume(f->stage, &d);
	assert_int_equal(done_count, 1);
	assert_int_equal(done_rc, 0);
	refuse_rc = -EINVAL;
	retry_stage.consume(f->stage, &d);
	assert_int_equal(done_count, 2);
	assert_int_equal(done_rc, -EINVAL);
	assert_true(admits(f, &why));
}

static void the_end_reports_what_is_still_refused(void **state)
{
	struct fixture *f = *state;
	struct delivery d = {.done = count_done};
	uint64_t began = clock_monotonic_ns();

	refuse_rc = -EAGAIN;
	retry_stage.consume(f->stage, &d);
	retry_stage.stop(f->stage);
	assert_int_equal(done_count, 1);
	assert_int_equal(done_rc, -EAGAIN);
	assert_true(clock_monotonic_ns() - began >= RETRY_STAGE_GRACE);
	assert_true(attempts > 10);
	retry_stage.consume(f->stage, &d);
	assert_int_equal(done_count, 2);
}

TEST_MAIN(test_with(fixture, refused_data_is_repeated_until_it_is_accepted),
	  test_with(fixture, accepted_data_and_lasting_errors_pass),
	  test_with(fixture, the_end_reports_what_is_still_refused))
