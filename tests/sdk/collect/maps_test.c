/* SPDX-License-Identifier: Apache-2.0 */
/* This program links libvarve.so's mmap() family: its own mappings are counted. */
#include "sdk/collect/heap_maps.h"

#include <errno.h>
#include <string.h>
#include <sys/mman.h>

#include "sdk/guest_fixture.h"
#include "test/test.h"

enum { PAGE = 4096 };

struct live {
	int64_t ranges, bytes;
	const void *at;
};

static void add_range(void *arg, const struct heap_block *b)
{
	struct live *l = arg;

	if (l->at && !guest_fixture_stack_has(b->stack, l->at))
		return;
	l->ranges++;
	l->bytes += b->bytes;
}

static void assert_live(int64_t ranges, int64_t pages)
{
	struct live l = {0};

	heap_maps_each(add_range, &l);
	assert_int_equal(l.ranges, ranges);
	assert_int_equal(l.bytes, pages * PAGE);
}

static int maps_setup(void **state)
{
	(void)state;
	guest_fixture_start(VARVE_MMAP, 512 * KIB, 0);
	return 0;
}

static int maps_teardown(void **state)
{
	(void)state;
	guest_fixture_stop();
	assert_int_equal(heap_maps_count, 0);
	return 0;
}

/* Compare with a model: an array of pages, each with the number of its mapping. */
static void random_ranges_match_a_model(void **state)
{
	enum { PAGES = 300, STEPS = 100000 };
	static uint32_t model[PAGES], found[PAGES];
	uint64_t random = 42;
	struct heap_maps_cut cut;

	(void)state;
	for (uint32_t step = 1; step <= STEPS; step++) {
		random = random * 6364136223846793005u + 1442695040888963407u;
		uint32_t from = (uint32_t)(random >> 40) % PAGES;
		uint32_t to = from + 1 + (uint32_t)(random >> 20) % 20;
		uint32_t end = to < PAGES ? to : PAGES, who = 0;

		if (random >> 63) {
			struct heap_map m = {.start = from, .end = end, .stack = step};

			who = step;
			assert_true(heap_maps_put(&m));
		} else {
			heap_maps_remove(from, end, &cut);
			if (random >> 62) { /* a failed call */
				heap_maps_restore(&cut);
				continue;
			}
		}
		for (uint32_t i = from; i < end; i++)
			model[i] = who;
	}
	struct heap_map whole = {.start = PAGES + 1, .end = PAGES + 2, .stack = 1};

	assert_true(heap_maps_put(&whole));
	for (uint32_t i = 0; i < PAGES; i++) {
		heap_maps_remove(i, i + 1, &cut);
		found[i] = cut.n ? cut.pieces[0].stack : 0;
		assert_true(cut.n <= 1);
	}
	assert_memory_equal(model, found, sizeof(model));
	assert_int_equal(heap_maps_count, 1);
	heap_maps_clear();
}

static PLACE void *map_pages(size_t n)
{
	void *p = mmap(NULL, n * PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	__asm__ volatile("" ::: "memory");
	return p;
}

static void mappings_are_counted_at_their_stack_until_unmapped(void **state)
{
	struct guest_fixture_sums sums = {0};
	struct live here = {.at = (const void *)map_pages};
	char *p = map_pages(10);

	(void)state;
	guest_fixture_drain(&sums);
	assert_int_equal(sums.value[RECORD_MMAP], 10 * PAGE);
	assert_int_equal(sums.weight[RECORD_MMAP], 1);
	heap_maps_each(add_range, &here);
	assert_int_equal(here.bytes, 10 * PAGE);
	assert_ok(munmap(p, 10 * PAGE));
	assert_live(0, 0);
}

static void an_unmapped_part_is_removed_from_its_mapping(void **state)
{
	char *p = map_pages(10);

	(void)state;
	assert_ok(munmap(p + 3 * PAGE, 2 * PAGE - 100));
	assert_live(2, 8);
	assert_ok(munmap(p, PAGE));
	assert_live(2, 7);
	assert_ok(munmap(p, 10 * PAGE));
	assert_live(0, 0);
}

static void failed_calls_change_nothing(void **state)
{
	char *p = map_pages(4);

	(void)state;
	errno = 0;
	assert_int_equal(munmap(p + 1, PAGE), -1);
	assert_int_equal(errno, EINVAL);
	assert_live(1, 4);
	assert_ptr_equal(mmap(NULL, 0, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0), MAP_FAILED);
	assert_ptr_equal(mmap(NULL, (size_t)1 << 60, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0),
			 MAP_FAILED);
	assert_int_equal(errno, ENOMEM);
	assert_ptr_equal(mremap(p, 4 * PAGE, (size_t)1 << 60, MREMAP_MAYMOVE), MAP_FAILED);
	assert_live(1, 4);
	assert_ok(munmap(p, 4 * PAGE));
	assert_live(0, 0);
}

static void a_mapping_that_moves_or_grows_keeps_its_stack(void **state)
{
	struct guest_fixture_sums sums = {0};
	struct live here = {.at = (const void *)map_pages};
	char *p = map_pages(4);

	(void)state;
	p = mremap(p, 4 * PAGE, 4000 * PAGE, MREMAP_MAYMOVE);
	assert_ptr_not_equal(p, MAP_FAILED);
	assert_live(1, 4000);
	heap_maps_each(add_range, &here);
	assert_int_equal(here.bytes, 4000 * PAGE);
	guest_fixture_drain(&sums);
	assert_int_equal(sums.value[RECORD_MMAP], 4000 * PAGE);
	assert_int_equal(sums.weight[RECORD_MMAP], 1);
	p = mremap(p, 4000 * PAGE, 2 * PAGE, 0);
	assert_live(1, 2);
	assert_ok(munmap(p, 2 * PAGE));
	assert_live(0, 0);
}

static void a_fixed_mapping_replaces_the_mappings_below_it(void **state)
{
	char *p = map_pages(10);

	(void)state;
	assert_ptr_equal(mmap(p + 2 * PAGE, 3 * PAGE, PROT_READ,
			      MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0),
			 p + 2 * PAGE);
	assert_live(3, 10);
	assert_ok(munmap(p, 10 * PAGE));
	assert_live(0, 0);
}

static void file_mappings_are_not_counted(void **state)
{
	FILE *f = fopen("/proc/self/exe", "r");
	void *p = mmap(NULL, PAGE, PROT_READ, MAP_PRIVATE, fileno(f), 0);

	(void)state;
	assert_ptr_not_equal(p, MAP_FAILED);
	assert_live(0, 0);
	assert_ok(munmap(p, PAGE));
	fclose(f);
}

TEST_MAIN(test(random_ranges_match_a_model),
	  test_with(maps, mappings_are_counted_at_their_stack_until_unmapped),
	  test_with(maps, an_unmapped_part_is_removed_from_its_mapping),
	  test_with(maps, failed_calls_change_nothing),
	  test_with(maps, a_mapping_that_moves_or_grows_keeps_its_stack),
	  test_with(maps, a_fixed_mapping_replaces_the_mappings_below_it),
	  test_with(maps, file_mappings_are_not_counted))
