/* SPDX-License-Identifier: Apache-2.0 */
#include "sdk/hook/record.h"

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "test/test.h"

/* A record whose fields all follow from its producer and number, so that a torn one is seen. */
static struct record made(uint32_t producer, uint64_t number)
{
	struct record r = {.kind = RECORD_CPU,
			   .stack = producer,
			   .tid = (uint32_t)number,
			   .time_ns = number,
			   .value = (int64_t)(number * 3 + producer),
			   .weight = -(int64_t)number};

	memset(r.trace_id, (int)(number & 0xff), sizeof(r.trace_id));
	memset(r.span_id, (int)(producer & 0xff), sizeof(r.span_id));
	return r;
}

static void assert_whole(const struct record *r)
{
	struct record expected = made(r->stack, r->time_ns);

	assert_memory_equal(r, &expected, sizeof(expected));
}

static void records_come_out_in_the_order_they_went_in(void **state)
{
	struct record_ring ring = {0};
	struct record r;

	(void)state;
	assert_ok(record_ring_init(&ring, 8));
	for (uint64_t round = 0; round < 100; round++) {
		for (uint64_t i = 0; i < 5; i++) {
			r = made(1, round * 5 + i);
			assert_true(record_ring_put(&ring, &r));
		}
		for (uint64_t i = 0; i < 5; i++) {
			assert_true(record_ring_take(&ring, &r));
			assert_int_equal(r.time_ns, round * 5 + i);
		}
		assert_false(record_ring_take(&ring, &r));
	}
	record_ring_fini(&ring);
}

static void a_full_ring_refuses_and_goes_on_when_one_is_taken(void **state)
{
	struct record_ring ring = {0};
	struct record r = made(1, 1);

	(void)state;
	assert_ok(record_ring_init(&ring, 4));
	for (unsigned i = 0; i < 4; i++)
		assert_true(record_ring_put(&ring, &r));
	assert_false(record_ring_put(&ring, &r));
	assert_true(record_ring_take(&ring, &r));
	assert_true(record_ring_put(&ring, &r));
	assert_false(record_ring_put(&ring, &r));
	record_ring_clear(&ring);
	assert_false(record_ring_take(&ring, &r));
	for (unsigned i = 0; i < 4; i++)
		assert_true(record_ring_put(&ring, &r));
	record_ring_fini(&ring);
	record_ring_fini(&ring);
}

static void sizes_that_are_no_power_of_two_are_refused(void **state)
{
	struct record_ring ring = {0};

	(void)state;
	assert_int_equal(record_ring_init(&ring, 0), -EINVAL);
	assert_int_equal(record_ring_init(&ring, 3), -EINVAL);
	assert_int_equal(record_ring_init(&ring, 1000), -EINVAL);
}

enum { PRODUCERS = 4, SIGNAL_PRODUCERS = PRODUCERS, EACH = 40000 };

static struct {
	struct record_ring ring;
	_Atomic uint64_t put[PRODUCERS + SIGNAL_PRODUCERS], refused;
	_Atomic unsigned running;
	bool with_signals;
} many;

static __thread uint32_t own_number;

/* Puts too, in the middle of the thread's own puts. */
static void on_signal(int number)
{
	uint32_t self = PRODUCERS + own_number;
	struct record r = made(self, atomic_load(&many.put[self]));

	(void)number;
	if (record_ring_put(&many.ring, &r))
		atomic_fetch_add(&many.put[self], 1);
}

static void *produce(void *arg)
{
	uint32_t self = (uint32_t)(uintptr_t)arg;
	uint64_t next = 0;
	timer_t timer;
	struct sigevent event = {.sigev_notify = SIGEV_THREAD_ID, .sigev_signo = SIGUSR1};
	struct itimerspec often = {{0, 50000}, {0, 50000}};

	own_number = self;
	if (many.with_signals) {
		event._sigev_un._tid = (pid_t)syscall(SYS_gettid);
		assert_ok(timer_create(CLOCK_MONOTONIC, &event, &timer));
		assert_ok(timer_settime(timer, 0, &often, NULL));
	}
	while (next < EACH) {
		struct record r = made(self, next);

		if (record_ring_put(&many.ring, &r))
			next++;
		else
			atomic_fetch_add(&many.refused, 1);
	}
	if (many.with_signals)
		timer_delete(timer);
	atomic_store(&many.put[self], next);
	atomic_fetch_sub(&many.running, 1);
	return NULL;
}

static void run_many(bool with_signals)
{
	struct sigaction action = {.sa_handler = on_signal}, old;
	uint64_t taken[PRODUCERS + SIGNAL_PRODUCERS] = {0};
	pthread_t threads[PRODUCERS];
	struct record r;
	bool last = false;

	memset(&many, 0, sizeof(many));
	many.with_signals = with_signals;
	many.running = PRODUCERS;
	assert_ok(record_ring_init(&many.ring, 256));
	assert_ok(sigaction(SIGUSR1, &action, &old));
	for (uintptr_t i = 0; i < PRODUCERS; i++)
		assert_ok(pthread_create(&threads[i], NULL, produce, (void *)i));
	for (;;) {
		while (record_ring_take(&many.ring, &r)) {
			assert_true(r.stack < PRODUCERS + SIGNAL_PRODUCERS);
			assert_whole(&r);
			/* of one producer in its order, none twice, none left out */
			assert_int_equal(r.time_ns, taken[r.stack]);
			taken[r.stack]++;
		}
		if (last)
			break;
		last = !atomic_load(&many.running);
	}
	for (unsigned i = 0; i < PRODUCERS; i++)
		assert_ok(pthread_join(threads[i], NULL));
	assert_ok(sigaction(SIGUSR1, &old, NULL));
	while (record_ring_take(&many.ring, &r))
		taken[r.stack]++;
	for (unsigned i = 0; i < PRODUCERS + SIGNAL_PRODUCERS; i++)
		assert_int_equal(taken[i], atomic_load(&many.put[i]));
	record_ring_fini(&many.ring);
}

static void many_producers_lose_and_tear_nothing(void **state)
{
	(void)state;
	run_many(false);
}

static void handlers_may_put_while_their_thread_is_putting(void **state)
{
	(void)state;
	run_many(true);
}

TEST_MAIN(test(records_come_out_in_the_order_they_went_in),
	  test(a_full_ring_refuses_and_goes_on_when_one_is_taken),
	  test(sizes_that_are_no_power_of_two_are_refused),
	  test(many_producers_lose_and_tear_nothing),
	  test(handlers_may_put_while_their_thread_is_putting))
