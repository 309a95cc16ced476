/* SPDX-License-Identifier: Apache-2.0 */
#include "base/container/map.h"

#include <errno.h>

#include "test/test.h"

/* Return a typical key: consecutive ids, page-aligned addresses, or random bits. */
static uint64_t key_of(uint64_t i)
{
	switch (i % 3) {
	case 0:
		return i / 3;
	case 1:
		return 0x7f0000000000 + (i << 12);
	default:
		return ~i;
	}
}

static void keys_keep_their_values_across_growth(void **state)
{
	struct arena a;
	struct map m;
	uint64_t value = 7;

	(void)state;
	arena_init(&a, NULL);
	assert_ok(map_init(&m, &a, 0));
	assert_false(map_get(&m, 0, &value));
	assert_false(map_get(&m, 1, &value));
	assert_int_equal(value, 7);
	for (uint64_t i = 0; i < 30000; i++)
		assert_ok(map_set(&m, key_of(i), i));
	assert_int_equal(map_count(&m), 30000);
	for (uint64_t i = 0; i < 30000; i++) {
		assert_true(map_get(&m, key_of(i), &value));
		assert_int_equal(value, i);
	}
	assert_false(map_get(&m, 0x123456789, &value));
	arena_fini(&a);
}

static void setting_a_key_again_replaces_its_value(void **state)
{
	static const uint64_t keys[] = {0, 1, UINT64_MAX};
	struct arena a;
	struct map m;
	uint64_t value;
	bool added;

	(void)state;
	arena_init(&a, NULL);
	assert_ok(map_init(&m, &a, 100));
	for (size_t i = 0; i < countof(keys); i++) {
		uint64_t *at = map_at(&m, keys[i], &added);

		assert_true(added);
		assert_int_equal(*at, 0);
		*at = 5;
		assert_ptr_equal(map_at(&m, keys[i], &added), at);
		assert_false(added);
		assert_ok(map_set(&m, keys[i], 6));
		assert_true(map_get(&m, keys[i], &value));
		assert_int_equal(value, 6);
	}
	assert_int_equal(map_count(&m), 3);
	arena_fini(&a);
}

static void failed_growth_changes_nothing(void **state)
{
	struct arena a;
	struct map m;
	uint64_t value, failures = 0;

	(void)state;
	arena_init(&a, NULL);
	a.fail_after = 1;
	assert_int_equal(map_init(&m, &a, 0), -ENOMEM);
	a.fail_after = 0;
	assert_ok(map_init(&m, &a, 0));
	for (uint64_t i = 0; i < 1000; i++) {
		a.fail_after = 1;
		if (map_set(&m, key_of(i), i)) {
			failures++;
			assert_int_equal(map_count(&m), i);
			assert_false(map_get(&m, key_of(i), &value));
			a.fail_after = 0;
			assert_ok(map_set(&m, key_of(i), i));
		}
	}
	assert_in_range(failures, 3, 10);
	for (uint64_t i = 0; i < 1000; i++) {
		assert_true(map_get(&m, key_of(i), &value));
		assert_int_equal(value, i);
	}
	arena_fini(&a);
}

TEST_MAIN(test(keys_keep_their_values_across_growth), test(setting_a_key_again_replaces_its_value),
	  test(failed_growth_changes_nothing))
