/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The cache of query results: versions, eviction, memory given back to queries, use by several
 * threads.
 */
#include "query/kept.h"

#include "query_test.h"

struct fixture {
	struct budget budget;
	struct kept kept;
};

static void fixture_init(struct fixture *f, size_t budget, size_t limit)
{
	*f = (struct fixture){.budget.limit = budget};
	kept_init(&f->kept, &f->budget, limit);
}

static void fixture_fini(struct fixture *f)
{
	kept_fini(&f->kept);
	assert_int_equal(f->budget.used, 0);
}

/* Add an entry of stacks that take about `bytes`, without keeping a reference. */
static void keep_stacks(struct fixture *f, const char *key, uint64_t version, size_t bytes)
{
	struct kept_stacks *s;

	assert_ok(kept_stacks_new(&s, str_from(key), &f->budget));
	assert_non_null(arena_alloc(&s->tree->dictionary.arena, bytes, 1));
	s->entry.versions =
		(struct kept_versions){.current = {version}, .ns = clock_monotonic_ns()};
	s->entry.bytes = bytes;
	kept_put(&f->kept, &s->entry);
	kept_unref(&f->kept, &s->entry);
}

static struct kept_entry *find_stacks(struct fixture *f, const char *key, uint64_t version,
				      uint64_t as_of)
{
	struct kept_versions m = {.current = {version}, .as_of = {as_of}};

	return kept_find(&f->kept, KEPT_STACKS, str_from(key), &m);
}

static bool has_stacks(struct fixture *f, const char *key, uint64_t version)
{
	struct kept_entry *e = find_stacks(f, key, version, 0);

	kept_unref(&f->kept, e);
	return e != NULL;
}

static void an_entry_is_found_by_key_kind_and_version(void **state)
{
	struct kept_versions m = {.current = {7}};
	struct kept_stats stats;
	struct fixture f;

	(void)state;
	fixture_init(&f, 64 * MIB, 16 * MIB);
	keep_stacks(&f, "a", 7, 1000);
	assert_true(has_stacks(&f, "a", 7));
	assert_false(has_stacks(&f, "a", 8));
	assert_false(has_stacks(&f, "a", 0));
	assert_false(has_stacks(&f, "b", 7));
	assert_null(kept_find(&f.kept, KEPT_TREE, STR("a"), &m));
	/* a newer version replaces an entry; an older one does not */
	keep_stacks(&f, "a", 9, 1000);
	assert_false(has_stacks(&f, "a", 7));
	keep_stacks(&f, "a", 8, 1000);
	assert_true(has_stacks(&f, "a", 9));
	/* entries without a version are not kept */
	keep_stacks(&f, "c", 0, 1000);
	assert_false(has_stacks(&f, "c", 0));
	kept_stats(&f.kept, &stats);
	assert_int_equal(stats.entries, 1);
	assert_int_equal(stats.bytes, 1000);
	assert_int_equal(stats.hits[KEPT_STACKS], 2);
	assert_int_equal(stats.misses[KEPT_STACKS], 5);
	assert_int_equal(stats.misses[KEPT_TREE], 1);
	fixture_fini(&f);
}

static void an_older_version_is_found_only_if_requested_and_recent(void **state)
{
	struct kept_versions m = {.current = {8}, .as_of = {7}};
	struct kept_entry *e;
	struct fixture f;

	(void)state;
	fixture_init(&f, 64 * MIB, 16 * MIB);
	keep_stacks(&f, "a", 7, 1000);
	assert_null(find_stacks(&f, "a", 8, 0));
	assert_null(find_stacks(&f, "a", 8, 6));
	e = kept_find(&f.kept, KEPT_STACKS, STR("a"), &m);
	assert_non_null(e);
	assert_int_equal(m.current[0], 7);
	e->versions.ns -= KEPT_AS_OF_NS + NS_PER_SECOND; /* make the entry too old */
	kept_unref(&f.kept, e);
	assert_null(find_stacks(&f, "a", 8, 7));
	assert_true(has_stacks(&f, "a", 7));
	fixture_fini(&f);
}

static void an_entry_of_two_selections_has_two_versions(void **state)
{
	struct kept_versions same = {.current = {3, 4}}, swapped = {.current = {4, 3}},
			     one = {.current = {3}}, named = {.current = {9, 9}, .as_of = {3, 4}};
	struct kept_versions *const wrong[] = {&swapped, &one};
	struct kept_stacks *s;
	struct kept_entry *e;
	struct fixture f;

	(void)state;
	fixture_init(&f, 64 * MIB, 16 * MIB);
	assert_ok(kept_stacks_new(&s, STR("a"), &f.budget));
	s->entry.versions = (struct kept_versions){.current = {3, 4}, .ns = clock_monotonic_ns()};
	kept_put(&f.kept, &s->entry);
	kept_unref(&f.kept, &s->entry);
	for (unsigned i = 0; i < countof(wrong); i++)
		assert_null(kept_find(&f.kept, KEPT_STACKS, STR("a"), wrong[i]));
	e = kept_find(&f.kept, KEPT_STACKS, STR("a"), &same);
	assert_non_null(e);
	kept_unref(&f.kept, e);
	e = kept_find(&f.kept, KEPT_STACKS, STR("a"), &named);
	assert_non_null(e);
	assert_int_equal(named.current[1], 4);
	kept_unref(&f.kept, e);
	fixture_fini(&f);
}

static void entries_stored_together_share_a_tree(void **state)
{
	struct kept_stacks *a, *b;
	struct fixture f;

	(void)state;
	fixture_init(&f, 64 * MIB, 16 * MIB);
	for (unsigned first = 0; first < 2; first++) {
		assert_ok(kept_stacks_new(&a, STR("a"), &f.budget));
		assert_ok(kept_stacks_new_shared(&b, STR("b"), a));
		assert_ptr_equal(a->tree, b->tree);
		assert_ok(stack_sums_add(a->tree, &a->sums, 0, 1));
		assert_ok(stack_sums_add(b->tree, &b->sums, 0, 2));
		kept_unref(&f.kept, first ? &a->entry : &b->entry);
		assert_true(f.budget.used > 0);
		assert_int_equal((first ? b : a)->sums.self.at[0], first ? 2 : 1);
		kept_unref(&f.kept, first ? &b->entry : &a->entry);
		assert_int_equal(f.budget.used, 0);
	}
	fixture_fini(&f);
}

static void the_least_recently_used_entry_is_evicted_first(void **state)
{
	struct kept_stats stats;
	struct fixture f;

	(void)state;
	fixture_init(&f, 64 * MIB, 3 * MIB);
	keep_stacks(&f, "a", 1, MIB);
	keep_stacks(&f, "b", 1, MIB);
	keep_stacks(&f, "c", 1, MIB);
	assert_true(has_stacks(&f, "a", 1));
	keep_stacks(&f, "d", 1, MIB);
	assert_false(has_stacks(&f, "b", 1));
	assert_true(has_stacks(&f, "a", 1) && has_stacks(&f, "c", 1) && has_stacks(&f, "d", 1));
	/* an entry above the limit is not kept and evicts nothing */
	keep_stacks(&f, "e", 1, 4 * MIB);
	assert_false(has_stacks(&f, "e", 1));
	kept_stats(&f.kept, &stats);
	assert_int_equal(stats.bytes, 3 * MIB);
	assert_int_equal(stats.dropped, 1);
	fixture_fini(&f);
}

static void entries_are_limited_in_number_and_idle_time(void **state)
{
	struct kept_stats stats;
	struct kept_entry *e;
	struct fixture f;

	(void)state;
	fixture_init(&f, 64 * MIB, 32 * MIB);
	for (unsigned i = 0; i < KEPT_MAX + 10; i++) {
		char key[16];

		snprintf(key, sizeof(key), "%u", i);
		keep_stacks(&f, key, 1, 100);
	}
	kept_stats(&f.kept, &stats);
	assert_int_equal(stats.entries, KEPT_MAX);
	assert_false(has_stacks(&f, "9", 1));
	assert_true(has_stacks(&f, "10", 1));
	e = find_stacks(&f, "11", 1, 0);
	((struct kept_entry *)f.kept.entries.oldest)->used_ns -= KEPT_IDLE_NS + NS_PER_SECOND;
	kept_unref(&f.kept, e);
	kept_stats(&f.kept, &stats);
	assert_int_equal(stats.entries, KEPT_MAX - 1);
	fixture_fini(&f);
}

/* A query that needs memory gets that of kept entries, except those in use by other queries. */
static void queries_get_the_memory_of_kept_entries(void **state)
{
	struct kept_entry *used;
	struct fixture f;
	struct arena query;

	(void)state;
	fixture_init(&f, 8 * MIB, 6 * MIB);
	keep_stacks(&f, "a", 1, 2 * MIB);
	keep_stacks(&f, "b", 1, 2 * MIB);
	keep_stacks(&f, "c", 1, MIB);
	arena_init(&query, &f.budget);
	/* enough memory without eviction */
	assert_non_null(arena_alloc(&query, 2 * MIB, 1));
	assert_int_equal(f.kept.count, 3);
	/* evicts only the least recently used entry */
	assert_non_null(arena_alloc(&query, MIB + MIB / 2, 1));
	assert_true(!has_stacks(&f, "a", 1) && has_stacks(&f, "b", 1) && has_stacks(&f, "c", 1));
	used = find_stacks(&f, "b", 1, 0);
	assert_non_null(used);
	assert_null(arena_alloc(&query, 4 * MIB, 1));
	assert_int_equal(f.kept.count, 1);
	assert_true(has_stacks(&f, "b", 1));
	kept_unref(&f.kept, used);
	assert_non_null(arena_alloc(&query, 4 * MIB, 1));
	assert_int_equal(f.kept.count, 0);
	/* more than the budget: eviction cannot help */
	assert_null(arena_alloc(&query, 9 * MIB, 1));
	arena_fini(&query);
	fixture_fini(&f);
}

/* A user of an entry can still read it after it was replaced. */
static void an_entry_in_use_outlives_its_replacement(void **state)
{
	struct kept_entry *e;
	struct fixture f;

	(void)state;
	fixture_init(&f, 64 * MIB, 16 * MIB);
	keep_stacks(&f, "a", 1, MIB);
	e = find_stacks(&f, "a", 1, 0);
	keep_stacks(&f, "a", 2, MIB);
	assert_int_equal(f.kept.bytes, MIB);
	assert_str_equal(e->key, STR("a"));
	assert_int_equal(((struct kept_stacks *)e)->tree->nodes.n, 1);
	assert_true(f.budget.used >= 2 * MIB);
	kept_unref(&f.kept, e);
	assert_true(f.budget.used < 2 * MIB);
	fixture_fini(&f);
}

static void the_rows_of_a_tree_are_computed_once(void **state)
{
	struct kept_tree *t;
	struct top first, again, plain;
	struct sketch s;
	struct tree own;
	struct fixture f;

	(void)state;
	fixture_init(&f, 64 * MIB, 16 * MIB);
	sketch_init(&s);
	sketch_sample(&s, "main;a", 3);
	sketch_sample(&s, "main;b;a", 4);
	assert_ok(kept_tree_new(&t, STR("t"), &(struct tree_options){0}, &f.budget));
	assert_ok(tree_add(&t->tree, &s.batch, TREE_ONLY, NULL));
	assert_ok(tree_finish(&t->tree));
	t->entry.versions.current[0] = 1;
	t->entry.bytes = arena_bytes(&t->tree.arena);
	kept_put(&f.kept, &t->entry);
	tree_borrow(&own, &t->tree, &f.budget);
	assert_ok(top_of_tree(&plain, &own));
	assert_ok(kept_tree_top(&f.kept, t, &first));
	assert_ok(kept_tree_top(&f.kept, t, &again));
	assert_ptr_equal(first.rows, again.rows);
	assert_int_equal(first.n, 3);
	assert_memory_equal(first.rows, plain.rows, first.n * sizeof(*first.rows));
	assert_true(f.kept.bytes == t->entry.bytes && f.kept.bytes > arena_bytes(&t->tree.arena));
	tree_fini(&own);
	kept_unref(&f.kept, &t->entry);
	sketch_fini(&s);
	fixture_fini(&f);
}

static void missing_days_are_listed_once(void **state)
{
	struct store_missing to = {.n = 1, .days = {5}};
	struct store_missing from = {.n = 2, .structure = true, .days = {5, 6}};

	(void)state;
	store_missing_add(&to, &from);
	store_missing_add(NULL, &from);
	assert_int_equal(to.n, 2);
	assert_int_equal(to.days[1], 6);
	assert_true(to.structure && !to.more);
	for (uint64_t i = 0; i < STORE_MISSING_MAX; i++) {
		from = (struct store_missing){.n = 1, .days = {100 + i}};
		store_missing_add(&to, &from);
	}
	assert_int_equal(to.n, STORE_MISSING_MAX);
	assert_true(to.more);
}

/* ---- several threads ---- */

enum { THREADS = 4, ROUNDS = 400, KEYS = 5 };

/* Return the value of the stacks of a key and version. */
static int64_t value_of(unsigned key, uint64_t version)
{
	return (int64_t)(version * KEYS + key);
}

static void make_entry(struct fixture *f, struct str key, unsigned number, uint64_t version)
{
	struct kept_stacks *s;

	if (kept_stacks_new(&s, key, &f->budget))
		return; /* other threads hold the memory */
	if (!stack_sums_add(s->tree, &s->sums, 0, value_of(number, version)) &&
	    arena_alloc(&s->tree->dictionary.arena, 300 * KIB, 1)) {
		s->entry.versions.current[0] = version;
		s->entry.bytes = arena_bytes(&s->tree->dictionary.arena);
		kept_put(&f->kept, &s->entry);
	}
	kept_unref(&f->kept, &s->entry);
}

static void *use_kept(void *arg)
{
	struct fixture *f = arg;

	for (unsigned i = 0; i < ROUNDS; i++) {
		unsigned number = i % KEYS;
		uint64_t version = 1 + i / 100;
		struct kept_versions m = {.current = {version}};
		char text[] = {'k', (char)('0' + number), 0};
		struct kept_entry *e = kept_find(&f->kept, KEPT_STACKS, str_from(text), &m);

		if (e && ((struct kept_stacks *)e)->sums.self.at[0] != value_of(number, version))
			return "an entry of another key or version";
		if (!e)
			make_entry(f, str_from(text), number, version);
		kept_unref(&f->kept, e);
	}
	return NULL;
}

static void threads_share_kept_entries(void **state)
{
	pthread_t threads[THREADS];
	struct fixture f;
	void *failed;

	(void)state;
	fixture_init(&f, 2 * MIB, MIB);
	for (unsigned i = 0; i < THREADS; i++)
		assert_ok(pthread_create(&threads[i], NULL, use_kept, &f));
	for (unsigned i = 0; i < THREADS; i++) {
		assert_ok(pthread_join(threads[i], &failed));
		if (failed)
			fail_msg("%s", (const char *)failed);
	}
	assert_true(f.kept.bytes <= MIB);
	fixture_fini(&f);
}

TEST_MAIN(test(an_entry_is_found_by_key_kind_and_version),
	  test(an_older_version_is_found_only_if_requested_and_recent),
	  test(an_entry_of_two_selections_has_two_versions),
	  test(entries_stored_together_share_a_tree),
	  test(the_least_recently_used_entry_is_evicted_first),
	  test(entries_are_limited_in_number_and_idle_time),
	  test(queries_get_the_memory_of_kept_entries),
	  test(an_entry_in_use_outlives_its_replacement),
	  test(the_rows_of_a_tree_are_computed_once), test(missing_days_are_listed_once),
	  test(threads_share_kept_entries))
