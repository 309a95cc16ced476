/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The memo of the last mapping of each sender: lookup, eviction, its memory limit, and the keys of
 * rows.
 */
#include "store/sqlite/write/writer_memo.h"

#include "test/test.h"

static struct memo memo_of(uint64_t sender, const struct row_slot *rows, uint32_t n)
{
	return (struct memo){.sender = sender,
			     .strings = {rows, n},
			     .functions = {rows + 1, n - 1},
			     .locations = {rows + 2, n - 2}};
}

static void a_sender_finds_its_last_mapping(void **state)
{
	static const struct row_slot rows[] = {{0},	   {5, 50, 1}, {6, 60, 2},
					       {7, 70, 3}, {9, 90, 4}, {8, 80, 5}};
	static const struct row_slot stacks[] = {{0}, {11, 12, 13}};
	struct budget budget = {.limit = 1 * MIB};
	struct memo_table t = {.limit = 1 * MIB, .budget = &budget};
	struct memo m = memo_of(1, rows, countof(rows));
	const struct memo *found;

	(void)state;
	assert_null(memo_find(&t, 1));
	m.stacks = (struct memo_rows){stacks, countof(stacks)};
	memo_keep(&t, &m);
	m = memo_of(1, rows, 3);
	memo_keep(&t, &m);
	m.stacks = (struct memo_rows){stacks, countof(stacks)};
	memo_keep(&t, &m);
	found = memo_find(&t, 1);
	assert_non_null(found);
	assert_int_equal(found->strings.n, 3);
	assert_int_equal(found->functions.at[1].hash, 6);
	assert_int_equal(found->locations.at[0].node, 2);
	assert_int_equal(found->stacks.at[1].node, 13);
	memo_table_fini(&t);
	assert_int_equal(budget.used, 0);
}

static void senders_with_the_same_slot_evict_each_other(void **state)
{
	static const struct row_slot rows[3];
	struct memo_table t = {.limit = 1 * MIB};
	struct memo a = memo_of(3, rows, 3), b = memo_of(3 + MEMOS, rows, 3);

	(void)state;
	memo_keep(&t, &a);
	memo_keep(&t, &b);
	assert_null(memo_find(&t, 3));
	assert_non_null(memo_find(&t, 3 + MEMOS));
	memo_table_fini(&t);
}

static void memos_stay_within_the_memory_limit(void **state)
{
	static const struct row_slot rows[250];
	struct memo_table t = {.limit = 64 * KIB};
	unsigned kept = 0;

	(void)state;
	for (uint64_t i = 0; i < MEMOS; i++) {
		struct memo m = memo_of(i, rows, countof(rows));

		memo_keep(&t, &m);
		assert_in_range(t.used, 1, t.limit);
		kept += memo_find(&t, i) != NULL;
	}
	assert_in_range(kept, 1, 5);
	memo_table_fini(&t);
	assert_int_equal(t.used, 0);
}

static void lookup_resumes_after_the_last_matching_row(void **state)
{
	static const struct row_slot rows[] = {{0},	   {5, 50, 1}, {6, 60, 2},
					       {7, 70, 3}, {9, 90, 4}, {8, 80, 5}};
	static struct row_slot many[5000];
	struct memo_rows list = {rows, countof(rows)}, far = {many, countof(many)};
	struct row_slot key = {.hash = 1, .more = 2};

	(void)state;
	assert_int_equal(memo_resume(list, 1, rows[3]), 4);
	assert_int_equal(memo_resume(list, 5, rows[1]), 2);
	assert_int_equal(memo_resume(list, 9, rows[5]), 6);
	assert_int_equal(memo_resume(list, 2, key), 2);
	assert_int_equal(memo_resume((struct memo_rows){0}, 3, key), 3);
	many[4000] = key;
	assert_int_equal(memo_resume(far, 100, key), 100);
	assert_int_equal(memo_resume(far, 3970, key), 4001);
}

static struct row_slot slot_of_bytes(const char *p, size_t n)
{
	struct bytes_key key = key_of_bytes(p, n);

	return (struct row_slot){.hash = key.hash, .more = key.more};
}

/* Inputs that differ in one byte or in length have different keys. */
static void keys_of_different_bytes_differ(void **state)
{
	static char bytes[200];
	static struct row_slot keys[2 * sizeof(bytes)];
	uint32_t n = 0;

	(void)state;
	for (size_t i = 0; i < sizeof(bytes); i++) {
		keys[n++] = slot_of_bytes(bytes, i); /* zeros of every length */
		bytes[i] = 1;
		keys[n++] = slot_of_bytes(bytes, sizeof(bytes));
		bytes[i] = 0;
	}
	for (uint32_t i = 0; i < n; i++)
		for (uint32_t k = 0; k < i; k++)
			assert_false(row_slot_is(keys[i], keys[k]));
	assert_true(row_slot_is(slot_of_bytes(bytes, 17), slot_of_bytes(bytes + 5, 17)));
	assert_false(row_slot_is(slot_of_bytes("abcd", 5), slot_of_bytes("`bcd", 4)));
}

/* Return how many keys share the 24 bits of `part` with an earlier key. */
static uint32_t count_shared(const struct row_slot *keys, uint32_t n, unsigned part)
{
	static uint8_t seen[1 << 21];
	uint32_t shared = 0;

	memset(seen, 0, sizeof(seen));
	for (uint32_t i = 0; i < n; i++) {
		uint64_t bits =
			part < 3 ? keys[i].hash >> part * 20 : keys[i].more >> (part - 3) * 8;
		uint32_t at = (uint32_t)bits & 0xffffff;

		shared += seen[at / 8] >> at % 8 & 1;
		seen[at / 8] |= (uint8_t)(1 << at % 8);
	}
	return shared;
}

/*
 * Row numbers are consecutive. A hash that only multiplies would give consecutive keys, of which
 * far too many or none share some of their bits.
 */
static void keys_of_consecutive_numbers_are_spread_evenly(void **state)
{
	enum { KEYS = 1 << 16, BY_CHANCE = 128 };
	static struct row_slot keys[3][KEYS];

	(void)state;
	for (uint32_t i = 0; i < KEYS; i++) {
		keys[0][i] = key_end(key_mix(key_begin(1), i, 0));
		keys[1][i] = key_end(key_mix(key_begin(1), 0, (uint64_t)i << 20));
		keys[2][i] = key_end(key_mix(key_mix(key_begin(2), i, 1), 0, i % 10));
	}
	for (unsigned kind = 0; kind < countof(keys); kind++)
		for (unsigned part = 0; part < 5; part++)
			assert_in_range(count_shared(keys[kind], KEYS, part), BY_CHANCE / 2,
					BY_CHANCE * 2);
}

TEST_MAIN(test(a_sender_finds_its_last_mapping), test(senders_with_the_same_slot_evict_each_other),
	  test(memos_stay_within_the_memory_limit),
	  test(lookup_resumes_after_the_last_matching_row), test(keys_of_different_bytes_differ),
	  test(keys_of_consecutive_numbers_are_spread_evenly))
