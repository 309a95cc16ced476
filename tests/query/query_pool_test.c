/* SPDX-License-Identifier: Apache-2.0 */
/* The pool of query threads: queue limit, time slices of long queries, reservation of memory. */
#include "query/query_pool.h"

#include <errno.h>

#include "base/clock.h"
#include "test/test.h"

struct gated_work {
	struct query_job job;  /* first */
	pthread_mutex_t *gate; /* blocks the work while held */
	_Atomic unsigned *done;
};

static void run_work(struct query_job *job)
{
	struct gated_work *w = (struct gated_work *)job;

	pthread_mutex_lock(w->gate);
	pthread_mutex_unlock(w->gate);
	atomic_fetch_add(w->done, 1);
}

static void jobs_run_and_a_full_queue_refuses_more(void **state)
{
	pthread_mutex_t gate = PTHREAD_MUTEX_INITIALIZER;
	_Atomic unsigned done = 0;
	struct gated_work work[64];
	struct query_pool *p;
	struct query_pool_stats stats;
	struct err e = {0};
	unsigned taken = 0;

	(void)state;
	assert_ok_err(query_pool_new(&p, 2, 4, &e), &e);
	pthread_mutex_lock(&gate);
	for (unsigned i = 0; i < countof(work); i++) {
		work[i] = (struct gated_work){.job.run = run_work, .gate = &gate, .done = &done};
		if (!query_pool_submit(p, &work[i].job))
			taken++;
	}
	/* Two may run and four wait; the number accepted depends on when the threads take jobs. */
	assert_in_range(taken, 4, 6);
	query_pool_stats(p, &stats);
	assert_int_equal(stats.refused, countof(work) - taken);
	pthread_mutex_unlock(&gate);
	query_pool_free(p);
	assert_int_equal(done, taken);
}

/* ---- long queries ---- */

static void sleep_ms(unsigned ms)
{
	nanosleep(&(struct timespec){ms / 1000, ms % 1000 * 1000000L}, NULL);
}

/* Runs in time slices until `end` is set. */
struct long_work {
	struct query_job job; /* first */
	_Atomic bool *end;
	_Atomic bool cancelled;
	uint64_t deadline_ns;
	_Atomic unsigned steps, done;
};

static void run_long(struct query_job *job)
{
	struct long_work *w = (struct long_work *)job;

	while (!atomic_load(w->end) && !atomic_load(&w->cancelled) &&
	       (!w->deadline_ns || clock_monotonic_ns() < w->deadline_ns)) {
		sleep_ms(1);
		atomic_fetch_add(&w->steps, 1);
		query_pool_pause(w->deadline_ns, &w->cancelled);
	}
	atomic_store(&w->done, 1);
}

static void long_queries_leave_threads_to_short_ones(void **state)
{
	pthread_mutex_t gate = PTHREAD_MUTEX_INITIALIZER;
	_Atomic unsigned done = 0;
	_Atomic bool end = false;
	struct long_work heavy[12];
	struct gated_work quick[20];
	struct query_pool_stats stats;
	struct query_pool *p;
	uint64_t start;

	(void)state;
	assert_ok(query_pool_new(&p, 2, 64, NULL));
	for (unsigned i = 0; i < countof(heavy); i++) {
		heavy[i] = (struct long_work){.job = {run_long, i}, .end = &end};
		assert_ok(query_pool_submit(p, &heavy[i].job));
	}
	start = clock_monotonic_ns();
	for (unsigned i = 0; i < countof(quick); i++) {
		quick[i] = (struct gated_work){.job.run = run_work, .gate = &gate, .done = &done};
		assert_ok(query_pool_submit(p, &quick[i].job));
	}
	while (atomic_load(&done) < countof(quick) &&
	       clock_monotonic_ns() - start < 60 * NS_PER_SECOND)
		sleep_ms(5);
	assert_int_equal(done, countof(quick)); /* although no long query granted ended */
	for (unsigned i = 0; i < countof(heavy); i++)
		assert_false(heavy[i].done);
	query_pool_stats(p, &stats);
	assert_in_range(stats.paused, 8, countof(heavy) - 1);
	atomic_store(&end, true);
	query_pool_free(p);
	for (unsigned i = 0; i < countof(heavy); i++)
		assert_true(heavy[i].done);
}

/*
 * One client runs three long queries, another client one, which gets more than a quarter of the
 * time.
 */
static void clients_get_equal_shares(void **state)
{
	_Atomic bool end = false;
	struct long_work work[4];
	struct query_pool *p;
	unsigned others = 0;

	(void)state;
	assert_ok(query_pool_new(&p, 1, 64, NULL));
	for (unsigned i = 0; i < countof(work); i++) {
		work[i] = (struct long_work){.job = {run_long, i == 3}, .end = &end};
		assert_ok(query_pool_submit(p, &work[i].job));
	}
	while (!atomic_load(&work[3].steps)) /* all have started */
		sleep_ms(5);
	sleep_ms(QUERY_LONG_MS + 2 * QUERY_SLICE_MS);
	for (unsigned i = 0; i < countof(work); i++)
		atomic_store(&work[i].steps, 0);
	sleep_ms(16 * QUERY_SLICE_MS);
	for (unsigned i = 0; i < 3; i++)
		others += atomic_load(&work[i].steps);
	/* half of the slices belong to the second client, give or take one at each end */
	assert_true(atomic_load(&work[3].steps) * 2 > others);
	atomic_store(&end, true);
	query_pool_free(p);
}

static void a_paused_query_can_be_canceled_and_ends_at_its_deadline(void **state)
{
	_Atomic bool end = false;
	struct long_work work[3];
	struct query_pool *p;
	struct query_pool_stats stats = {0};
	uint64_t deadline = clock_monotonic_ns() + 600 * NS_PER_MS;

	(void)state;
	assert_ok(query_pool_new(&p, 1, 64, NULL));
	for (unsigned i = 0; i < countof(work); i++) {
		work[i] = (struct long_work){
			.job = {run_long, 0}, .end = &end, .deadline_ns = i == 2 ? deadline : 0};
		assert_ok(query_pool_submit(p, &work[i].job));
	}
	while (stats.paused < 2) {
		sleep_ms(5);
		query_pool_stats(p, &stats);
		if (work[2].done)
			break; /* on a slow machine the deadline may pass first */
	}
	atomic_store(&work[1].cancelled, true);
	while (!atomic_load(&work[1].done) || !atomic_load(&work[2].done))
		sleep_ms(5);
	assert_false(work[0].done);
	atomic_store(&end, true);
	query_pool_free(p);
	query_pool_pause(0, NULL); /* no effect outside of a pool's threads */
}

/* ---- memory ---- */

/* Reserves memory and holds it until `end` is set. */
struct large_work {
	struct query_job job; /* first */
	size_t bytes;
	uint64_t deadline_ns;
	_Atomic bool cancelled, end;
	_Atomic bool granted, done;
	int rc;
};

static void run_large(struct query_job *job)
{
	struct large_work *w = (struct large_work *)job;

	w->rc = query_pool_reserve(w->bytes, w->deadline_ns, &w->cancelled);
	atomic_store(&w->granted, !w->rc);
	while (!w->rc && !atomic_load(&w->end))
		sleep_ms(1);
	atomic_store(&w->done, true);
}

static void submit_large(struct query_pool *p, struct large_work *w, uint64_t client, size_t bytes)
{
	*w = (struct large_work){.job = {run_large, client}, .bytes = bytes};
	assert_ok(query_pool_submit(p, &w->job));
}

static void wait_for(_Atomic bool *flag)
{
	uint64_t start = clock_monotonic_ns();

	while (!atomic_load(flag) && clock_monotonic_ns() - start < 60 * NS_PER_SECOND)
		sleep_ms(1);
	assert_true(atomic_load(flag));
}

static void wait_for_reserving(struct query_pool *p, size_t n)
{
	uint64_t start = clock_monotonic_ns();
	struct query_pool_stats stats;

	do {
		query_pool_stats(p, &stats);
	} while (stats.reserving != n && clock_monotonic_ns() - start < 60 * NS_PER_SECOND);
	assert_int_equal(stats.reserving, n);
}

static void large_queries_share_the_memory(void **state)
{
	struct large_work work[4];
	struct query_pool *p;

	(void)state;
	assert_ok(query_pool_new(&p, 2, 64, NULL));
	query_pool_set_memory(p, 100);
	submit_large(p, &work[0], 0, 60);
	wait_for(&work[0].granted);
	submit_large(p, &work[1], 1, 40); /* fits next to the first */
	wait_for(&work[1].granted);
	submit_large(p, &work[2], 2, 1000); /* more than the total: runs alone */
	wait_for_reserving(p, 1);
	submit_large(p, &work[3], 2, 1);
	wait_for_reserving(p, 2);
	atomic_store(&work[0].end, true);
	wait_for(&work[0].done);
	sleep_ms(20);
	assert_false(
		work[2].granted); /* later queries do not overtake it, or it might wait forever */
	assert_false(work[3].granted);
	atomic_store(&work[1].end, true);
	wait_for(&work[2].granted);
	sleep_ms(20);
	assert_false(work[3].granted);
	atomic_store(&work[2].end, true);
	wait_for(&work[3].granted);
	atomic_store(&work[3].end, true);
	query_pool_free(p);
	for (size_t i = 0; i < countof(work); i++)
		assert_int_equal(work[i].rc, 0);
}

/*
 * Queries that wait for memory can be canceled or reach their deadline; the ones after them
 * continue.
 */
static void a_query_waiting_for_memory_can_be_canceled_and_time_out(void **state)
{
	struct large_work first, cancelled, late = {{0}}, last;
	struct query_pool *p;

	(void)state;
	assert_ok(query_pool_new(&p, 2, 64, NULL));
	query_pool_set_memory(p, 100);
	submit_large(p, &first, 0, 60);
	wait_for(&first.granted);
	submit_large(p, &cancelled, 1, 100);
	wait_for_reserving(p, 1);
	submit_large(p, &last, 1, 40);
	wait_for_reserving(p, 2);
	late = (struct large_work){.job = {run_large, 3},
				   .bytes = 50,
				   .deadline_ns = clock_monotonic_ns() + NS_PER_MS};
	assert_ok(query_pool_submit(p, &late.job));
	wait_for(&late.done);
	assert_int_equal(late.rc, -ETIMEDOUT);
	assert_false(last.granted);
	atomic_store(&cancelled.cancelled, true);
	wait_for(&cancelled.done);
	assert_int_equal(cancelled.rc, -ECANCELED);
	wait_for(&last.granted);
	atomic_store(&first.end, true);
	atomic_store(&last.end, true);
	query_pool_free(p);
	/* succeeds at once outside of a pool's threads */
	assert_int_equal(query_pool_reserve(1, 0, NULL), 0);
}

static void too_many_queries_waiting_for_memory_are_refused(void **state)
{
	static struct large_work work[QUERY_RESERVING_MAX + 2];
	const size_t last = countof(work) - 1;
	struct query_pool *p;

	(void)state;
	assert_ok(query_pool_new(&p, 2, 64, NULL));
	query_pool_set_memory(p, 1);
	submit_large(p, &work[0], 0, 1);
	wait_for(&work[0].granted);
	for (size_t i = 1; i < last; i++)
		submit_large(p, &work[i], i, 1);
	wait_for_reserving(p, QUERY_RESERVING_MAX);
	submit_large(p, &work[last], last, 1);
	wait_for(&work[last].done);
	assert_int_equal(work[last].rc, -EAGAIN);
	for (size_t i = 0; i < last; i++)
		atomic_store(&work[i].end, true);
	query_pool_free(p);
	for (size_t i = 0; i < last; i++)
		assert_int_equal(work[i].rc, 0);
}

static void freeing_null_is_allowed(void **state)
{
	(void)state;
	query_pool_free(NULL);
}

TEST_MAIN(test(jobs_run_and_a_full_queue_refuses_more),
	  test(long_queries_leave_threads_to_short_ones), test(clients_get_equal_shares),
	  test(a_paused_query_can_be_canceled_and_ends_at_its_deadline),
	  test(large_queries_share_the_memory),
	  test(a_query_waiting_for_memory_can_be_canceled_and_time_out),
	  test(too_many_queries_waiting_for_memory_are_refused), test(freeing_null_is_allowed))
