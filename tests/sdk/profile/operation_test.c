/* SPDX-License-Identifier: Apache-2.0 */
/* Profiles of operations, and sampling decisions, in the library as a program uses it. */
#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "sdk/taken.h"
#include "seal/sealed_file.h"

/* A function that is neither inlined nor folded into an equal one. */
#ifdef __clang__
#define KEEP __attribute__((noinline, optnone))
#else
#define KEEP __attribute__((noipa))
#endif

static __thread volatile uint64_t work;

static uint64_t clock_ns(clockid_t clock)
{
	struct timespec now;

	clock_gettime(clock, &now);
	return (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec;
}

static void use_cpu(uint64_t ns)
{
	uint64_t until = clock_ns(CLOCK_THREAD_CPUTIME_ID) + ns;

	while (clock_ns(CLOCK_THREAD_CPUTIME_ID) < until)
		for (int i = 0; i < 1000; i++)
			work = work * 31 + (uint64_t)i;
}

KEEP static void burn_here(uint64_t ns)
{
	use_cpu(ns);
}

KEEP static void burn_there(uint64_t ns)
{
	use_cpu(ns);
	work++;
}

static _Atomic bool end;

static void *burn_elsewhere(void *arg)
{
	while (!atomic_load(&end))
		burn_there(1000000);
	return arg;
}

static void begin(struct varve_options o)
{
	o.no_metrics = o.no_traces = 1;
	o.directory = "/tmp/varve-operation-test";
	o.export_interval_ms = 3600000;
	o.cpu_hz = 250;
	/* the test's own threads use all CPUs */
	o.guards.max_cpu = 1;
	assert_ok(varve_start(&o));
}

static int operation_setup(void **state)
{
	(void)state;
	begin((struct varve_options){.profiles = VARVE_HEAP});
	return 0;
}

static int operation_teardown(void **state)
{
	(void)state;
	varve_stop();
	return system("rm -rf /tmp/varve-operation-test");
}

static struct varve_operation *started(enum varve_profile kind, enum varve_scope scope,
				       const char *path)
{
	struct varve_operation *o = varve_profile_start(kind, scope, path);

	if (!o)
		fail_msg("varve_profile_start(): %s", varve_last_error());
	return o;
}

static void stopped(struct varve_operation *o, struct taken *t)
{
	void *bytes;
	size_t size;
	int rc = varve_profile_stop(o, &bytes, &size);

	if (rc)
		fail_msg("varve_profile_stop(): %d: %s", rc, varve_last_error());
	taken_read(t, bytes, size);
	t->bytes = bytes;
	t->size = size;
}

static void a_profile_of_a_thread_has_its_samples_alone(void **state)
{
	struct varve_operation *mine, *all;
	struct taken t;
	pthread_t thread;

	(void)state;
	atomic_store(&end, false);
	assert_int_equal(pthread_create(&thread, NULL, burn_elsewhere, NULL), 0);
	burn_here(100000000); /* before it: not in the profile */
	usleep(1200000);      /* under a sanitizer, new threads are found within a second */
	all = started(VARVE_CPU, VARVE_PROCESS, NULL);
	mine = started(VARVE_CPU, VARVE_THIS_THREAD, NULL);
	burn_here(400000000);
	stopped(mine, &t);
	assert_int_equal(taken_sum(&t, "cpu", "burn_there", NULL, NULL), 0);
	assert_in_range(taken_sum(&t, "cpu", "burn_here", NULL, NULL), 300000000, 480000000);
	taken_fini(&t);
	stopped(all, &t);
	assert_true(taken_sum(&t, "cpu", "burn_there", NULL, NULL) > 0);
	assert_true(taken_sum(&t, "cpu", "burn_here", NULL, NULL) > 300000000);
	taken_fini(&t);
	atomic_store(&end, true);
	pthread_join(thread, NULL);
}

static void the_file_is_written_and_named_by_the_span(void **state)
{
	char directory[] = "/tmp/varve-operation-XXXXXX", path[64], command[80];
	struct varve_operation *o;
	struct stat file;
	void *bytes;
	size_t size;

	(void)state;
	assert_non_null(mkdtemp(directory));
	snprintf(path, sizeof(path), "%s/one.pb.gz", directory);
	o = started(VARVE_CPU, VARVE_THIS_THREAD, path);
	burn_here(50000000);
	assert_ok(varve_profile_stop(o, NULL, NULL));
	assert_ok(stat(path, &file));
	snprintf(path, sizeof(path), "%s/", directory);
	o = started(VARVE_THREADS, VARVE_PROCESS, path);
	assert_ok(varve_profile_stop(o, &bytes, &size));
	assert_true(size > 0);
	varve_free(bytes);
	snprintf(command, sizeof(command), "test -s %s/threads-*.pb.gz", directory);
	assert_ok(system(command));
	o = started(VARVE_CPU, VARVE_PROCESS, "/nonexistent/x.pb.gz");
	assert_int_equal(varve_profile_stop(o, NULL, NULL), -ENOENT);
	assert_non_null(strstr(varve_last_error(), "/nonexistent/x.pb.gz"));
	snprintf(command, sizeof(command), "rm -r %s", directory);
	assert_ok(system(command));
}

static void with_a_key_the_file_is_encrypted(void **state)
{
	char directory[] = "/tmp/varve-operation-XXXXXX", path[64], key[64], command[80];
	struct buf file = {0}, content = {0};
	struct varve_operation *o;
	struct key_ring *keys;
	struct err e = {0};
	void *bytes;
	size_t size;
	FILE *f;

	(void)state;
	assert_non_null(mkdtemp(directory));
	snprintf(key, sizeof(key), "%s/key", directory);
	f = fopen(key, "we");
	assert_non_null(f);
	assert_ok(fchmod(fileno(f), 0600));
	fprintf(f, "%064d\n", 7);
	fclose(f);
	varve_stop();
	begin((struct varve_options){.key_file = key});
	snprintf(path, sizeof(path), "%s/one.pb.gz", directory);
	o = started(VARVE_CPU, VARVE_THIS_THREAD, path);
	burn_here(50000000);
	assert_ok(varve_profile_stop(o, &bytes, &size));
	assert_int_not_equal(access(path, F_OK), 0);
	snprintf(path, sizeof(path), "%s/one.pb.gz.sealed", directory);
	f = fopen(path, "re");
	assert_non_null(f);
	for (int c; (c = fgetc(f)) != EOF;)
		buf_put_char(&file, (char)c);
	fclose(f);
	assert_ok_err(key_ring_open(&keys, key, NULL, &e), &e);
	assert_ok_err(sealed_read(&content, buf_str(&file), keys, &e), &e);
	assert_str_equal(buf_str(&content), str_of(bytes, size)); /* which are not encrypted */
	key_ring_unref(keys);
	varve_free(bytes);
	buf_fini(&content);
	buf_fini(&file);
	varve_stop();
	assert_ok(operation_setup(NULL));
	snprintf(command, sizeof(command), "rm -r %s", directory);
	assert_ok(system(command));
}

static void wrong_calls_are_refused_with_the_reason(void **state)
{
	struct varve_operation *o;

	(void)state;
	assert_null(varve_profile_start(VARVE_CPU | VARVE_WALL, VARVE_PROCESS, NULL));
	assert_null(varve_profile_start(VARVE_CPU, (enum varve_scope)0, NULL));
	assert_null(varve_profile_start(VARVE_THREADS, VARVE_THIS_THREAD, NULL));
	assert_null(varve_profile_start(VARVE_MMAP, VARVE_PROCESS, NULL));
	assert_non_null(strstr(varve_last_error(), "not enabled"));
	assert_int_equal(varve_profile_stop(NULL, NULL, NULL), -ENOENT);
	o = started(VARVE_WALL, VARVE_PROCESS, NULL);
	assert_ok(varve_profile_stop(o, NULL, NULL));
	assert_int_equal(varve_profile_stop(o, NULL, NULL), -ENOENT);
	for (int i = 0; i < 9; i++) /* max_per_minute is 10 */
		assert_ok(varve_profile_stop(started(VARVE_CPU, VARVE_PROCESS, NULL), NULL, NULL));
	assert_null(varve_profile_start(VARVE_CPU, VARVE_PROCESS, NULL));
	assert_non_null(strstr(varve_last_error(), "max_per_minute"));
}

static void the_library_stops_while_operations_run(void **state)
{
	struct varve_operation *o = started(VARVE_CPU, VARVE_PROCESS, NULL);

	(void)state;
	varve_stop();
	assert_int_equal(varve_profile_stop(o, NULL, NULL), -ENOENT);
	assert_null(varve_profile_start(VARVE_CPU, VARVE_PROCESS, NULL));
	begin((struct varve_options){.profiles = VARVE_CPU});
	assert_int_equal(varve_profile_stop(o, NULL, NULL), -ENOENT); /* of the earlier start */
}

static void operations_end_in_a_forked_child(void **state)
{
	struct varve_operation *o = started(VARVE_CPU, VARVE_PROCESS, NULL);
	int status;
	pid_t pid = fork();

	(void)state;
	if (!pid)
		_exit(varve_profile_stop(o, NULL, NULL) == -ENOENT ? 0 : 1);
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_int_equal(status, 0);
	assert_ok(varve_profile_stop(o, NULL, NULL)); /* the parent's goes on */
}

KEEP static void *allocate(void)
{
	void *p = malloc(64 << 20); /* far above the interval, so it is sampled */

	__asm__ volatile("" : "+r"(p));
	return p;
}

static void allocations_of_a_thread_have_no_memory_in_use(void **state)
{
	struct varve_operation *o;
	struct taken t;
	void *p;

	(void)state;
	needs_interposed();
	o = started(VARVE_HEAP, VARVE_THIS_THREAD, NULL);
	p = allocate();
	stopped(o, &t);
	assert_true(taken_sum(&t, "alloc_space", "allocate", NULL, NULL) >= 64 << 20);
	assert_int_equal(taken_sum(&t, "inuse_space", NULL, NULL, NULL), 0);
	taken_fini(&t);
	free(p);
}

/* Poll until the rate is in a range: guards look once a second. */
static bool rate_becomes(double low, double high)
{
	for (int i = 0; i < 300; i++) {
		double rate = varve_sampling_rate();

		if (rate >= low && rate <= high)
			return true;
		usleep(50000);
	}
	return false;
}

static void the_sampling_rate_follows_the_load_that_is_set(void **state)
{
	int yes = 0;

	(void)state;
	varve_stop();
	assert_true(varve_sampling_rate() == 0);
	assert_int_equal(varve_should_profile(), 0);
	assert_int_equal(varve_set_load(0.5), -ENOTCONN);
	begin((struct varve_options){.profiles = VARVE_CPU,
				     .guards = {.adaptive_sampler = 1, .floor_hz = 25}});
	assert_int_equal(varve_set_load(1.5), -EINVAL);
	assert_ok(varve_set_load(0));
	assert_true(rate_becomes(1, 1));
	assert_int_equal(varve_should_profile(), 1);
	assert_ok(varve_set_load(1)); /* the floor: 25 of 250 */
	assert_true(rate_becomes(0.09, 0.11));
	for (int i = 0; i < 20000; i++)
		yes += varve_should_profile();
	assert_in_range(yes, 1600, 2400); /* 2000; eleven standard deviations */
	assert_ok(varve_set_load(0));
	assert_true(rate_becomes(1, 1));
	assert_ok(varve_set_load(-1));
	varve_stop();
	begin((struct varve_options){
		.profiles = VARVE_CPU,
		.guards = {.adaptive_rate = 1, .memory_threshold = 1ull << 50}});
	assert_ok(varve_set_load(1)); /* half of the base, once */
	assert_true(rate_becomes(0.5, 0.5));
	assert_ok(varve_set_load(0));
	assert_true(rate_becomes(1, 1));
	varve_stop();
	begin((struct varve_options){.profiles = VARVE_CPU, .guards = {.load_shedding = 1}});
	assert_ok(varve_set_load(1));
	assert_true(rate_becomes(0, 0));
	assert_int_equal(varve_should_profile(), 0);
}

TEST_MAIN(test_with(operation, a_profile_of_a_thread_has_its_samples_alone),
	  test_with(operation, with_a_key_the_file_is_encrypted),
	  test_with(operation, the_file_is_written_and_named_by_the_span),
	  test_with(operation, wrong_calls_are_refused_with_the_reason),
	  test_with(operation, the_library_stops_while_operations_run),
	  test_with(operation, operations_end_in_a_forked_child),
	  test_with(operation, allocations_of_a_thread_have_no_memory_in_use),
	  test_with(operation, the_sampling_rate_follows_the_load_that_is_set))
