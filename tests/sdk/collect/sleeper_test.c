/* SPDX-License-Identifier: Apache-2.0 */
/* Stacks of sleeping threads, read by another thread. */
#include "sdk/collect/sleeper.h"

#include <poll.h>
#include <pthread.h>
#include <semaphore.h>
#include <time.h>
#include <unistd.h>

#include "sdk/guest_fixture.h"
#include "sdk/hook/stack_ids.h"
#include "test/test.h"

/* A thread that sleeps in one way; `answer` is the return value of the call. */
struct sleeping {
	int (*sleep)(void);
	int answer;
	int (*caller)(void); /* calls sleep(); NULL: run() does */
};
enum { SLEEP_S = 3 };

static int pipe_fds[2];
static sem_t never;

static PLACE int in_nanosleep(void)
{
	struct timespec long_time = {SLEEP_S, 0};

	return nanosleep(&long_time, NULL);
}

static PLACE int in_poll(void)
{
	struct pollfd fd = {.fd = pipe_fds[0], .events = POLLIN};

	return poll(&fd, 1, SLEEP_S * 1000);
}

static PLACE int in_semaphore(void)
{
	struct timespec until;

	clock_gettime(CLOCK_REALTIME, &until);
	until.tv_sec += SLEEP_S;
	return sem_timedwait(&never, &until) ? 0 : 1; /* it times out */
}

/* Leave old frames on the stack. The variable size forces the compiler to use a frame pointer. */
static PLACE int leave_traces(unsigned depth)
{
	volatile char *room = __builtin_alloca(64 + depth);

	room[0] = 1;
	return depth ? leave_traces(depth - 1) + room[0] : 0;
}

static PLACE int with_frame_pointer(void)
{
	struct timespec long_time = {SLEEP_S, 0};
	volatile size_t size = 3000;
	volatile char *room = __builtin_alloca(size);
	int rc = nanosleep(&long_time, NULL);

	room[0] = 1;
	return rc;
}

static PLACE int after_traces(void)
{
	int traces = leave_traces(20);

	return with_frame_pointer() + (traces != 20);
}

static PLACE void *run(void *arg)
{
	struct sleeping *s = arg;

	guest_thread_begin();
	s->answer = s->caller ? s->caller() : s->sleep();
	return NULL;
}

struct looking {
	const struct sleeping *at;
	bool found, wrong;
};

static void look(void *arg, struct guest_thread *t)
{
	struct looking *l = arg;
	uint32_t stack;

	if (atomic_load(&t->tid) == gettid() || !sleeper_stack(t, VARVE_WALL, &stack) ||
	    !guest_fixture_stack_has(stack, (const void *)l->at->sleep))
		return;
	l->found = true;
	l->wrong |= !guest_fixture_stack_has(stack, (const void *)run) ||
		    guest_fixture_stack_has(stack, (const void *)leave_traces) ||
		    (l->at->caller && !guest_fixture_stack_has(stack, (const void *)l->at->caller));
}

static void sleeping_threads_are_sampled_without_waking_up(void **state)
{
	struct sleeping sleepers[] = {{in_nanosleep, -1, NULL},
				      {in_poll, -1, NULL},
				      {in_semaphore, -1, NULL},
				      {with_frame_pointer, -1, after_traces}};

	(void)state;
	assert_ok(pipe(pipe_fds));
	assert_ok(sem_init(&never, 0, 0));
	guest_fixture_start(VARVE_WALL, 0, 0);
	guest_thread_begin();
	for (size_t i = 0; i < countof(sleepers); i++) {
		struct looking l = {.at = &sleepers[i]};
		struct timespec pause = {0, 10000000};
		pthread_t thread;

		assert_ok(pthread_create(&thread, NULL, run, &sleepers[i]));
		for (unsigned tries = 0; !l.found && tries < 200; tries++) {
			nanosleep(&pause, NULL);
			guest_each_thread(look, &l);
		}
		assert_true(l.found);
		assert_false(l.wrong);
		assert_ok(pthread_join(thread, NULL));
		assert_int_equal(sleepers[i].answer, 0); /* not -1 with EINTR */
	}
	guest_fixture_stop();
	close(pipe_fds[0]);
	close(pipe_fds[1]);
}

static void a_running_thread_is_not_reported_as_sleeping(void **state)
{
	struct guest_thread *self;
	uint32_t stack;

	(void)state;
	guest_fixture_start(VARVE_WALL, 0, 0);
	guest_thread_begin();
	self = guest_self;
	assert_non_null(self);
	assert_false(sleeper_stack(self, VARVE_WALL, &stack));
	guest_fixture_stop();
}

TEST_MAIN(test(sleeping_threads_are_sampled_without_waking_up),
	  test(a_running_thread_is_not_reported_as_sleeping))
