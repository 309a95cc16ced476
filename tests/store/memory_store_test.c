/* SPDX-License-Identifier: Apache-2.0 */
/* The in-memory store of the tests (tests/test/memory_store.h), which is the oracle for others. */
#include "test/memory_store.h"

#include "base/buf.h"
#include "base/clock.h"
#include "test/store_fill.h"

#define CPU "process_cpu:cpu:nanoseconds:cpu:nanoseconds"
#define SLOT (STORE_SLOT_SECONDS * NS_PER_SECOND)

static int setup(void **state)
{
	return memory_store_open((struct store **)state);
}

static int teardown(void **state)
{
	struct store *s = *state;

	s->ops->close(s);
	return 0;
}

static void put(struct store *s, const char *labels, uint64_t time, const char *id,
		const char *samples)
{
	struct fill f = {.type = CPU, .labels = labels, .time = time, .id = id, .samples = samples};

	assert_ok(store_fill(s, &f, NULL));
}

/* Print a line "a;b 3" for each stack with a value, in tree order. */
static void print_sums(struct buf *out, const struct stack_tree *t, const struct stack_sums *sums)
{
	for (uint32_t i = 0; i < sums->self.n; i++) {
		struct str names[64];
		unsigned n = 0;

		if (!sums->self.at[i])
			continue;
		for (uint32_t at = i; at; at = t->nodes.at[at].parent) {
			struct list lines =
				t->dictionary.locations.at[t->nodes.at[at].location].lines;
			uint32_t f = t->dictionary.lines.at[lines.at].function;

			names[n++] = string_of(&t->dictionary, t->dictionary.functions.at[f].name);
		}
		while (n--) {
			buf_put_str(out, names[n]);
			buf_put_char(out, n ? ';' : ' ');
		}
		buf_put_i64(out, sums->self.at[i]);
		buf_put_char(out, '\n');
	}
}

static void assert_stacks(struct store *s, const struct store_select *sel, const char *expected)
{
	struct stack_tree t;
	struct stack_sums sums = {0};
	struct buf out = {0};
	struct err e = {0};

	assert_ok(stack_tree_init(&t, NULL));
	assert_ok_err(s->ops->stacks(s, sel, &t, &sums, &e), &e);
	print_sums(&out, &t, &sums);
	assert_str_equal(buf_str(&out), str_from(expected));
	buf_fini(&out);
	stack_tree_fini(&t);
}

static void stacks_add_up_within_the_range(void **state)
{
	struct store *s = *state;

	put(s, "service_name=a", 10, NULL, "m;x 1, m;y 2");
	put(s, "service_name=a", 20, NULL, "m;x 10, m 5");
	put(s, "service_name=b", 20, NULL, "m;x 100");
	put(s, "service_name=a", 30, NULL, "m;x 1000");
	assert_stacks(s, &(struct store_select){.from = 10, .to = 30}, "m 5\nm;x 111\nm;y 2\n");
	assert_stacks(s, &(struct store_select){.from = 31, .to = 40}, "");
}

static void selectors_tenants_and_spans_select_profiles(void **state)
{
	struct store *s = *state;
	struct selector selector;
	struct err e = {0};
	const uint8_t span[1][8] = {{0, 0, 0, 0, 0, 0, 0, 0x0a}};
	const uint8_t trace[16] = {[15] = 1};
	struct fill other = {.tenant = "t",
			     .type = CPU,
			     .labels = "service_name=a",
			     .time = 1,
			     .samples = "q 1"};

	put(s, "service_name=a", 1, NULL, "m;x 1 #0a, m;y 2 #1b");
	put(s, "service_name=b", 1, NULL, "m;x 4");
	assert_ok(store_fill(s, &other, NULL));
	selector_init(&selector);
	assert_ok_err(selector_parse(&selector, STR("{service_name=\"a\"}"), &e), &e);

	struct store_select sel = {.selector = &selector, .to = 100};

	assert_stacks(s, &sel, "m;x 1\nm;y 2\n");
	sel.tenant = STR("t");
	assert_stacks(s, &sel, "q 1\n");
	sel.tenant = (struct str){0};
	sel.spans = span;
	sel.span_count = 1;
	assert_stacks(s, &sel, "m;x 1\n");
	sel.span_count = 0;
	sel.trace_id = trace;
	assert_stacks(s, &sel, "m;y 2\n");
	selector_fini(&selector);
}

static void gauges_are_averaged(void **state)
{
	struct store *s = *state;

	/* slot 0: a is 3 on average, b is 10; slot 2: only a, 5. The mean of 13 and 5 is 9. */
	put(s, "service_name=a", 1, NULL, "m 2");
	put(s, "service_name=a", 2, NULL, "m 4");
	put(s, "service_name=b", 2, NULL, "m 10");
	put(s, "service_name=a", 2 * SLOT, NULL, "m 5");
	assert_stacks(s, &(struct store_select){.to = UINT64_MAX, .average = true}, "m 9\n");
}

static void a_profile_with_a_known_id_is_stored_once(void **state)
{
	struct store *s = *state;
	struct fill again = {
		.type = CPU, .labels = "service_name=a", .time = 1, .id = "one", .samples = "m 2"};
	struct store_stats stats;
	uint32_t duplicates;

	put(s, "service_name=a", 1, "one", "m 2");
	put(s, "service_name=b", 1, "one", "m 2");
	assert_ok(store_fill(s, &again, &duplicates));
	assert_int_equal(duplicates, 1);
	assert_stacks(s, &(struct store_select){.to = 100}, "m 4\n");
	assert_ok(s->ops->stats(s, STR(""), &stats, NULL));
	assert_int_equal(stats.profiles, 2);
	assert_int_equal(stats.series, 2);
}

static int count_samples(void *ctx, const struct store_samples *samples)
{
	int64_t *sum = ctx;

	for (uint32_t i = 0; i < samples->n; i++)
		*sum += samples->values[i] + (int64_t)samples->times[i];
	return 0;
}

static void samples_are_returned_with_their_times(void **state)
{
	struct store *s = *state;
	struct stack_tree t;
	int64_t sum = 0;

	put(s, "service_name=a", 1, NULL, "m 2 @100, m 3");
	assert_ok(stack_tree_init(&t, NULL));
	assert_ok(
		s->ops->scan(s, &(struct store_select){.to = 100}, &t, count_samples, &sum, NULL));
	assert_int_equal(sum, 105);
	stack_tree_fini(&t);
}

static int sum_points(void *ctx, const struct store_point *p)
{
	*(int64_t *)ctx = *(int64_t *)ctx * 100 + p->total;
	return 0;
}

static void removed_profiles_are_gone(void **state)
{
	struct store *s = *state;
	uint64_t removed;
	int64_t points = 0;

	put(s, "service_name=a", 5, NULL, "m 2, m;x 1");
	put(s, "service_name=a", 1, NULL, "m 4");
	put(s, "service_name=a", 9, NULL, "m 7");
	assert_ok(s->ops->points(s, &(struct store_select){.to = 100}, sum_points, &points, NULL));
	assert_int_equal(points, 40307);
	assert_ok(s->ops->remove(s, &(struct store_select){.to = 6}, &removed, NULL));
	assert_int_equal(removed, 2);
	assert_stacks(s, &(struct store_select){.to = 100}, "m 7\n");
}

static void a_query_ends_when_canceled(void **state)
{
	struct store *s = *state;
	_Atomic bool cancelled = true;
	struct store_select sel = {.to = 100, .limits.cancelled = &cancelled};
	int64_t points = 0;

	put(s, "service_name=a", 5, NULL, "m 2");
	assert_int_equal(s->ops->points(s, &sel, sum_points, &points, NULL), -ECANCELED);
	sel.limits = (struct store_limits){.deadline_ns = 1};
	assert_int_equal(s->ops->points(s, &sel, sum_points, &points, NULL), -ETIMEDOUT);
}

#define with_store(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

TEST_MAIN(with_store(stacks_add_up_within_the_range),
	  with_store(selectors_tenants_and_spans_select_profiles), with_store(gauges_are_averaged),
	  with_store(a_profile_with_a_known_id_is_stored_once),
	  with_store(samples_are_returned_with_their_times), with_store(removed_profiles_are_gone),
	  with_store(a_query_ends_when_canceled))
