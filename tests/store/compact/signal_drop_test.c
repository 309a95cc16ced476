/* SPDX-License-Identifier: Apache-2.0 */
/* Retention and deletion of one signal: the others of the day stay, and the files are consistent. */
#include "store/sqlite/compact/signal_drop.h"

#include "signal/profile/profile_rows.h"
#include "signal/selector.h"
#include "store/sqlite/catalog/partitions.h"
#include "store/sqlite/store_state.h"
#include "store/store_support.h"

#define DAY TEST_NS_PER_DAY

struct fixture {
	char directory[64];
	struct sqlite_store_options options;
	struct store *store;
	uint64_t now;
	uint32_t written;
	uint64_t problems;
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

/* Write, and return the number of refused items; copy the reason of the first. */
static uint32_t put(struct fixture *f, struct store_write *w, char reason[STORE_REASON_MAX])
{
	struct waiter wait;
	struct err e = {0};

	waiter_init(&wait);
	wait.pending = 1;
	w->received = f->now;
	w->done = waiter_done;
	w->owner = &wait;
	assert_true(f->store->ops->put(f->store, w, &e) >= 0);
	assert_ok(waiter_wait(&wait));
	if (reason)
		memcpy(reason, w->reason, STORE_REASON_MAX);
	return w->rejected;
}

static uint32_t put_profile(struct fixture *f, uint64_t time, char *reason)
{
	struct store_write w = {0};
	struct profile_builder builder;
	struct profile_batch b;
	struct series_map map = {0};
	struct arena arena;
	uint32_t location, stack, refused;

	arena_init(&arena, NULL);
	assert_ok(profile_batch_init(&b, NULL));
	assert_ok(profile_builder_init(&builder, &b));
	assert_ok(profile_begin(&builder, STR("cpu"), STR("nanoseconds")));
	assert_ok(profile_add_frame(&builder, STR("main"), STR("n.c"), 1, &location));
	assert_ok(profile_add_stack(&builder, &location, 1, &stack));
	assert_ok(profile_add_sample(&builder, stack, 0, NULL, 0, 1));
	b.profiles.at[0].time_unix_nano = time;
	assert_ok(series_map_init(&map, &b, &series_limits_default, &arena));
	w.batch = &b;
	w.series = &map;
	refused = put(f, &w, reason);
	profile_batch_fini(&b);
	arena_fini(&arena);
	return refused;
}

static uint32_t put_span(struct fixture *f, uint64_t time, char *reason)
{
	struct store_write w = {0};
	struct span s = {.start = time, .end = time + 1, .name = STR("s")};
	struct span_batch b;
	uint32_t refused;

	f->written++;
	memcpy(s.trace_id, &f->written, sizeof(f->written));
	memcpy(s.span_id, &f->written, sizeof(f->written));
	span_batch_init(&b, NULL);
	assert_ok(vec_push(&b.arena, &b.spans, s));
	w.spans = &b;
	refused = put(f, &w, reason);
	span_batch_fini(&b);
	return refused;
}

static uint32_t put_log(struct fixture *f, uint64_t time, char *reason)
{
	struct store_write w = {0};
	struct span_origin none = {0};
	struct log_record r = {.time = time, .severity = 9, .body = STR("\x0a\x02hi")};
	struct log_item item = {.time = time, .resource = 1, .scope = 1};
	struct buf message = {0};
	struct log_batch b;
	uint32_t refused;

	log_batch_init(&b, NULL);
	assert_ok(vec_push(&b.arena, &b.resources, none));
	assert_ok(vec_push(&b.arena, &b.scopes, none));
	assert_ok(vec_push(&b.arena, &b.services, STR("shop")));
	log_record_put(&message, &r);
	item.message = buf_str(&message);
	assert_ok(vec_push(&b.arena, &b.logs, item));
	b.bytes = message.n;
	w.logs = &b;
	refused = put(f, &w, reason);
	log_batch_fini(&b);
	buf_fini(&message);
	return refused;
}

static uint32_t put_sample(struct fixture *f, uint64_t time, char *reason)
{
	struct store_write w = {0};
	struct label labels[] = {{STR("job"), STR("shop")}, {STR("__name__"), STR("up")}};
	struct metric_batch b;
	const char *wrong;
	uint32_t series, refused;

	metric_batch_init(&b, NULL);
	assert_ok(metric_batch_series(&b, labels, countof(labels), &series, &wrong));
	assert_ok(vec_push(
		&b.arena, &b.samples,
		(struct metric_sample){series, (int64_t)(time / 1000000), metric_bits(1)}));
	w.metrics = &b;
	refused = put(f, &w, reason);
	metric_batch_fini(&b);
	return refused;
}

typedef uint32_t put_one(struct fixture *f, uint64_t time, char *reason);

/* By signal_index(). */
static put_one *const put_signal[SIGNALS] = {put_profile, put_span, put_sample, put_log};

static void put_all(struct fixture *f, uint64_t time)
{
	for (unsigned i = 0; i < SIGNALS; i++)
		assert_int_equal(put_signal[i](f, time, NULL), 0);
}

/* ---- reading ---- */

static struct store_stats stats(struct fixture *f)
{
	struct store_stats out;
	struct err e = {0};

	assert_ok_err(f->store->ops->stats(f->store, STR(""), &out, &e), &e);
	return out;
}

static void on_problem(void *context, const char *partition, const char *text)
{
	print_error("%s: %s\n", partition, text);
	((struct fixture *)context)->problems++;
}

/* Check the numbers of profiles, spans, samples of metrics and log records, and the files. */
static void assert_kept(struct fixture *f, const uint64_t expected[SIGNALS])
{
	struct sqlite_store_report report = {.problem = on_problem, .context = f};
	struct store_stats s = stats(f);
	uint64_t problems = 0;
	struct err e = {0};

	assert_int_equal(s.profiles, expected[0]);
	assert_int_equal(s.spans, expected[1]);
	assert_int_equal(s.metric_samples, expected[2]);
	assert_int_equal(s.logs, expected[3]);
	assert_ok_err(sqlite_store_check(f->store, &report, &problems, &e), &e);
	assert_int_equal(problems, 0);
}

static void work(struct fixture *f, bool all)
{
	struct err e = {0};

	assert_ok_err(sqlite_store_work(f->store, all, &e), &e);
}

/* ---- retention ---- */

static void a_signal_is_dropped_earlier_than_the_others(void **state)
{
	struct fixture *f = *state;
	uint64_t old = f->now / DAY * DAY - 8 * DAY, expected[SIGNALS] = {3, 3, 3, 3};

	put_all(f, old);
	work(f, true);
	put_all(f, old + 2 * (uint64_t)NS_PER_SECOND); /* not merged */
	put_all(f, f->now - 2 * DAY);
	for (unsigned i = 0; i < SIGNALS; i++) {
		assert_kept(f, expected);
		memset(f->options.signal_retention_seconds, 0,
		       sizeof(f->options.signal_retention_seconds));
		f->options.signal_retention_seconds[i] = 5 * 86400;
		reopen(f);
		work(f, false);
		expected[i] = 1;
		assert_int_equal(stats(f).partitions, i + 1 < SIGNALS ? 2 : 1);
	}
	assert_kept(f, expected);
	reopen(f);
	work(f, true);
	assert_kept(f, expected);
}

/* A day is dropped when its end is older than the limit; times within the limit are accepted. */
static void only_whole_days_are_dropped(void **state)
{
	struct fixture *f = *state;
	uint64_t day = f->now / DAY - 3, end = (day + 1) * DAY / NS_PER_SECOND;
	struct partition *p;

	f->options.signal_retention_seconds[signal_index(SIGNAL_LOGS)] = 86400;
	put_all(f, day * DAY);
	reopen(f);
	p = partition_get(store_of(f->store), (uint32_t)day, false);
	assert_non_null(p);
	assert_int_equal(signals_expired(p, end + 86400), 0);
	assert_int_equal(signals_expired(p, end + 86401), SIGNAL_LOGS);
	work(f, true);
	work(f, false); /* the merges of the first changed the day */
	assert_int_equal(signals_expired(p, end + 86401), 0); /* not looked for again */
	partition_unref(p);
	assert_kept(f, (uint64_t[]){1, 1, 1, 0});
}

static void what_is_older_than_the_limit_of_its_signal_is_refused(void **state)
{
	struct fixture *f = *state;
	char reason[STORE_REASON_MAX], expected[64];

	f->options.retention_seconds = 20 * 86400;
	for (unsigned i = 0; i < SIGNALS; i++) {
		memset(f->options.signal_retention_seconds, 0,
		       sizeof(f->options.signal_retention_seconds));
		f->options.signal_retention_seconds[i] = 5 * 86400;
		reopen(f);
		for (unsigned k = 0; k < SIGNALS; k++)
			assert_int_equal(put_signal[k](f, f->now - 8 * DAY, reason), k == i);
		assert_int_equal(put_signal[i](f, f->now - 8 * DAY, reason), 1);
		snprintf(expected, sizeof(expected), "older than 5d is not kept (retention_%s)",
			 signal_names[i]);
		assert_non_null(strstr(reason, expected));
		assert_int_equal(put_signal[i](f, f->now - 4 * DAY, reason), 0);
	}
	/* the limit of all data remains */
	f->options.signal_retention_seconds[signal_index(SIGNAL_LOGS)] = 50 * (uint64_t)86400;
	reopen(f);
	assert_int_equal(put_log(f, f->now - 30 * DAY, reason), 1);
	assert_non_null(strstr(reason, "older than 20d is not kept (retention)"));
}

/* Each step is one transaction, so the store can stop after any of them. */
static void a_drop_can_be_interrupted(void **state)
{
	enum { SPANS = 300 };
	struct fixture *f = *state;
	uint32_t day = (uint32_t)(f->now / DAY - 8), steps = 0;
	struct partition *p;
	bool more = true;

	put_all(f, day * DAY);
	for (unsigned i = 0; i < SPANS; i++)
		put_span(f, day * DAY + i, NULL);
	p = partition_get(store_of(f->store), day, false);
	assert_ok(signals_drop(p, SIGNAL_TRACES, &more, NULL));
	assert_true(more);
	partition_unref(p);
	assert_in_range(stats(f).spans, 1, SPANS - 1);
	reopen(f);
	assert_kept(f, (uint64_t[]){1, stats(f).spans, 1, 1});
	p = partition_get(store_of(f->store), day, false);
	for (; more; steps++)
		assert_ok(signals_drop(p, SIGNAL_TRACES, &more, NULL));
	partition_unref(p);
	assert_int_equal(steps, 2);
	assert_kept(f, (uint64_t[]){1, 0, 1, 1});
}

/* ---- deletion ---- */

static uint64_t remove_signal(struct fixture *f, enum signal_kind signal, uint64_t to)
{
	struct store_select s = {.signal = signal, .to = to};
	uint64_t removed;
	struct err e = {0};

	assert_ok_err(f->store->ops->remove(f->store, &s, &removed, &e), &e);
	return removed;
}

static void one_signal_of_whole_days_is_deleted(void **state)
{
	struct fixture *f = *state;
	uint64_t midnight = f->now / DAY * DAY, expected[SIGNALS] = {3, 3, 3, 3};

	put_all(f, midnight - 2 * DAY);
	work(f, true);
	put_all(f, midnight - 2 * DAY + 2 * (uint64_t)NS_PER_SECOND);
	put_all(f, midnight);
	for (unsigned i = 1; i < SIGNALS; i++) {
		enum signal_kind signal = (enum signal_kind)(1 << i);

		assert_int_equal(remove_signal(f, signal, midnight - DAY - 1), 0);
		assert_int_equal(remove_signal(f, signal, midnight + 1), 2);
		assert_int_equal(remove_signal(f, signal, midnight + 1), 0);
		expected[i] = 1;
		assert_kept(f, expected);
	}
	assert_int_equal(remove_signal(f, SIGNAL_PROFILES, midnight + 1), 3);
	assert_kept(f, (uint64_t[]){0, 1, 1, 1});
	assert_int_equal(stats(f).partitions, 1);
	reopen(f);
	assert_kept(f, (uint64_t[]){0, 1, 1, 1});
}

static void a_selector_selects_only_profiles(void **state)
{
	struct fixture *f = *state;
	struct selector selector;
	struct store_select s = {.signal = SIGNAL_TRACES, .selector = &selector, .to = UINT64_MAX};
	uint64_t removed;
	struct err e = {0};

	selector_init(&selector);
	assert_ok_err(selector_parse(&selector, STR("shop{}"), &e), &e);
	assert_int_equal(f->store->ops->remove(f->store, &s, &removed, &e), -EINVAL);
	selector_fini(&selector);
}

#define with_store(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

TEST_MAIN(with_store(a_signal_is_dropped_earlier_than_the_others),
	  with_store(only_whole_days_are_dropped),
	  with_store(what_is_older_than_the_limit_of_its_signal_is_refused),
	  with_store(a_drop_can_be_interrupted), with_store(one_signal_of_whole_days_is_deleted),
	  with_store(a_selector_selects_only_profiles))
