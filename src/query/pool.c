/* SPDX-License-Identifier: Apache-2.0 */
#include "query/pool.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

struct query_pool {
	struct queue queue;
	_Atomic uint64_t done, refused;
	_Atomic size_t running;
	unsigned thread_n;
	struct thread threads[];
};

static void serve(void *arg)
{
	struct query_pool *p = arg;
	void *item;

	while (!queue_pop(&p->queue, &item, QUEUE_FOREVER)) {
		struct query_job *job = item;

		atomic_fetch_add(&p->running, 1);
		job->run(job); /* may free it */
		atomic_fetch_sub(&p->running, 1);
		atomic_fetch_add(&p->done, 1);
	}
}

int query_pool_new(struct query_pool **out, unsigned threads, unsigned waiting, struct err *e)
{
	struct query_pool *p = calloc(1, sizeof(*p) + threads * sizeof(*p->threads));
	int rc = p ? queue_init(&p->queue, waiting, 0) : -ENOMEM;

	if (rc) {
		free(p);
		return err_set(e, rc, "out of memory for the threads of queries");
	}
	for (; p->thread_n < threads && !rc; p->thread_n++) {
		char name[16];

		snprintf(name, sizeof(name), "query-%u", p->thread_n % 1000);
		rc = thread_start(&p->threads[p->thread_n], name, serve, p, e);
	}
	if (!rc)
		*out = take_ptr(&p);
	query_pool_free(p);
	return rc;
}

void query_pool_free(struct query_pool *p)
{
	if (!p)
		return;
	queue_close(&p->queue);
	for (unsigned i = 0; i < p->thread_n; i++)
		thread_join(&p->threads[i]);
	queue_fini(&p->queue);
	free(p);
}

int query_pool_submit(struct query_pool *p, struct query_job *job)
{
	if (!queue_push(&p->queue, job, 1, QUEUE_NOW))
		return 0;
	atomic_fetch_add(&p->refused, 1);
	return -EAGAIN;
}

void query_pool_stats(struct query_pool *p, struct query_pool_stats *out)
{
	*out = (struct query_pool_stats){
		.done = atomic_load(&p->done),
		.refused = atomic_load(&p->refused),
		.waiting = queue_count(&p->queue, NULL),
		.running = atomic_load(&p->running),
	};
}
