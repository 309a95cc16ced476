/* SPDX-License-Identifier: Apache-2.0 */
/* Worker threads on one bounded queue. */
#include "pipeline/workers.h"

#include <errno.h>
#include <unistd.h>

static void worker_main(void *arg)
{
	struct workers *w = arg;
	void *item;

	while (!queue_pop(&w->queue, &item, QUEUE_FOREVER)) {
		struct work *work = item;

		work->run(work);
	}
}

int workers_start(struct workers *w, unsigned threads, struct err *e)
{
	long processors = sysconf(_SC_NPROCESSORS_ONLN);
	int rc;

	*w = (struct workers){0};
	if (!threads)
		threads = processors > 0 ? (unsigned)processors : 1;
	threads = threads < WORKERS_MAX ? threads : WORKERS_MAX;
	rc = queue_init(&w->queue, WORKERS_QUEUE, 0);
	w->ready = !rc;
	for (unsigned i = 0; i < threads && !rc; i++) {
		rc = thread_start(&w->threads[i], "decode", worker_main, w, e);
		w->count += !rc;
	}
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

size_t workers_waiting(struct workers *w)
{
	size_t bytes = 0;

	if (w->ready)
		queue_count(&w->queue, &bytes);
	return bytes;
}
