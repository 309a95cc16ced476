/* SPDX-License-Identifier: Apache-2.0 */
/* The stack tree: sharing of callers, import and export of batches, its index, lack of memory. */
#include "signal/stack_tree.h"

#include "signal/profile/profile_rows.h"
#include "signal/sample_profile.h"

/*
 * Build a batch with the samples a;b 1, a;b;c 2, a 4, and an empty stack 8; the leaf is the last
 * letter.
 */
static void build(struct profile_batch *batch)
{
	static const char *const stacks[] = {"ab", "abc", "a", ""};
	struct profile_builder b;

	assert_ok(profile_batch_init(batch, NULL));
	assert_ok(profile_builder_init(&b, batch));
	assert_ok(profile_begin(&b, STR("cpu"), STR("nanoseconds")));
	for (uint32_t i = 0; i < countof(stacks); i++) {
		uint32_t locations[3], stack, n = (uint32_t)strlen(stacks[i]);

		for (uint32_t k = 0; k < n; k++)
			assert_ok(profile_add_frame(&b, str_of(&stacks[i][n - 1 - k], 1),
						    STR("f.c"), 7, &locations[k]));
		assert_ok(profile_add_stack(&b, locations, n, &stack));
		assert_ok(profile_add_sample(&b, stack, 0, NULL, 0, 1 << i));
	}
}

static void import_all(struct stack_tree *t, struct stack_sums *sums,
		       const struct profile_batch *from)
{
	struct stack_import import;

	assert_ok(stack_import_init(&import, t, from, true));
	for (uint32_t i = 0; i < from->sample_count; i++) {
		uint32_t node;

		assert_ok(stack_import_stack(&import, from->sample_stack[i], &node));
		assert_ok(stack_sums_add(t, sums, node, sample_total(from, i)));
	}
	stack_import_fini(&import);
}

static void stacks_and_batches_share_callers(void **state)
{
	struct profile_batch batch;
	struct stack_tree t;
	struct stack_sums sums = {0};

	(void)state;
	assert_ok(stack_tree_init(&t, NULL));
	for (int round = 0; round < 2; round++) {
		build(&batch);
		import_all(&t, &sums, &batch);
		profile_batch_fini(&batch);
	}
	assert_int_equal(t.nodes.n, 4); /* the root, a, b, c */
	assert_valid(&t.dictionary);
	assert_int_equal(t.dictionary.locations.n, 4);
	for (uint32_t i = 1; i < t.nodes.n; i++)
		assert_true(t.nodes.at[i].parent < i);
	assert_int_equal(sums.self.at[0], 16);
	assert_int_equal(sums.self.at[1], 8);
	assert_int_equal(sums.self.at[2], 2);
	assert_int_equal(sums.self.at[3], 4);
	stack_tree_fini(&t);
}

static void sums_are_exported_as_samples(void **state)
{
	struct profile_batch batch, again;
	struct stack_tree t;
	struct stack_sums sums = {0};
	int64_t total = 0;

	(void)state;
	build(&batch);
	assert_ok(stack_tree_init(&t, NULL));
	import_all(&t, &sums, &batch);
	assert_ok(profile_batch_init(&again, NULL));
	assert_ok(stack_sums_to_batch(&t, &sums, STR("cpu"), STR("nanoseconds"), &again));
	stack_tree_fini(&t);
	assert_valid(&again);
	assert_int_equal(again.sample_count, 4);
	for (uint32_t i = 0; i < again.sample_count; i++)
		total += sample_total(&again, i);
	assert_int_equal(total, 15);
	assert_int_equal(again.stack_locations.n, batch.stack_locations.n);
	profile_batch_fini(&again);
	profile_batch_fini(&batch);
}

static void running_out_of_memory_is_an_error_everywhere(void **state)
{
	struct profile_batch batch;
	int rc = -ENOMEM;

	(void)state;
	build(&batch);
	for (unsigned at = 1; rc; at++) {
		struct stack_tree t;
		struct stack_sums sums = {0};
		struct stack_import import = {0};

		assert_ok(stack_tree_init(&t, NULL));
		t.dictionary.arena.fail_after = at;
		rc = stack_import_init(&import, &t, &batch, true);
		for (uint32_t i = 0; !rc && i < batch.sample_count; i++) {
			uint32_t node;

			rc = stack_import_stack(&import, batch.sample_stack[i], &node);
			if (!rc)
				rc = stack_sums_add(&t, &sums, node, 1);
		}
		stack_import_fini(&import);
		stack_tree_fini(&t);
		assert_true(rc == 0 || rc == -ENOMEM);
	}
	profile_batch_fini(&batch);
}

enum { WIDTH = 40 };

/* Look up children of the root that have 1, 2, ... children, in another order every round. */
static int look_up_all(struct stack_tree *t, uint32_t nodes[WIDTH][WIDTH], unsigned round)
{
	int rc = 0;

	for (uint32_t i = 0; i < WIDTH && !rc; i++) {
		uint32_t a = round % 2 ? WIDTH - 1 - i : i, parent;

		rc = stack_tree_child(t, 0, a, &parent);
		for (uint32_t k = 0; k <= a && !rc; k++)
			rc = stack_tree_child(t, parent, round % 2 ? a - k : k,
					      &nodes[a][round % 2 ? a - k : k]);
	}
	return rc;
}

static void a_child_is_found_however_it_was_added(void **state)
{
	static uint32_t first[WIDTH][WIDTH], again[WIDTH][WIDTH];
	uint32_t n = 1 + WIDTH + WIDTH * (WIDTH + 1) / 2, node, found;
	struct stack_tree t;

	(void)state;
	assert_ok(stack_tree_init(&t, NULL));
	for (unsigned round = 0; round < 4; round++) {
		assert_ok(look_up_all(&t, round ? again : first, round));
		assert_int_equal(t.nodes.n, n);
		if (round)
			assert_memory_equal(first, again, sizeof(first));
	}
	for (uint32_t i = 0; i < WIDTH; i++)
		for (uint32_t k = 0; k <= i; k++)
			assert_int_equal(t.nodes.at[first[i][k]].location, k);
	/* children that were appended without a lookup are found, too */
	assert_ok(stack_tree_append(&t, 0, WIDTH, &node));
	assert_ok(stack_tree_append(&t, node, 7, &node));
	assert_ok(stack_tree_child(&t, 0, WIDTH, &found));
	assert_int_equal(found, node - 1);
	assert_ok(stack_tree_child(&t, found, 7, &found));
	assert_int_equal(found, node);
	stack_tree_fini(&t);
}

/* Only the nodes where a stack branches off another path are in the index. */
static void unbranched_paths_are_not_indexed(void **state)
{
	enum { LENGTH = 1000 };
	struct stack_tree t;

	(void)state;
	assert_ok(stack_tree_init(&t, NULL));
	for (uint32_t path = 0; path < 3; path++) {
		uint32_t at = 0;

		for (uint32_t i = 0; i < LENGTH; i++)
			assert_ok(stack_tree_child(&t, at, i < LENGTH / 2 ? i : path * LENGTH + i,
						   &at));
	}
	assert_int_equal(t.nodes.n, 1 + LENGTH / 2 * 4);
	assert_int_equal(t.index_used, 2 - 1); /* the last branch is indexed at the next lookup */
	stack_tree_fini(&t);
}

/* A node that could not be indexed is indexed later, and no child is added twice. */
static void a_tree_works_after_running_out_of_memory(void **state)
{
	static uint32_t nodes[WIDTH][WIDTH];
	unsigned failures = 0;
	int rc = -ENOMEM;

	(void)state;
	for (unsigned at = 1; rc; at++) {
		struct stack_tree t;

		assert_ok(stack_tree_init(&t, NULL));
		t.dictionary.arena.fail_after = at;
		rc = look_up_all(&t, nodes, 0);
		failures += rc != 0;
		assert_true(rc == 0 || rc == -ENOMEM);
		t.dictionary.arena.fail_after = 0;
		assert_ok(look_up_all(&t, nodes, 1));
		assert_int_equal(t.nodes.n, 1 + WIDTH + WIDTH * (WIDTH + 1) / 2);
		stack_tree_fini(&t);
	}
	assert_true(failures > 3);
}

TEST_MAIN(test(stacks_and_batches_share_callers), test(sums_are_exported_as_samples),
	  test(a_child_is_found_however_it_was_added), test(unbranched_paths_are_not_indexed),
	  test(a_tree_works_after_running_out_of_memory),
	  test(running_out_of_memory_is_an_error_everywhere))
