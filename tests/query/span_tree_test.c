/* SPDX-License-Identifier: Apache-2.0 */
/* The tree of spans: missing parents, cycles, unknown ids. */
#include "query/span_tree.h"

#include "base/clock.h"
#include "test/memory_store.h"
#include "test/span_fill.h"

#define S NS_PER_SECOND

static int setup(void **state)
{
	static const struct fill_span rows[] = {
		{0x11, 0, "GET /", "front", 100 * S, 50},
		{0x12, 0x11, "call cart", "front", 101 * S, 30},
		{0x13, 0x12, "GET /cart", "cart", 102 * S, 20},
		{0x14, 0x11, "render", "front", 103 * S, 10},
		/* children whose parent is not stored */
		{0x22, 0x21, "a", "x", 100 * S, 1},
		{0x23, 0x21, "b", "x", 101 * S, 1},
		/* a cycle, and a span that is its own parent */
		{0x31, 0x33, "a", "x", 100 * S, 1},
		{0x32, 0x31, "b", "x", 101 * S, 1},
		{0x33, 0x32, "c", "x", 102 * S, 1},
		{0x34, 0x34, "d", "x", 103 * S, 1},
		{0x35, 0x33, "e", "x", 104 * S, 1},
	};

	return memory_store_open((struct store **)state) || spans_fill(*state, rows, countof(rows));
}

static int teardown(void **state)
{
	struct store *s = *state;

	s->ops->close(s);
	return 0;
}

/* Load the tree of traces 1 to 3. */
static void load(struct span_tree *t, struct store *store)
{
	static const uint8_t traces[3][16] = {{[15] = 1}, {[15] = 2}, {[15] = 3}};
	struct store_span_select sel = {.to = UINT64_MAX, .traces = traces, .trace_count = 3};
	struct err e = {0};

	assert_ok(span_tree_init(t, NULL));
	assert_ok_err(span_tree_load(t, store, &sel, &e), &e);
	assert_ok_err(span_tree_load(t, store, &sel, &e), &e); /* loading twice has no effect */
	assert_ok(span_tree_finish(t));
}

static struct span_node *node(struct span_tree *t, uint8_t id)
{
	struct link link = {0};
	uint32_t at;

	link.trace_id[15] = id >> 4;
	link.span_id[7] = id;
	at = span_tree_find(t, &link);
	assert_int_not_equal(at, SPAN_NONE);
	return &t->nodes.at[at];
}

static void children_know_their_parents(void **state)
{
	struct span_tree t;

	load(&t, *state);
	assert_int_equal(node(&t, 0x11)->parent, SPAN_NONE);
	assert_ptr_equal(&t.nodes.at[node(&t, 0x13)->parent], node(&t, 0x12));
	assert_ptr_equal(&t.nodes.at[node(&t, 0x12)->parent], node(&t, 0x11));
	assert_str_equal(node(&t, 0x13)->name, STR("GET /cart"));
	assert_str_equal(node(&t, 0x13)->service, STR("cart"));
	assert_int_equal(node(&t, 0x13)->end - node(&t, 0x13)->start, 20);
	assert_true(node(&t, 0x22)->kept);
	assert_false(node(&t, 0x21)->kept);
	assert_ptr_equal(&t.nodes.at[node(&t, 0x23)->parent], node(&t, 0x21));
	span_tree_fini(&t);
}

static void totals_add_up_and_cycles_are_cut(void **state)
{
	struct span_tree t;
	unsigned roots = 0;

	load(&t, *state);
	for (uint32_t i = 0; i < t.nodes.n; i++) {
		t.nodes.at[i].total = 1;
		roots += t.nodes.at[i].parent == SPAN_NONE && t.nodes.at[i].link.trace_id[15] == 3;
	}
	span_tree_add_up(&t);
	assert_int_equal(node(&t, 0x11)->total, 4);
	assert_int_equal(node(&t, 0x12)->total, 2);
	assert_int_equal(node(&t, 0x14)->total, 1);
	assert_int_equal(node(&t, 0x21)->total, 3);
	assert_int_equal(node(&t, 0x34)->total, 1);
	assert_int_equal(roots, 2);
	/* the root of the cut cycle has the total of the cycle */
	for (uint32_t i = 0; i < t.nodes.n; i++)
		if (t.nodes.at[i].parent == SPAN_NONE && t.nodes.at[i].link.span_id[7] != 0x34 &&
		    t.nodes.at[i].link.trace_id[15] == 3)
			assert_int_equal(t.nodes.at[i].total, 4);
	span_tree_fini(&t);
}

/* Compare the spans that the ids include with their last bytes in hex. */
static void assert_below(struct store *store, const uint8_t *wanted, uint32_t n, bool traces,
			 const char *expected)
{
	static const uint8_t two[1][16] = {{[15] = 2}};
	uint8_t ids[8][8] = {{0}};
	const uint8_t(*out)[8];
	struct store_span_select sel = {.to = UINT64_MAX,
					.ids = (const uint8_t(*)[8])ids,
					.id_count = n,
					.traces = two,
					.trace_count = traces};
	char text[200] = "";
	struct span_tree t;
	struct err e = {0};
	uint32_t count;

	for (uint32_t i = 0; i < n; i++)
		ids[i][7] = wanted[i];
	assert_ok(span_tree_init(&t, NULL));
	assert_ok_err(span_tree_of_ids(&t, store, &sel, &e), &e);
	assert_ok(span_tree_below(&t, sel.ids, n, &t.arena, &out, &count));
	for (uint32_t i = 0; i < count; i++)
		snprintf(text + strlen(text), sizeof(text) - strlen(text), "%02x ", out[i][7]);
	assert_string_equal(text, expected);
	span_tree_fini(&t);
}

static void a_span_includes_all_spans_that_it_called(void **state)
{
	assert_below(*state, (const uint8_t[]){0x11}, 1, false, "11 12 14 13 ");
	assert_below(*state, (const uint8_t[]){0x12}, 1, false, "12 13 ");
	assert_below(*state, (const uint8_t[]){0x13, 0x12}, 2, false, "12 13 ");
	assert_below(*state, (const uint8_t[]){0x12, 0x22, 0x12}, 3, false, "12 22 13 ");
	/* not stored: known from its children if the trace is given */
	assert_below(*state, (const uint8_t[]){0x21}, 1, false, "21 ");
	assert_below(*state, (const uint8_t[]){0x21}, 1, true, "21 22 23 ");
	/* unknown id */
	assert_below(*state, (const uint8_t[]){0x77}, 1, false, "77 ");
}

static void the_range_of_spans_is_wider_than_that_of_samples(void **state)
{
	struct store_span_select sel = {0};

	(void)state;
	span_tree_range(100 * 3600 * S, 101 * 3600 * S, &sel);
	assert_int_equal(sel.from, 76 * 3600 * S);
	assert_int_equal(sel.to, 102 * 3600 * S);
	span_tree_range(5, UINT64_MAX, &sel);
	assert_int_equal(sel.from, 0);
	assert_int_equal(sel.to, UINT64_MAX);
}

#define with_spans(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

TEST_MAIN(with_spans(children_know_their_parents), with_spans(totals_add_up_and_cycles_are_cut),
	  with_spans(a_span_includes_all_spans_that_it_called),
	  test(the_range_of_spans_is_wider_than_that_of_samples))
