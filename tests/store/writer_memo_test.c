/* SPDX-License-Identifier: Apache-2.0 */
#include "store/sqlite/writer_memo.h"

#include "test/test.h"

static struct memo memo_of(uint64_t sender, const uint32_t *ids, uint32_t n)
{
	return (struct memo){.sender = sender,
			     .strings = {ids, n},
			     .functions = {ids + 1, n - 1},
			     .locations = {ids + 2, n - 2}};
}

static void a_sender_finds_what_it_sent_last(void **state)
{
	static const uint32_t ids[] = {0, 5, 6, 7, 9, 8};
	static const struct stack_slot stacks[] = {{0}, {11, 12, 13}};
	struct budget budget = {.limit = 1 * MIB};
	struct memo_table t = {.limit = 1 * MIB, .budget = &budget};
	struct memo m = memo_of(1, ids, countof(ids));
	const struct memo *found;

	(void)state;
	assert_null(memo_find(&t, 1));
	m.stacks = stacks;
	m.stacks_n = countof(stacks);
	memo_keep(&t, &m);
	m = memo_of(1, ids, 3);
	memo_keep(&t, &m);
	m.stacks = stacks;
	m.stacks_n = countof(stacks);
	memo_keep(&t, &m);
	found = memo_find(&t, 1);
	assert_non_null(found);
	assert_int_equal(found->strings.n, 3);
	assert_int_equal(found->functions.at[1], 6);
	assert_int_equal(found->locations.at[0], 6);
	assert_int_equal(found->stacks[1].node, 13);
	memo_table_fini(&t);
	assert_int_equal(budget.used, 0);
}

static void senders_that_share_a_place_push_each_other_out(void **state)
{
	static const uint32_t ids[] = {0, 1, 2};
	struct memo_table t = {.limit = 1 * MIB};
	struct memo a = memo_of(3, ids, 3), b = memo_of(3 + MEMOS, ids, 3);

	(void)state;
	memo_keep(&t, &a);
	memo_keep(&t, &b);
	assert_null(memo_find(&t, 3));
	assert_non_null(memo_find(&t, 3 + MEMOS));
	memo_table_fini(&t);
}

static void memos_stay_within_their_limit(void **state)
{
	static const uint32_t ids[1000];
	struct memo_table t = {.limit = 64 * KIB};
	unsigned kept = 0;

	(void)state;
	for (uint64_t i = 0; i < MEMOS; i++) {
		struct memo m = memo_of(i, ids, countof(ids));

		memo_keep(&t, &m);
		assert_in_range(t.used, 1, t.limit);
		kept += memo_find(&t, i) != NULL;
	}
	assert_in_range(kept, 1, 5);
	memo_table_fini(&t);
	assert_int_equal(t.used, 0);
}

static void looking_goes_on_behind_the_row_that_came(void **state)
{
	static const uint32_t ids[] = {0, 5, 6, 7, 9, 8};
	static uint32_t many[5000];
	struct memo_ids list = {ids, countof(ids)}, far = {many, countof(many)};

	(void)state;
	assert_int_equal(memo_resume(list, 1, 7), 4);
	assert_int_equal(memo_resume(list, 5, 5), 2);
	assert_int_equal(memo_resume(list, 9, 8), 6);
	assert_int_equal(memo_resume(list, 2, 77), 2);
	assert_int_equal(memo_resume((struct memo_ids){0}, 3, 7), 3);
	many[4000] = 1;
	assert_int_equal(memo_resume(far, 100, 1), 100);
	assert_int_equal(memo_resume(far, 3500, 1), 4001);
}

TEST_MAIN(test(a_sender_finds_what_it_sent_last),
	  test(senders_that_share_a_place_push_each_other_out), test(memos_stay_within_their_limit),
	  test(looking_goes_on_behind_the_row_that_came))
