/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A retry has the same id, time and content; reusing an id for another profile does not drop that
 * profile.
 */
#include "signal/profile/profile_rows.h"
#include "store/store_support.h"

#define FROM (TEST_DAY * TEST_NS_PER_DAY)
#define HOUR (3600 * NS_PER_SECOND)

struct fixture {
	char directory[64];
	struct store *store;
	uint32_t recent_ids;
};

static void open_store(struct fixture *f)
{
	struct sqlite_store_options o = {.directory = f->directory,
					 .window_ms = 1,
					 .manual = true,
					 .recent_ids = f->recent_ids};
	struct err e = {0};

	assert_ok_err(sqlite_store_open(&f->store, &o, &e), &e);
}

static int setup(void **state)
{
	struct fixture *f = calloc(1, sizeof(*f));

	make_directory(f->directory);
	open_store(f);
	*state = f;
	return 0;
}

static int teardown(void **state)
{
	struct fixture *f = *state;

	f->store->ops->close(f->store);
	remove_tree(f->directory);
	free(f);
	return 0;
}

static void reopen(struct fixture *f)
{
	f->store->ops->close(f->store);
	open_store(f);
}

static void merge(struct fixture *f)
{
	struct err e = {0};

	assert_ok_err(sqlite_store_work(f->store, true, &e), &e);
}

/*
 * The properties in which profiles differ. All have the same id and series, two samples, and the
 * total 10.
 */
struct sketch {
	uint64_t time, duration;
	const char *leaf;     /* of the first sample */
	uint8_t span;	      /* link of the samples; 0: none */
	uint64_t sample_time; /* time of the samples; 0: none */
	int64_t value;	      /* value of the first sample, out of 10; 0: 4 */
	uint64_t received;
};

static void add_stack(struct profile_builder *b, const char *leaf, uint32_t *stack)
{
	uint32_t locations[2];

	assert_ok(profile_add_frame(b, str_from(leaf), STR("n.c"), 1, &locations[0]));
	assert_ok(profile_add_frame(b, STR("main"), STR("n.c"), 1, &locations[1]));
	assert_ok(profile_add_stack(b, locations, 2, stack));
}

static void make_profile(struct profile_batch *b, const struct sketch *s)
{
	struct link link = {.trace_id = {1}, .span_id = {s->span}};
	int64_t value = s->value ? s->value : 4;
	struct profile_builder builder;
	uint32_t stack, link_id = 0;

	assert_ok(profile_batch_init(b, NULL));
	assert_ok(profile_builder_init(&builder, b));
	assert_ok(profile_begin(&builder, STR("cpu"), STR("nanoseconds")));
	add_stack(&builder, s->leaf ? s->leaf : "a", &stack);
	if (s->span)
		assert_ok(profile_add_link(&builder, &link, &link_id));
	if (s->sample_time) {
		assert_ok(vec_push(&b->arena, &b->times, s->sample_time));
		assert_ok(vec_push(&b->arena, &b->values, value));
		assert_ok(profile_sample_end(b, stack, link_id));
	} else {
		assert_ok(profile_add_sample(&builder, stack, link_id, NULL, 0, value));
	}
	add_stack(&builder, "z", &stack);
	assert_ok(profile_add_sample(&builder, stack, 0, NULL, 0, 10 - value));
	b->profiles.at[0].time_unix_nano = s->time;
	b->profiles.at[0].duration_nano = s->duration;
	b->profiles.at[0].id[0] = 7;
}

/* Put the profile. Return whether the store took it for a retry. */
static bool is_retry(struct fixture *f, const struct sketch *s)
{
	struct profile_batch b;
	uint32_t duplicates = 9;
	struct err e = {0};

	make_profile(&b, s);
	assert_ok_err(put_batch(f->store, NULL, STR(""), &b, s->received ? s->received : FROM,
				&duplicates, &e),
		      &e);
	assert_in_range(duplicates, 0, 1);
	profile_batch_fini(&b);
	return duplicates;
}

static uint64_t profiles(struct fixture *f)
{
	struct store_stats stats;
	struct err e = {0};

	assert_ok_err(f->store->ops->stats(f->store, STR(""), &stats, &e), &e);
	return stats.profiles;
}

#define T (FROM + HOUR)

static const struct sketch different[] = {
	{.time = T},
	{.time = T + 1},
	{.time = T, .duration = 1},
	{.time = T, .leaf = "b"},
	{.time = T, .value = 5},
	{.time = T, .span = 1},
	{.time = T, .span = 2},
	{.time = T, .sample_time = 5},
	{.time = T, .sample_time = 6},
	{.time = T, .sample_time = 5, .span = 1},
	{.time = T + 20 * HOUR},
};

/*
 * Move the earlier profiles: 0 leaves them in the last commit, 1 restarts (level 0), 2 merges them
 * into chunks, 3 restarts, merges and restarts.
 */
static void move_profiles(struct fixture *f, unsigned way)
{
	if (way == 1 || way == 3)
		reopen(f);
	if (way == 2 || way == 3)
		merge(f);
	if (way == 3)
		reopen(f);
}

static void the_same_id_with_another_time_or_content_is_another_profile(void **state)
{
	(void)state;
	for (unsigned way = 0; way < 4; way++) {
		struct fixture *f;

		setup((void **)&f);
		for (unsigned i = 0; i < countof(different); i++) {
			if (is_retry(f, &different[i]))
				fail_msg("way %u: profile %u was dropped", way, i);
			move_profiles(f, way);
		}
		assert_int_equal(profiles(f), countof(different));
		teardown((void **)&f);
	}
}

static void assert_retries_are_recognized(struct fixture *f)
{
	for (unsigned i = 0; i < countof(different); i++)
		assert_false(is_retry(f, &different[i]));
	for (unsigned way = 0; way < 4; way++) {
		move_profiles(f, way);
		for (unsigned i = 0; i < countof(different); i++)
			if (!is_retry(f, &different[i]))
				fail_msg("way %u: the retry of profile %u was kept", way, i);
	}
	assert_int_equal(profiles(f), countof(different));
}

static void the_same_id_time_and_content_is_a_retry(void **state)
{
	assert_retries_are_recognized(*state);
}

/* The store remembers few hashes: forgotten ones are found in the file. */
static void a_retry_is_recognized_after_its_hash_was_evicted(void **state)
{
	struct fixture *f = *state;

	f->recent_ids = 2;
	reopen(f);
	assert_retries_are_recognized(f);
	for (unsigned i = 0; i < 40; i++) {
		struct sketch s = {.time = T + HOUR + i};

		assert_false(is_retry(f, &s));
		if (i % 3 == 2)
			merge(f);
		for (unsigned k = 0; k <= i; k++)
			assert_true(is_retry(f, &(struct sketch){.time = T + HOUR + k}));
	}
	assert_int_equal(profiles(f), countof(different) + 40);
}

/* A profile without a time gets its arrival time, which differs for a retry. */
static void without_a_time_a_retry_is_the_same_id_and_content(void **state)
{
	struct fixture *f = *state;

	assert_false(is_retry(f, &(struct sketch){.received = T}));
	for (unsigned way = 0; way < 4; way++) {
		move_profiles(f, way);
		assert_true(
			is_retry(f, &(struct sketch){.received = T + (1 + way) * NS_PER_SECOND}));
	}
	assert_false(is_retry(f, &(struct sketch){.received = T, .leaf = "b"}));
	assert_false(is_retry(f, &(struct sketch){.received = T, .value = 5}));
	reopen(f);
	assert_true(is_retry(f, &(struct sketch){.received = T + 1, .leaf = "b"}));
	assert_int_equal(profiles(f), 3);
	/*
	 * retries that arrive on another day are searched in the open days; another duration is
	 * another profile
	 */
	assert_true(is_retry(f, &(struct sketch){.received = T + 48 * HOUR}));
	assert_false(is_retry(f, &(struct sketch){.received = T + 48 * HOUR, .duration = 1}));
	assert_int_equal(profiles(f), 4);
}

#define with_store(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

TEST_MAIN(test(the_same_id_with_another_time_or_content_is_another_profile),
	  with_store(the_same_id_time_and_content_is_a_retry),
	  with_store(a_retry_is_recognized_after_its_hash_was_evicted),
	  with_store(without_a_time_a_retry_is_the_same_id_and_content))
