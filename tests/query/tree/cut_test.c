/* SPDX-License-Identifier: Apache-2.0 */
/* Cutting a tree to the size of a picture, Pyroscope's encodings of it, callers and callees. */
#include "query/tree/cut.h"

#include <math.h>

#include "query/flamebearer.h"
#include "query/query_test.h"
#include "query/tree/sandwich.h"

/* Build a tree from lines "a;b;c 12". */
static void tree_from(struct tree *t, const char *const *stacks, size_t n)
{
	struct sketch s;

	sketch_init(&s);
	for (size_t i = 0; i < n; i++) {
		struct str rest = str_from(stacks[i]);
		struct str folded = str_cut(&rest, ' ');
		char text[128];
		int64_t value;

		snprintf(text, sizeof(text), "%.*s", STR_ARG(folded));
		assert_ok(str_to_i64(rest, &value));
		sketch_sample(&s, text, value);
	}
	build_tree(t, &s.batch, &(struct tree_options){0});
	sketch_fini(&s);
}

static void print_levels(struct buf *out, const struct flamebearer *l)
{
	for (uint32_t i = 0; i < l->names.n; i++) {
		buf_put_str(out, l->names.at[i]);
		buf_put_char(out, i + 1 < l->names.n ? ',' : ' ');
	}
	for (uint32_t i = 0; i < l->rows.n; i++) {
		buf_put_char(out, '[');
		for (uint32_t k = 0; k < l->rows.at[i].values.n; k++)
			buf_printf(out, "%s%lld", k ? "," : "",
				   (long long)l->rows.at[i].values.at[k]);
		buf_put_char(out, ']');
	}
	buf_printf(out, " total %lld max self %lld", (long long)l->total, (long long)l->max_self);
}

static void assert_levels(struct tree *t, const struct cut_options *o, bool both,
			  const char *expected)
{
	struct flamebearer l;
	struct cut cut;
	struct buf out = {0};

	assert_ok(cut_of_tree(&cut, t, o, NULL));
	assert_ok(flamebearer_of_tree(&l, t, &cut, both));
	print_levels(&out, &l);
	assert_str_equal(buf_str(&out), str_from(expected));
	buf_fini(&out);
}

static void levels_match_those_of_pyroscope(void **state)
{
	static const char *const stacks[] = {"a;b;e 1", "a;c 2", "a;c;d 1"};
	struct tree t;

	(void)state;
	tree_from(&t, stacks, countof(stacks));
	assert_levels(&t, &(struct cut_options){0}, false,
		      "total,a,c,d,b,e [0,4,0,0][0,4,0,1][0,1,0,4,0,3,2,2][0,1,1,5,2,1,1,3]"
		      " total 4 max self 2");
	tree_fini(&t);
}

static void cut_nodes_become_other(void **state)
{
	static const char *const stacks[] = {"a;b 1", "a;c 20", "a;d 2", "a;e;f 10"};
	struct tree t;

	(void)state;
	tree_from(&t, stacks, countof(stacks));
	/* a 33, c 20, e 10, f 10: the third largest value is 10, which f has, too */
	assert_levels(&t, &(struct cut_options){.max_nodes = 3}, false,
		      "total,a,other,e,f,c [0,33,0,0][0,33,0,1][0,20,20,5,0,10,0,3,0,3,3,2]"
		      "[20,10,10,4] total 33 max self 20");
	tree_fini(&t);
}

static void two_columns_have_seven_numbers(void **state)
{
	struct sketch s;
	struct tree t;

	(void)state;
	sketch_init(&s);
	sketch_sample(&s, "a;b", 1);
	sketch_sample(&s, "a;c", 2);
	assert_ok(tree_init(&t, &(struct tree_options){0}, NULL));
	assert_ok(tree_add(&t, &s.batch, TREE_BEFORE, NULL));
	sketch_sample(&s, "a;d", 8);
	assert_ok(tree_add(&t, &s.batch, TREE_AFTER, NULL));
	assert_ok(tree_finish(&t));
	assert_levels(&t, &(struct cut_options){0}, true,
		      "total,a,d,c,b [0,3,0,0,11,0,0][0,3,0,0,11,0,1]"
		      "[0,1,1,0,1,1,4,0,2,2,0,2,2,3,0,0,0,0,8,8,2] total 14 max self 8");
	tree_fini(&t);
	sketch_fini(&s);
}

static void tree_bytes_are_depth_first(void **state)
{
	static const char *const stacks[] = {"a;b 1", "a;c 200", "z 3"};
	static const char expected[] = "\0\0\2" /* root, self 0, two children */
				       "\1z\3\0"
				       "\1a\0\2"
				       "\1c\310\1\0"
				       "\1b\1";
	struct cut cut;
	struct tree t;
	struct buf out = {0};

	(void)state;
	tree_from(&t, stacks, countof(stacks));
	assert_ok(cut_of_tree(&cut, &t, &(struct cut_options){0}, NULL));
	assert_ok(flamebearer_tree_bytes(&out, &t, &cut));
	assert_int_equal(out.n, sizeof(expected));
	assert_memory_equal(out.p, expected, out.n);
	buf_fini(&out);
	tree_fini(&t);
}

static void a_cut_counts_hidden_nodes_and_can_start_at_a_path(void **state)
{
	static const char *const stacks[] = {"a;b 1", "a;c 20", "a;d 2", "a;e;f 10", "a;e;g 1"};
	const struct str path[] = {STR("a"), STR("e")};
	const struct str nowhere[] = {STR("a"), STR("q")};
	struct err e = {0};
	struct cut cut;
	struct tree t;

	(void)state;
	tree_from(&t, stacks, countof(stacks));
	/* total 34 at width 10: nodes below 3.4 are hidden: b, d, g */
	assert_ok(cut_of_tree(&cut, &t, &(struct cut_options){.width = 10}, &e));
	assert_int_equal(cut.nodes, 7);
	assert_int_equal(cut.shown, 4);
	assert_int_equal(lround(cut.hidden_share * 34), 4);
	/* the same width shows all of the subtree of e */
	assert_ok(cut_of_tree(&cut, &t, &(struct cut_options){path, 2, 0, 11}, &e));
	assert_str_equal(tree_text(&t, cut.root), STR("e"));
	assert_int_equal(cut.nodes, 2);
	assert_int_equal(cut.shown, 2);
	assert_int_equal(lround(cut.hidden_share * 1000), 0);
	assert_int_equal(cut_of_tree(&cut, &t, &(struct cut_options){nowhere, 2, 0, 0}, &e),
			 -ENOENT);
	assert_err_says(&e, "no \"q\" at level 2");
	tree_fini(&t);
}

static void the_hidden_share_of_a_difference_is_at_most_1(void **state)
{
	struct sketch s, other;
	struct cut cut;
	struct tree t;

	(void)state;
	sketch_init(&s);
	sketch_init(&other);
	sketch_sample(&s, "gone", 10);
	sketch_sample(&other, "new", 30);
	assert_ok(tree_init(&t, &(struct tree_options){0}, NULL));
	assert_ok(tree_add(&t, &s.batch, TREE_BEFORE, NULL));
	assert_ok(tree_add(&t, &other.batch, TREE_AFTER, NULL));
	assert_ok(tree_finish(&t));
	assert_ok(cut_of_tree(&cut, &t, &(struct cut_options){.max_nodes = 1}, NULL));
	assert_int_equal(cut.shown, 1);
	assert_int_equal(lround(cut.hidden_share * 100), 25);
	tree_fini(&t);
	sketch_fini(&s);
	sketch_fini(&other);
}

static void the_kth_largest_is_found_in_any_order(void **state)
{
	uint64_t seed = 3;

	(void)state;
	for (unsigned round = 0; round < 50; round++) {
		struct sketch s;
		struct tree t;
		struct cut cut;
		uint64_t k = 1 + round % 40, larger = 0, as_large = 0;

		sketch_init(&s);
		for (unsigned i = 0; i < 60; i++) {
			char text[16];

			seed = seed * 6364136223846793005u + 1442695040888963407u;
			snprintf(text, sizeof(text), "f%u", i);
			sketch_sample(&s, text, 1 + (int64_t)(seed >> 33) % (30 << round % 25));
		}
		build_tree(&t, &s.batch, &(struct tree_options){0});
		assert_ok(cut_of_tree(&cut, &t, &(struct cut_options){.max_nodes = k}, NULL));
		for (uint32_t i = 1; i < t.nodes.n; i++) {
			larger += tree_weight(&t, i) > cut.least;
			as_large += tree_weight(&t, i) == cut.least;
		}
		assert_true(larger < k && larger + as_large >= k);
		assert_int_equal(cut.shown, larger + as_large);
		tree_fini(&t);
		sketch_fini(&s);
	}
}

/* Add a stack of up to 6 frames of 5 functions, so that many share their callers. */
static void random_sample(struct sketch *s, uint64_t *seed, bool negative)
{
	char text[64];
	size_t n = 0;
	unsigned depth = 1 + (unsigned)(*seed >> 40) % 6;

	for (unsigned i = 0; i < depth; i++) {
		*seed = *seed * 6364136223846793005u + 1442695040888963407u;
		n += (size_t)snprintf(text + n, sizeof(text) - n, "%sf%u", i ? ";" : "",
				      (unsigned)(*seed >> 33) % 5);
	}
	sketch_sample(s, text, negative && *seed >> 62 == 0 ? -7 : 1 + (int64_t)(*seed >> 35) % 50);
}

/* Check a cut by looking at every node. */
static void assert_cut(const struct tree *t, const struct cut *c, uint64_t k)
{
	bool *shown = calloc(t->nodes.n, sizeof(*shown));
	uint64_t below = 0, larger = 0, as_large = 0, count = 0;
	double hidden = 0;

	assert_non_null(shown);
	shown[c->root] = true;
	for (uint32_t i = c->root + 1; i < t->nodes.n; i++) {
		uint32_t at = i, parent = t->nodes.at[i].parent;

		while (at > c->root)
			at = t->nodes.at[at].parent;
		if (at != c->root)
			continue;
		below++;
		larger += tree_weight(t, i) > c->least;
		as_large += tree_weight(t, i) == c->least;
		shown[i] = shown[parent] && tree_weight(t, i) >= c->least;
		count += shown[i];
		hidden += shown[parent] && !shown[i] ? cut_amount(t, i) : 0;
	}
	assert_int_equal(c->nodes, below);
	assert_int_equal(c->shown, count);
	if (below > k)
		assert_true(larger < k && larger + as_large >= k);
	else
		assert_int_equal(c->least, 1);
	assert_true(fabs(c->hidden_share - hidden / cut_amount(t, c->root)) < 1e-9);
	free(shown);
}

/*
 * Small cuts are correct with and without negative values (fast and slow path), with one and two
 * columns, for the whole tree and for a subtree.
 */
static void cuts_match_a_search_of_all_nodes(void **state)
{
	uint64_t seed = 17;

	(void)state;
	for (unsigned round = 0; round < 30; round++) {
		const struct str path[] = {STR("f1")};
		struct sketch s, other;
		struct tree t;

		sketch_init(&s);
		sketch_init(&other);
		for (unsigned i = 0; i < 1500; i++)
			random_sample(i % 3 ? &s : &other, &seed, round % 3 == 2);
		assert_ok(tree_init(&t, &(struct tree_options){0}, NULL));
		assert_ok(tree_add(&t, &s.batch, TREE_BEFORE, NULL));
		if (round % 2)
			assert_ok(tree_add(&t, &other.batch, TREE_AFTER, NULL));
		assert_ok(tree_finish(&t));
		assert_int_equal(t.monotone, round % 3 != 2);
		for (uint64_t k = 1; k < t.nodes.n / 8; k += 1 + k / 4) {
			struct cut_options o = {.max_nodes = k};
			struct cut cut;

			assert_ok(cut_of_tree(&cut, &t, &o, NULL));
			assert_cut(&t, &cut, k);
			o.path = path;
			o.path_n = 1;
			assert_ok(cut_of_tree(&cut, &t, &o, NULL));
			assert_cut(&t, &cut, k);
		}
		tree_fini(&t);
		sketch_fini(&s);
		sketch_fini(&other);
	}
}

static void callers_and_callees_are_exact(void **state)
{
	static const char *const stacks[] = {"main;a;f;x 1", "main;b;f 20", "main;f;g;f;x 300",
					     "main;c 4000"};
	struct sandwich s;
	struct tree t;
	struct buf out = {0};
	struct err e = {0};

	(void)state;
	tree_from(&t, stacks, countof(stacks));
	assert_ok_err(sandwich_of_tree(&s, &t, STR("f"), &e), &e);
	tree_print(&out, &s.callers, 0);
	assert_str_equal(buf_str(&out), STR("(f 0/321(main 300/300, b 0/20(main 20/20), "
					    "a 0/1(main 1/1)))"));
	buf_clear(&out);
	tree_print(&out, &s.callees, 0);
	assert_str_equal(buf_str(&out), STR("(f 20/321(g 0/300(f 0/300(x 300/300)), x 1/1))"));
	buf_fini(&out);
	sandwich_fini(&s);
	assert_int_equal(sandwich_of_tree(&s, &t, STR("nope"), &e), -ENOENT);
	sandwich_fini(&s);
	tree_fini(&t);
}

/* A name that exists in several modules can be qualified with its module. */
static void a_frame_can_be_qualified_with_its_module(void **state)
{
	static const char *const stacks[] = {"main;work|/bin/a;x 5", "main;work|/bin/b;y 3"};
	struct str path[] = {STR("main"), STR("work\tb")}, lost[] = {STR("work\tc")};
	struct cut_options o = {.path = path, .path_n = 2};
	struct sandwich s;
	struct cut cut;
	struct tree t;
	struct buf out = {0};
	struct err e = {0};

	(void)state;
	tree_from(&t, stacks, countof(stacks));
	assert_ok_err(cut_of_tree(&cut, &t, &o, &e), &e);
	assert_int_equal(tree_total(&t, cut.root).in[0], 3);
	path[1] = STR("work"); /* without a module the largest node is selected */
	assert_ok_err(cut_of_tree(&cut, &t, &o, &e), &e);
	assert_int_equal(tree_total(&t, cut.root).in[0], 5);
	o = (struct cut_options){.path = lost, .path_n = 1};
	assert_int_equal(cut_of_tree(&cut, &t, &o, &e), -ENOENT);
	assert_ok_err(sandwich_of_tree(&s, &t, STR("work\t/usr/bin/b"), &e), &e);
	tree_print(&out, &s.callees, 0);
	assert_str_equal(buf_str(&out), STR("(work 0/3(y 3/3))"));
	buf_clear(&out);
	sandwich_fini(&s);
	assert_ok_err(sandwich_of_tree(&s, &t, STR("work"), &e), &e);
	tree_print(&out, &s.callees, 0);
	assert_str_equal(buf_str(&out), STR("(work 0/5(x 5/5), work 0/3(y 3/3))"));
	buf_fini(&out);
	sandwich_fini(&s);
	tree_fini(&t);
}

static void a_cut_over_the_memory_limit_fails(void **state)
{
	struct budget budget = {.limit = 64 * MIB};
	struct sketch s;
	struct tree t;
	struct cut cut;
	struct err e = {0};

	(void)state;
	sketch_init(&s);
	for (unsigned i = 0; i < 2000; i++) {
		char name[32];

		snprintf(name, sizeof(name), "main;f%u", i);
		sketch_sample(&s, name, 1 + i);
	}
	assert_ok(tree_init(&t, &(struct tree_options){0}, &budget));
	assert_ok_err(tree_add(&t, &s.batch, TREE_ONLY, &e), &e);
	assert_ok(tree_finish(&t));
	assert_ok_err(cut_of_tree(&cut, &t, &(struct cut_options){.max_nodes = 10}, &e), &e);
	assert_int_equal(cut.nodes, 2001);
	budget.limit = budget.used;
	assert_int_equal(cut_of_tree(&cut, &t, &(struct cut_options){.max_nodes = 10}, &e),
			 -ENOMEM);
	tree_fini(&t);
	assert_int_equal(budget.used, 0);
	sketch_fini(&s);
}

TEST_MAIN(test(a_cut_over_the_memory_limit_fails), test(a_frame_can_be_qualified_with_its_module),
	  test(levels_match_those_of_pyroscope), test(cut_nodes_become_other),
	  test(two_columns_have_seven_numbers), test(tree_bytes_are_depth_first),
	  test(a_cut_counts_hidden_nodes_and_can_start_at_a_path),
	  test(the_hidden_share_of_a_difference_is_at_most_1),
	  test(the_kth_largest_is_found_in_any_order), test(cuts_match_a_search_of_all_nodes),
	  test(callers_and_callees_are_exact))
