/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Queries over many services: the largest frames and functions, computed service by service, are
 * compared with the tree of all services.
 */
#include "query/wide.h"
#include "signal/profile/profile_rows.h"
#include "store/store_support.h"

#define FROM (TEST_DAY * TEST_NS_PER_DAY)
#define HOUR (3600 * NS_PER_SECOND)

enum { SERVICES = 30, STACKS = 60, DEPTH = 12 };

struct fixture {
	char directory[64];
	struct store *store;
	struct arena arena;
	struct store_select select;
};

static uint32_t add_function(struct profile_builder *b, const char *name, unsigned n)
{
	struct function f = {0};
	char text[64];
	uint32_t id;

	snprintf(text, sizeof(text), "%s%u", name, n);
	assert_ok(profile_add_string(b, str_from(text), &f.name));
	assert_ok(profile_add_function(b, &f, &id));
	return id;
}

/* Add a location; some belong to one service, others to all. One in three has an inlined call. */
static uint32_t add_location(struct profile_builder *b, uint64_t *seed, unsigned service)
{
	unsigned n = test_random(seed, 4);
	struct line lines[2] = {{.function = test_random(seed, 2)
						     ? add_function(b, "common", n)
						     : add_function(b, "own", service * 10 + n),
				 .line = 1 + test_random(seed, 3)}};
	struct location_parts parts = {.lines = lines, .line_count = 1};
	uint32_t id;

	if (test_random(seed, 3) == 0) {
		lines[1] = (struct line){.function = add_function(b, "outer", n), .line = 7};
		parts.line_count = 2;
	}
	assert_ok(profile_add_location(b, &parts, &id));
	return id;
}

static void add_samples(struct profile_builder *b, uint64_t *seed, unsigned service)
{
	for (unsigned i = 0; i < STACKS; i++) {
		uint32_t locations[DEPTH], stack, n = test_random(seed, DEPTH + 1);

		for (uint32_t k = 0; k < n; k++)
			locations[k] = add_location(b, seed, service);
		assert_ok(profile_add_stack(b, locations, n, &stack));
		assert_ok(profile_add_sample(b, stack, 0, NULL, 0,
					     1 + test_random(seed, 10) * test_random(seed, 1000)));
	}
}

static void put_service(struct fixture *f, unsigned service, const char *type, uint64_t time)
{
	uint64_t seed = service * 7919 + 1;
	struct profile row = {.time_unix_nano = time, .duration_nano = 10 * NS_PER_SECOND};
	char name[32];
	struct keyvalue kv = {STR("service.name"),
			      VALUE_OF_STR(test_text(name, sizeof(name), "service_", service))};
	struct profile_batch batch;
	struct profile_builder b;
	struct err e = {0};

	assert_ok(profile_batch_init(&batch, NULL));
	assert_ok(profile_builder_init(&b, &batch));
	assert_ok(profile_add_resource(&b, &kv, 1));
	assert_ok(profile_add_scope(&b, STR("scope"), STR(""), NULL, 0));
	assert_ok(profile_add_string(&b, str_from(type), &row.sample_type.type));
	assert_ok(profile_add_string(&b, STR("bytes"), &row.sample_type.unit));
	row.period_type = row.sample_type;
	assert_ok(profile_add_profile(&b, &row, NULL, 0));
	add_samples(&b, &seed, service);
	assert_ok_err(put_batch(f->store, NULL, STR(""), &batch, time, NULL, &e), &e);
	profile_batch_fini(&batch);
}

/* Write two days; the first is merged into chunks. */
static int setup(void **state)
{
	struct fixture *f = calloc(1, sizeof(*f));
	struct sqlite_store_options o = {.window_ms = 1, .manual = true};
	struct err e = {0};

	make_directory(f->directory);
	o.directory = f->directory;
	assert_ok_err(sqlite_store_open(&f->store, &o, &e), &e);
	arena_init(&f->arena, NULL);
	for (unsigned i = 0; i < SERVICES; i++)
		put_service(f, i, "alloc", FROM + HOUR);
	assert_ok_err(sqlite_store_work(f->store, true, &e), &e);
	for (unsigned i = 0; i < SERVICES; i++)
		put_service(f, i, "alloc", FROM + 25 * HOUR);
	f->select = (struct store_select){.to = UINT64_MAX};
	*state = f;
	return 0;
}

static int teardown(void **state)
{
	struct fixture *f = *state;

	f->store->ops->close(f->store);
	remove_tree(f->directory);
	arena_fini(&f->arena);
	free(f);
	return 0;
}

struct answer {
	struct stack_tree stacks;
	struct stack_sums sums;
	struct tree tree;
};

static void answer_finish(struct answer *a, enum group_by group)
{
	struct tree_options o = {.group = group};
	struct err e = {0};

	assert_ok(tree_init(&a->tree, &o, NULL));
	assert_ok(tree_set_type(&a->tree, STR("alloc"), STR("bytes")));
	assert_ok_err(tree_add_stacks(&a->tree, &a->stacks, &a->sums, NULL, &e), &e);
	assert_ok(tree_finish(&a->tree));
}

static void answer_all(struct fixture *f, struct answer *a, enum group_by group)
{
	struct err e = {0};

	*a = (struct answer){0};
	assert_ok(stack_tree_init(&a->stacks, NULL));
	assert_ok_err(f->store->ops->stacks(f->store, &f->select, &a->stacks, &a->sums, &e), &e);
	answer_finish(a, group);
}

static void answer_largest(struct fixture *f, struct answer *a, enum group_by group, uint32_t most)
{
	struct err e = {0};

	*a = (struct answer){0};
	assert_ok(stack_tree_init(&a->stacks, NULL));
	assert_ok_err(wide_stacks(f->store, &f->select, most, &a->stacks, &a->sums, &e), &e);
	answer_finish(a, group);
}

static void answer_fini(struct answer *a)
{
	tree_fini(&a->tree);
	stack_tree_fini(&a->stacks);
}

static struct str name_of(const struct tree *t, uint32_t node)
{
	return t->names.rows.at[t->nodes.at[node].name].text;
}

/* Return the child of that name, or 0. */
static uint32_t child_of(const struct tree *t, uint32_t node, struct str name)
{
	const struct tree_node *n = &t->nodes.at[node];

	for (uint32_t i = 0; i < n->child_n; i++)
		if (str_eq(name_of(t, t->children[n->child_at + i]), name))
			return t->children[n->child_at + i];
	return 0;
}

/*
 * Assert that all nodes of `few` below the node are in `all` with the same total. Return their
 * number.
 */
static uint32_t assert_part(const struct tree *few, uint32_t a, const struct tree *all, uint32_t b)
{
	const struct tree_node *n = &few->nodes.at[a];
	uint32_t count = 1;

	assert_int_equal(tree_total(few, a).in[0], tree_total(all, b).in[0]);
	for (uint32_t i = 0; i < n->child_n; i++) {
		uint32_t child = few->children[n->child_at + i], same;

		if (str_eq(name_of(few, child), WIDE_OTHER))
			continue;
		same = child_of(all, b, name_of(few, child));
		assert_int_not_equal(same, 0);
		count += assert_part(few, child, all, same);
	}
	return count;
}

/*
 * Assert that all nodes of `all` below the node with at least that total are in `few`. Return their
 * number.
 */
static uint32_t assert_has(const struct tree *all, uint32_t a, const struct tree *few, uint32_t b,
			   int64_t least)
{
	const struct tree_node *n = &all->nodes.at[a];
	uint32_t count = 1;

	for (uint32_t i = 0; i < n->child_n; i++) {
		uint32_t child = all->children[n->child_at + i], same;

		if (tree_total(all, child).in[0] < least)
			continue;
		same = child_of(few, b, name_of(all, child));
		assert_int_not_equal(same, 0);
		count += assert_has(all, child, few, same, least);
	}
	return count;
}

static int compare_larger(const void *a, const void *b)
{
	int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;

	return x > y ? -1 : x < y;
}

/* Return the total of the smallest of the `most` largest frames by name. */
static int64_t least_of(struct fixture *f, uint32_t most)
{
	struct answer all;
	int64_t least, *totals;

	answer_all(f, &all, GROUP_NAME);
	assert_true(all.tree.nodes.n > most);
	totals = arena_alloc(&f->arena, all.tree.nodes.n, sizeof(*totals));
	for (uint32_t i = 1; i < all.tree.nodes.n; i++)
		totals[i - 1] = tree_total(&all.tree, i).in[0];
	qsort(totals, all.tree.nodes.n - 1, sizeof(*totals), compare_larger);
	least = totals[most - 1];
	answer_fini(&all);
	return least;
}

static void the_largest_frames_are_included_and_exact(void **state)
{
	static const uint32_t sizes[] = {1, 20, 300, 3000};
	static const enum group_by groups[] = {GROUP_FUNCTION, GROUP_NAME, GROUP_LINE};
	struct fixture *f = *state;

	for (unsigned g = 0; g < countof(groups); g++) {
		struct answer all;
		uint32_t before = 0;

		answer_all(f, &all, groups[g]);
		assert_true(all.tree.nodes.n > 5000);
		for (unsigned i = 0; i < countof(sizes); i++) {
			struct answer few;
			uint32_t shown;

			answer_largest(f, &few, groups[g], sizes[i]);
			assert_int_equal(few.tree.sum[0].all, all.tree.sum[0].all);
			shown = assert_part(&few.tree, 0, &all.tree, 0);
			assert_true(shown > before);
			assert_true(shown < 3 * sizes[i] + 10);
			/* frames close to the last one may share a counter */
			assert_true(assert_has(&all.tree, 0, &few.tree, 0,
					       least_of(f, (sizes[i] * 3 + 3) / 4)) > sizes[i] / 3);
			before = shown;
			answer_fini(&few);
		}
		answer_fini(&all);
	}
}

/* If memory is sufficient for more frames than there are, all are returned. */
static void with_enough_memory_all_frames_are_returned(void **state)
{
	struct fixture *f = *state;
	struct answer all, same;

	answer_all(f, &all, GROUP_FUNCTION);
	answer_largest(f, &same, GROUP_FUNCTION, 1 << 20);
	assert_int_equal(same.tree.nodes.n, all.tree.nodes.n);
	assert_int_equal(assert_part(&same.tree, 0, &all.tree, 0), all.tree.nodes.n);
	answer_fini(&same);
	answer_fini(&all);
}

static const struct top_row *row_of(const struct top *top, const struct tree *t, struct str name)
{
	for (uint32_t i = 0; i < top->n; i++)
		if (str_eq(t->names.rows.at[top->rows[i].name].text, name))
			return &top->rows[i];
	return NULL;
}

static void functions_match_those_of_the_tree(void **state)
{
	static const enum group_by groups[] = {GROUP_FUNCTION, GROUP_LINE, GROUP_FILE};
	struct fixture *f = *state;

	for (unsigned g = 0; g < countof(groups); g++) {
		struct tree_options o = {.group = groups[g]};
		struct answer all;
		struct top wanted, got;
		struct tree t;
		struct err e = {0};

		answer_all(f, &all, groups[g]);
		assert_ok(top_of_tree(&wanted, &all.tree));
		assert_ok(tree_init(&t, &o, NULL));
		assert_ok_err(wide_top(f->store, &f->select, &t, &got, &e), &e);
		assert_int_equal(got.n, wanted.n);
		assert_int_equal(t.sum[0].all, all.tree.sum[0].all);
		for (uint32_t i = 0; i < wanted.n; i++) {
			struct str name = all.tree.names.rows.at[wanted.rows[i].name].text;
			const struct top_row *row = row_of(&got, &t, name);

			assert_non_null(row);
			assert_int_equal(row->self[0], wanted.rows[i].self[0]);
			assert_int_equal(row->total[0], wanted.rows[i].total[0]);
		}
		tree_fini(&t);
		answer_fini(&all);
	}
}

/* Both days have the same values, so their mean has, too. */
static void means_match_those_of_the_tree(void **state)
{
	struct fixture *f = *state;
	struct answer all, few;

	f->select.average = true;
	answer_all(f, &all, GROUP_FUNCTION);
	answer_largest(f, &few, GROUP_FUNCTION, 300);
	assert_int_equal(few.tree.sum[0].all, all.tree.sum[0].all);
	assert_true(assert_part(&few.tree, 0, &all.tree, 0) > 100);
	answer_fini(&few);
	answer_fini(&all);
}

static void a_query_that_is_too_large_can_be_refused_at_once(void **state)
{
	struct fixture *f = *state;
	struct budget budget = {.limit = 1 << 18};
	struct stack_sums sums = {0};
	struct stack_tree tree;
	struct err e = {0};

	f->select.limits.budget = &budget;
	f->select.refuse_large = true;
	assert_ok(stack_tree_init(&tree, NULL));
	assert_int_equal(f->store->ops->stacks(f->store, &f->select, &tree, &sums, &e), -ENOMEM);
	assert_non_null(strstr(e.text, "merging the stacks of 30 services may take"));
	assert_int_equal(tree.nodes.n, 1);
	stack_tree_fini(&tree);
}

#define with_store(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

TEST_MAIN(with_store(the_largest_frames_are_included_and_exact),
	  with_store(with_enough_memory_all_frames_are_returned),
	  with_store(functions_match_those_of_the_tree), with_store(means_match_those_of_the_tree),
	  with_store(a_query_that_is_too_large_can_be_refused_at_once))
