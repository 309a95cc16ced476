/* SPDX-License-Identifier: Apache-2.0 */
/* The table of live heap blocks and its filters. */
#include "sdk/hook/heap_table.h"

#include <errno.h>
#include <pthread.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "test/test.h"

static struct heap_block block_at(uint64_t address, int64_t bytes)
{
	return (struct heap_block){.address = address, .bytes = bytes, .objects = 65536, .size = 8};
}

static const void *pointer(uint64_t address)
{
	return (const void *)(uintptr_t)address;
}

struct sums {
	uint64_t blocks;
	int64_t bytes;
};

static void add_block(void *arg, const struct heap_block *b)
{
	struct sums *s = arg;

	s->blocks++;
	s->bytes += b->bytes;
}

static struct sums sum_table(void)
{
	struct sums s = {0};

	heap_table_each(add_block, &s);
	return s;
}

static struct heap_table_stats stats(void)
{
	struct heap_table_stats s;

	heap_table_stats(&s);
	return s;
}

static int empty(void **state)
{
	(void)state;
	heap_table_clear();
	heap_table_set_limit(64 << 20);
	return 0;
}

static void a_block_can_be_taken_once(void **state)
{
	struct heap_block in = block_at(0x1000, 42), out;

	(void)state;
	assert_false(heap_maybe_live(pointer(0x1000)));
	assert_true(heap_table_put(&in));
	assert_true(heap_maybe_live(pointer(0x1000)));
	assert_true(heap_table_take(pointer(0x1000), &out));
	assert_memory_equal(&in, &out, sizeof(in));
	assert_false(heap_maybe_live(pointer(0x1000)));
	assert_false(heap_table_take(pointer(0x1000), &out));
}

static void a_second_put_of_an_address_replaces_the_block(void **state)
{
	struct heap_block first = block_at(0x2000, 1), second = block_at(0x2000, 2), out;

	(void)state;
	assert_true(heap_table_put(&first));
	assert_true(heap_table_put(&second));
	assert_int_equal(sum_table().blocks, 1);
	assert_true(heap_table_take(pointer(0x2000), &out));
	assert_int_equal(out.bytes, 2);
	assert_false(heap_maybe_live(pointer(0x2000)));
}

static void null_is_not_a_block(void **state)
{
	struct heap_block in = block_at(0x3000, 1), out;

	(void)state;
	assert_true(heap_table_put(&in));
	assert_false(heap_table_take(NULL, &out));
}

/* Compare with a model: a plain array of the expected blocks. */
static void random_puts_and_takes_match_a_model(void **state)
{
	enum { ADDRESSES = 3000, STEPS = 400000 };
	static int64_t model[ADDRESSES];
	uint64_t random = 88172645463325252u;
	struct sums expected = {0}, found;

	(void)state;
	memset(model, 0, sizeof(model));
	for (unsigned i = 0; i < STEPS; i++) {
		random ^= random << 13;
		random ^= random >> 7;
		random ^= random << 17;
		unsigned which = (unsigned)(random >> 20) % ADDRESSES;
		uint64_t address = 0x7f0000000000u + which * 48u / 16 * 16;
		struct heap_block b = block_at(address, 1 + (int64_t)(i % 1000)), out;

		if (random & 1) {
			assert_true(heap_table_put(&b));
			model[which] = b.bytes;
		} else {
			assert_int_equal(heap_table_take(pointer(address), &out),
					 model[which] != 0);
			if (model[which])
				assert_int_equal(out.bytes, model[which]);
			model[which] = 0;
		}
	}
	for (unsigned i = 0; i < ADDRESSES; i++) {
		expected.blocks += model[i] != 0;
		expected.bytes += model[i];
	}
	found = sum_table();
	assert_int_equal(found.blocks, expected.blocks);
	assert_int_equal(found.bytes, expected.bytes);
	assert_int_equal(stats().blocks, expected.blocks);
}

static void clearing_frees_memory_and_resets_the_filters(void **state)
{
	(void)state;
	for (uint64_t i = 1; i <= 10000; i++) {
		struct heap_block b = block_at(i * 64, 1);

		assert_true(heap_table_put(&b));
	}
	assert_true(stats().bytes >= 10000 * sizeof(struct heap_block));
	heap_table_clear();
	assert_int_equal(stats().bytes, 0);
	assert_int_equal(stats().blocks, 0);
	for (size_t i = 0; i < countof(heap_gate); i++)
		assert_int_equal(heap_gate[i], 0);
	for (size_t i = 0; i < countof(heap_filter); i++)
		assert_int_equal(heap_filter[i], 0);
}

/*
 * Look up a thousand pointers that are not in the table. Return how many pass the first filter, and
 * in *lookups how many pass both.
 */
static unsigned count_filter_passes(unsigned *lookups)
{
	unsigned past = 0;

	*lookups = 0;
	for (uint64_t i = 1; i <= 1000; i++) {
		const void *p = pointer(0x7f0012340000u + i * 80);

		past += heap_maybe_live(p);
		*lookups += heap_likely_live(p);
		assert_true(heap_maybe_live(p) || !heap_likely_live(p));
	}
	return past;
}

static void few_unknown_pointers_pass_the_filters(void **state)
{
	unsigned lookups;
	struct heap_block out;

	(void)state;
	assert_int_equal(count_filter_passes(&lookups), 0);
	for (uint64_t i = 1; i <= 200; i++) {
		struct heap_block b = block_at(0x7f0000000000u + i * 48 * 7, 1);

		assert_true(heap_table_put(&b));
	}
	assert_in_range(count_filter_passes(&lookups), 1, 100);
	assert_in_range(lookups, 0, 5);
	for (uint64_t i = 201; i <= 2000; i++) {
		struct heap_block b = block_at(0x7f0000000000u + i * 48 * 7, 1);

		assert_true(heap_table_put(&b));
	}
	assert_int_equal(count_filter_passes(&lookups), 1000);
	assert_in_range(lookups, 0, 30);
	for (uint64_t i = 101; i <= 2000; i++)
		assert_true(heap_table_take(pointer(0x7f0000000000u + i * 48 * 7), &out));
	assert_in_range(count_filter_passes(&lookups), 1, 50);
}

/* Runs last: the address stays in the filters. */
static void a_permanent_address_always_passes_the_filters(void **state)
{
	static uint64_t place;
	const void *p = &place;
	struct heap_block out;

	(void)state;
	assert_true(heap_filter_add_permanent(p));
	/* the last two share its bit: they differ above 32 bits */
	for (uint64_t i = 0; i < 3; i++) {
		struct heap_block b = block_at((uintptr_t)p + (i << 32), 1);

		assert_true(heap_table_put(&b));
		assert_true(heap_table_take(pointer(b.address), &out));
		assert_true(heap_maybe_live(p) && heap_likely_live(p));
		assert_true(heap_table_put(&b));
		heap_table_clear();
		assert_true(heap_maybe_live(p) && heap_likely_live(p));
	}
	assert_false(heap_table_take(p, &out));
}

/* Live blocks pass the filters while the table grows and shrinks, even if they share a bit. */
static void every_live_block_passes_the_filters(void **state)
{
	enum { BLOCKS = 400000 };
	struct heap_block out;

	(void)state;
	for (uint64_t i = 1; i <= BLOCKS; i++) {
		struct heap_block b = block_at(i * 48, 1);

		assert_true(heap_table_put(&b));
		assert_true(heap_maybe_live(pointer(b.address)));
		assert_true(heap_maybe_live(pointer((1 + i / 2) * 48)));
	}
	for (uint64_t i = 1; i <= BLOCKS; i++) {
		assert_true(heap_maybe_live(pointer(i * 48)) && heap_likely_live(pointer(i * 48)));
		assert_true(heap_table_take(pointer(i * 48), &out));
		assert_true(heap_maybe_live(pointer(BLOCKS * UINT64_C(48))) == (i < BLOCKS));
	}
	assert_false(heap_maybe_live(pointer(48)));
}

static void memory_is_bounded_and_dropped_blocks_are_counted(void **state)
{
	enum { LIMIT = 64 << 20 };
	uint64_t put = 0, tried = 0;

	(void)state;
	while (stats().dropped < 1000 && tried < 4000000) {
		struct heap_block b = block_at(++tried * 16, 1), out;

		put += heap_table_put(&b);
		if (tried % 100000 == 0)
			assert_true(heap_table_take(pointer(b.address), &out) || stats().dropped);
	}
	assert_true(stats().dropped >= 1000);
	assert_true(stats().bytes <= LIMIT);
	assert_true(put > LIMIT / sizeof(struct heap_block) / 4);
}

static void a_table_at_its_limit_increases_the_sampling_interval(void **state)
{
	struct heap_block out;
	uint64_t n = 0;

	(void)state;
	heap_table_set_limit(1 << 20);
	while (!atomic_load(&heap_table_interval_shift) && n < 1000000) {
		struct heap_block b = block_at(++n * 16, 1);

		assert_true(heap_table_put(&b));
	}
	assert_true(atomic_load(&heap_table_interval_shift));
	while (stats().dropped < 100) {
		struct heap_block b = block_at(++n * 16, 1);

		(void)heap_table_put(&b);
	}
	assert_int_equal(atomic_load(&heap_table_interval_shift), 15);
	heap_table_relax();
	assert_true(atomic_load(&heap_table_interval_shift));
	for (uint64_t i = 1; i <= n; i++)
		(void)heap_table_take(pointer(i * 16), &out);
	heap_table_relax();
	assert_int_equal(atomic_load(&heap_table_interval_shift), 0);
}

/* Each thread uses its own addresses; all threads share all shards. */
static void *put_and_take(void *arg)
{
	uint64_t base = (uint64_t)(uintptr_t)arg << 32;

	for (unsigned round = 0; round < 200; round++) {
		for (uint64_t i = 1; i <= 300; i++) {
			struct heap_block b = block_at(base + i * 32, (int64_t)i);

			if (!heap_table_put(&b))
				return "not put";
		}
		for (uint64_t i = 1; i <= 300; i++) {
			struct heap_block out;

			if (!heap_table_take(pointer(base + i * 32), &out) ||
			    out.bytes != (int64_t)i)
				return "not found";
		}
	}
	return NULL;
}

static void threads_find_their_own_blocks(void **state)
{
	pthread_t threads[4];
	void *result;

	(void)state;
	for (uintptr_t i = 0; i < countof(threads); i++)
		assert_ok(pthread_create(&threads[i], NULL, put_and_take, (void *)(i + 1)));
	for (unsigned i = 0; i < 50; i++)
		(void)sum_table();
	for (unsigned i = 0; i < countof(threads); i++) {
		assert_ok(pthread_join(threads[i], &result));
		assert_null(result);
	}
	assert_int_equal(sum_table().blocks, 0);
	assert_int_equal(stats().missed, 0);
}

static void errno_is_preserved(void **state)
{
	(void)state;
	for (uint64_t i = 1; i <= 1000; i++) {
		struct heap_block b = block_at(i * 16, 1), out;

		errno = 4242;
		assert_true(heap_table_put(&b));
		assert_int_equal(errno, 4242);
		assert_true(heap_table_take(pointer(b.address), &out));
		assert_int_equal(errno, 4242);
		assert_true(heap_table_put(&b));
	}
}

/* Other threads use the table meanwhile: the child inherits no held lock and can use the table. */
static void a_forked_child_can_use_the_table(void **state)
{
	struct heap_block kept = block_at(0x5550, 5), out;
	pthread_t other;
	void *result;

	(void)state;
	assert_true(heap_table_put(&kept));
	assert_ok(pthread_create(&other, NULL, put_and_take, (void *)(uintptr_t)9));
	for (unsigned i = 0; i < 30; i++) {
		int status;
		pid_t child;

		heap_table_before_fork();
		/* as another fork handler would do */
		assert_true(heap_table_take(pointer(0x5550), &out));
		assert_true(heap_table_put(&kept));
		child = fork();
		heap_table_after_fork();
		if (!child) {
			bool right = heap_table_take(pointer(0x5550), &out) && out.bytes == 5;

			for (uint64_t a = 1; a <= 1000; a++) {
				struct heap_block b = block_at(a * 1024, 1);

				right &= heap_table_put(&b);
			}
			/*
			 * not _exit(): a sanitizer would wait for a thread that the child does not
			 * have
			 */
			syscall(SYS_exit_group, right && stats().missed == 0 ? 0 : 1);
		}
		assert_int_equal(waitpid(child, &status, 0), child);
		assert_int_equal(status, 0);
	}
	assert_ok(pthread_join(other, &result));
	assert_null(result);
}

#define fresh(name) cmocka_unit_test_setup_teardown(name, empty, empty)

TEST_MAIN(fresh(a_block_can_be_taken_once), fresh(a_second_put_of_an_address_replaces_the_block),
	  fresh(null_is_not_a_block), fresh(random_puts_and_takes_match_a_model),
	  fresh(clearing_frees_memory_and_resets_the_filters),
	  fresh(memory_is_bounded_and_dropped_blocks_are_counted),
	  fresh(a_table_at_its_limit_increases_the_sampling_interval),
	  fresh(threads_find_their_own_blocks), fresh(errno_is_preserved),
	  fresh(a_forked_child_can_use_the_table), fresh(every_live_block_passes_the_filters),
	  fresh(few_unknown_pointers_pass_the_filters),
	  fresh(a_permanent_address_always_passes_the_filters))
