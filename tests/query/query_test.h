/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VARVE_TESTS_QUERY_QUERY_TEST_H
#define VARVE_TESTS_QUERY_QUERY_TEST_H

/* Small profiles and trees as text, so that a test reads like the table it checks. */

#include "base/buf.h"
#include "query/tree/diff.h"
#include "signal/profile/profile_builder.h"
#include "signal/profile/profile_rows.h"
#include "test/test.h"

/*
 * A batch under construction, with one profile "cpu/nanoseconds" unless profile_begin() is called
 * again.
 */
struct sketch {
	struct profile_batch batch;
	struct profile_builder builder;
};

static UNUSED void sketch_init(struct sketch *s)
{
	assert_ok(profile_batch_init(&s->batch, NULL));
	assert_ok(profile_builder_init(&s->builder, &s->batch));
	assert_ok(profile_begin(&s->builder, STR("cpu"), STR("nanoseconds")));
}

static UNUSED void sketch_fini(struct sketch *s)
{
	struct err e = {0};

	assert_ok_err(profile_batch_check(&s->batch, &e), &e);
	profile_batch_fini(&s->batch);
}

/*
 * Add a location for "a", or for the inlined calls "a<b<c": a was inlined into b, b into c. It may
 * have a module: "a|/usr/bin/app".
 */
static UNUSED uint32_t sketch_location(struct sketch *s, struct str module)
{
	struct str text = str_cut(&module, '|');
	struct line lines[8] = {0};
	struct location_parts parts = {.lines = lines};
	struct mapping m = {0};
	uint32_t n = 0, id;

	assert_ok(profile_add_string(&s->builder, module, &m.filename));
	if (module.n)
		assert_ok(profile_add_mapping(&s->builder, &m, NULL, 0, &parts.mapping));
	while (text.n) {
		struct function f = {0};
		struct str name = str_cut(&text, '<');

		assert_ok(profile_add_string(&s->builder, name, &f.name));
		assert_ok(profile_add_function(&s->builder, &f, &lines[n++].function));
	}
	parts.line_count = n;
	assert_ok(profile_add_location(&s->builder, &parts, &id));
	return id;
}

/* Add a sample with the stack "main;work;leaf", root first as in folded text. */
static UNUSED void sketch_sample(struct sketch *s, const char *folded, int64_t value)
{
	struct str rest = str_from(folded);
	uint32_t locations[64], n = 0, stack;

	while (rest.n)
		locations[63 - n++] = sketch_location(s, str_cut(&rest, ';'));
	assert_ok(profile_add_stack(&s->builder, locations + 64 - n, n, &stack));
	assert_ok(profile_add_sample(&s->builder, stack, 0, NULL, 0, value));
}

static UNUSED void tree_print(struct buf *out, struct tree *t, uint32_t node)
{
	const struct tree_node *n = &t->nodes.at[node];

	if (node) {
		buf_put_str(out, tree_text(t, node));
		buf_printf(out, " %lld/%lld", (long long)tree_self(t, node).in[0],
			   (long long)tree_total(t, node).in[0]);
	}
	if (!n->child_n)
		return;
	buf_put_char(out, '(');
	for (uint32_t i = 0; i < n->child_n; i++) {
		if (i)
			buf_put_str(out, STR(", "));
		tree_print(out, t, tree_children(t, node)[i]);
	}
	buf_put_char(out, ')');
}

static UNUSED void build_tree(struct tree *t, const struct profile_batch *b,
			      const struct tree_options *o)
{
	struct err e = {0};

	assert_ok(tree_init(t, o, NULL));
	assert_ok_err(tree_add(t, b, TREE_ONLY, &e), &e);
	assert_ok(tree_finish(t));
}

/*
 * Compare the tree of the batch with text like "(main 0/10(work 4/10(leaf 6/6)))": self/total,
 * children in order.
 */
#define assert_tree(batch, options, expected)                                                      \
	do {                                                                                       \
		struct tree tree_;                                                                 \
		struct buf text_ = {0};                                                            \
		build_tree(&tree_, (batch), (options));                                            \
		tree_print(&text_, &tree_, 0);                                                     \
		assert_str_equal(buf_str(&text_), STR(expected));                                  \
		buf_fini(&text_);                                                                  \
		tree_fini(&tree_);                                                                 \
	} while (0)

/* Compare the table of functions of the batch with text like "leaf 6/6, main 0/10". */
#define assert_top(batch, options, order, expected)                                                \
	do {                                                                                       \
		struct tree tree_;                                                                 \
		struct top top_;                                                                   \
		struct buf text_ = {0};                                                            \
		build_tree(&tree_, (batch), (options));                                            \
		assert_ok(top_of_tree(&top_, &tree_));                                             \
		top_sort(&top_, &tree_, (order));                                                  \
		for (uint32_t i_ = 0; i_ < top_.n; i_++)                                           \
			buf_printf(&text_, "%s%.*s %lld/%lld", i_ ? ", " : "",                     \
				   STR_ARG(tree_.names.rows.at[top_.rows[i_].name].text),          \
				   (long long)top_.rows[i_].self[0],                               \
				   (long long)top_.rows[i_].total[0]);                             \
		assert_str_equal(buf_str(&text_), STR(expected));                                  \
		buf_fini(&text_);                                                                  \
		tree_fini(&tree_);                                                                 \
	} while (0)

static UNUSED struct regex *regex_of(const char *pattern)
{
	struct regex *r = NULL;
	struct err e = {0};

	assert_ok_err(regex_new(&r, str_from(pattern), 0, &e), &e);
	return r;
}

#endif
