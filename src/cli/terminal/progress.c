/* SPDX-License-Identifier: Apache-2.0 */
/* The thread sleeps on a condition variable until the line is due, or until progress_stop(). */
#include "cli/terminal/progress.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { FIRST_AFTER_MS = 2000, AGAIN_AFTER_MS = 250 };

static void add_ms(struct timespec *t, long ms)
{
	t->tv_sec += ms / 1000;
	t->tv_nsec += ms % 1000 * 1000000;
	if (t->tv_nsec >= 1000000000) {
		t->tv_sec++;
		t->tv_nsec -= 1000000000;
	}
}

/* Write the line; errors are ignored. The lock is held. */
static void show_line(struct progress *p, long seconds)
{
	char line[PROGRESS_TEXT_MAX + 64];
	int n = snprintf(line, sizeof(line), "\r\033[K%.*s ... %ld s",
			 (int)min_size(p->columns > 20 ? p->columns - 16 : 4, PROGRESS_TEXT_MAX),
			 p->text, seconds);

	if (n > 0 && write(STDERR_FILENO, line, min_size((size_t)n, sizeof(line) - 1)) > 0)
		p->shown = true;
}

static void progress_thread(void *arg)
{
	struct progress *p = arg;
	struct timespec begin, next, now;

	clock_gettime(CLOCK_MONOTONIC, &begin);
	next = begin;
	add_ms(&next, FIRST_AFTER_MS);
	pthread_mutex_lock(&p->lock);
	while (!p->stop) {
		if (pthread_cond_timedwait(&p->changed, &p->lock, &next) != ETIMEDOUT)
			continue;
		clock_gettime(CLOCK_MONOTONIC, &now);
		show_line(p, now.tv_sec - begin.tv_sec);
		next = now;
		add_ms(&next, AGAIN_AFTER_MS);
	}
	if (p->shown && write(STDERR_FILENO, "\r\033[K", 4) < 0)
		p->shown = false;
	pthread_mutex_unlock(&p->lock);
}

void progress_start(struct progress *p, bool enabled, unsigned columns)
{
	pthread_condattr_t attributes;

	*p = (struct progress){.columns = columns};
	if (!enabled || pthread_mutex_init(&p->lock, NULL))
		return;
	pthread_condattr_init(&attributes);
	pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC);
	pthread_cond_init(&p->changed, &attributes);
	pthread_condattr_destroy(&attributes);
	p->running = thread_start(&p->thread, "progress", progress_thread, p, NULL) == 0;
}

void progress_set(struct progress *p, const char *fmt, ...)
{
	va_list args;

	if (!p->running)
		return;
	pthread_mutex_lock(&p->lock);
	va_start(args, fmt);
	vsnprintf(p->text, sizeof(p->text), fmt, args);
	va_end(args);
	pthread_mutex_unlock(&p->lock);
}

void progress_stop(struct progress *p)
{
	if (!p->running)
		return;
	pthread_mutex_lock(&p->lock);
	p->stop = true;
	pthread_cond_signal(&p->changed);
	pthread_mutex_unlock(&p->lock);
	thread_join(&p->thread);
	p->running = false;
}
