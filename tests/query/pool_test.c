/* SPDX-License-Identifier: Apache-2.0 */
#include "query/pool.h"

#include <errno.h>

#include "test/test.h"

struct work {
	struct query_job job;  /* first */
	pthread_mutex_t *gate; /* held: the work waits */
	_Atomic unsigned *done;
};

static void run_work(struct query_job *job)
{
	struct work *w = (struct work *)job;

	pthread_mutex_lock(w->gate);
	pthread_mutex_unlock(w->gate);
	atomic_fetch_add(w->done, 1);
}

static void jobs_run_and_a_full_queue_refuses(void **state)
{
	pthread_mutex_t gate = PTHREAD_MUTEX_INITIALIZER;
	_Atomic unsigned done = 0;
	struct work work[64];
	struct query_pool *p;
	struct query_pool_stats stats;
	struct err e = {0};
	unsigned taken = 0;

	(void)state;
	assert_ok_err(query_pool_new(&p, 2, 4, &e), &e);
	pthread_mutex_lock(&gate);
	for (unsigned i = 0; i < countof(work); i++) {
		work[i] = (struct work){.job.run = run_work, .gate = &gate, .done = &done};
		if (!query_pool_submit(p, &work[i].job))
			taken++;
	}
	/* Two may run and four wait; how many were taken out in between is the threads' affair. */
	assert_in_range(taken, 4, 6);
	query_pool_stats(p, &stats);
	assert_int_equal(stats.refused, countof(work) - taken);
	pthread_mutex_unlock(&gate);
	query_pool_free(p);
	assert_int_equal(done, taken);
}

static void nothing_is_freed_too(void **state)
{
	(void)state;
	query_pool_free(NULL);
}

TEST_MAIN(test(jobs_run_and_a_full_queue_refuses), test(nothing_is_freed_too))
