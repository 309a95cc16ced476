/* SPDX-License-Identifier: Apache-2.0 */
#include "base/container/idset.h"

#include <errno.h>

#include "base/container/hash.h"
#include "test/test.h"

static bool has(const struct idset *s, uint32_t hash, uint32_t wanted)
{
	struct idset_cursor c = idset_seek(s, hash);
	uint32_t id;

	while (idset_next(s, &c, &id))
		if (id == wanted)
			return true;
	return false;
}

static void ids_are_found_after_growth_even_with_equal_hashes(void **state)
{
	struct arena a;
	struct idset s;

	(void)state;
	arena_init(&a, NULL);
	assert_ok(idset_init(&s, &a, 0));
	for (uint32_t id = 0; id < 5000; id++)
		assert_ok(idset_add(&s, hash_u64(id / 3), id));
	for (uint32_t id = 0; id < 5000; id++)
		assert_true(has(&s, hash_u64(id / 3), id));
	assert_false(has(&s, hash_u64(0), 3));
	arena_fini(&a);
}

static void a_failed_growth_changes_nothing(void **state)
{
	struct arena a;
	struct idset s;
	uint32_t id = 0;
	int rc = 0;

	(void)state;
	arena_init(&a, NULL);
	assert_ok(idset_init(&s, &a, 0));
	a.fail_after = 1;
	while (!rc) {
		rc = idset_add(&s, hash_u64(id), id);
		id += !rc;
	}
	assert_int_equal(rc, -ENOMEM);
	assert_int_equal(s.count, id);
	for (uint32_t i = 0; i < id; i++)
		assert_true(has(&s, hash_u64(i), i));
	assert_false(has(&s, hash_u64(id), id));
	arena_fini(&a);
}

TEST_MAIN(test(ids_are_found_after_growth_even_with_equal_hashes),
	  test(a_failed_growth_changes_nothing))
