/* SPDX-License-Identifier: Apache-2.0 */
/*
 * This program links libvarve.so's malloc() family: every allocation here and in its libraries
 * goes through it.
 */
#include "sdk/hook/heap.h"

#include <errno.h>
#include <malloc.h>
#include <pthread.h>
#include <stdint.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "sdk/guest_fixture.h"
#include "sdk/hook/stack_ids.h"
#include "test/test.h"

enum { KEPT = 1024 };

/* Hide a value from the compiler's optimizer. */
static size_t hidden(size_t n)
{
	__asm__ volatile("" : "+r"(n));
	return n;
}

static void *used(void *p)
{
	__asm__ volatile("" : "+r"(p)::"memory");
	return p;
}

struct exact {
	int64_t objects, bytes;
};

struct live {
	int64_t blocks, objects, bytes;
	const void *at; /* only blocks allocated in this PLACE; NULL: all */
};

static void add_live(void *arg, const struct heap_block *b)
{
	struct live *l = arg;

	if (l->at && !guest_fixture_stack_has(b->stack, l->at))
		return;
	l->blocks++;
	l->objects += b->objects;
	l->bytes += b->bytes;
}

static struct live sum_live(void)
{
	struct live l = {0};

	heap_each_live(add_live, &l);
	return l;
}

static void assert_within(double estimate, double exact, double share)
{
	if (estimate < exact * (1 - share) || estimate > exact * (1 + share))
		fail_msg("%.0f is %.2f %% off %.0f", estimate, 100 * (estimate / exact - 1), exact);
}

/* Return a typical size: mostly small, some large, 700 bytes on average. */
static size_t next_size(uint64_t *random)
{
	static const size_t sizes[] = {16,  24,	 32,  48,   64,	  96,	128,
				       200, 256, 512, 1000, 4096, 3000, 1500};

	*random = *random * 6364136223846793005u + 1442695040888963407u;
	return sizes[(*random >> 33) % countof(sizes)];
}

struct worker {
	pthread_t thread;
	uint64_t seed;
	int count;
	struct exact exact;
	void *kept[KEPT];
};

static void *allocate(void *arg)
{
	struct worker *w = arg;

	guest_thread_begin();
	for (int i = 0; i < w->count; i++) {
		size_t size = next_size(&w->seed);
		void **place = &w->kept[(w->seed >> 50) % KEPT];

		free(*place);
		*place = used(malloc(hidden(size)));
		w->exact.objects++;
		w->exact.bytes += (int64_t)size;
	}
	for (int i = 0; i < KEPT; i++)
		free(w->kept[i]);
	return NULL;
}

static void
totals_of_ten_million_allocations_are_within_three_percent_and_none_is_left(void **state)
{
	static struct worker workers[4];
	struct guest_fixture_sums sums = {0};
	struct exact exact = {0};

	(void)state;
	guest_fixture_start(VARVE_HEAP, 512 * KIB, 0);
	guest_fixture_drain_always(&sums);
	for (unsigned i = 0; i < countof(workers); i++) {
		workers[i] = (struct worker){.seed = i + 1, .count = 2500000};
		assert_ok(pthread_create(&workers[i].thread, NULL, allocate, &workers[i]));
	}
	for (unsigned i = 0; i < countof(workers); i++) {
		assert_ok(pthread_join(workers[i].thread, NULL));
		exact.objects += workers[i].exact.objects;
		exact.bytes += workers[i].exact.bytes;
	}
	guest_fixture_drain_end();
	print_message("bytes %+.2f %%, %d samples, lost %d\n",
		      100 * ((double)sums.value[RECORD_ALLOC] / (double)exact.bytes - 1),
		      (int)sums.records[RECORD_ALLOC], (int)atomic_load(&guest.lost));
	assert_within((double)sums.value[RECORD_ALLOC], (double)exact.bytes, 0.03);
	assert_int_equal(sum_live().blocks, 0);
	guest_fixture_stop();
}

/* Small objects are rarely sampled: their number needs a finer interval than their bytes. */
static void object_counts_are_estimated_without_bias(void **state)
{
	static struct worker worker;
	struct guest_fixture_sums sums = {0};

	(void)state;
	guest_fixture_start(VARVE_HEAP, 16 * KIB, 0);
	guest_fixture_drain_always(&sums);
	worker = (struct worker){.seed = 7, .count = 3000000};
	assert_ok(pthread_create(&worker.thread, NULL, allocate, &worker));
	assert_ok(pthread_join(worker.thread, NULL));
	guest_fixture_drain_end();
	assert_within((double)sums.weight[RECORD_ALLOC] / 65536, (double)worker.exact.objects,
		      0.03);
	assert_within((double)sums.value[RECORD_ALLOC], (double)worker.exact.bytes, 0.03);
	guest_fixture_stop();
}

static PLACE void leak(void **into, unsigned n, size_t size)
{
	for (unsigned i = 0; i < n; i++)
		into[i] = used(malloc(hidden(size)));
}

static PLACE void no_leak(void **into, unsigned n, size_t size)
{
	for (unsigned i = 0; i < n; i++)
		into[i] = used(malloc(hidden(size)));
	for (unsigned i = 0; i < n; i++)
		free(into[i]);
}

static void a_leak_is_reported_at_its_stack(void **state)
{
	static void *blocks[20000];
	struct live at_leak = {.at = (const void *)leak};
	struct live elsewhere = {.at = (const void *)no_leak};

	(void)state;
	guest_fixture_start(VARVE_HEAP, 16 * KIB, 0);
	no_leak(blocks, countof(blocks), 1000);
	leak(blocks, countof(blocks), 1000);
	heap_each_live(add_live, &at_leak);
	heap_each_live(add_live, &elsewhere);
	assert_within((double)at_leak.bytes, (double)sizeof(blocks) / sizeof(blocks[0]) * 1000,
		      0.15);
	assert_int_equal(elsewhere.blocks, 0);
	for (unsigned i = 0; i < countof(blocks); i++)
		free(blocks[i]);
	at_leak = (struct live){.at = (const void *)leak};
	heap_each_live(add_live, &at_leak);
	assert_int_equal(at_leak.blocks, 0);
	guest_fixture_stop();
}

/* With an interval of 1 every allocation is sampled, and all sums are exact. */
static struct guest_fixture_sums exactly;
static int exact_setup(void **state)
{
	(void)state;
	guest_fixture_start(VARVE_HEAP, 1, 0);
	guest_fixture_drain(&exactly);
	exactly = (struct guest_fixture_sums){0};
	return 0;
}

static int exact_teardown(void **state)
{
	(void)state;
	guest_fixture_stop();
	return 0;
}

/* Check the records since the last call. */
static void assert_counted(int64_t objects, int64_t bytes)
{
	struct guest_fixture_sums sums = {0};

	guest_fixture_drain(&sums);
	assert_int_equal(sums.records[RECORD_ALLOC], objects);
	assert_int_equal(sums.weight[RECORD_ALLOC], objects * 65536);
	assert_int_equal(sums.value[RECORD_ALLOC], bytes);
}

static void assert_live(int64_t blocks, int64_t bytes)
{
	struct live l = sum_live();

	assert_int_equal(l.blocks, blocks);
	assert_int_equal(l.bytes, bytes);
}

static void every_function_of_the_family_counts_once(void **state)
{
	void *p[9];

	(void)state;
	p[0] = used(malloc(hidden(100)));
	p[1] = used(calloc(hidden(3), 50));
	p[2] = used(realloc(NULL, hidden(70)));
	p[3] = used(reallocarray(NULL, hidden(4), 25));
	assert_ok(posix_memalign(&p[4], 64, hidden(128)));
	p[5] = used(aligned_alloc(64, hidden(192)));
	p[6] = used(memalign(32, hidden(33)));
	p[7] = used(valloc(hidden(10)));
	p[8] = used(pvalloc(hidden(20)));
	assert_counted(9, 100 + 150 + 70 + 100 + 128 + 192 + 33 + 10 + 20);
	assert_live(9, 100 + 150 + 70 + 100 + 128 + 192 + 33 + 10 + 20);
	for (unsigned i = 0; i < countof(p); i++)
		free(p[i]);
	assert_live(0, 0);
}

static void failed_allocations_are_not_counted_and_keep_errno(void **state)
{
	void *p = (void *)1;

	(void)state;
	errno = 0;
	assert_null(used(malloc(hidden(SIZE_MAX))));
	assert_int_equal(errno, ENOMEM);
	assert_null(used(malloc(hidden((size_t)1 << 63))));
	assert_null(used(malloc(hidden(PTRDIFF_MAX))));
	errno = 0;
	assert_null(used(calloc(hidden(SIZE_MAX / 2), 3)));
	assert_int_equal(errno, ENOMEM);
	assert_null(used(reallocarray(NULL, hidden(SIZE_MAX / 2), 3)));
	assert_int_equal(posix_memalign(&p, 64, hidden(PTRDIFF_MAX)), ENOMEM);
	assert_int_equal(posix_memalign(&p, 3, hidden(10)), EINVAL);
	assert_ptr_equal(p, (void *)1);
	assert_counted(0, 0);
	p = used(malloc(hidden(10))); /* counting continues */
	assert_counted(1, 10);
	free(p);
	assert_live(0, 0);
}

static void realloc_frees_one_block_and_allocates_another(void **state)
{
	void *p = used(malloc(hidden(100)));

	(void)state;
	assert_counted(1, 100);
	p = used(realloc(p, hidden(5000)));
	assert_counted(1, 5000);
	assert_live(1, 5000);
	p = used(realloc(p, hidden(10)));
	assert_counted(1, 10);
	assert_live(1, 10);
	p = used(reallocarray(p, hidden(300000), 2));
	assert_counted(1, 600000);
	assert_live(1, 600000);
	free(p);
	assert_live(0, 0);
}

static void a_failed_realloc_leaves_the_block_live(void **state)
{
	char *p = used(malloc(hidden(100)));
	uintptr_t same = (uintptr_t)used(p);

	(void)state;
	assert_counted(1, 100);
	assert_null(used(realloc(p, hidden(PTRDIFF_MAX))));
	p = (char *)hidden(same);
	assert_null(used(reallocarray(p, hidden(SIZE_MAX / 2), 3)));
	p = (char *)hidden(same);
	assert_counted(0, 0);
	assert_live(1, 100);
	memset(p, 1, 100);
	free(p);
	assert_live(0, 0);
}

static void realloc_to_zero_frees(void **state)
{
	void *p = used(malloc(hidden(100)));

	(void)state;
	assert_null(used(realloc(p, hidden(0))));
	assert_counted(1, 100);
	assert_live(0, 0);
}

static PLACE void *allocate_as_own(void *arg)
{
	(void)arg;
	guest_own_begin();
	free(used(malloc(hidden(1 << 20))));
	guest_own_end();
	return NULL;
}

static PLACE void *not_seen(size_t size)
{
	return used(malloc(hidden(size)));
}

static void the_librarys_own_threads_are_not_counted(void **state)
{
	struct live own = {.at = (const void *)allocate_as_own};
	pthread_t t;

	(void)state;
	assert_ok(pthread_create(&t, NULL, allocate_as_own, NULL));
	assert_ok(pthread_join(t, NULL));
	heap_each_live(add_live, &own);
	assert_int_equal(own.blocks, 0);
	/* allocations of pthread_create() itself belong to the host */
	exactly = (struct guest_fixture_sums){0};
	guest_fixture_drain(&exactly);
	assert_true(exactly.value[RECORD_ALLOC] < 1 << 20);
}

static void frees_are_counted_while_profiling_is_disabled(void **state)
{
	void *before = not_seen(100), *during;

	(void)state;
	assert_counted(1, 100);
	atomic_store(&guest.on, VARVE_CPU);
	during = not_seen(200);
	assert_counted(0, 0);
	assert_live(1, 100);
	free(before);
	assert_live(0, 0);
	atomic_store(&guest.on, VARVE_HEAP);
	free(during);
	for (unsigned i = 0; i < 200; i++) /* the switch is checked again after some bytes */
		free(not_seen(1000));
	exactly = (struct guest_fixture_sums){0};
	guest_fixture_drain(&exactly);
	assert_true(exactly.records[RECORD_ALLOC] > 50);
	assert_live(0, 0);
}

static void a_forked_child_keeps_the_live_blocks(void **state)
{
	void *p = not_seen(300);
	int status;
	pid_t child;

	(void)state;
	heap_before_fork();
	child = fork();
	heap_after_fork();
	if (!child) {
		struct live l;

		guest_forked();
		l = sum_live();
		free(p);
		_exit(l.blocks == 1 && l.bytes == 300 && sum_live().blocks == 0 ? 0 : 1);
	}
	assert_int_equal(waitpid(child, &status, 0), child);
	assert_int_equal(status, 0);
	assert_live(1, 300);
	free(p);
	assert_live(0, 0);
}

static int64_t without_stack;

static void note_without_stack(const struct record *r)
{
	uint32_t n;

	(void)stack_ids_get(r->stack, &n);
	if (!n)
		without_stack += r->value;
}

/* More records than fit the ring are still counted at their stack and in the totals. */
static void records_that_overflow_the_ring_are_in_the_totals(void **state)
{
	enum { COUNT = 300000, SIZE = 64 };
	struct guest_fixture_sums sums = {0};

	(void)state;
	without_stack = 0;
	guest_fixture_each = note_without_stack;
	for (unsigned i = 0; i < COUNT; i++)
		free(not_seen(SIZE));
	guest_fixture_drain(&sums);
	for (unsigned i = 0; i < 1000; i++)
		free(not_seen(100000));
	guest_fixture_drain(&sums);
	guest_fixture_each = NULL;
	assert_true(sums.records[RECORD_ALLOC] < COUNT / 2); /* the ring was full */
	assert_int_equal(without_stack, 0);
	assert_int_equal(atomic_load(&guest.lost), 0);
	assert_within((double)sums.value[RECORD_ALLOC], SIZE * (double)COUNT + 100000.0 * 1000,
		      0.05);
}

TEST_MAIN(test(totals_of_ten_million_allocations_are_within_three_percent_and_none_is_left),
	  test(object_counts_are_estimated_without_bias), test(a_leak_is_reported_at_its_stack),
	  test_with(exact, every_function_of_the_family_counts_once),
	  test_with(exact, failed_allocations_are_not_counted_and_keep_errno),
	  test_with(exact, realloc_frees_one_block_and_allocates_another),
	  test_with(exact, a_failed_realloc_leaves_the_block_live),
	  test_with(exact, realloc_to_zero_frees),
	  test_with(exact, the_librarys_own_threads_are_not_counted),
	  test_with(exact, frees_are_counted_while_profiling_is_disabled),
	  test_with(exact, a_forked_child_keeps_the_live_blocks),
	  test_with(exact, records_that_overflow_the_ring_are_in_the_totals))
