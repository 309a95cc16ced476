/* SPDX-License-Identifier: Apache-2.0 */
/*
 * libvarve.so through its public header, linked to a program with known results. What it must not
 * do to its host is tested in tests/sdk/hook/guest_test.c.
 */
#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

#include "sdk/taken.h"

#ifdef __clang__
#define KEEP __attribute__((noinline))
#else
#define KEEP __attribute__((noinline, noclone))
#endif

static uint64_t clock_ns(clockid_t clock)
{
	struct timespec t;

	clock_gettime(clock, &t);
	return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

static void nothing(void *arg, enum varve_profile kind, const void *pprof, size_t size,
		    uint64_t start_unix_ns, uint64_t duration_ns)
{
	(void)arg, (void)kind, (void)pprof, (void)size, (void)start_unix_ns, (void)duration_ns;
}

/* Start the library with these options and without an endpoint. */
static void start(struct varve_options o)
{
	int rc;

	if (!o.on_profile)
		o.on_profile = nothing;
	o.guards.max_per_minute = 100000;
	o.guards.max_cpu = 1;
	o.no_link = 1;
	rc = varve_start(&o);
	if (rc)
		fail_msg("varve_start: %d: %s", rc, varve_last_error());
}

/* Use that much CPU time in this thread. */
KEEP static void burn(uint64_t ns)
{
	uint64_t end = clock_ns(CLOCK_THREAD_CPUTIME_ID) + ns;
	volatile unsigned x UNUSED = 0;

	while (clock_ns(CLOCK_THREAD_CPUTIME_ID) < end)
		for (unsigned i = 0; i < 2000; i++)
			x += i;
}

/*
 * Return a random length of a piece of work: fixed lengths could synchronize with the timer ticks.
 * The mean is long because on a busy machine a sample stands for many milliseconds.
 */
static uint64_t random_ns(uint64_t *seed, uint64_t mean_ns)
{
	*seed = *seed * 6364136223846793005u + 1442695040888963407u;
	return mean_ns / 2 + (*seed >> 33) % mean_ns;
}

KEEP static void seventy(uint64_t *seed)
{
	burn(random_ns(seed, 280000000));
	__asm__ volatile("");
}

KEEP static void thirty(uint64_t *seed)
{
	burn(random_ns(seed, 120000000));
	__asm__ volatile("");
}

/* Sums over all exported profiles. */
struct exported {
	pthread_mutex_t mu;
	int64_t cpu_ns, seventy_ns, thirty_ns, work_ns;
	unsigned profiles, kinds;
};

static void add_up(void *arg, enum varve_profile kind, const void *pprof, size_t size,
		   uint64_t start_unix_ns, uint64_t duration_ns)
{
	struct exported *x = arg;
	struct taken t;

	(void)start_unix_ns, (void)duration_ns;
	taken_read(&t, pprof, size);
	pthread_mutex_lock(&x->mu);
	x->profiles++;
	x->kinds |= kind;
	if (kind == VARVE_CPU) {
		x->cpu_ns += taken_sum(&t, "cpu", NULL, NULL, NULL);
		x->seventy_ns += taken_sum(&t, "cpu", "seventy", NULL, NULL);
		x->thirty_ns += taken_sum(&t, "cpu", "thirty", NULL, NULL);
		x->work_ns += taken_sum(&t, "cpu", "work_70_30", NULL, NULL);
	}
	pthread_mutex_unlock(&x->mu);
	taken_fini(&t);
}

/* True values by the thread's CPU clock. */
static _Atomic uint64_t true_seventy, true_thirty;

static void *work_70_30(void *arg)
{
	uint64_t seed = (uint64_t)(uintptr_t)arg, before, between, after = 0;

	while (after < 3000000000u) {
		before = clock_ns(CLOCK_THREAD_CPUTIME_ID);
		seventy(&seed);
		between = clock_ns(CLOCK_THREAD_CPUTIME_ID);
		thirty(&seed);
		after = clock_ns(CLOCK_THREAD_CPUTIME_ID);
		atomic_fetch_add(&true_seventy, between - before);
		atomic_fetch_add(&true_thirty, after - between);
	}
	return NULL;
}

static void a_cpu_split_of_70_to_30_is_measured_within_two_percent(void **state)
{
	struct exported x = {.mu = PTHREAD_MUTEX_INITIALIZER};
	pthread_t threads[2];
	double truth, share;

	(void)state;
	needs_interposed(); /* else new threads are found within a second only */
	start((struct varve_options){
		.cpu_hz = 1000, .profiles = VARVE_CPU, .on_profile = add_up, .on_profile_arg = &x});
	for (uintptr_t i = 0; i < 2; i++)
		assert_ok(pthread_create(&threads[i], NULL, work_70_30, (void *)(i + 1)));
	for (unsigned i = 0; i < 2; i++)
		pthread_join(threads[i], NULL);
	varve_stop();
	truth = 100 * (double)true_seventy / (double)(true_seventy + true_thirty);
	share = 100 * (double)x.seventy_ns / (double)x.cpu_ns;
	if (share < truth - 2 || share > truth + 2)
		fail_msg("seventy() had %.2f %%, %.2f %% were seen", truth, share);
	assert_true((double)(x.seventy_ns + x.thirty_ns) > 0.99 * (double)x.cpu_ns);
	assert_true((double)x.work_ns > 0.99 * (double)x.cpu_ns);
}

static _Atomic bool end_of_work;

static void *burn_a_second(void *arg)
{
	(void)arg;
	burn(1000000000);
	return NULL;
}

static void cpu_time_of_many_threads_is_right_at_any_rate(void **state)
{
	static const unsigned rates[] = {97, 997};
	enum { THREADS = 4 };

	(void)state;
	needs_interposed(); /* else new threads are found within a second only */
	for (unsigned r = 0; r < countof(rates); r++) {
		struct exported x = {.mu = PTHREAD_MUTEX_INITIALIZER};
		pthread_t threads[THREADS];
		double ratio;

		start((struct varve_options){.cpu_hz = rates[r],
					     .profiles = VARVE_CPU,
					     .export_interval_ms = 1000,
					     .on_profile = add_up,
					     .on_profile_arg = &x});
		for (unsigned i = 0; i < THREADS; i++)
			assert_ok(pthread_create(&threads[i], NULL, burn_a_second, NULL));
		for (unsigned i = 0; i < THREADS; i++)
			pthread_join(threads[i], NULL);
		varve_stop();
		ratio = (double)x.cpu_ns / (THREADS * 1e9);
		if (ratio < 0.97 || ratio > 1.03)
			fail_msg("at %u Hz %.3f of the CPU time was seen", rates[r], ratio);
	}
}

/* -- wall clock and thread dumps --------------------------------------------------------------- */

static struct {
	pthread_mutex_t mu;
	pthread_cond_t wake;
	bool end;
	_Atomic unsigned present; /* threads at their place, including the spinning one */
} sleepers = {PTHREAD_MUTEX_INITIALIZER, PTHREAD_COND_INITIALIZER, false, 0};

KEEP static void wait_for_the_end(void)
{
	pthread_mutex_lock(&sleepers.mu);
	atomic_fetch_add(&sleepers.present, 1);
	while (!sleepers.end)
		pthread_cond_wait(&sleepers.wake, &sleepers.mu);
	pthread_mutex_unlock(&sleepers.mu);
}

static void *sleep_named(void *arg)
{
	prctl(PR_SET_NAME, arg);
	wait_for_the_end();
	return NULL;
}

KEEP static void spin_until_the_end(void)
{
	atomic_fetch_add(&sleepers.present, 1);
	while (!atomic_load(&end_of_work))
		burn(100000);
}

static void *spin_named(void *arg)
{
	prctl(PR_SET_NAME, arg);
	spin_until_the_end();
	return NULL;
}

struct background {
	pthread_t sleeper[3], spinner;
};

static void background_begin(struct background *c)
{
	sleepers.end = false;
	atomic_store(&sleepers.present, 0);
	atomic_store(&end_of_work, false);
	for (unsigned i = 0; i < 3; i++)
		assert_ok(pthread_create(&c->sleeper[i], NULL, sleep_named, "sleeper"));
	assert_ok(pthread_create(&c->spinner, NULL, spin_named, "spinner"));
	while (atomic_load(&sleepers.present) < 4)
		usleep(1000);
	usleep(50000); /* until the waiting threads sleep */
}

static void background_end(struct background *c)
{
	pthread_mutex_lock(&sleepers.mu);
	sleepers.end = true;
	pthread_cond_broadcast(&sleepers.wake);
	pthread_mutex_unlock(&sleepers.mu);
	atomic_store(&end_of_work, true);
	for (unsigned i = 0; i < 3; i++)
		pthread_join(c->sleeper[i], NULL);
	pthread_join(c->spinner, NULL);
}

static void wall_time_covers_all_threads_with_their_state(void **state)
{
	struct background threads;
	struct taken t;
	double waited, ran, took;

	(void)state;
	needs_interposed(); /* else new threads are found within a second only */
	start((struct varve_options){.profiles = VARVE_WALL});
	background_begin(&threads);
	took = (double)clock_ns(CLOCK_MONOTONIC) / 1e9;
	taken_take(&t, VARVE_WALL, 3);
	took = (double)clock_ns(CLOCK_MONOTONIC) / 1e9 - took; /* more than 3 s on a busy machine */
	waited = (double)taken_sum(&t, "wall", "wait_for_the_end", NULL, NULL) / 1e9;
	ran = (double)taken_sum(&t, "wall", "spin_until_the_end", NULL, NULL) / 1e9;
	if (waited < 8 || waited > 3 * took + 1)
		fail_msg("three threads waited for %.2f s: %.2f s were seen", took, waited);
	if (ran < 2.5 || ran > took + 0.5)
		fail_msg("one ran for %.2f s: %.2f s were seen", took, ran);
	/* the state is a label; the spinning thread may wait for a CPU at times */
	assert_int_equal(taken_sum(&t, "wall", "wait_for_the_end", "thread.state", "running"), 0);
	assert_int_equal(taken_sum(&t, "off_cpu", "wait_for_the_end", NULL, NULL),
			 taken_sum(&t, "wall", "wait_for_the_end", NULL, NULL));
	assert_int_equal(taken_sum(&t, "off_cpu", "spin_until_the_end", "thread.state", "running"),
			 0);
	assert_true(taken_sum(&t, "wall", "spin_until_the_end", "thread.state", "running") > 0);
	taken_fini(&t);
	background_end(&threads);
	varve_stop();
}

struct naps {
	_Atomic bool end;
	double here, there; /* seconds spent in each */
};

static double nap(void)
{
	uint64_t began = clock_ns(CLOCK_MONOTONIC);

	usleep(100000);
	return (double)(clock_ns(CLOCK_MONOTONIC) - began) / 1e9;
}

KEEP static void nap_here(struct naps *n)
{
	n->here += nap();
}

KEEP static void nap_there(struct naps *n)
{
	n->there += nap();
}

static void *nap_in_turn(void *arg)
{
	struct naps *n = arg;

	while (!atomic_load(&n->end)) {
		nap_here(n);
		nap_there(n);
	}
	return NULL;
}

/* A new sleep after a few microseconds of CPU time must not be counted as the previous sleep. */
static void a_thread_that_sleeps_in_two_functions_is_counted_in_both(void **state)
{
	struct naps n = {0};
	struct taken t;
	pthread_t thread;
	double here, there;

	(void)state;
	needs_interposed(); /* else new threads are found within a second only */
	start((struct varve_options){.profiles = VARVE_WALL, .wall_hz = 100});
	assert_ok(pthread_create(&thread, NULL, nap_in_turn, &n));
	taken_take(&t, VARVE_WALL, 4);
	atomic_store(&n.end, true);
	pthread_join(thread, NULL);
	here = (double)taken_sum(&t, "wall", "nap_here", NULL, NULL) / 1e9;
	there = (double)taken_sum(&t, "wall", "nap_there", NULL, NULL) / 1e9;
	/*
	 * 20 changes of place, each seen up to one period late; half a nap of tolerance because the
	 * profile may end within one
	 */
	if (here < n.here - 0.4 || here > n.here + 0.4 || there < n.there - 0.4 ||
	    there > n.there + 0.4)
		fail_msg("slept for %.2f s here and %.2f s there: %.2f s and %.2f s were seen",
			 n.here, n.there, here, there);
	taken_fini(&t);
	varve_stop();
}

static void a_thread_dump_has_every_thread_once_with_its_name(void **state)
{
	struct background threads;
	struct taken t;

	(void)state;
	start((struct varve_options){.profiles = VARVE_CPU});
	background_begin(&threads);
	taken_take(&t, VARVE_THREADS, 0);
	assert_int_equal(taken_sum(&t, "goroutine", "wait_for_the_end", NULL, NULL), 3);
	assert_int_equal(taken_sum(&t, "goroutine", "spin_until_the_end", NULL, NULL), 1);
	assert_int_equal(taken_sum(&t, "goroutine", NULL, "thread.name", "sleeper"), 3);
	assert_int_equal(taken_sum(&t, "goroutine", NULL, "thread.name", "spinner"), 1);
	taken_fini(&t);
	background_end(&threads);
	varve_stop();
}

/* -- what the options do ----------------------------------------------------------------------- */

KEEP static void *allocate(void)
{
	void *p = malloc(3 << 20);

	__asm__ volatile("" : "+r"(p));
	return p;
}

static void each_enabled_kind_is_exported(void **state)
{
	struct exported x = {.mu = PTHREAD_MUTEX_INITIALIZER};
	pthread_t thread;
	void *p;

	(void)state;
	needs_interposed();
	start((struct varve_options){.profiles = VARVE_CPU | VARVE_HEAP | VARVE_WALL |
						 VARVE_THREADCREATE,
				     .heap_interval = 1,
				     .export_interval_ms = 500,
				     .on_profile = add_up,
				     .on_profile_arg = &x});
	p = allocate();
	assert_ok(pthread_create(&thread, NULL, burn_a_second, NULL));
	pthread_join(thread, NULL);
	free(p);
	assert_ok(varve_flush(5000));
	varve_stop();
	assert_int_equal(x.kinds, VARVE_CPU | VARVE_HEAP | VARVE_WALL | VARVE_THREADCREATE);
	assert_true(x.profiles >= 4);
}

static void heap_in_use_is_the_memory_not_freed(void **state)
{
	struct taken t;
	void *p;

	(void)state;
	needs_interposed();
	start((struct varve_options){.profiles = VARVE_HEAP, .heap_interval = 1});
	p = allocate();
	taken_take(&t, VARVE_HEAP, 0);
	assert_int_equal(taken_sum(&t, "inuse_space", "allocate", NULL, NULL), 3 << 20);
	taken_fini(&t);
	free(p);
	taken_take(&t, VARVE_HEAP, 0);
	assert_int_equal(taken_sum(&t, "inuse_space", "allocate", NULL, NULL), 0);
	assert_int_equal(taken_sum(&t, "alloc_space", "allocate", NULL, NULL), 3 << 20);
	taken_fini(&t);
	varve_stop();
}

static void profiles_can_be_enabled_and_disabled_at_run_time(void **state)
{
	struct taken t;

	(void)state;
	start((struct varve_options){.profiles = VARVE_CPU, .cpu_hz = 100});
	assert_ok(varve_set_profiles(VARVE_HEAP));
	assert_ok(varve_set_cpu_hz(200));
	assert_int_equal(varve_set_cpu_hz(1001), -EINVAL);
	/* a requested profile enables its kind temporarily */
	taken_take(&t, VARVE_CPU, 1);
	taken_fini(&t);
	varve_stop();
	assert_int_equal(varve_set_profiles(VARVE_CPU), -ENOTCONN);
}

static void errors_are_numbers_with_a_message(void **state)
{
	struct varve_options wrong = {.cpu_hz = 5000};
	void *bytes;
	size_t size;

	(void)state;
	assert_int_equal(varve_start(&wrong), -EINVAL);
	assert_non_null(strstr(varve_last_error(), "sample_rate"));
	assert_int_equal(varve_start_file("/nonexistent/x.yaml"), -ENOENT);
	assert_non_null(strstr(varve_last_error(), "/nonexistent/x.yaml"));
	assert_int_equal(varve_take_profile(VARVE_CPU, 1, &bytes, &size), -ENOTCONN);
	start((struct varve_options){.profiles = VARVE_CPU});
	assert_int_equal(varve_start(NULL), -EALREADY);
	assert_int_equal(varve_take_profile(VARVE_CPU, 0, &bytes, &size), -EINVAL);
	assert_int_equal(varve_take_profile(VARVE_CPU | VARVE_HEAP, 1, &bytes, &size), -EINVAL);
	assert_int_equal(varve_take_profile(VARVE_CPU, 31, &bytes, &size), -EBUSY);
	assert_non_null(strstr(varve_last_error(), "max_seconds"));
	varve_stop();
	varve_stop();
}

static void every_function_accepts_null_and_a_stopped_library(void **state)
{
	struct varve_delivery d;
	struct varve_context c = {0};
	char text[VARVE_TRACEPARENT_SIZE];

	(void)state;
	varve_stop();
	assert_null(varve_span_start("x", NULL));
	varve_span_end(NULL);
	varve_span_set_str(NULL, "a", "b");
	varve_span_set_error(NULL, NULL);
	varve_span_add_event(NULL, "x");
	varve_span_add_link(NULL, &c);
	varve_context_attach(&c, &c);
	varve_context_detach(&c);
	assert_int_not_equal(varve_traceparent(text), 0);
	varve_delivery(&d);
	assert_int_equal(d.sent, 0);
	assert_true(d.success_rate == 1);
	assert_ok(varve_flush(1));
	assert_int_not_equal(varve_check_endpoint(), 0);
	varve_free(NULL);
}

static int stopped_setup(void **state)
{
	(void)state;
	return 0;
}

/* Also runs after a failed test. */
struct late_signals {
	_Atomic bool end;
	double slept; /* seconds */
};

KEEP static void nap_deaf(struct late_signals *l)
{
	uint64_t began = clock_ns(CLOCK_MONOTONIC);

	usleep(5000);
	l->slept += (double)(clock_ns(CLOCK_MONOTONIC) - began) / 1e9;
}

/* Run, so that the sampler sends a signal, and sleep before its handler may run. */
static void *be_late(void *arg)
{
	struct late_signals *l = arg;
	sigset_t all, before;

	sigfillset(&all);
	while (!atomic_load(&l->end)) {
		pthread_sigmask(SIG_SETMASK, &all, &before);
		burn(3000000);
		nap_deaf(l);
		pthread_sigmask(SIG_SETMASK, &before, NULL);
	}
	return NULL;
}

/*
 * The handler of a signal may run when the sampler has read the stack of the sleeping thread
 * itself. Each keeps its own record; ThreadSanitizer finds out if they do not.
 */
static void late_signals_do_not_disturb_the_sampler(void **state)
{
	struct late_signals l = {0};
	struct taken t;
	pthread_t thread;
	double seen;

	(void)state;
	start((struct varve_options){.profiles = VARVE_WALL, .wall_hz = 500});
	assert_ok(pthread_create(&thread, NULL, be_late, &l));
	taken_take(&t, VARVE_WALL, 3);
	atomic_store(&l.end, true);
	pthread_join(thread, NULL);
	seen = (double)taken_sum(&t, "wall", "nap_deaf", NULL, NULL) / 1e9;
	if (seen > l.slept + 0.5)
		fail_msg("slept for %.2f s: %.2f s were seen", l.slept, seen);
	taken_fini(&t);
	varve_stop();
}

static int stopped_teardown(void **state)
{
	(void)state;
	varve_stop();
	return 0;
}

TEST_MAIN(test_with(stopped, a_cpu_split_of_70_to_30_is_measured_within_two_percent),
	  test_with(stopped, cpu_time_of_many_threads_is_right_at_any_rate),
	  test_with(stopped, wall_time_covers_all_threads_with_their_state),
	  test_with(stopped, a_thread_that_sleeps_in_two_functions_is_counted_in_both),
	  test_with(stopped, late_signals_do_not_disturb_the_sampler),
	  test_with(stopped, a_thread_dump_has_every_thread_once_with_its_name),
	  test_with(stopped, each_enabled_kind_is_exported),
	  test_with(stopped, heap_in_use_is_the_memory_not_freed),
	  test_with(stopped, profiles_can_be_enabled_and_disabled_at_run_time),
	  test_with(stopped, errors_are_numbers_with_a_message),
	  test_with(stopped, every_function_accepts_null_and_a_stopped_library))
