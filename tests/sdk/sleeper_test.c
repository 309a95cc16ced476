/* SPDX-License-Identifier: Apache-2.0 */
#include "sdk/sleeper.h"

#include <poll.h>
#include <pthread.h>
#include <semaphore.h>
#include <time.h>
#include <unistd.h>

#include "sdk/guest_fixture.h"
#include "sdk/stack_ids.h"
#include "test/test.h"

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define SANITIZED 1
#else
#define SANITIZED 0
#endif

/* A thread that sleeps in one of these ways until it is told to end; how it came back is its answer. */
struct sleeping {
	int (*sleep)(void);
	int answer;
};

static int pipe_fds[2];
static sem_t never;

static PLACE int in_nanosleep(void)
{
	struct timespec long_time = {1, 0};

	return nanosleep(&long_time, NULL);
}

static PLACE int in_poll(void)
{
	struct pollfd fd = {.fd = pipe_fds[0], .events = POLLIN};

	return poll(&fd, 1, 1000);
}

static PLACE int in_semaphore(void)
{
	struct timespec until;

	clock_gettime(CLOCK_REALTIME, &until);
	until.tv_sec += 1;
	return sem_timedwait(&never, &until) ? 0 : 1; /* it times out */
}

static void *run(void *arg)
{
	struct sleeping *s = arg;

	guest_thread_begin();
	s->answer = s->sleep();
	return NULL;
}

struct looking {
	const void *place;
	bool found;
};

static void look(void *arg, struct guest_thread *t)
{
	struct looking *l = arg;
	uint32_t stack;

	if (atomic_load(&t->tid) != gettid() && sleeper_stack(t, &stack))
		l->found |= guest_fixture_stack_has(stack, l->place);
}

static void threads_that_sleep_are_seen_and_sleep_on(void **state)
{
	struct sleeping sleepers[] = {{in_nanosleep, -1}, {in_poll, -1}, {in_semaphore, -1}};

	(void)state;
	if (SANITIZED) {
		print_message(
			"skipped: a sanitizer's functions need the frame pointer of who calls\n");
		skip();
	}
	assert_ok(pipe(pipe_fds));
	assert_ok(sem_init(&never, 0, 0));
	guest_fixture_start(VARVE_WALL, 0, 0);
	guest_thread_begin();
	for (size_t i = 0; i < countof(sleepers); i++) {
		struct looking l = {.place = (const void *)sleepers[i].sleep};
		struct timespec pause = {0, 10000000};
		pthread_t thread;

		assert_ok(pthread_create(&thread, NULL, run, &sleepers[i]));
		for (unsigned tries = 0; !l.found && tries < 90; tries++) {
			nanosleep(&pause, NULL);
			guest_each_thread(look, &l);
		}
		assert_true(l.found);
		assert_ok(pthread_join(thread, NULL));
		assert_int_equal(sleepers[i].answer, 0); /* not -1 with EINTR */
	}
	guest_fixture_stop();
	close(pipe_fds[0]);
	close(pipe_fds[1]);
}

static void a_thread_that_runs_is_not_asleep(void **state)
{
	struct guest_thread *self;
	uint32_t stack;

	(void)state;
	guest_fixture_start(VARVE_WALL, 0, 0);
	guest_thread_begin();
	self = guest_self;
	assert_non_null(self);
	assert_false(sleeper_stack(self, &stack));
	guest_fixture_stop();
}

TEST_MAIN(test(threads_that_sleep_are_seen_and_sleep_on), test(a_thread_that_runs_is_not_asleep))
