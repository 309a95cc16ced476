/* SPDX-License-Identifier: Apache-2.0 */
/* Worker threads on one bounded queue. */
#include "base/workers.h"

#include <errno.h>
#include <stdio.h>

static void worker_main(void *arg)
{
	struct workers *w = arg;
	void *item;

	while (!queue_pop(&w->queue, &item, QUEUE_FOREVER)) {
		struct work *work = item;

		work->run(work);
	}
}

int workers_init(struct workers *w, unsigned waiting)
{
	int rc;

	*w = (struct workers){0};
	rc = queue_init(&w->queue, waiting, 0);
	w->ready = !rc;
	return rc;
}

int workers_add(struct workers *w, const char *name, struct err *e)
{
	char full[16];
	int rc;

	if (w->count == WORKERS_MAX)
		return err_set(e, -EAGAIN, "more than %d threads named %s", WORKERS_MAX, name);
	snprintf(full, sizeof(full), "%.10s-%u", name, w->count % 1000);
	rc = thread_start(&w->threads[w->count], full, worker_main, w, e);
	w->count += !rc;
	return rc;
}

void workers_stop(struct workers *w)
{
	if (!w->ready)
		return;
	queue_close(&w->queue);
	for (unsigned i = 0; i < w->count; i++)
		thread_join(&w->threads[i]);
	queue_fini(&w->queue);
	*w = (struct workers){0};
}

int workers_submit(struct workers *w, struct work *work, size_t bytes)
{
	return queue_push(&w->queue, work, bytes, QUEUE_NOW) ? -EAGAIN : 0;
}

size_t workers_waiting(struct workers *w, size_t *bytes)
{
	if (bytes)
		*bytes = 0;
	return w->ready ? queue_count(&w->queue, bytes) : 0;
}
