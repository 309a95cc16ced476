/* SPDX-License-Identifier: Apache-2.0 */
/* The drop_frames and keep_frames patterns of pprof. */
#include "query/query_test.h"
#include "signal/profile/profile_rows.h"

static const struct tree_options plain;

/* Set the patterns for frames to drop and to keep of the last profile; NULL: none. */
static void set_patterns(struct sketch *s, const char *drop, const char *keep)
{
	struct profile_batch *b = &s->batch;
	struct profile *p = &b->profiles.at[b->profiles.n - 1];
	uint32_t ids[2], n = 0;

	if (drop)
		assert_ok(profile_add_attribute(&s->builder, STR("pprof.profile.drop_frames"),
						VALUE_OF_STR(str_from(drop)), STR(""), &ids[n++]));
	if (keep)
		assert_ok(profile_add_attribute(&s->builder, STR("pprof.profile.keep_frames"),
						VALUE_OF_STR(str_from(keep)), STR(""), &ids[n++]));
	p->attributes = (struct list){b->attribute_refs.n, n};
	for (uint32_t i = 0; i < n; i++)
		assert_ok(vec_push(&b->arena, &b->attribute_refs, ids[i]));
}

/* Check the tree of one stack with these patterns. */
static void assert_pruned(const char *drop, const char *keep, const char *folded,
			  const char *expected)
{
	struct sketch s;
	struct tree t;
	struct buf text = {0};

	sketch_init(&s);
	set_patterns(&s, drop, keep);
	sketch_sample(&s, folded, 1);
	build_tree(&t, &s.batch, &plain);
	tree_print(&text, &t, 0);
	assert_str_equal(buf_str(&text), str_from(expected));
	assert_int_equal(t.sum[0].kept, 1);
	buf_fini(&text);
	tree_fini(&t);
	sketch_fini(&s);
}

static void dropped_frames_are_removed_with_their_callees(void **state)
{
	(void)state;
	assert_pruned("malloc", NULL, "main;malloc;grow;memset", "(main 1/1)");
	assert_pruned("mal.*|free", NULL, "main;a;free;malloc;b", "(main 0/1(a 1/1))");
	assert_pruned("malloc", NULL, "main;remalloc", "(main 0/1(remalloc 1/1))");
	assert_pruned("g.*", "grow", "main;grow;gone;x", "(main 0/1(grow 1/1))");
}

static void frames_before_the_first_kept_frame_are_not_cut(void **state)
{
	(void)state;
	assert_pruned("start|malloc", NULL, "start;main;malloc;x", "(start 0/1(main 1/1))");
	assert_pruned(".*", NULL, "a;b", "(a 0/1(b 1/1))");
}

static void inlined_lines_are_cut_one_by_one(void **state)
{
	(void)state;
	assert_pruned("small", NULL, "main;tiny<small<big;leaf", "(main 0/1(big 1/1))");
	assert_pruned("big", NULL, "main;tiny<small<big;leaf", "(main 1/1)");
	/* the lines are removed from every stack, even if no frame below is cut */
	assert_pruned("small", NULL, "tiny<small<big;leaf", "(big 0/1(leaf 1/1))");
}

static void argument_lists_are_ignored(void **state)
{
	(void)state;
	assert_pruned("alloc", NULL, "main;alloc(int, char const*)", "(main 1/1)");
	assert_pruned("alloc", NULL, "main;.alloc", "(main 1/1)");
	assert_pruned("\\(anonymous namespace\\)::f", NULL, "main;(anonymous namespace)::f(int)",
		      "(main 1/1)");
	assert_pruned("A::operator\\(\\)", NULL, "main;A::operator()(int)", "(main 1/1)");
	assert_pruned("main\\.", NULL, "main;main.(*T).f", "(main 1/1)");
}

static void invalid_patterns_are_ignored(void **state)
{
	(void)state;
	assert_pruned("ma(lloc", NULL, "main;malloc", "(main 0/1(malloc 1/1))");
	assert_pruned("malloc", "(", "main;malloc", "(main 0/1(malloc 1/1))");
	assert_pruned(NULL, "main", "main;malloc", "(main 0/1(malloc 1/1))");
}

static void all_frames_are_shown_on_demand(void **state)
{
	struct sketch s;
	struct tree_options o = {.all_frames = true};

	(void)state;
	sketch_init(&s);
	set_patterns(&s, "malloc", NULL);
	sketch_sample(&s, "main;malloc", 1);
	assert_tree(&s.batch, &o, "(main 0/1(malloc 1/1))");
	sketch_fini(&s);
}

static void profiles_with_different_patterns_are_not_pruned(void **state)
{
	struct sketch s;

	(void)state;
	sketch_init(&s);
	set_patterns(&s, "malloc", NULL);
	sketch_sample(&s, "main;malloc", 1);
	assert_ok(profile_begin(&s.builder, STR("other"), STR("count")));
	assert_tree(&s.batch, &plain, "(main 1/1)");
	assert_ok(profile_begin(&s.builder, STR("cpu"), STR("nanoseconds")));
	assert_tree(&s.batch, &plain, "(main 0/1(malloc 1/1))");
	sketch_fini(&s);
}

static void a_pattern_that_takes_too_long_is_an_error(void **state)
{
	struct sketch s;
	struct tree t;
	struct err e = {0};

	(void)state;
	sketch_init(&s);
	set_patterns(&s, "(a+)+$|x", NULL);
	sketch_sample(&s, "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaab", 1);
	assert_ok(tree_init(&t, &plain, NULL));
	assert_int_equal(tree_add(&t, &s.batch, TREE_ONLY, &e), -E2BIG);
	assert_err_says(&e, "--all-frames");
	tree_fini(&t);
	sketch_fini(&s);
}

TEST_MAIN(test(dropped_frames_are_removed_with_their_callees),
	  test(frames_before_the_first_kept_frame_are_not_cut),
	  test(inlined_lines_are_cut_one_by_one), test(argument_lists_are_ignored),
	  test(invalid_patterns_are_ignored), test(all_frames_are_shown_on_demand),
	  test(profiles_with_different_patterns_are_not_pruned),
	  test(a_pattern_that_takes_too_long_is_an_error))
