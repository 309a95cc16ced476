/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Building batches row by row: deduplication, reset, failing allocations, and the validity checker.
 */
#include "signal/profile/profile_builder.h"

#include "signal/sample_profile.h"

struct fixture {
	struct profile_batch batch;
	struct profile_builder builder;
};

static int fixture_setup(void **state)
{
	struct fixture *f = calloc(1, sizeof(*f));

	*state = f;
	return !f || profile_batch_init(&f->batch, NULL) ||
	       profile_builder_init(&f->builder, &f->batch);
}

static int fixture_teardown(void **state)
{
	struct fixture *f = *state;

	profile_batch_fini(&f->batch);
	free(f);
	return 0;
}

static void an_empty_batch_is_valid(void **state)
{
	struct fixture *f = *state;

	assert_valid(&f->batch);
	assert_int_equal(f->batch.strings.n, 1);
	assert_int_equal(f->batch.sample_count, 0);
}

static void equal_rows_get_equal_ids(void **state)
{
	struct fixture *f = *state;
	const struct profile_batch *b = &f->batch;

	assert_ok(build_sample_profile(&f->builder));
	assert_valid(b);

	uint32_t rows[] = {b->strings.n, b->mappings.n, b->functions.n, b->locations.n,
			   b->stacks.n,	 b->links.n,	b->attributes.n};

	assert_ok(build_sample_profile(&f->builder));
	assert_valid(b);

	uint32_t again[] = {b->strings.n, b->mappings.n, b->functions.n, b->locations.n,
			    b->stacks.n,  b->links.n,	 b->attributes.n};

	assert_memory_equal(rows, again, sizeof(rows));
	assert_int_equal(b->profiles.n, 2);
	assert_int_equal(b->sample_count, 2);
	assert_int_equal(b->sample_stack[0], b->sample_stack[1]);
	assert_int_equal(sample_total(b, 1), -5);
}

static void a_second_builder_finds_the_rows_of_the_first(void **state)
{
	struct fixture *f = *state;
	struct profile_builder second;
	uint32_t rows;

	assert_ok(build_sample_profile(&f->builder));
	rows = f->batch.strings.n + f->batch.locations.n + f->batch.stacks.n;
	assert_ok(profile_builder_init(&second, &f->batch));
	assert_ok(build_sample_profile(&second));
	assert_int_equal(f->batch.strings.n + f->batch.locations.n + f->batch.stacks.n, rows);
}

static void rows_that_differ_in_one_field_are_kept_apart(void **state)
{
	struct fixture *f = *state;
	struct profile_builder *b = &f->builder;
	uint32_t one, two;

	assert_ok(profile_add_frame(b, STR("f"), STR("a.c"), 1, &one));
	assert_ok(profile_add_frame(b, STR("f"), STR("a.c"), 2, &two));
	assert_int_not_equal(one, two);
	assert_ok(profile_add_frame(b, STR("f"), STR("b.c"), 1, &two));
	assert_int_not_equal(one, two);
	assert_ok(profile_add_attribute(b, STR("k"), VALUE_OF_INT(1), STR(""), &one));
	assert_ok(profile_add_attribute(b, STR("k"), VALUE_OF_BOOL(1), STR(""), &two));
	assert_int_not_equal(one, two);
	assert_ok(profile_add_attribute(b, STR("k"), VALUE_OF_INT(1), STR("bytes"), &two));
	assert_int_not_equal(one, two);
}

/* Each allocation fails once: the call returns an error and the batch is still valid. */
static void failed_allocations_leave_a_valid_batch(void **state)
{
	bool failed = true;

	(void)state;
	for (unsigned nth = 1; failed; nth++) {
		struct fixture f;

		assert_ok(profile_batch_init(&f.batch, NULL));
		assert_ok(profile_builder_init(&f.builder, &f.batch));
		f.batch.arena.fail_after = nth;
		failed = false;
		for (int round = 0; !failed && round < 40; round++)
			failed = build_sample_profile(&f.builder) != 0;
		assert_valid(&f.batch);
		profile_batch_fini(&f.batch);
	}
}

static void a_reset_batch_is_empty_and_allocates_nothing_new(void **state)
{
	struct budget budget = {.limit = SIZE_MAX};
	struct profile_batch batch;
	struct profile_builder builder;
	size_t used = 0;

	(void)state;
	assert_ok(profile_batch_init(&batch, &budget));
	for (int round = 0; round < 6; round++) {
		assert_ok(profile_builder_init(&builder, &batch));
		for (int i = 0; i < 1000; i++)
			assert_ok(build_sample_profile(&builder));
		if (round > 3)
			assert_int_equal(budget.used, used);
		used = budget.used;
		assert_ok(profile_batch_reset(&batch));
		assert_valid(&batch);
		assert_int_equal(batch.sample_count, 0);
	}
	profile_batch_fini(&batch);
	assert_int_equal(budget.used, 0);
}

/* The checker finds each broken invariant. */
static void broken_batches_are_found(void **state)
{
	struct fixture *f = *state;
	struct profile_batch *b = &f->batch;
	struct err e = {0};

	assert_ok(build_sample_profile(&f->builder));

	uint32_t *breakable[] = {&b->sample_stack[0],	       &b->sample_link[0],
				 &b->sample_values_at[1],      &b->sample_times_at[1],
				 &b->sample_attributes_at[1],  &b->functions.at[1].name,
				 &b->mappings.at[1].filename,  &b->locations.at[1].mapping,
				 &b->locations.at[1].lines.n,  &b->locations.at[1].attributes.at,
				 &b->stacks.at[1].n,	       &b->stack_locations.at[0],
				 &b->lines.at[0].function,     &b->attributes.at[1].key,
				 &b->profiles.at[0].scope,     &b->profiles.at[0].sample_count,
				 &b->scopes.at[0].resource,    &b->resources.at[0].attributes.n,
				 &b->functions.at[0].filename, &b->attribute_refs.at[0],
				 &b->sample_attributes.at[0],  &b->profiles.at[0].sample_type.unit};

	for (size_t i = 0; i < countof(breakable); i++) {
		uint32_t kept = *breakable[i];

		*breakable[i] = 1000;
		e = (struct err){0};
		if (profile_batch_check(b, &e) != -EINVAL)
			fail_msg("breaking field %zu is not detected", i);
		*breakable[i] = kept;
		assert_valid(b);
	}
}

TEST_MAIN(test_with(fixture, an_empty_batch_is_valid), test_with(fixture, equal_rows_get_equal_ids),
	  test_with(fixture, a_second_builder_finds_the_rows_of_the_first),
	  test_with(fixture, rows_that_differ_in_one_field_are_kept_apart),
	  test(failed_allocations_leave_a_valid_batch),
	  test(a_reset_batch_is_empty_and_allocates_nothing_new),
	  test_with(fixture, broken_batches_are_found))
