/* SPDX-License-Identifier: Apache-2.0 */
/* The ring of records between hooks and collector. */
#include "sdk/hook/record.h"

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "test/test.h"

/*
 * Return a record whose fields follow from its producer and number, so that torn records are found.
 */
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

static void records_are_taken_in_the_order_of_puts(void **state)
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

static void a_full_ring_accepts_again_after_a_take(void **state)
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

static void sizes_that_are_no_power_of_two_are_rejected(void **state)
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

/* Put records also from a signal handler, which interrupts the thread's own puts. */
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
			/* records of one producer are in order, without duplicates or gaps */
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

static void no_record_of_many_producers_is_lost_or_torn(void **state)
{
	(void)state;
	run_many(false);
}

static void signal_handlers_can_put_during_a_put(void **state)
{
	(void)state;
	run_many(true);
}

static struct {
	struct shared_record record;
	_Atomic bool end;
} shared;

static void *set_shared(void *arg)
{
	for (uint64_t n = 1; !atomic_load(&shared.end); n++) {
		struct record r = made(7, n);

		shared_record_set(&shared.record, &r);
	}
	return arg;
}

static void a_shared_record_is_never_torn(void **state)
{
	uint64_t last = 0, changes = 0;
	pthread_t writer;
	struct record r;

	(void)state;
	assert_false(shared_record_get(&shared.record, &r));
	assert_ok(pthread_create(&writer, NULL, set_shared, NULL));
	while (changes < 1000) {
		if (!shared_record_get(&shared.record, &r))
			continue;
		assert_whole(&r);
		assert_true(r.time_ns >= last);
		changes += r.time_ns > last;
		last = r.time_ns;
	}
	atomic_store(&shared.end, true);
	pthread_join(writer, NULL);
	assert_true(shared_record_get(&shared.record, &r));
}

TEST_MAIN(test(records_are_taken_in_the_order_of_puts),
	  test(a_full_ring_accepts_again_after_a_take),
	  test(sizes_that_are_no_power_of_two_are_rejected),
	  test(no_record_of_many_producers_is_lost_or_torn),
	  test(signal_handlers_can_put_during_a_put), test(a_shared_record_is_never_torn))
