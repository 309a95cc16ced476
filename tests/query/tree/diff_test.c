/* SPDX-License-Identifier: Apache-2.0 */
/* Differences of two trees: kinds of changes, normalization, recursion, extreme values. */
#include "query/query_test.h"

struct pair {
	struct sketch before, after;
	struct tree tree;
};

static void pair_begin(struct pair *p)
{
	sketch_init(&p->before);
	sketch_init(&p->after);
}

static void pair_tree(struct pair *p)
{
	static const struct tree_options plain;
	struct err e = {0};

	assert_ok(tree_init(&p->tree, &plain, NULL));
	assert_ok_err(tree_add(&p->tree, &p->before.batch, TREE_BEFORE, &e), &e);
	assert_ok_err(tree_add(&p->tree, &p->after.batch, TREE_AFTER, &e), &e);
	assert_ok(tree_finish(&p->tree));
}

static void pair_end(struct pair *p)
{
	tree_fini(&p->tree);
	sketch_fini(&p->before);
	sketch_fini(&p->after);
}

/* Compare the rows with text like "grew f 1->3 (+2)", sorted by total. */
static void assert_diff(struct pair *p, bool normalise, struct str expected)
{
	struct diff d;
	struct buf text = {0};
	struct err e = {0};

	assert_ok_err(diff_of_tree(&d, &p->tree, normalise, &e), &e);
	diff_sort(&d, TOP_BY_TOTAL);
	for (uint32_t i = 0; i < d.n; i++)
		buf_printf(&text, "%s%s %.*s %lld->%lld (%+lld)", i ? ", " : "",
			   diff_kind_name(d.rows[i].kind),
			   STR_ARG(p->tree.names.rows.at[d.rows[i].name].text),
			   (long long)d.rows[i].total.before, (long long)d.rows[i].total.after,
			   (long long)d.rows[i].total.delta);
	assert_str_equal(buf_str(&text), expected);
	buf_fini(&text);
}

static void functions_are_classified_as_grown_shrunk_new_or_gone(void **state)
{
	struct pair p;

	(void)state;
	pair_begin(&p);
	sketch_sample(&p.before, "main;a", 10);
	sketch_sample(&p.before, "main;b", 5);
	sketch_sample(&p.before, "main;old", 2);
	sketch_sample(&p.before, "main;same", 1);
	sketch_sample(&p.after, "main;a", 14);
	sketch_sample(&p.after, "main;b", 4);
	sketch_sample(&p.after, "main;fresh", 7);
	sketch_sample(&p.after, "main;same", 1);
	pair_tree(&p);
	assert_diff(&p, false,
		    STR("grew main 18->26 (+8), new fresh 0->7 (+7), grew a 10->14 (+4), "
			"gone old 2->0 (-2), shrank b 5->4 (-1), same same 1->1 (+0)"));
	pair_end(&p);
}

static void versions_of_a_module_match_and_different_modules_do_not(void **state)
{
	struct pair p;

	(void)state;
	pair_begin(&p);
	sketch_sample(&p.before, "work|/opt/v1/app", 10);
	sketch_sample(&p.before, "work|/opt/tool", 1);
	sketch_sample(&p.after, "work|/opt/v2/app", 14);
	sketch_sample(&p.after, "work|/opt/tool", 2);
	pair_tree(&p);
	assert_diff(&p, false, STR("grew work 10->14 (+4), grew work 1->2 (+1)"));
	pair_end(&p);
}

static void normalized_diffs_compare_shares(void **state)
{
	struct pair p;

	(void)state;
	pair_begin(&p);
	sketch_sample(&p.before, "main;a", 10);
	sketch_sample(&p.before, "main;b", 10);
	sketch_sample(&p.after, "main;a", 30);
	sketch_sample(&p.after, "main;b", 10);
	pair_tree(&p);
	assert_diff(&p, true,
		    STR("grew a 20->30 (+10), shrank b 20->10 (-10), same main 40->40 (+0)"));
	pair_end(&p);
}

static void recursion_counts_once_in_a_diff(void **state)
{
	struct pair p;

	(void)state;
	pair_begin(&p);
	sketch_sample(&p.before, "f;f;f", 3);
	sketch_sample(&p.after, "f;f", 5);
	pair_tree(&p);
	assert_diff(&p, false, STR("grew f 3->5 (+2)"));
	pair_end(&p);
}

static void a_total_of_zero_cannot_be_normalized(void **state)
{
	struct pair p;
	struct diff d;
	struct err e = {0};

	(void)state;
	pair_begin(&p);
	sketch_sample(&p.before, "f", 0);
	sketch_sample(&p.after, "f", 5);
	pair_tree(&p);
	assert_int_equal(diff_of_tree(&d, &p.tree, true, &e), -ERANGE);
	assert_err_says(&e, "cannot normalise");
	assert_diff(&p, false, STR("new f 0->5 (+5)"));
	pair_end(&p);
}

static void extreme_values_do_not_overflow(void **state)
{
	struct pair p;

	(void)state;
	pair_begin(&p);
	sketch_sample(&p.before, "f", INT64_MAX);
	sketch_sample(&p.after, "f", INT64_MIN);
	pair_tree(&p);
	assert_diff(&p, false,
		    STR("shrank f 9223372036854775807->-9223372036854775808 "
			"(-9223372036854775808)"));
	pair_end(&p);
}

TEST_MAIN(test(functions_are_classified_as_grown_shrunk_new_or_gone),
	  test(normalized_diffs_compare_shares),
	  test(versions_of_a_module_match_and_different_modules_do_not),
	  test(recursion_counts_once_in_a_diff), test(a_total_of_zero_cannot_be_normalized),
	  test(extreme_values_do_not_overflow))
