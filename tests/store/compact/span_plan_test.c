/* SPDX-License-Identifier: Apache-2.0 */
/* The plan that chooses which blocks of spans are merged next. */
#include "store/sqlite/catalog/day.h"
#include "store/sqlite/compact/span_merge.h"

#include "store/store_support.h"

enum { DAY = 20000, HALF = SPANS_IN_BLOCK / 2 };

/* Make a list of these entries; one more entry after its end must not be read. */
static struct span_list *list_of(const struct span_entry *at, uint32_t n)
{
	struct span_list *l = span_list_new(n + 1);

	assert_non_null(l);
	for (uint32_t i = 0; i < n; i++) {
		l->at[i] = at[i];
		l->at[i].id = i + 1;
	}
	l->at[n] = at[0];
	l->at[n].id = 99;
	l->n = n;
	return l;
}

/* Return the ids of the plan as decimal digits: 1, 2 and 4 give 124. */
static uint64_t planned(const struct span_entry *at, uint32_t n, bool commits, bool all)
{
	struct compact_rules rules = {.all = all, .now = DAY * SECONDS_PER_DAY, .settled = 60};
	struct span_list *l = list_of(at, n);
	struct span_plan plan;
	uint64_t ids = 0;

	if (span_plan(&plan, l, DAY, commits, &rules))
		for (uint32_t i = 0; i < plan.n; i++)
			ids = ids * 10 + plan.at[i].id;
	span_list_unref(l);
	return ids;
}

#define OF(hour_, generation_, spans_)                                                             \
	{                                                                                          \
		.hour = (hour_), .generation = (generation_), .spans = (spans_)                    \
	}

static void four_blocks_of_a_generation_are_merged(void **state)
{
	const struct span_entry at[] = {OF(3, 1, 5), OF(3, 2, 5), OF(3, 1, 5),
					OF(4, 1, 5), OF(3, 1, 5), OF(3, 1, 5)};

	(void)state;
	assert_int_equal(planned(at, 6, false, false), 1356);
	assert_int_equal(planned(at, 5, false, false), 0); /* three are too few */
}

static void the_remaining_blocks_of_a_past_hour_are_merged(void **state)
{
	const struct span_entry at[] = {OF(3, 1, 5), OF(3, 2, HALF + 1), OF(5, 1, 5), OF(3, 2, 5)};

	(void)state;
	assert_int_equal(planned(at, 4, false, true), 14); /* a large block is not merged */
	assert_int_equal(planned(at, 4, false, false), 0); /* the hour is not over */
	assert_int_equal(planned(at, 3, false, true), 0);  /* a single block is not rewritten */
}

static void a_merged_block_stays_within_its_size_limit(void **state)
{
	const struct span_entry at[] = {OF(3, 1, HALF), OF(3, 1, HALF), OF(3, 1, 1), OF(3, 1, 0)};

	(void)state;
	assert_int_equal(planned(at, 4, false, true), 124);
}

static void blocks_of_commits_are_merged_first(void **state)
{
	const struct span_entry at[] = {OF(24, 0, 5), OF(3, 1, 5), OF(3, 1, 5), OF(24, 0, 5)};

	(void)state;
	assert_int_equal(planned(at, 4, true, true), 14);
	assert_int_equal(planned(at, 4, false, true), 23);
}

TEST_MAIN(test(four_blocks_of_a_generation_are_merged),
	  test(the_remaining_blocks_of_a_past_hour_are_merged),
	  test(a_merged_block_stays_within_its_size_limit),
	  test(blocks_of_commits_are_merged_first))
