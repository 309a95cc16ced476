/* SPDX-License-Identifier: Apache-2.0 */
#include "store/sqlite/worker.h"

/* Wait for work or the end; true: the end. */
static bool worker_wait(struct sqlite_store *s, uint64_t ns)
{
	uint64_t until = clock_monotonic_ns() + ns;
	struct timespec t = {(time_t)(until / NS_PER_SECOND), (long)(until % NS_PER_SECOND)};
	bool closing;

	pthread_mutex_lock(&s->worker_mu);
	if (!s->worker_closing)
		pthread_cond_timedwait(&s->worker_wake, &s->worker_mu, &t);
	closing = s->worker_closing;
	pthread_mutex_unlock(&s->worker_mu);
	return closing;
}

void worker_run(void *arg)
{
	struct sqlite_store *s = arg;

	while (!worker_wait(s, NS_PER_SECOND))
		;
}

int sqlite_store_work(struct store *s, bool all, struct err *e)
{
	(void)s;
	(void)all;
	(void)e;
	return 0;
}
