/* SPDX-License-Identifier: Apache-2.0 */
#include "base/container/intern.h"

#include "test/test.h"

struct fixture {
	struct arena arena;
	struct intern in;
	char name[32];
};

static int fixture_setup(void **state)
{
	struct fixture *f = calloc(1, sizeof(*f));

	arena_init(&f->arena, NULL);
	*state = f;
	return intern_init(&f->in, &f->arena);
}

static int fixture_teardown(void **state)
{
	struct fixture *f = *state;

	arena_fini(&f->arena);
	free(f);
	return 0;
}

static struct str name_of(struct fixture *f, uint32_t i)
{
	snprintf(f->name, sizeof(f->name), "name_%u", i);
	return str_from(f->name);
}

static void empty_string_is_id_zero(void **state)
{
	struct fixture *f = *state;
	uint32_t id;

	assert_ok(intern_add(&f->in, STR(""), &id));
	assert_int_equal(id, 0);
	assert_ok(intern_add(&f->in, (struct str){0}, &id));
	assert_int_equal(id, 0);
	assert_int_equal(intern_count(&f->in), 1);
}

static void equal_strings_share_an_id_across_growth(void **state)
{
	struct fixture *f = *state;
	uint32_t id;

	for (uint32_t round = 0; round < 2; round++) {
		for (uint32_t i = 0; i < 5000; i++) {
			assert_ok(intern_add(&f->in, name_of(f, i), &id));
			assert_int_equal(id, i + 1);
			assert_str_equal(intern_get(&f->in, id), name_of(f, i));
			assert_ok(intern_add(&f->in, name_of(f, i), &id));
			assert_int_equal(id, i + 1);
		}
	}
	assert_int_equal(intern_count(&f->in), 5001);
}

static void borrowed_strings_are_not_copied(void **state)
{
	static const char text[] = "stays";
	struct fixture *f = *state;
	uint32_t borrowed, added;

	assert_ok(intern_borrow(&f->in, str_from(text), &borrowed));
	assert_ptr_equal(intern_get(&f->in, borrowed).p, text);
	assert_ok(intern_add(&f->in, STR("stays"), &added));
	assert_int_equal(added, borrowed);
	assert_ok(intern_add(&f->in, name_of(f, 1), &added));
	assert_true(intern_get(&f->in, added).p != f->name);
}

/* Each allocation fails once: existing strings stay and no partial addition is visible. */
static void failed_allocation_changes_nothing(void **state)
{
	struct fixture *f = *state;
	uint32_t failures = 0, id;

	for (uint32_t i = 0; i < 3000; i++) {
		uint32_t before = intern_count(&f->in);

		for (unsigned nth = 1;; nth++) {
			f->arena.fail_after = nth;
			int rc = intern_add(&f->in, name_of(f, i), &id);
			f->arena.fail_after = 0;
			if (!rc)
				break;
			assert_int_equal(rc, -ENOMEM);
			assert_int_equal(intern_count(&f->in), before);
			failures++;
		}
		assert_int_equal(id, i + 1);
	}
	assert_true(failures > 3000);
}

TEST_MAIN(test_with(fixture, empty_string_is_id_zero),
	  test_with(fixture, equal_strings_share_an_id_across_growth),
	  test_with(fixture, borrowed_strings_are_not_copied),
	  test_with(fixture, failed_allocation_changes_nothing))
