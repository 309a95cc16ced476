/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Waiting jobs are in a heap by the time of their next run. Every thread does the same: take the
 * first job that is due and run it, else sleep until the first one is due. Before a thread runs a
 * job it makes sure that another thread watches the heap if other jobs are in it.
 */
#include "pipeline/receivers/scrape/scrape.h"

#include <errno.h>
#include <stdlib.h>

#include "base/thread.h"

#define GRID_TOLERANCE_NS (2 * NS_PER_MS)
#define INTERVAL_MIN_NS NS_PER_MS

struct scrape_job {
	struct scrape_spec spec;
	uint64_t due;	  /* monotonic; of the next run */
	uint64_t aligned; /* real time; the point of the grid of the last run, 0: none */
	size_t heap_index;
	bool running;
	_Atomic bool cancelled;
	struct scrape_job *prev, *next; /* all jobs */
};

struct scrape_scheduler {
	pthread_mutex_t mu;  /* guards all but `skipped` */
	pthread_cond_t wake; /* threads: the heap changed, or stopping */
	pthread_cond_t idle; /* scrape_remove(), stop: a job has ended its run */
	struct scrape_job **heap;
	size_t waiting, heap_room, jobs;
	struct scrape_job *first;
	struct thread *threads; /* threads_max of them */
	unsigned thread_count, threads_max, threads_busy;
	bool started, stopping;
	_Atomic uint64_t skipped;
	char name[16];
};

static void heap_place(struct scrape_scheduler *s, size_t i, struct scrape_job *job)
{
	s->heap[i] = job;
	job->heap_index = i;
}

static void heap_up(struct scrape_scheduler *s, size_t i, struct scrape_job *job)
{
	while (i && s->heap[(i - 1) / 2]->due > job->due) {
		heap_place(s, i, s->heap[(i - 1) / 2]);
		i = (i - 1) / 2;
	}
	heap_place(s, i, job);
}

static void heap_down(struct scrape_scheduler *s, size_t i, struct scrape_job *job)
{
	for (;;) {
		size_t child = 2 * i + 1;

		if (child >= s->waiting)
			break;
		if (child + 1 < s->waiting && s->heap[child + 1]->due < s->heap[child]->due)
			child++;
		if (s->heap[child]->due >= job->due)
			break;
		heap_place(s, i, s->heap[child]);
		i = child;
	}
	heap_place(s, i, job);
}

/* The heap has room for all jobs; see scrape_add(). */
static void heap_push(struct scrape_scheduler *s, struct scrape_job *job)
{
	heap_up(s, s->waiting++, job);
}

static void heap_take(struct scrape_scheduler *s, struct scrape_job *job)
{
	size_t i = job->heap_index;
	struct scrape_job *last = s->heap[--s->waiting];

	if (last == job)
		return;
	if (i && s->heap[(i - 1) / 2]->due > last->due)
		heap_up(s, i, last);
	else
		heap_down(s, i, last);
}

static void scrape_thread(void *arg);

/* Start one more thread. The caller holds the lock. */
static int start_scrape_thread(struct scrape_scheduler *s, struct err *e)
{
	int rc = thread_start(&s->threads[s->thread_count], s->name, scrape_thread, s, e);

	if (!rc)
		s->thread_count++;
	return rc;
}

/* Return the time for the data points of a run that begins now. */
static uint64_t align_run_time(struct scrape_job *job)
{
	uint64_t now = clock_realtime_ns(), interval = job->spec.interval;
	uint64_t tolerance =
		interval / 100 < GRID_TOLERANCE_NS ? interval / 100 : GRID_TOLERANCE_NS;

	if (job->aligned && now > job->aligned && now - job->aligned >= interval)
		job->aligned += (now - job->aligned) / interval * interval;
	if (!job->aligned || now < job->aligned || now - job->aligned > tolerance)
		job->aligned = now;
	return job->aligned;
}

/* Run a job that was taken from the heap. Called and returns with the lock held. */
static void run_scrape_job(struct scrape_scheduler *s, struct scrape_job *job)
{
	uint64_t timeout = job->spec.timeout ? job->spec.timeout : job->spec.interval;
	struct scrape_run run = {.timeout = timeout, .cancelled = &job->cancelled};
	uint64_t now;

	job->running = true;
	s->threads_busy++;
	if (s->threads_busy == s->thread_count && s->waiting && s->thread_count < s->threads_max)
		(void)start_scrape_thread(s, NULL); /* without one, jobs wait for this one */
	pthread_mutex_unlock(&s->mu);
	run.time = align_run_time(job);
	run.deadline = clock_monotonic_ns() + timeout;
	job->spec.run(job->spec.owner, &run);
	pthread_mutex_lock(&s->mu);
	s->threads_busy--;
	job->running = false;
	job->due += job->spec.interval;
	now = clock_monotonic_ns();
	if (now >= job->due) {
		uint64_t late = (now - job->due) / job->spec.interval + 1;

		atomic_fetch_add(&s->skipped, late);
		job->due += late * job->spec.interval;
	}
	if (atomic_load(&job->cancelled))
		pthread_cond_broadcast(&s->idle);
	else
		heap_push(s, job);
}

static void scrape_thread(void *arg)
{
	struct scrape_scheduler *s = arg;

	pthread_mutex_lock(&s->mu);
	while (!s->stopping) {
		uint64_t now = clock_monotonic_ns();
		struct scrape_job *job = s->waiting ? s->heap[0] : NULL;

		if (job && job->due <= now) {
			heap_take(s, job);
			run_scrape_job(s, job);
		} else if (job) {
			struct timespec until = {.tv_sec = (time_t)(job->due / NS_PER_SECOND),
						 .tv_nsec = (long)(job->due % NS_PER_SECOND)};

			pthread_cond_timedwait(&s->wake, &s->mu, &until);
		} else {
			pthread_cond_wait(&s->wake, &s->mu);
		}
	}
	pthread_mutex_unlock(&s->mu);
}

int scrape_scheduler_new(struct scrape_scheduler **out, const char *name, unsigned threads_max,
			 struct err *e)
{
	struct scrape_scheduler *s = calloc(1, sizeof(*s));
	pthread_condattr_t clock;

	if (s) {
		s->threads_max =
			threads_max < SCRAPE_THREADS_MAX ? threads_max : SCRAPE_THREADS_MAX;
		s->threads_max = s->threads_max ? s->threads_max : 1;
		s->threads = calloc(s->threads_max, sizeof(*s->threads));
	}
	if (!s || !s->threads) {
		free(s);
		return err_errno(e, -ENOMEM, "scrape scheduler");
	}
	pthread_mutex_init(&s->mu, NULL);
	pthread_condattr_init(&clock);
	pthread_condattr_setclock(&clock, CLOCK_MONOTONIC);
	pthread_cond_init(&s->wake, &clock);
	pthread_condattr_destroy(&clock);
	pthread_cond_init(&s->idle, NULL);
	memcpy(s->name, name, min_size(strlen(name), sizeof(s->name) - 1));
	*out = s;
	return 0;
}

void scrape_scheduler_free(struct scrape_scheduler *s)
{
	if (!s)
		return;
	scrape_scheduler_stop(s);
	pthread_cond_destroy(&s->idle);
	pthread_cond_destroy(&s->wake);
	pthread_mutex_destroy(&s->mu);
	free((void *)s->heap);
	free(s->threads);
	free(s);
}

int scrape_scheduler_start(struct scrape_scheduler *s, struct err *e)
{
	int rc;

	pthread_mutex_lock(&s->mu);
	rc = s->started ? 0 : start_scrape_thread(s, e);
	s->started = !rc;
	pthread_mutex_unlock(&s->mu);
	return rc;
}

/* Cancel a job and wait until it does not run. Called and returns with the lock held. */
static void cancel_scrape_job(struct scrape_scheduler *s, struct scrape_job *job)
{
	bool cancelled = atomic_exchange(&job->cancelled, true);

	if (!cancelled && !job->running)
		heap_take(s, job);
	while (job->running)
		pthread_cond_wait(&s->idle, &s->mu);
}

static void end_scrape_job(struct scrape_job *job)
{
	if (job->spec.end)
		job->spec.end(job->spec.owner);
	free(job);
}

void scrape_scheduler_stop(struct scrape_scheduler *s)
{
	struct scrape_job *job;

	pthread_mutex_lock(&s->mu);
	s->stopping = true;
	for (job = s->first; job; job = job->next)
		if (!atomic_exchange(&job->cancelled, true) && !job->running)
			heap_take(s, job);
	pthread_cond_broadcast(&s->wake);
	pthread_mutex_unlock(&s->mu);
	for (unsigned i = 0; i < s->thread_count; i++)
		thread_join(&s->threads[i]);
	s->thread_count = 0;
	while ((job = s->first)) {
		s->first = job->next;
		end_scrape_job(job);
	}
	s->jobs = 0;
}

/* Make room in the heap for one more job. The caller holds the lock. */
static int reserve_heap(struct scrape_scheduler *s)
{
	size_t room = s->heap_room ? 2 * s->heap_room : 16;
	struct scrape_job **heap;

	if (s->jobs < s->heap_room)
		return 0;
	heap = reallocarray((void *)s->heap, room, sizeof(*heap));
	if (!heap)
		return -ENOMEM;
	s->heap = heap;
	s->heap_room = room;
	return 0;
}

int scrape_add(struct scrape_scheduler *s, const struct scrape_spec *spec, struct scrape_job **out)
{
	struct scrape_job *job = calloc(1, sizeof(*job));
	int rc = job ? 0 : -ENOMEM;

	pthread_mutex_lock(&s->mu);
	rc = rc ? rc : s->stopping ? -ECANCELED : reserve_heap(s);
	if (!rc) {
		job->spec = *spec;
		if (job->spec.interval < INTERVAL_MIN_NS)
			job->spec.interval = INTERVAL_MIN_NS;
		job->due = clock_monotonic_ns() + spec->delay;
		job->next = s->first;
		if (s->first)
			s->first->prev = job;
		s->first = job;
		s->jobs++;
		heap_push(s, job);
		if (out)
			*out = job;
		pthread_cond_signal(&s->wake);
	}
	pthread_mutex_unlock(&s->mu);
	if (rc)
		free(job);
	return rc;
}

void scrape_remove(struct scrape_scheduler *s, struct scrape_job *job)
{
	pthread_mutex_lock(&s->mu);
	cancel_scrape_job(s, job);
	if (job->prev)
		job->prev->next = job->next;
	else
		s->first = job->next;
	if (job->next)
		job->next->prev = job->prev;
	s->jobs--;
	pthread_mutex_unlock(&s->mu);
	end_scrape_job(job);
}

uint64_t scrape_skipped(const struct scrape_scheduler *s)
{
	return atomic_load(&s->skipped);
}

uint64_t scrape_offset(struct str key, uint64_t interval)
{
	uint64_t h = 0xcbf29ce484222325u; /* FNV-1a, mixed: stable between processes */

	for (size_t i = 0; i < key.n; i++)
		h = (h ^ (uint8_t)key.p[i]) * 0x100000001b3u;
	h ^= h >> 32;
	h *= 0xd6e8feb86659fd93u;
	h ^= h >> 32;
	return interval ? h % interval : 0;
}
