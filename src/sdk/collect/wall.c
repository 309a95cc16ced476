/* SPDX-License-Identifier: Apache-2.0 */
#include "sdk/collect/wall.h"

#include <pthread.h>
#include <time.h>

#include "base/clock.h"
#include "base/thread.h"
#include "sdk/collect/own_cond.h"
#include "sdk/collect/sleeper.h"
#include "sdk/hook/cpu.h"
#include "sdk/hook/guest.h"
#include "sdk/trace/span.h"

enum {
	SIGNALS_PER_TICK =
		8, /* more threads than that are looked at in turn; each sample says how long it stands for */
};

#define IDLE_NS 20000 /* a thread that has used more CPU time than this since the last look runs */

static struct {
	struct thread thread;
	pthread_mutex_t mu; /* guards what follows */
	pthread_cond_t wake;
	unsigned hz;
	bool stop;
	uint32_t first; /* record that the next tick begins with; the sampler's own */
} state = {.mu = PTHREAD_MUTEX_INITIALIZER};

struct tick {
	uint64_t now_ns, period_ns;
	uint32_t asked;
	uint32_t from, limit; /* records of this pass */
};

/*
 * Where the thread sleeps, found out without waking it: a signal would end its sleep() or poll() before time. False: it runs, or
 * cannot be seen.
 */
static bool find_place(struct guest_thread *t)
{
	struct record r = {
		.kind = RECORD_WALL, .tid = (uint32_t)atomic_load(&t->tid), .labels = t->labels};

	span_ids_of(atomic_load(&t->spans), r.trace_id, r.span_id);
	if (!sleeper_stack(t, VARVE_WALL, &r.stack))
		return false;
	t->wall_last = r;
	t->wall_slept = true;
	atomic_store_explicit(&t->wall_known, true, memory_order_release);
	return true;
}

/* Where it was at the last look is known, and it has used at most `most_ns` of CPU time since. */
static bool is_where_it_was(struct guest_thread *t, uint64_t used_ns, uint64_t most_ns)
{
	return t->wall_time_ns && used_ns <= most_ns &&
	       atomic_load_explicit(&t->wall_known, memory_order_acquire);
}

/*
 * A thread that slept at the last look and has used no CPU time at all sleeps there still. Any other may have gone to sleep elsewhere since, for
 * which it needs a few microseconds: its stack is read. A thread that cannot be seen is where its handler saw it, if it
 * did little more than return from it.
 */
static bool is_asleep(struct guest_thread *t, uint64_t used_ns)
{
	return (t->wall_slept && is_where_it_was(t, used_ns, 0)) || find_place(t) ||
	       (!t->wall_slept && is_where_it_was(t, used_ns, IDLE_NS));
}

/* A thread that sleeps: the record of when it was last asked, for the time since. */
static void count_again(struct guest_thread *t, uint64_t elapsed_ns, uint64_t now_ns)
{
	struct record r = t->wall_last;

	r.flags &= RECORD_UNWANTED;
	r.value = (int64_t)elapsed_ns;
	r.weight = 1;
	r.time_ns = now_ns;
	guest_put(&r);
}

/* False: it runs, or cannot be seen. */
static bool count_sleeper(struct guest_thread *t, uint64_t used_ns, uint64_t elapsed_ns,
			  uint64_t now_ns)
{
	bool found;

	guest_visit_begin();
	found = is_asleep(t, used_ns);
	if (found)
		count_again(t, elapsed_ns, now_ns);
	guest_visit_end();
	return found;
}

static void look_at(void *arg, struct guest_thread *t)
{
	struct tick *tick = arg;
	pid_t tid = atomic_load(&t->tid);
	uint64_t cpu, used, elapsed;

	if (t->index < tick->from || t->index >= tick->limit)
		return;
	cpu = clock_read_ns(clock_of_thread(tid));
	used = cpu - t->wall_cpu_ns;
	elapsed = t->wall_time_ns ? tick->now_ns - t->wall_time_ns : tick->period_ns;
	if (!count_sleeper(t, used, elapsed, tick->now_ns)) {
		if (tick->asked == SIGNALS_PER_TICK)
			state.first = t->index;
		if (tick->asked++ >= SIGNALS_PER_TICK)
			return; /* in one of the next ticks, for all the time until then */
		t->wall_slept = false;
		if (signal_ask(tid, used > IDLE_NS ? SIGNAL_WALL_RUNNING : SIGNAL_WALL,
			       (uint32_t)(elapsed / 1000)))
			return;
	}
	t->wall_cpu_ns = cpu;
	t->wall_time_ns = tick->now_ns;
}

/* All threads, beginning with the one that was left out last. */
static void look_at_all(struct tick *tick)
{
	uint32_t first = state.first;

	tick->from = first;
	tick->limit = UINT32_MAX;
	guest_each_thread(look_at, tick);
	tick->from = 0;
	tick->limit = first;
	guest_each_thread(look_at, tick);
}

static void wait_until(uint64_t deadline_ns)
{
	struct timespec until = {.tv_sec = (time_t)(deadline_ns / NS_PER_SECOND),
				 .tv_nsec = (long)(deadline_ns % NS_PER_SECOND)};

	pthread_cond_timedwait(&state.wake, &state.mu, &until);
}

static void run(void *arg)
{
	uint64_t next = clock_monotonic_ns();

	(void)arg;
	guest_own_begin();
	pthread_mutex_lock(&state.mu);
	while (!state.stop) {
		struct tick tick = {.now_ns = clock_monotonic_ns(),
				    .period_ns = NS_PER_SECOND / state.hz};

		pthread_mutex_unlock(&state.mu);
		look_at_all(&tick);
		pthread_mutex_lock(&state.mu);
		next += tick.period_ns;
		if (next < tick.now_ns) /* behind: no burst afterwards */
			next = tick.now_ns + tick.period_ns;
		if (!state.stop)
			wait_until(next);
	}
	pthread_mutex_unlock(&state.mu);
	guest_own_end();
}

static void start(unsigned hz)
{
	pthread_condattr_t monotonic;

	pthread_condattr_init(&monotonic);
	pthread_condattr_setclock(&monotonic, CLOCK_MONOTONIC);
	pthread_mutex_init(&state.mu, NULL);
	pthread_cond_init(&state.wake, &monotonic);
	pthread_condattr_destroy(&monotonic);
	state.stop = false;
	state.hz = hz;
	if (guest_own_start(&state.thread, "varve-wall", run, NULL, NULL))
		state.hz = 0;
}

static void stop(void)
{
	pthread_mutex_lock(&state.mu);
	state.stop = true;
	state.hz = 0;
	pthread_cond_broadcast(&state.wake);
	pthread_mutex_unlock(&state.mu);
	thread_join(&state.thread);
	pthread_cond_destroy(&state.wake);
}

void wall_set_hz(unsigned hz)
{
	if (hz == state.hz)
		return;
	if (state.hz)
		stop();
	if (hz)
		start(hz);
}

void wall_forked(void)
{
	unsigned hz = state.hz;

	state.thread = (struct thread){0};
	state.hz = 0;
	if (hz)
		start(hz);
}
