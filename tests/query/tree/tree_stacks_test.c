/* SPDX-License-Identifier: Apache-2.0 */
/* A tree built from the sums of a store equals the tree built from the samples. */
#include "query/query_test.h"
#include "signal/random_batch.h"

/* Import the samples of the batch into a stack tree with sums. */
static void import(struct stack_tree *t, struct stack_sums *sums, const struct profile_batch *b)
{
	struct stack_import in;

	assert_ok(stack_import_init(&in, t, b, true));
	for (uint32_t i = 0; i < b->sample_count; i++) {
		uint32_t node;

		assert_ok(stack_import_stack(&in, b->sample_stack[i], &node));
		assert_ok(stack_sums_add(t, sums, node, sample_total(b, i)));
	}
	stack_import_fini(&in);
}

static void print_tree(struct buf *out, struct tree *t)
{
	assert_ok(tree_finish(t));
	tree_print(out, t, 0);
}

static void assert_same(const struct profile_batch *b, const struct tree_options *o)
{
	struct stack_tree stacks;
	struct stack_sums sums = {0};
	struct tree expected, got;
	struct buf a = {0}, z = {0};
	struct err e = {0};

	assert_ok(stack_tree_init(&stacks, NULL));
	import(&stacks, &sums, b);
	assert_ok(tree_init(&expected, o, NULL));
	assert_ok_err(tree_add(&expected, b, TREE_ONLY, &e), &e);
	assert_ok(tree_init(&got, o, NULL));
	assert_ok(tree_set_type(&got, STR("cpu"), STR("nanoseconds")));
	assert_ok_err(tree_add_stacks(&got, &stacks, &sums, NULL, &e), &e);
	print_tree(&a, &expected);
	print_tree(&z, &got);
	assert_str_equal(buf_str(&z), buf_str(&a));
	assert_int_equal(got.sum[0].all, expected.sum[0].all);
	assert_int_equal(got.sum[0].kept, expected.sum[0].kept);
	buf_fini(&a);
	buf_fini(&z);
	tree_fini(&expected);
	tree_fini(&got);
	stack_tree_fini(&stacks);
}

/*
 * Add random stacks of few names, some inlined, some empty, with positive values, so that none
 * cancel out.
 */
static void sketch_random(struct sketch *s, uint64_t *seed)
{
	static const char *const frames[] = {"a",    "b",    "c",	 "d<e",	    "a<b<c",
					     "main", "leaf", "a|/bin/x", "a|/bin/y"};

	for (unsigned i = 0; i < 200; i++) {
		char text[256];
		size_t n = 0;
		uint32_t depth = test_random(seed, 8);

		text[0] = 0;
		for (uint32_t k = 0; k < depth; k++)
			n += (size_t)snprintf(text + n, sizeof(text) - n, "%s%s", k ? ";" : "",
					      frames[test_random(seed, countof(frames))]);
		sketch_sample(s, text, 1 + test_random(seed, 1000));
	}
}

static void sums_and_samples_give_the_same_tree(void **state)
{
	static const char *const patterns[] = {NULL, "^a$", "^[bd]$", "leaf|c"};
	uint64_t seed = 7;
	struct sketch s;

	(void)state;
	sketch_init(&s);
	sketch_random(&s, &seed);
	for (unsigned i = 0; i < 400; i++) {
		struct tree_options o = {.group = test_random(&seed, GROUP_NAME + 1),
					 .invert = test_random(&seed, 2)};
		struct regex **const fields[] = {&o.frames.focus, &o.frames.ignore, &o.frames.hide,
						 &o.frames.show, &o.frames.show_from};

		for (size_t k = 0; k < countof(fields); k++) {
			const char *p = patterns[test_random(&seed, 2) ? 0 : test_random(&seed, 4)];

			*fields[k] = p ? regex_of(p) : NULL;
		}
		assert_same(&s.batch, &o);
		for (size_t k = 0; k < countof(fields); k++)
			regex_free(*fields[k]);
	}
	sketch_fini(&s);
}

static void two_selections_share_one_tree(void **state)
{
	struct sketch left, right;
	struct stack_tree stacks;
	struct stack_sums before = {0}, after = {0};
	struct tree t;
	struct diff d;
	struct err e = {0};

	(void)state;
	sketch_init(&left);
	sketch_init(&right);
	sketch_sample(&left, "main;a", 3);
	sketch_sample(&right, "main;a", 5);
	sketch_sample(&right, "main;b", 7);
	assert_ok(stack_tree_init(&stacks, NULL));
	import(&stacks, &before, &left.batch);
	import(&stacks, &after, &right.batch);
	assert_ok(tree_init(&t, &(struct tree_options){0}, NULL));
	assert_ok_err(tree_add_stacks(&t, &stacks, &before, &after, &e), &e);
	assert_ok(tree_finish(&t));
	assert_int_equal(tree_total(&t, 0).in[TREE_BEFORE], 3);
	assert_int_equal(tree_total(&t, 0).in[TREE_AFTER], 12);
	assert_ok_err(diff_of_tree(&d, &t, false, &e), &e);
	assert_int_equal(d.n, 3);
	assert_int_equal(d.count[DIFF_NEW], 1);
	assert_int_equal(d.count[DIFF_GREW], 2);
	tree_fini(&t);
	stack_tree_fini(&stacks);
	sketch_fini(&left);
	sketch_fini(&right);
}

static void running_out_of_memory_is_an_error(void **state)
{
	struct sketch s;
	struct stack_tree stacks;
	struct stack_sums sums = {0};
	int rc = -ENOMEM;

	(void)state;
	sketch_init(&s);
	sketch_sample(&s, "main;a;b<c", 3);
	assert_ok(stack_tree_init(&stacks, NULL));
	import(&stacks, &sums, &s.batch);
	for (unsigned at = 1; rc; at++) {
		struct tree t;

		assert_ok(tree_init(&t, &(struct tree_options){0}, NULL));
		t.arena.fail_after = at;
		rc = tree_add_stacks(&t, &stacks, &sums, NULL, NULL);
		if (!rc)
			rc = tree_finish(&t);
		assert_true(rc == 0 || rc == -ENOMEM);
		tree_fini(&t);
	}
	stack_tree_fini(&stacks);
	sketch_fini(&s);
}

TEST_MAIN(test(sums_and_samples_give_the_same_tree), test(two_selections_share_one_tree),
	  test(running_out_of_memory_is_an_error))
