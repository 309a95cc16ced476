/* SPDX-License-Identifier: Apache-2.0 */
/* libvarve.so must not disturb its host: errno, forks, threads, signals, loaded libraries. */
#include <dirent.h>
#include <dlfcn.h>
#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <spawn.h>
#include <stdatomic.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/wait.h>
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

KEEP static void burn(uint64_t ns)
{
	uint64_t end = clock_ns(CLOCK_THREAD_CPUTIME_ID) + ns;
	volatile unsigned x UNUSED = 0;

	while (clock_ns(CLOCK_THREAD_CPUTIME_ID) < end)
		for (unsigned i = 0; i < 2000; i++)
			x += i;
}

/* Counters of exported profiles in memory shared by this process and its children. */
static struct shared {
	_Atomic unsigned profiles, children;
	_Atomic int64_t cpu_ns, child_cpu_ns;
	pid_t parent;
} * shared;

static void count(void *arg, enum varve_profile kind, const void *pprof, size_t size,
		  uint64_t start_unix_ns, uint64_t duration_ns)
{
	struct taken t;

	(void)arg, (void)start_unix_ns, (void)duration_ns;
	atomic_fetch_add(&shared->profiles, 1);
	if (kind != VARVE_CPU)
		return;
	taken_read(&t, pprof, size);
	atomic_fetch_add(getpid() == shared->parent ? &shared->cpu_ns : &shared->child_cpu_ns,
			 taken_sum(&t, "cpu", NULL, NULL, NULL));
	taken_fini(&t);
}

static void start(unsigned profiles)
{
	struct varve_options o = {.profiles = profiles,
				  .cpu_hz = 1000,
				  .heap_interval = 4096,
				  .block_interval_ns = 1,
				  .export_interval_ms = 500,
				  .on_profile = count};
	int rc;

	o.guards.max_per_minute = 100000;
	o.guards.max_cpu = 1;
	rc = varve_start(&o);
	if (rc)
		fail_msg("varve_start: %d: %s", rc, varve_last_error());
}

#define EVERYTHING 0xffu

/*
 * Under a sanitizer, a child forked beside busy threads may deadlock on the sanitizer's locks, and
 * handlers need a larger stack.
 */
#define needs_no_sanitizer()                                                                       \
	do {                                                                                       \
		if (!INTERPOSED) {                                                                 \
			print_message("skipped: a sanitizer could not do it\n");                   \
			skip();                                                                    \
		}                                                                                  \
	} while (0)

static int guest_setup(void **state)
{
	(void)state;
	if (!shared)
		shared = mmap(NULL, sizeof(*shared), PROT_READ | PROT_WRITE,
			      MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	memset(shared, 0, sizeof(*shared));
	shared->parent = getpid();
	return 0;
}

static int guest_teardown(void **state)
{
	(void)state;
	varve_stop();
	return 0;
}

/* -- errno ------------------------------------------------------------------------------------- */

static pthread_mutex_t contended = PTHREAD_MUTEX_INITIALIZER;
static _Atomic bool end_of_work;

static void *contend(void *arg)
{
	(void)arg;
	while (!atomic_load(&end_of_work)) {
		pthread_mutex_lock(&contended);
		burn(50000);
		pthread_mutex_unlock(&contended);
	}
	return NULL;
}

static void errno_is_preserved(void **state)
{
	uint64_t end;
	pthread_t other;

	(void)state;
	start(EVERYTHING);
	atomic_store(&end_of_work, false);
	assert_ok(pthread_create(&other, NULL, contend, NULL));
	end = clock_ns(CLOCK_THREAD_CPUTIME_ID) + 1000000000u;
	while (clock_ns(CLOCK_THREAD_CPUTIME_ID) < end) {
		errno = 4711;
		free(malloc(10000));
		assert_int_equal(errno, 4711);
		pthread_mutex_lock(&contended);
		pthread_mutex_unlock(&contended);
		assert_int_equal(errno, 4711);
		varve_span_end(varve_span_start("x", NULL));
		assert_int_equal(errno, 4711);
		burn(100000); /* signal handlers run meanwhile */
		assert_int_equal(errno, 4711);
	}
	atomic_store(&end_of_work, true);
	pthread_join(other, NULL);
}

/* -- processes --------------------------------------------------------------------------------- */

static int wait_for(pid_t pid)
{
	int status = -1;

	while (waitpid(pid, &status, 0) < 0)
		if (errno != EINTR)
			return -1;
	return status;
}

/* Return the number of the program's threads that a profile shows. */
static int64_t threads_seen(void)
{
	struct taken t;
	int64_t n;

	taken_take(&t, VARVE_THREADS, 0);
	n = taken_sum(&t, "goroutine", NULL, NULL, NULL);
	taken_fini(&t);
	return n;
}

static void threads_of_the_library_are_not_profiled(void **state)
{
	(void)state;
	needs_no_sanitizer();
	for (unsigned i = 0; i < 3; i++) {
		pid_t pid;

		start(VARVE_CPU | VARVE_WALL);
		pid = fork();
		if (!pid) {
			burn(20000000);
			usleep(1200000); /* by then the library's threads are recognized */
			_exit((int)threads_seen());
		}
		assert_int_equal(wait_for(pid), 1 << 8);
		assert_int_equal(threads_seen(), 1);
		varve_stop();
	}
}

static void parent_and_child_are_profiled_after_a_fork(void **state)
{
	pid_t pid;
	int64_t before;

	(void)state;
	needs_no_sanitizer();
	start(VARVE_CPU | VARVE_HEAP | VARVE_WALL);
	burn(300000000);
	pid = fork();
	assert_true(pid >= 0);
	if (!pid) {
		burn(400000000);
		varve_stop();
		_exit(7);
	}
	assert_ok(varve_flush(5000));
	before = atomic_load(&shared->cpu_ns);
	burn(400000000);
	assert_int_equal(wait_for(pid), 7 << 8);
	assert_ok(varve_flush(5000));
	/* the child exports its own samples only, not those in its parent's buffers */
	assert_in_range(atomic_load(&shared->child_cpu_ns), 300000000, 500000000);
	assert_in_range(atomic_load(&shared->cpu_ns) - before, 300000000, 500000000);
}

static void *fork_children(void *arg)
{
	for (unsigned i = 0; i < 125; i++) {
		pid_t pid = fork();

		if (!pid) {
			free(malloc(100000));
			_exit((int)(i % 100));
		}
		if (pid < 0 || wait_for(pid) != (int)(i % 100) << 8)
			atomic_fetch_add((_Atomic unsigned *)arg, 1);
		else
			atomic_fetch_add(&shared->children, 1);
	}
	return NULL;
}

static void a_thousand_children_of_a_busy_parent_exit_normally(void **state)
{
	pthread_t forkers[8], other;
	_Atomic unsigned failed = 0;

	(void)state;
	needs_no_sanitizer();
	start(EVERYTHING);
	atomic_store(&end_of_work, false);
	assert_ok(pthread_create(&other, NULL, contend, NULL));
	for (unsigned i = 0; i < 8; i++)
		assert_ok(pthread_create(&forkers[i], NULL, fork_children, &failed));
	for (unsigned i = 0; i < 8; i++)
		pthread_join(forkers[i], NULL);
	atomic_store(&end_of_work, true);
	pthread_join(other, NULL);
	assert_int_equal(failed, 0);
	assert_int_equal(shared->children, 1000);
}

static void programs_can_be_started_in_every_way(void **state)
{
	char *argv[] = {"true", NULL};
	pid_t pid;

	(void)state;
	needs_no_sanitizer();
	start(EVERYTHING);
	for (unsigned i = 0; i < 20; i++) {
		pid = fork();
		if (!pid) {
			execv("/bin/true", argv);
			_exit(1);
		}
		assert_int_equal(wait_for(pid), 0);
		assert_ok(posix_spawn(&pid, "/bin/true", NULL, NULL, argv, environ));
		assert_int_equal(wait_for(pid), 0);
		pid = vfork();
		if (!pid) {
			execv("/bin/true", argv);
			_exit(1);
		}
		assert_int_equal(wait_for(pid), 0);
		assert_int_equal(system("true"), 0);
	}
	burn(50000000);
}

/* Return the size of the address space. */
static rlim_t address_space(void)
{
	unsigned long pages = 0;
	FILE *statm = fopen("/proc/self/statm", "re");

	assert_non_null(statm);
	assert_int_equal(fscanf(statm, "%lu", &pages), 1);
	fclose(statm);
	return pages * (rlim_t)sysconf(_SC_PAGESIZE);
}

static void a_child_that_cannot_create_threads_runs_and_exits(void **state)
{
	pid_t pid;

	(void)state;
	needs_no_sanitizer();
	start(VARVE_CPU | VARVE_HEAP | VARVE_WALL);
	pid = fork();
	if (!pid) {
		rlim_t room = address_space() + (1 << 20); /* too small for a thread's stack */
		struct rlimit little = {room, room};

		alarm(60);
		if (setrlimit(RLIMIT_AS, &little))
			_exit(2);
		pid = fork();
		if (!pid) {
			free(malloc(5000));
			burn(10000000);
			varve_stop();
			_exit(0);
		}
		_exit(pid < 0 ? 3 : wait_for(pid) ? 4 : 0);
	}
	assert_int_equal(wait_for(pid), 0);
}

static void dropping_privileges_applies_to_every_thread(void **state)
{
	pid_t pid;

	(void)state;
	needs_no_sanitizer();
	if (geteuid()) {
		print_message("skipped: not root\n");
		skip();
	}
	start(EVERYTHING);
	pid = fork();
	if (!pid) {
		alarm(60);
		if (setgid(65534) || setuid(65534))
			_exit(1);
		burn(300000000);
		varve_stop();
		_exit(atomic_load(&shared->child_cpu_ns) > 200000000 ? 0 : 2);
	}
	assert_int_equal(wait_for(pid), 0);
}

/* -- threads ----------------------------------------------------------------------------------- */

static void *live_shortly(void *arg)
{
	free(malloc(5000));
	return arg;
}

static void ten_thousand_threads_start_and_end(void **state)
{
	(void)state;
	start(EVERYTHING);
	for (unsigned i = 0; i < 10000 / 50; i++) {
		pthread_t threads[50];

		for (uintptr_t k = 0; k < 50; k++)
			assert_ok(pthread_create(&threads[k], NULL, live_shortly, (void *)k));
		for (uintptr_t k = 0; k < 50; k++) {
			void *result;

			assert_ok(pthread_join(threads[k], &result));
			assert_ptr_equal(result, k);
		}
	}
}

static void *blocks_all_signals(void *arg)
{
	sigset_t all;

	(void)arg;
	sigfillset(&all);
	pthread_sigmask(SIG_BLOCK, &all, NULL);
	burn(400000000);
	return NULL;
}

static void threads_that_block_all_signals_are_profiled(void **state)
{
	pthread_t thread;

	(void)state;
	needs_interposed();
	start(VARVE_CPU);
	assert_ok(pthread_create(&thread, NULL, blocks_all_signals, NULL));
	pthread_join(thread, NULL);
	assert_ok(varve_flush(5000));
	assert_in_range(atomic_load(&shared->cpu_ns), 300000000, 600000000);
}

static void *with_small_signal_stack(void *arg)
{
	/* as small as in real programs, next to an inaccessible page */
	size_t size = 8192;
	char *memory =
		mmap(NULL, size + 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	stack_t stack = {.ss_sp = memory + 4096, .ss_size = size}, none = {.ss_flags = SS_DISABLE};

	(void)arg;
	mprotect(memory, 4096, PROT_NONE);
	sigaltstack(&stack, NULL);
	for (unsigned i = 0; i < 200; i++) {
		burn(1000000);
		free(malloc(10000));
	}
	sigaltstack(&none, NULL);
	munmap(memory, size + 4096);
	return NULL;
}

static void a_small_signal_stack_is_sufficient(void **state)
{
	pthread_t thread;

	(void)state;
	needs_no_sanitizer();
	start(EVERYTHING);
	assert_ok(pthread_create(&thread, NULL, with_small_signal_stack, NULL));
	pthread_join(thread, NULL);
}

static _Atomic unsigned prof_ticks, own_signals;

static void on_prof(int number)
{
	(void)number;
	atomic_fetch_add(&prof_ticks, 1);
}

static void a_program_can_use_sigprof_itself(void **state)
{
	struct itimerval often = {{0, 10000}, {0, 10000}}, off = {0};

	(void)state;
	start(VARVE_CPU | VARVE_WALL);
	signal(SIGPROF, on_prof);
	assert_ok(setitimer(ITIMER_PROF, &often, NULL));
	burn(500000000);
	assert_ok(setitimer(ITIMER_PROF, &off, NULL));
	assert_true(atomic_load(&prof_ticks) >= 30);
	assert_ok(varve_flush(5000));
	assert_in_range(atomic_load(&shared->cpu_ns), 400000000, 700000000);
	signal(SIGPROF, SIG_DFL);
}

static void on_own_signal(int number)
{
	(void)number;
	atomic_fetch_add(&own_signals, 1);
}

static void a_program_can_set_the_handlers_of_all_signals(void **state)
{
	struct sigaction old[65], own = {.sa_handler = on_own_signal};

	(void)state;
	needs_interposed();
	start(VARVE_CPU);
	for (int i = SIGRTMIN; i <= SIGRTMAX; i++) {
		assert_ok(sigaction(i, NULL, &old[i]));
		assert_true(old[i].sa_handler == SIG_DFL); /* the library's handler is hidden */
		signal(i, SIG_DFL);
	}
	burn(100000000); /* the library's signals do not end the program */
	for (int i = SIGRTMIN; i <= SIGRTMAX; i++)
		assert_ok(sigaction(i, &own, NULL));
	burn(100000000); /* and do not call the program's handler */
	assert_int_equal(own_signals, 0);
	for (int i = SIGRTMIN; i <= SIGRTMAX; i++)
		raise(i);
	assert_int_equal(own_signals, SIGRTMAX - SIGRTMIN + 1); /* while its own signals do */
	for (int i = SIGRTMIN; i <= SIGRTMAX; i++)
		assert_ok(sigaction(i, &old[i], NULL));
	assert_ok(varve_flush(5000));
	assert_true(atomic_load(&shared->cpu_ns) > 150000000);
}

static void *use_every_profiler(void *arg)
{
	(void)arg;
	while (!atomic_load(&end_of_work)) {
		void *p = malloc(20000);

		pthread_mutex_lock(&contended);
		burn(20000);
		pthread_mutex_unlock(&contended);
		varve_span_end(varve_span_start("work", NULL));
		free(p);
	}
	return NULL;
}

static void the_library_restarts_a_hundred_times_while_threads_run(void **state)
{
	pthread_t threads[4];

	(void)state;
	atomic_store(&end_of_work, false);
	for (unsigned i = 0; i < 4; i++)
		assert_ok(pthread_create(&threads[i], NULL, use_every_profiler, NULL));
	for (unsigned i = 0; i < 100; i++) {
		start(EVERYTHING);
		burn(5000000);
		varve_stop();
	}
	atomic_store(&end_of_work, true);
	for (unsigned i = 0; i < 4; i++)
		pthread_join(threads[i], NULL);
}

static void *take_a_profile(void *arg)
{
	void *bytes = NULL;
	size_t size;

	*(int *)arg = varve_take_profile(VARVE_CPU, 25, &bytes, &size);
	varve_free(bytes);
	return NULL;
}

static void a_stop_ends_a_running_profile(void **state)
{
	uint64_t began = clock_ns(CLOCK_MONOTONIC);
	pthread_t thread;
	int rc = -ENOTCONN;

	(void)state;
	/* on a busy machine the thread may start after the stop, which is an error */
	for (unsigned i = 1; i <= 5 && rc == -ENOTCONN; i++) {
		start(VARVE_CPU);
		assert_ok(pthread_create(&thread, NULL, take_a_profile, &rc));
		usleep(i * 300000);
		varve_stop();
		pthread_join(thread, NULL);
	}
	assert_int_equal(rc, 0); /* a partial profile */
	assert_true(clock_ns(CLOCK_MONOTONIC) - began < 20000000000u);
}

static _Atomic unsigned asleep;

static void *sleep_undisturbed(void *arg)
{
	struct timespec long_time = {3, 0}, rest;

	atomic_fetch_add(&asleep, 1);
	*(int *)arg = nanosleep(&long_time, &rest);
	return NULL;
}

static void sleeping_threads_are_sampled_without_waking_up(void **state)
{
	pthread_t threads[4];
	int result[4];

	(void)state;
	start(VARVE_WALL);
	atomic_store(&asleep, 0);
	for (unsigned i = 0; i < 4; i++)
		assert_ok(pthread_create(&threads[i], NULL, sleep_undisturbed, &result[i]));
	while (atomic_load(&asleep) < 4)
		usleep(1000);
	usleep(200000);
	for (unsigned i = 0; i < 5; i++) {
		struct taken t;

		taken_take(&t, VARVE_THREADS, 0);
		assert_int_equal(taken_sum(&t, "goroutine", "sleep_undisturbed", NULL, NULL), 4);
		taken_fini(&t);
	}
	for (unsigned i = 0; i < 4; i++) {
		pthread_join(threads[i], NULL);
		assert_int_equal(result[i], 0);
	}
}

static _Atomic uint64_t short_ns;

/* Run for less than the kernel's tick. Every second thread ends with pthread_exit(). */
static void *short_life(void *arg)
{
	burn(700000);
	atomic_fetch_add(&short_ns, clock_ns(CLOCK_THREAD_CPUTIME_ID));
	if (arg)
		pthread_exit(NULL);
	return NULL;
}

static void cpu_time_of_short_threads_is_counted(void **state)
{
	uint64_t before;
	int64_t used;

	(void)state;
	needs_interposed();
	short_ns = 0;
	start(VARVE_CPU);
	before = clock_ns(CLOCK_THREAD_CPUTIME_ID);
	for (uintptr_t i = 0; i < 2000; i++) {
		pthread_t thread;

		assert_ok(pthread_create(&thread, NULL, short_life, (void *)(i & 1)));
		assert_ok(pthread_join(thread, NULL));
	}
	used = (int64_t)(short_ns + clock_ns(CLOCK_THREAD_CPUTIME_ID) - before);
	varve_stop();
	print_message("# %lld ms used, %lld ms seen\n", (long long)used / 1000000,
		      (long long)shared->cpu_ns / 1000000);
	assert_in_range(shared->cpu_ns, used * 9 / 10, used * 11 / 10);
}

/* Return bit `number` - 1 of SigBlk of the thread with that name, or -1 if there is none. */
static int is_blocked_in(const char *name, int number)
{
	char path[64], line[128], thread[32];
	DIR *tasks = opendir("/proc/self/task");
	struct dirent *task;
	int blocked = -1;

	while (tasks && blocked < 0 && (task = readdir(tasks))) {
		unsigned long long mask;
		FILE *f;

		snprintf(path, sizeof(path), "/proc/self/task/%.20s/status", task->d_name);
		f = fopen(path, "r");
		thread[0] = 0;
		while (f && fgets(line, sizeof(line), f)) {
			sscanf(line, "Name: %31s", thread);
			if (!strcmp(thread, name) && sscanf(line, "SigBlk: %llx", &mask) == 1)
				blocked = (int)(mask >> (number - 1) & 1);
		}
		if (f)
			fclose(f);
	}
	if (tasks)
		closedir(tasks);
	return blocked;
}

static void threads_of_the_library_block_the_programs_signals(void **state)
{
	(void)state;
	start(EVERYTHING);
	burn(10000000);
	assert_ok(varve_flush(10000)); /* the exporter's thread starts with the first item */
	assert_int_equal(is_blocked_in("varve-collect", SIGTERM), 1);
	assert_int_equal(is_blocked_in("varve-collect", SIGRTMIN), 1);
	assert_int_equal(is_blocked_in("varve-export", SIGRTMIN), 1);
	assert_int_equal(is_blocked_in("varve-wall", SIGRTMIN), 1);
}

/* -- libraries --------------------------------------------------------------------------------- */

static void libraries_are_loaded_and_unloaded_during_sampling(void **state)
{
	pthread_t thread;

	(void)state;
	start(EVERYTHING);
	atomic_store(&end_of_work, false);
	assert_ok(pthread_create(&thread, NULL, use_every_profiler, NULL));
	for (unsigned i = 0; i < 150; i++) {
		void *library = dlopen("libz.so.1", RTLD_NOW | RTLD_LOCAL);
		void *other = dlopen("libresolv.so.2", RTLD_NOW | RTLD_LOCAL);

		burn(1000000);
		if (other)
			dlclose(other);
		if (library)
			dlclose(library);
	}
	atomic_store(&end_of_work, true);
	pthread_join(thread, NULL);
}

TEST_MAIN(test_with(guest, errno_is_preserved),
	  test_with(guest, threads_of_the_library_are_not_profiled),
	  test_with(guest, parent_and_child_are_profiled_after_a_fork),
	  test_with(guest, a_thousand_children_of_a_busy_parent_exit_normally),
	  test_with(guest, programs_can_be_started_in_every_way),
	  test_with(guest, a_child_that_cannot_create_threads_runs_and_exits),
	  test_with(guest, dropping_privileges_applies_to_every_thread),
	  test_with(guest, ten_thousand_threads_start_and_end),
	  test_with(guest, threads_that_block_all_signals_are_profiled),
	  test_with(guest, a_small_signal_stack_is_sufficient),
	  test_with(guest, a_program_can_use_sigprof_itself),
	  test_with(guest, a_program_can_set_the_handlers_of_all_signals),
	  test_with(guest, the_library_restarts_a_hundred_times_while_threads_run),
	  test_with(guest, a_stop_ends_a_running_profile),
	  test_with(guest, sleeping_threads_are_sampled_without_waking_up),
	  test_with(guest, cpu_time_of_short_threads_is_counted),
	  test_with(guest, threads_of_the_library_block_the_programs_signals),
	  test_with(guest, libraries_are_loaded_and_unloaded_during_sampling))
