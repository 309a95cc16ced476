/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Times ahead of the clock or older than the retention are refused; retention by size drops days in
 * the future first.
 */
#include <sys/stat.h>

#include "signal/profile/profile_rows.h"
#include "store/sqlite/store_state.h"
#include "store/store_support.h"

#define DAY TEST_NS_PER_DAY
#define HOUR (3600 * NS_PER_SECOND)
#define YEAR_2200 ((uint64_t)7258118400 * NS_PER_SECOND)

struct fixture {
	char directory[64];
	struct sqlite_store_options options;
	struct store *store;
	uint64_t now;
};

static void open_store(struct fixture *f)
{
	struct err e = {0};

	assert_ok_err(sqlite_store_open(&f->store, &f->options, &e), &e);
}

static void reopen(struct fixture *f)
{
	f->store->ops->close(f->store);
	open_store(f);
}

static int setup(void **state)
{
	struct fixture *f = calloc(1, sizeof(*f));

	make_directory(f->directory);
	f->options = (struct sqlite_store_options){
		.directory = f->directory, .window_ms = 1, .manual = true};
	f->now = clock_realtime_ns();
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

/* ---- writing ---- */

struct answer {
	int rc;
	uint32_t rejected;
	char reason[STORE_REASON_MAX];
};

static struct answer put_write(struct fixture *f, struct store_write *w)
{
	struct waiter wait;
	struct answer a = {0};
	struct err e = {0};

	waiter_init(&wait);
	wait.pending = 1;
	w->received = f->now;
	w->done = waiter_done;
	w->owner = &wait;
	a.rc = f->store->ops->put(f->store, w, &e);
	if (a.rc >= 0)
		a.rc = waiter_wait(&wait);
	a.rejected = w->rejected;
	memcpy(a.reason, w->reason, sizeof(a.reason));
	return a;
}

/* Put one profile with one sample for each time. */
static struct answer put_profiles(struct fixture *f, const uint64_t *times, uint32_t n)
{
	struct store_write w = {0};
	struct profile_builder builder;
	struct profile_batch b;
	struct series_map map = {0};
	struct arena arena;
	struct answer a;

	arena_init(&arena, NULL);
	assert_ok(profile_batch_init(&b, NULL));
	assert_ok(profile_builder_init(&builder, &b));
	for (uint32_t i = 0; i < n; i++) {
		uint32_t location, stack;

		assert_ok(profile_begin(&builder, STR("cpu"), STR("nanoseconds")));
		assert_ok(profile_add_frame(&builder, STR("main"), STR("n.c"), 1, &location));
		assert_ok(profile_add_stack(&builder, &location, 1, &stack));
		assert_ok(profile_add_sample(&builder, stack, 0, NULL, 0, 1));
		b.profiles.at[i].time_unix_nano = times[i];
	}
	assert_ok(series_map_init(&map, &b, &series_limits_default, &arena));
	w.batch = &b;
	w.series = &map;
	a = put_write(f, &w);
	profile_batch_fini(&b);
	arena_fini(&arena);
	return a;
}

static struct answer put_spans(struct fixture *f, const uint64_t *times, uint32_t n)
{
	struct store_write w = {0};
	struct span_batch b;
	struct answer a;

	span_batch_init(&b, NULL);
	for (uint32_t i = 0; i < n; i++) {
		struct span s = {.start = times[i], .end = times[i] + 1, .name = STR("s")};

		s.trace_id[0] = 1;
		s.span_id[0] = (uint8_t)(i + 1);
		assert_ok(vec_push(&b.arena, &b.spans, s));
	}
	w.spans = &b;
	a = put_write(f, &w);
	span_batch_fini(&b);
	return a;
}

static void put_one(struct fixture *f, uint64_t time)
{
	struct answer a = put_profiles(f, &time, 1);

	assert_int_equal(a.rc, 0);
	assert_int_equal(a.rejected, 0);
	assert_string_equal(a.reason, "");
}

static uint64_t kept(struct fixture *f, bool spans)
{
	struct store_stats stats;
	struct err e = {0};

	assert_ok_err(f->store->ops->stats(f->store, STR(""), &stats, &e), &e);
	return spans ? stats.spans : stats.profiles;
}

static bool has_day(const struct fixture *f, uint64_t time)
{
	char path[128], text[CLOCK_TEXT_SIZE];

	clock_format(time, text);
	snprintf(path, sizeof(path), "%s/%.10s.db", f->directory, text);
	return access(path, F_OK) == 0;
}

static void assert_begins(const char *text, const char *begin)
{
	if (strncmp(text, begin, strlen(begin)) != 0)
		fail_msg("\"%s\" does not begin with \"%s\"", text, begin);
}

/* ---- what is refused ---- */

static void a_time_ahead_of_the_limit_is_refused(void **state)
{
	struct fixture *f = *state;
	uint64_t junk = YEAR_2200, near = f->now + HOUR / 2, far = f->now + HOUR + HOUR / 2;
	struct answer a;

	f->options.future_seconds = 3600;
	reopen(f);
	a = put_profiles(f, &junk, 1);
	assert_int_equal(a.rc, 0);
	assert_int_equal(a.rejected, 1);
	assert_begins(a.reason, "profile 0 is of 2200-01-01T00:00:00.000Z: the sender's clock is "
				"ahead by ");
	assert_non_null(strstr(a.reason, "; the limit is 1h (reject_newer_than)"));
	assert_false(has_day(f, YEAR_2200));
	a = put_profiles(f, &far, 1);
	assert_int_equal(a.rejected, 1);
	assert_non_null(strstr(a.reason, "is ahead by 1h "));
	put_one(f, near);
	assert_int_equal(kept(f, false), 1);
	f->options.future_seconds = 0;
	reopen(f);
	put_one(f, YEAR_2200);
	assert_true(has_day(f, YEAR_2200));
}

/*
 * The acceptable profiles of a write are stored, whether the write spans two days or one that
 * already has data.
 */
static void the_other_profiles_of_a_write_are_stored(void **state)
{
	struct fixture *f = *state;
	uint64_t times[] = {f->now, YEAR_2200, f->now - DAY, 0, YEAR_2200 + DAY};
	struct answer a;

	f->options.future_seconds = 3600;
	reopen(f);
	put_one(f, f->now);
	a = put_profiles(f, times, countof(times));
	assert_int_equal(a.rc, 0);
	assert_int_equal(a.rejected, 2);
	assert_begins(a.reason, "profile 1 is of 2200-01-01");
	assert_int_equal(kept(f, false), 4);
	a = put_spans(f, times, 3);
	assert_int_equal(a.rc, 0);
	assert_int_equal(a.rejected, 1);
	assert_begins(a.reason,
		      "span 1 is of 2200-01-01T00:00:00.000Z: the sender's clock is ahead");
	assert_int_equal(kept(f, true), 2);
	assert_false(has_day(f, YEAR_2200));
}

static void a_time_older_than_the_retention_is_refused(void **state)
{
	struct fixture *f = *state;
	uint64_t old = f->now - 8 * DAY, young = f->now - 6 * DAY;
	struct answer a;

	put_one(f, old); /* without a retention any age is accepted */
	f->options.retention_seconds = 7 * 86400;
	reopen(f);
	a = put_profiles(f, &old, 1);
	assert_int_equal(a.rc, 0);
	assert_int_equal(a.rejected, 1);
	assert_non_null(strstr(a.reason, ": it is 8d old; older than 7d is not kept (retention)"));
	a = put_spans(f, &old, 1);
	assert_int_equal(a.rejected, 1);
	put_one(f, young);
	assert_int_equal(kept(f, false), 2);
	assert_int_equal(kept(f, true), 0);
}

/* ---- retention by size ---- */

static uint64_t all_bytes(struct fixture *f)
{
	struct store_stats stats;
	struct err e = {0};

	assert_ok_err(f->store->ops->stats(f->store, STR(""), &stats, &e), &e);
	return stats.bytes_disk;
}

/* Limit the size of the store so that it has to drop one or two days. */
static void limit_bytes(struct fixture *f, unsigned days, unsigned drop)
{
	reopen(f); /* checkpoints the logs into the files */
	f->options.retention_bytes = all_bytes(f) / days * (days - drop) + 4096;
	reopen(f);
}

static void work(struct fixture *f, uint64_t now)
{
	assert_ok(retention_apply(store_of(f->store), now / NS_PER_SECOND));
}

static void days_in_the_future_are_dropped_first(void **state)
{
	struct fixture *f = *state;

	put_one(f, f->now - DAY);
	put_one(f, f->now);
	put_one(f, f->now + 10 * DAY);
	put_one(f, YEAR_2200);
	limit_bytes(f, 4, 1);
	work(f, f->now);
	assert_false(has_day(f, YEAR_2200));
	assert_true(has_day(f, f->now + 10 * DAY));
	assert_true(has_day(f, f->now));
	assert_true(has_day(f, f->now - DAY));
	limit_bytes(f, 3, 2);
	work(f, f->now);
	assert_false(has_day(f, f->now + 10 * DAY));
	assert_true(has_day(f, f->now));
	assert_false(has_day(f, f->now - DAY)); /* then the oldest day is dropped */
}

/*
 * With a clock that was set back the last days seem to be in the future, with one set ahead they
 * seem old.
 */
static void a_clock_jump_does_not_drop_valid_days(void **state)
{
	struct fixture *f = *state;

	f->options.retention_seconds = 30 * 86400;
	reopen(f);
	for (unsigned i = 0; i < 4; i++)
		put_one(f, f->now - i * DAY);
	work(f, f->now - 1000 * DAY);
	work(f, f->now + 1000 * DAY);
	for (unsigned i = 0; i < 4; i++)
		assert_true(has_day(f, f->now - i * DAY));
	limit_bytes(f, 4, 1);
	work(f, f->now - 1000 * DAY); /* after a restart as well */
	assert_true(has_day(f, f->now));
	assert_false(has_day(f, f->now - 3 * DAY));
}

/* A clock set back by less than a day is accepted at once: today does not count as the future. */
static void a_clock_set_back_by_hours_does_not_drop_valid_days(void **state)
{
	struct fixture *f = *state;
	uint64_t morning = f->now / DAY * DAY + HOUR;

	put_one(f, morning);
	put_one(f, morning - DAY);
	limit_bytes(f, 2, 1);
	work(f, morning - 12 * HOUR);
	assert_true(has_day(f, morning));
	assert_false(has_day(f, morning - DAY));
}

#define with_store(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

TEST_MAIN(with_store(a_time_ahead_of_the_limit_is_refused),
	  with_store(the_other_profiles_of_a_write_are_stored),
	  with_store(a_time_older_than_the_retention_is_refused),
	  with_store(days_in_the_future_are_dropped_first),
	  with_store(a_clock_jump_does_not_drop_valid_days),
	  with_store(a_clock_set_back_by_hours_does_not_drop_valid_days))
