/* SPDX-License-Identifier: Apache-2.0 */
/* The wall-clock sampler's thread. */
#include "sdk/collect/wall.h"

#include <pthread.h>
#include <time.h>

#include "base/clock.h"
#include "base/thread.h"
#include "sdk/collect/own_cond.h"
#include "sdk/collect/sleeper.h"
#include "sdk/hook/cpu.h"
#include "sdk/hook/guest.h"
#include "sdk/trace/span_thread.h"

enum {
	/* further threads are visited in the next ticks; a sample has the time it stands for */
	SIGNALS_PER_TICK = 8,
};

#define IDLE_NS 20000 /* a thread with more CPU time than this since its last visit is running */

static struct {
	struct thread thread;
	pthread_mutex_t mu; /* guards the fields below */
	pthread_cond_t wake;
	unsigned hz;
	bool stop;
	uint32_t first; /* index of the thread the next tick begins with; sampler's thread only */
} state = {.mu = PTHREAD_MUTEX_INITIALIZER};

struct tick {
	uint64_t now_ns, period_ns;
	uint32_t signals_sent;
	uint32_t from, limit; /* indices of threads to visit */
};

/* Read the stack of a sleeping thread without waking it. False: it runs or is unreadable. */
static bool read_sleeper(struct guest_thread *t)
{
	struct record r = {
		.kind = RECORD_WALL, .tid = (uint32_t)atomic_load(&t->tid), .labels = t->labels};

	span_ids_of(atomic_load(&t->spans), r.trace_id, r.span_id);
	if (!sleeper_stack(t, VARVE_WALL, &r.stack))
		return false;
	t->wall_last = r;
	atomic_store(&t->wall_slept, true);
	return true;
}

/*
 * Return whether the thread sleeps, with its stack in wall_last. A thread that slept at its last
 * visit and used no CPU time since has the same stack. Any other may have gone to sleep elsewhere,
 * which takes a few microseconds, so its stack is read. A thread that cannot be read has the stack
 * that its signal handler recorded, if it has hardly run since.
 */
static bool is_asleep(struct guest_thread *t, uint64_t used_ns)
{
	bool slept = atomic_load(&t->wall_slept);

	if (slept && t->wall_time_ns && !used_ns)
		return true;
	return read_sleeper(t) ||
	       (!slept && t->wall_time_ns && used_ns <= IDLE_NS && atomic_load(&t->wall_known) &&
		shared_record_get(&t->wall_signal, &t->wall_last));
}

/* Record the last stack of a sleeping thread again, for the time since. */
static void record_again(struct guest_thread *t, uint64_t elapsed_ns, uint64_t now_ns)
{
	struct record r = t->wall_last;

	r.flags &= RECORD_UNWANTED;
	r.value = (int64_t)elapsed_ns;
	r.weight = 1;
	r.time_ns = now_ns;
	guest_put_record(&r);
}

/* Record a thread if it sleeps. Return false when it runs or cannot be read. */
static bool sample_sleeper(struct guest_thread *t, uint64_t used_ns, uint64_t elapsed_ns,
			   uint64_t now_ns)
{
	bool found;

	guest_pin_begin();
	found = is_asleep(t, used_ns);
	if (found)
		record_again(t, elapsed_ns, now_ns);
	guest_pin_end();
	return found;
}

static void sample_thread(void *arg, struct guest_thread *t)
{
	struct tick *tick = arg;
	pid_t tid = atomic_load(&t->tid);
	uint64_t cpu, used, elapsed;

	if (t->index < tick->from || t->index >= tick->limit)
		return;
	cpu = clock_read_ns(clock_of_thread(tid));
	used = cpu - t->wall_cpu_ns;
	elapsed = t->wall_time_ns ? tick->now_ns - t->wall_time_ns : tick->period_ns;
	if (!sample_sleeper(t, used, elapsed, tick->now_ns)) {
		if (tick->signals_sent == SIGNALS_PER_TICK)
			state.first = t->index;
		if (tick->signals_sent++ >= SIGNALS_PER_TICK)
			return; /* a later tick samples it for all the time until then */
		atomic_store(&t->wall_slept, false);
		if (signal_send(tid, used > IDLE_NS ? SIGNAL_WALL_RUNNING : SIGNAL_WALL,
				(uint32_t)(elapsed / 1000)))
			return;
	}
	t->wall_cpu_ns = cpu;
	t->wall_time_ns = tick->now_ns;
}

/* Visit all threads, beginning with the first that got no signal in the last tick. */
static void sample_all_threads(struct tick *tick)
{
	uint32_t first = state.first;

	tick->from = first;
	tick->limit = UINT32_MAX;
	guest_each_thread(sample_thread, tick);
	tick->from = 0;
	tick->limit = first;
	guest_each_thread(sample_thread, tick);
}

static void wait_until(uint64_t deadline_ns)
{
	struct timespec until = {.tv_sec = (time_t)(deadline_ns / NS_PER_SECOND),
				 .tv_nsec = (long)(deadline_ns % NS_PER_SECOND)};

	pthread_cond_timedwait(&state.wake, &state.mu, &until);
}

static void run_sampler(void *arg)
{
	uint64_t next = clock_monotonic_ns();

	(void)arg;
	guest_own_begin();
	pthread_mutex_lock(&state.mu);
	while (!state.stop) {
		struct tick tick = {.now_ns = clock_monotonic_ns(),
				    .period_ns = NS_PER_SECOND / state.hz};

		pthread_mutex_unlock(&state.mu);
		sample_all_threads(&tick);
		pthread_mutex_lock(&state.mu);
		next += tick.period_ns;
		if (next < tick.now_ns) /* late: skip ticks instead of a burst */
			next = tick.now_ns + tick.period_ns;
		if (!state.stop)
			wait_until(next);
	}
	pthread_mutex_unlock(&state.mu);
	guest_own_end();
}

static void start_sampler(unsigned hz)
{
	pthread_condattr_t monotonic;

	pthread_condattr_init(&monotonic);
	pthread_condattr_setclock(&monotonic, CLOCK_MONOTONIC);
	pthread_mutex_init(&state.mu, NULL);
	pthread_cond_init(&state.wake, &monotonic);
	pthread_condattr_destroy(&monotonic);
	state.stop = false;
	state.hz = hz;
	if (guest_own_start(&state.thread, "varve-wall", run_sampler, NULL, NULL))
		state.hz = 0;
}

static void stop_sampler(void)
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
		stop_sampler();
	if (hz)
		start_sampler(hz);
}

void wall_forked(void)
{
	unsigned hz = state.hz;

	state.thread = (struct thread){0};
	state.hz = 0;
	if (hz)
		start_sampler(hz);
}
