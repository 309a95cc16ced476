/* SPDX-License-Identifier: Apache-2.0 */
#include "base/container/queue.h"

#include <errno.h>
#include <signal.h>
#include <stdatomic.h>

#include "base/clock.h"
#include "base/thread.h"
#include "test/test.h"

static void items_come_out_in_order(void **state)
{
	struct queue q;
	int items[5];
	void *item;

	(void)state;
	assert_ok(queue_init(&q, 3, 0));
	for (int round = 0; round < 5; round++) { /* wraps around */
		for (int i = 0; i < 3; i++)
			assert_ok(queue_push(&q, &items[i], 0, QUEUE_NOW));
		assert_int_equal(queue_push(&q, &items[3], 0, QUEUE_NOW), -ETIMEDOUT);
		assert_ok(queue_pop(&q, &item, QUEUE_NOW));
		assert_ptr_equal(item, &items[0]);
		assert_ok(queue_push(&q, &items[4], 0, QUEUE_NOW));
		assert_ok(queue_pop(&q, &item, QUEUE_NOW));
		assert_ptr_equal(item, &items[1]);
		assert_ok(queue_pop(&q, &item, QUEUE_NOW));
		assert_ok(queue_pop(&q, &item, QUEUE_NOW));
		assert_ptr_equal(item, &items[4]);
		assert_int_equal(queue_pop(&q, &item, QUEUE_NOW), -ETIMEDOUT);
	}
	queue_fini(&q);
	queue_fini(&q);
}

static void the_total_weight_is_bounded(void **state)
{
	struct queue q;
	size_t weight;
	void *item;

	(void)state;
	assert_ok(queue_init(&q, 10, 100));
	assert_int_equal(queue_push(&q, &q, 101, QUEUE_NOW), -EFBIG);
	assert_ok(queue_push(&q, &q, 60, QUEUE_NOW));
	assert_int_equal(queue_push(&q, &q, 41, QUEUE_NOW), -ETIMEDOUT);
	assert_ok(queue_push(&q, &q, 40, QUEUE_NOW));
	assert_int_equal(queue_count(&q, &weight), 2);
	assert_int_equal(weight, 100);
	assert_ok(queue_pop(&q, &item, QUEUE_NOW));
	assert_ok(queue_push(&q, &q, 60, QUEUE_NOW));
	queue_fini(&q);
}

static void a_closed_queue_is_drained(void **state)
{
	struct queue q;
	void *item;

	(void)state;
	assert_ok(queue_init(&q, 2, 0));
	assert_ok(queue_push(&q, &q, 0, QUEUE_FOREVER));
	queue_close(&q);
	queue_close(&q);
	assert_int_equal(queue_push(&q, &q, 0, QUEUE_FOREVER), -EPIPE);
	assert_ok(queue_pop(&q, &item, QUEUE_FOREVER));
	assert_ptr_equal(item, &q);
	assert_int_equal(queue_pop(&q, &item, QUEUE_FOREVER), -EPIPE);
	queue_fini(&q);
}

static void a_timed_pop_waits_at_least_that_long(void **state)
{
	uint64_t before = clock_monotonic_ns();
	struct queue q;
	void *item;

	(void)state;
	assert_ok(queue_init(&q, 1, 0));
	assert_int_equal(queue_pop(&q, &item, 20 * NS_PER_MS), -ETIMEDOUT);
	assert_true(clock_monotonic_ns() - before >= 20 * NS_PER_MS);
	assert_ok(queue_push(&q, &q, 0, QUEUE_NOW));
	assert_int_equal(queue_push(&q, &q, 0, NS_PER_MS), -ETIMEDOUT);
	queue_fini(&q);
}

enum { PRODUCERS = 3, CONSUMERS = 3, ITEMS = 5000 };

struct traffic {
	struct queue q;
	uint64_t values[PRODUCERS][ITEMS];
	_Atomic uint64_t popped, sum;
	_Atomic uint32_t next, errors;
};

static void produce(void *arg)
{
	struct traffic *t = arg;
	uint64_t *values = t->values[atomic_fetch_add(&t->next, 1)];

	for (uint64_t i = 0; i < ITEMS; i++) {
		values[i] = i + 1; /* not atomic: the queue must synchronize it */
		if (queue_push(&t->q, &values[i], i % 7, QUEUE_FOREVER))
			atomic_fetch_add(&t->errors, 1);
	}
}

static void consume(void *arg)
{
	struct traffic *t = arg;
	void *item;
	int rc;

	while ((rc = queue_pop(&t->q, &item, NS_PER_SECOND)) != -EPIPE) {
		if (rc)
			continue;
		atomic_fetch_add(&t->popped, 1);
		atomic_fetch_add(&t->sum, *(uint64_t *)item);
	}
}

static void no_item_is_lost_or_duplicated_between_threads(void **state)
{
	struct traffic *t = calloc(1, sizeof(*t));
	struct thread producers[PRODUCERS], consumers[CONSUMERS];

	(void)state;
	assert_ok(queue_init(&t->q, 16, 20));
	for (size_t i = 0; i < CONSUMERS; i++)
		assert_ok(thread_start(&consumers[i], "consumer", consume, t, NULL));
	for (size_t i = 0; i < PRODUCERS; i++)
		assert_ok(thread_start(&producers[i], "producer", produce, t, NULL));
	for (size_t i = 0; i < PRODUCERS; i++)
		thread_join(&producers[i]);
	queue_close(&t->q);
	for (size_t i = 0; i < CONSUMERS; i++)
		thread_join(&consumers[i]);
	assert_int_equal(t->errors, 0);
	assert_int_equal(t->popped, PRODUCERS * ITEMS);
	assert_int_equal(t->sum, (uint64_t)PRODUCERS * ITEMS * (ITEMS + 1) / 2);
	queue_fini(&t->q);
	free(t);
}

static void wait_for_close(void *arg)
{
	struct traffic *t = arg;
	void *item;

	if (queue_pop(&t->q, &item, QUEUE_FOREVER) != -EPIPE)
		atomic_fetch_add(&t->errors, 1);
}

static void closing_wakes_all_waiters(void **state)
{
	struct traffic *t = calloc(1, sizeof(*t));
	struct thread waiters[CONSUMERS];

	(void)state;
	assert_ok(queue_init(&t->q, 1, 0));
	for (size_t i = 0; i < CONSUMERS; i++)
		assert_ok(thread_start(&waiters[i], "waiter", wait_for_close, t, NULL));
	queue_close(&t->q);
	for (size_t i = 0; i < CONSUMERS; i++)
		thread_join(&waiters[i]);
	assert_int_equal(t->errors, 0);
	queue_fini(&t->q);
	free(t);
}

struct seen {
	char name[16];
	int term_blocked, real_time_blocked;
};

static void read_own_name_and_mask(void *arg)
{
	struct seen *seen = arg;
	sigset_t mask;

	pthread_getname_np(pthread_self(), seen->name, sizeof(seen->name));
	pthread_sigmask(SIG_SETMASK, NULL, &mask);
	seen->term_blocked = sigismember(&mask, SIGTERM);
	seen->real_time_blocked = sigismember(&mask, SIGRTMAX - 1);
}

static void threads_have_names_and_block_signals(void **state)
{
	struct thread t = {0}, never = {0};
	struct seen seen = {0};
	sigset_t mask;

	(void)state;
	thread_join(&never);
	assert_ok(thread_start(&t, "a name longer than fits", read_own_name_and_mask, &seen, NULL));
	thread_join(&t);
	thread_join(&t);
	assert_string_equal(seen.name, "a name longer t");
	assert_int_equal(seen.term_blocked, 1);
	assert_int_equal(seen.real_time_blocked, 0); /* the profilers use one of them */
	pthread_sigmask(SIG_SETMASK, NULL, &mask);
	assert_int_equal(sigismember(&mask, SIGTERM), 0);
}

TEST_MAIN(test(items_come_out_in_order), test(the_total_weight_is_bounded),
	  test(a_closed_queue_is_drained), test(a_timed_pop_waits_at_least_that_long),
	  test(no_item_is_lost_or_duplicated_between_threads), test(closing_wakes_all_waiters),
	  test(threads_have_names_and_block_signals))
