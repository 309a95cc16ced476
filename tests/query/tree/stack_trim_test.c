/* SPDX-License-Identifier: Apache-2.0 */
/* Trimming stacks to their innermost locations without changing the sum. */
#include "query/tree/stack_trim.h"

#include "base/buf.h"
#include "test/test.h"

/*
 * Add a stack "main:3;work:7", root first, each function with a line; ":0" stands for an address
 * without a function.
 */
static void add(struct stack_tree *t, struct stack_sums *sums, const char *text, int64_t value)
{
	struct str rest = str_from(text);
	uint32_t node = 0;

	while (rest.n) {
		struct str frame = str_cut(&rest, ';');
		struct str name = str_cut(&frame, ':');
		uint32_t location;

		if (name.n)
			assert_ok(profile_add_frame(&t->builder, name, STR("a.go"),
						    frame.p[0] - '0', &location));
		else
			assert_ok(profile_add_location(
				&t->builder, &(struct location_parts){.address = 0x10}, &location));
		assert_ok(stack_tree_child(t, node, location, &node));
	}
	assert_ok(stack_sums_add(t, sums, node, value));
}

static void print_stack(struct buf *out, const struct stack_tree *t, uint32_t node)
{
	const struct profile_batch *b = &t->dictionary;
	const struct location *l = &b->locations.at[t->nodes.at[node].location];
	const struct line *line = &b->lines.at[l->lines.at];

	if (!node)
		return;
	if (t->nodes.at[node].parent) {
		print_stack(out, t, t->nodes.at[node].parent);
		buf_put_char(out, ';');
	}
	if (l->lines.n)
		buf_printf(out, "%.*s:%d",
			   STR_ARG(string_of(b, b->functions.at[line->function].name)),
			   (int)line->line);
	else
		buf_printf(out, "%llx", (unsigned long long)l->address);
}

static void fill(struct stack_tree *t, struct stack_sums *sums)
{
	assert_ok(stack_tree_init(t, NULL));
	add(t, sums, "main:1;a:2;b:3;c:4", 1);
	add(t, sums, "main:1;a:2;b:3;c:5", 2);
	add(t, sums, "main:1;a:9;b:3;c:4", 4);
	add(t, sums, "main:1;a:2", 8);
	add(t, sums, "main:1;a:3", 16);
	add(t, sums, "c:4;a:2;:0", 32);
	add(t, sums, "", 64);
}

/* Compare the stacks with a value after trimming, in their original order. */
static void assert_trimmed(struct stack_trim trim, const char *expected)
{
	struct stack_tree from, to;
	struct stack_sums sums = {0}, got = {0};
	struct buf out = {0};

	fill(&from, &sums);
	assert_ok(stack_tree_init(&to, NULL));
	assert_ok(stack_trim(&trim, &from, &sums, &to, &got));
	for (uint32_t i = 0; i < got.self.n; i++) {
		if (!got.self.at[i])
			continue;
		if (out.n)
			buf_put_str(&out, STR(", "));
		print_stack(&out, &to, i);
		buf_printf(&out, " %d", (int)got.self.at[i]);
	}
	assert_str_equal(buf_str(&out), str_from(expected));
	buf_fini(&out);
	stack_tree_fini(&to);
	stack_tree_fini(&from);
}

static void stacks_are_not_trimmed_by_default(void **state)
{
	(void)state;
	assert_trimmed((struct stack_trim){0},
		       "main:1;a:2 8, main:1;a:2;b:3;c:4 1, main:1;a:2;b:3;c:5 2, "
		       "main:1;a:9;b:3;c:4 4, main:1;a:3 16, c:4;a:2;10 32");
}

static void equal_trimmed_stacks_are_added_up(void **state)
{
	(void)state;
	assert_trimmed((struct stack_trim){.keep_locations = 2},
		       "main:1;a:2 8, b:3;c:4 5, b:3;c:5 2, main:1;a:3 16, a:2;10 32");
	assert_trimmed((struct stack_trim){.keep_locations = 1},
		       "a:2 8, c:4 5, c:5 2, a:3 16, 10 32");
}

static void lines_of_callees_are_dropped_and_those_of_callers_kept(void **state)
{
	(void)state;
	assert_trimmed((struct stack_trim){.keep_locations = 3, .aggregate_callees = true},
		       "main:1;a:0 24, a:2;b:3;c:0 3, a:9;b:3;c:0 4, c:4;a:2;10 32");
}

static void no_memory_is_an_error_and_leaks_nothing(void **state)
{
	struct stack_trim trim = {.keep_locations = 2, .aggregate_callees = true};
	int rc = -ENOMEM;

	(void)state;
	for (size_t limit = 0; rc; limit += 512) {
		struct budget budget = {.limit = limit};
		struct stack_tree from, to;
		struct stack_sums sums = {0}, got = {0};

		fill(&from, &sums);
		rc = stack_tree_init(&to, &budget);
		if (!rc)
			rc = stack_trim(&trim, &from, &sums, &to, &got);
		assert_true(rc == 0 || rc == -ENOMEM);
		stack_tree_fini(&to);
		stack_tree_fini(&from);
		assert_int_equal(budget.used, 0);
		assert_true(limit < 16 * MIB);
	}
}

TEST_MAIN(cmocka_unit_test(stacks_are_not_trimmed_by_default),
	  cmocka_unit_test(equal_trimmed_stacks_are_added_up),
	  cmocka_unit_test(lines_of_callees_are_dropped_and_those_of_callers_kept),
	  cmocka_unit_test(no_memory_is_an_error_and_leaks_nothing))
