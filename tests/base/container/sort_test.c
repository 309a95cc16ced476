/* SPDX-License-Identifier: Apache-2.0 */
#include "base/container/sort.h"

#include <stdlib.h>

#include "base/container/hash.h"
#include "test/test.h"

enum { MANY = 5000 };

/* Sort keys of `bits` bits, which has many duplicates if `bits` is small; values count up. */
static void check_sorted(uint32_t n, unsigned bits)
{
	static struct sort_pair pairs[MANY], spare[MANY];
	uint32_t keys[MANY] = {0};
	bool seen[MANY] = {false};
	const struct sort_pair *sorted;

	for (uint32_t i = 0; i < n; i++) {
		keys[i] = (uint32_t)(hash_u64(i) & (UINT64_C(0xffffffff) >> (32 - bits)));
		pairs[i] = (struct sort_pair){keys[i], i};
	}
	sorted = sort_pairs(pairs, spare, n);
	for (uint32_t i = 0; i < n; i++) {
		assert_int_equal(sorted[i].key, keys[sorted[i].value]);
		assert_false(seen[sorted[i].value]);
		seen[sorted[i].value] = true;
		if (!i)
			continue;
		assert_true(sorted[i - 1].key <= sorted[i].key);
		if (sorted[i - 1].key == sorted[i].key)
			assert_true(sorted[i - 1].value < sorted[i].value);
	}
}

static void the_sort_by_key_is_stable(void **state)
{
	(void)state;
	for (unsigned bits = 1; bits <= 32; bits++)
		check_sorted(MANY, bits);
	for (uint32_t n = 0; n < 20; n++)
		check_sorted(n, 32);
}

static void sorted_input_is_unchanged(void **state)
{
	struct sort_pair pairs[] = {{1, 9}, {1, 8}, {UINT32_MAX, 7}}, spare[3];

	(void)state;
	assert_ptr_equal(sort_pairs(pairs, spare, 3), pairs);
	assert_int_equal(pairs[0].value, 9);
	assert_int_equal(pairs[2].value, 7);
}

static int compare_keys(const void *a, const void *b, void *calls)
{
	uint32_t x = ((const struct sort_pair *)a)->key, y = ((const struct sort_pair *)b)->key;

	++*(unsigned *)calls;
	return x < y ? -1 : x > y;
}

static void a_partial_sort_returns_the_first_of_a_full_sort(void **state)
{
	static struct sort_pair pairs[MANY], spare[MANY];
	static const size_t wanted[] = {0, 1, 2, 7, 100, MANY - 1, MANY, MANY + 5};

	(void)state;
	for (size_t w = 0; w < countof(wanted); w++) {
		size_t k = wanted[w] < MANY ? wanted[w] : MANY;
		bool seen[MANY] = {false};
		unsigned calls = 0;

		for (uint32_t i = 0; i < MANY; i++)
			spare[i] = pairs[i] = (struct sort_pair){hash_u64(i) % 2000, i};
		qsort_r(spare, MANY, sizeof(*spare), compare_keys, &calls);
		calls = 0;
		sort_first(pairs, MANY, sizeof(*pairs), wanted[w], compare_keys, &calls);
		for (size_t i = 0; i < k; i++)
			assert_int_equal(pairs[i].key, spare[i].key);
		for (size_t i = 0; i < MANY; i++) { /* no value is lost */
			assert_false(seen[pairs[i].value]);
			seen[pairs[i].value] = true;
		}
		if (k <= 7)
			assert_true(calls < 2 * MANY);
	}
	sort_first(NULL, 0, sizeof(*pairs), 3, compare_keys, NULL);
}

TEST_MAIN(test(the_sort_by_key_is_stable), test(sorted_input_is_unchanged),
	  test(a_partial_sort_returns_the_first_of_a_full_sort))
