/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The profilers' signal and its handler, and the CPU timers of threads. A signal carries its
 * request in its sigval; the handler walks the interrupted stack and puts a record into the ring.
 */
#include "sdk/hook/cpu.h"

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"
#include "varve/varve.h"

#ifndef sigev_notify_thread_id
#define sigev_notify_thread_id _sigev_un._tid
#endif

static struct {
	_Atomic int signal;
	pthread_mutex_t mu; /* guards `hz` and the timers; never taken in a hook */
	unsigned hz;
	_Atomic uintptr_t host_handler; /* the host's handler for this signal; 0: none */
	_Atomic int host_flags;
} state = {.mu = PTHREAD_MUTEX_INITIALIZER};

/*
 * A request in a sigval: the marker in the highest byte, the request in bits 32 to 39, the value in
 * the lower half.
 */
#define REQUEST_MARKER ((uint64_t)0x7A << 56)

static uint64_t make_request(enum signal_request what, uint32_t value)
{
	return REQUEST_MARKER | (uint64_t)what << 32 | value;
}

static void record_signal(struct guest_thread *t, enum signal_request what, uint32_t value,
			  unsigned overrun, const ucontext_t *uc)
{
	static const enum varve_profile kinds[] = {[SIGNAL_CPU] = VARVE_CPU,
						   [SIGNAL_WALL] = VARVE_WALL,
						   [SIGNAL_WALL_RUNNING] = VARVE_WALL,
						   [SIGNAL_THREAD] = VARVE_THREADS};
	struct record wall;
	uint32_t stack;
	int64_t ticks = 1 + (int64_t)overrun;

	if ((size_t)what >= countof(kinds))
		return; /* another process of this user may queue any value */
	stack = guest_stack(t, kinds[what], uc, NULL);
	switch (what) {
	case SIGNAL_CPU:
		atomic_fetch_add_explicit(&t->cpu_ticks, (uint64_t)ticks, memory_order_relaxed);
		guest_record(t, RECORD_CPU, stack, ticks * value, ticks);
		break;
	case SIGNAL_WALL:
	case SIGNAL_WALL_RUNNING:
		guest_record_as(t, RECORD_WALL, what == SIGNAL_WALL_RUNNING ? RECORD_RUNNING : 0,
				stack, (int64_t)value * 1000, 1, &wall);
		shared_record_set(&t->wall_signal, &wall);
		atomic_store_explicit(&t->wall_known, true, memory_order_release);
		break;
	case SIGNAL_THREAD:
		guest_record(t, RECORD_THREAD, stack, value, 1);
		break;
	}
}

/* Pass a signal of our number that the profilers did not send to the host's handler. */
static void call_host(int number, siginfo_t *info, void *context)
{
	uintptr_t handler = atomic_load(&state.host_handler);

	if (!handler)
		return;
	if (atomic_load(&state.host_flags) & SA_SIGINFO)
		((void (*)(int, siginfo_t *, void *))handler)(number, info, context);
	else
		((void (*)(int))handler)(number);
}

bool signal_is_ours(int number, const struct sigaction *wanted, struct sigaction *old)
{
	uintptr_t before = atomic_load(&state.host_handler);
	int flags = atomic_load(&state.host_flags);

	if (!number || number != signal_number())
		return false;
	if (wanted) {
		atomic_store(&state.host_handler, 0);
		atomic_store(&state.host_flags, wanted->sa_flags);
		if (wanted->sa_handler != SIG_DFL && wanted->sa_handler != SIG_IGN)
			atomic_store(&state.host_handler, (uintptr_t)wanted->sa_handler);
	}
	if (old) {
		*old = (struct sigaction){.sa_flags = before ? flags : 0};
		old->sa_handler = (void (*)(int))before;
	}
	return true;
}

static void on_signal(int number, siginfo_t *info, void *context)
{
	int saved_errno = errno;
	uint64_t request = (uint64_t)(uintptr_t)info->si_value.sival_ptr, began;
	struct guest_thread *t;

	if (info->si_code != SI_TIMER || request >> 56 != REQUEST_MARKER >> 56) {
		call_host(number, info, context);
		return;
	}
	t = guest_enter_signal((request >> 32 & 0xff) == SIGNAL_THREAD);
	if (!t)
		return;
	began = clock_monotonic_ns();
	record_signal(t, (enum signal_request)(request >> 32 & 0xff), (uint32_t)request,
		      info->si_overrun > 0 ? (unsigned)info->si_overrun : 0, context);
	atomic_fetch_add_explicit(&guest.hook_ns, clock_monotonic_ns() - began,
				  memory_order_relaxed);
	guest_leave(t);
	errno = saved_errno;
}

/* Return the highest real-time signal that has no handler; 0: none. */
static int free_signal(void)
{
	struct sigaction now;

	for (int number = SIGRTMAX - 1; number > SIGRTMIN; number--)
		if (!sigaction(number, NULL, &now) && now.sa_handler == SIG_DFL)
			return number;
	return 0;
}

int signal_start(struct err *e)
{
	struct sigaction action = {.sa_sigaction = on_signal,
				   .sa_flags = SA_SIGINFO | SA_RESTART | SA_ONSTACK};
	int number = atomic_load(&state.signal);

	if (number)
		return 0; /* installed by an earlier start */
	number = free_signal();
	if (!number)
		return err_set(e, -EBUSY, "every real-time signal has a handler already");
	sigemptyset(&action.sa_mask);
	if (sigaction(number, &action, NULL))
		return err_errno(e, -errno, "install the signal handler");
	atomic_store(&state.signal, number);
	return 0;
}

int signal_number(void)
{
	return atomic_load_explicit(&state.signal, memory_order_relaxed);
}

int signal_send(pid_t tid, enum signal_request what, uint32_t value)
{
	/*
	 * SI_TIMER, like a timer's signals: exec() discards these, while another signal would kill
	 * the new program.
	 */
	siginfo_t info = {.si_signo = signal_number(), .si_code = SI_TIMER};

	info.si_value.sival_ptr = (void *)(uintptr_t)make_request(what, value);
	if (syscall(SYS_rt_tgsigqueueinfo, getpid(), tid, info.si_signo, &info))
		return -errno;
	return 0;
}

static struct itimerspec first_timer_period(struct guest_thread *t, unsigned hz)
{
	uint64_t period = 1000000000u / hz;
	uint64_t first = (uint64_t)((double)period * guest_random(t)) + 1;

	return (struct itimerspec){
		.it_interval = {.tv_sec = (time_t)(period / 1000000000u),
				.tv_nsec = (long)(period % 1000000000u)},
		.it_value = {.tv_sec = (time_t)(first / 1000000000u),
			     .tv_nsec = (long)(first % 1000000000u)},
	};
}

static void delete_timer(struct guest_thread *t)
{
	if (t->has_cpu_timer)
		timer_delete(t->cpu_timer);
	t->has_cpu_timer = false;
}

/* Called with the mutex held. */
static void make_timer(struct guest_thread *t)
{
	pid_t tid = atomic_load(&t->tid);
	struct sigevent event = {.sigev_notify = SIGEV_THREAD_ID, .sigev_signo = signal_number()};
	struct itimerspec period;

	delete_timer(t);
	if (!state.hz || !tid)
		return;
	event.sigev_notify_thread_id = tid;
	event.sigev_value.sival_ptr =
		(void *)(uintptr_t)make_request(SIGNAL_CPU, (uint32_t)(1000000000u / state.hz));
	if (timer_create(clock_of_thread(tid), &event, &t->cpu_timer))
		return; /* the thread is gone, or the user's limit of timers is reached */
	t->has_cpu_timer = true;
	period = first_timer_period(t, state.hz);
	atomic_store(&t->cpu_ticks, 0);
	atomic_store(&t->cpu_armed_ns, clock_read_ns(clock_of_thread(tid)));
	atomic_store(&t->cpu_first_ns, (uint64_t)period.it_value.tv_sec * NS_PER_SECOND +
					       (uint64_t)period.it_value.tv_nsec);
	timer_settime(t->cpu_timer, 0, &period, NULL);
}

/*
 * Return the ticks that are due but were not delivered: the kernel checks CPU timers only at its
 * own ticks.
 */
static uint64_t overdue_ticks(const struct guest_thread *t, uint64_t period)
{
	/* the longest kernel tick; older ticks were lost for another reason */
	enum { KERNEL_TICK_NS = 10000000 };
	uint64_t first = atomic_load(&t->cpu_first_ns), armed = atomic_load(&t->cpu_armed_ns);
	uint64_t used = clock_read_ns(CLOCK_THREAD_CPUTIME_ID), came = atomic_load(&t->cpu_ticks),
		 due;

	if (!period || !first || used < armed + first)
		return 0;
	due = 1 + (used - armed - first) / period;
	return due > came ? min_size(due - came, 1 + KERNEL_TICK_NS / period) : 0;
}

/*
 * A short-lived thread may end before a tick that was due is delivered: record it for the thread's
 * start function.
 */
static void cpu_thread_returned(struct guest_thread *self, const void *caller)
{
	uint64_t period = atomic_load(&guest.cpu_period_ns), ticks;
	struct guest_thread *t = guest_on() & VARVE_CPU && self->function ? guest_enter() : NULL;

	if (!t)
		return;
	ticks = overdue_ticks(t, period);
	if (ticks)
		guest_record(t, RECORD_CPU, guest_stack_of_function(t, t->function, caller),
			     (int64_t)(ticks * period), (int64_t)ticks);
	guest_leave(t);
}

static void cpu_thread_started(struct guest_thread *t)
{
	pthread_mutex_lock(&state.mu);
	make_timer(t);
	pthread_mutex_unlock(&state.mu);
}

static void cpu_thread_ended(struct guest_thread *t)
{
	pthread_mutex_lock(&state.mu);
	delete_timer(t);
	pthread_mutex_unlock(&state.mu);
}

static void make_timer_of(void *arg, struct guest_thread *t)
{
	(void)arg;
	make_timer(t);
}

void cpu_set_hz(unsigned hz)
{
	static const struct guest_thread_callbacks watch = {cpu_thread_started, cpu_thread_returned,
							    cpu_thread_ended};

	guest_set_thread_callbacks(&watch);
	pthread_mutex_lock(&state.mu);
	if (hz != state.hz) {
		state.hz = hz;
		atomic_store(&guest.cpu_period_ns, hz ? 1000000000u / hz : 0);
		guest_each_thread(make_timer_of, NULL);
	}
	pthread_mutex_unlock(&state.mu);
}

void cpu_forked(void)
{
	pthread_mutex_init(&state.mu, NULL); /* a holder does not exist in the child */
	pthread_mutex_lock(&state.mu);
	guest_each_thread(make_timer_of, NULL);
	pthread_mutex_unlock(&state.mu);
}
