/* SPDX-License-Identifier: Apache-2.0 */
/* The monitor of drift, over a real store that is filled with weeks of simulated services. */
#include <errno.h>
#include <fcntl.h>
#include <math.h>

#include "api/drift/drift_answers.h"
#include "api/drift/drift_file.h"
#include "store/store_support.h"
#include "test/drift_store.h"
#include "test/store_fill.h"
#include "test/test.h"

enum { CHANGED = 2, WEEKS = 3 };

#define SLOT_NS (DRIFT_SLOT_SECONDS * NS_PER_SECOND)
#define DELAY_NS (300 * NS_PER_SECOND)

struct fixture {
	char directory[64], file[128];
	struct store *store;
	struct drift_stored service;
	struct drift_monitor *monitor;
	struct key_ring *keys;
	struct err e;
};

static void open_monitor(struct fixture *f)
{
	struct drift_monitor_options o = {.store = f->store,
					  .file = f->file,
					  .keys = f->keys,
					  .memory = 64 * MIB,
					  .query_memory = 64 * MIB,
					  .cpu_percent = 100,
					  .delay_ns = DELAY_NS};

	assert_ok(drift_monitor_new(&f->monitor, &o));
}

/* End the monitor with its file written, or as a crash does. */
static void close_monitor(struct fixture *f, bool saved)
{
	if (saved)
		drift_monitor_stop(f->monitor);
	drift_monitor_free(f->monitor);
	f->monitor = NULL;
}

static void init_service(struct drift_stored *s, const char *tenant, const char *name,
			 uint64_t seed)
{
	struct drift_service_options o = DRIFT_SERVICE_OF_NOTE;

	o.bursts_a_week = o.deploys_a_week = 0;
	*s = (struct drift_stored){.tenant = tenant, .name = name, .version = "1.0"};
	drift_service_init(&s->service, &o, seed);
}

static void put_slots(struct store *store, struct drift_stored *s, uint32_t slots)
{
	while (slots) {
		uint32_t n = slots < DRIFT_SLOTS_PER_DAY ? slots : DRIFT_SLOTS_PER_DAY;

		assert_ok(drift_store_put(store, s, n));
		slots -= n;
	}
}

static struct store *open_store(const char *directory)
{
	struct sqlite_store_options o = {.directory = directory, .window_ms = 1};
	struct store *store;

	assert_ok(sqlite_store_open(&store, &o, NULL));
	return store;
}

/* Quiet weeks of a service, which are made once and copied for each test. */
static struct {
	char directory[64];
	struct drift_stored service;
} quiet;

static int make_quiet_weeks(void **state)
{
	struct store *store;

	(void)state;
	make_directory(quiet.directory);
	store = open_store(quiet.directory);
	init_service(&quiet.service, "", "shop", 4711);
	put_slots(store, &quiet.service, WEEKS * DRIFT_SLOTS_PER_WEEK);
	store->ops->close(store);
	return 0;
}

static int remove_quiet_weeks(void **state)
{
	(void)state;
	remove_tree(quiet.directory);
	return 0;
}

static int set_up_empty(void **state)
{
	struct fixture *f = calloc(1, sizeof(*f));

	make_directory(f->directory);
	snprintf(f->file, sizeof(f->file), "%s/drift.events", f->directory);
	f->store = open_store(f->directory);
	init_service(&f->service, "", "shop", 4711);
	*state = f;
	return 0;
}

static int set_up(void **state)
{
	struct fixture *f = calloc(1, sizeof(*f));
	char copy[160];

	make_directory(f->directory);
	snprintf(f->file, sizeof(f->file), "%s/drift.events", f->directory);
	snprintf(copy, sizeof(copy), "cp -r %s/. %s", quiet.directory, f->directory);
	assert_int_equal(system(copy), 0);
	f->store = open_store(f->directory);
	f->service = quiet.service;
	*state = f;
	return 0;
}

static int tear_down(void **state)
{
	struct fixture *f = *state;

	drift_monitor_stop(f->monitor);
	drift_monitor_free(f->monitor);
	f->store->ops->close(f->store);
	key_ring_unref(f->keys);
	remove_tree(f->directory);
	free(f);
	return 0;
}

/* The time when the slot after the last one of the service is read. */
static uint64_t now_of(const struct drift_stored *s)
{
	return (s->service.slot + 1) * SLOT_NS + DELAY_NS;
}

static void run_monitor(struct fixture *f, uint64_t now)
{
	while (drift_monitor_run(f->monitor, now))
		;
}

struct seen {
	struct drift_event *at[32];
	uint32_t n;
};

static void keep_event(void *ctx, const struct drift_event *at)
{
	struct seen *seen = ctx;

	assert_true(seen->n < countof(seen->at));
	seen->at[seen->n++] = drift_event_dup(at);
}

static void forget(struct seen *seen)
{
	while (seen->n)
		free(seen->at[--seen->n]);
}

static struct seen events_of(struct fixture *f)
{
	struct seen seen = {0};

	drift_log_each(drift_monitor_log(f->monitor), keep_event, &seen);
	return seen;
}

/* A version in which a function of 5 % costs 20 % more, for `slots`. */
static uint64_t put_regression(struct fixture *f, struct drift_stored *s, uint32_t slots)
{
	uint64_t since = (s->service.slot + 1) * SLOT_NS;

	s->service.step[CHANGED] += log(1.2);
	s->version = "1.1";
	put_slots(f->store, s, slots);
	return since;
}

static void assert_is_regression(const struct drift_event *at, uint64_t since)
{
	assert_int_equal(at->kind, DRIFT_REGRESSION);
	assert_true(str_eq(at->service, STR("shop")));
	assert_true(str_eq(at->functions[0].name, STR("work_2")));
	assert_true(str_eq(at->functions[0].file, STR("work.c")));
	assert_true(at->since + 3 * SLOT_NS >= since && at->since <= since + 3 * SLOT_NS);
	assert_true(at->functions[0].ratio > 1.1 && at->functions[0].ratio < 1.3);
	assert_true(at->functions[0].before > 0.04 && at->functions[0].before < 0.06);
	/* one of 10 cores that are half busy: 1 % of 5 cores, and the load changes over the day */
	assert_true(at->extra > 1e4 && at->extra < 1e9);
	assert_true(str_eq(at->versions_before, STR("1.0")));
	assert_true(str_eq(at->versions_after, STR("1.1")));
}

static void a_regression_becomes_one_event(void **state)
{
	struct fixture *f = *state;
	uint64_t since = put_regression(f, &f->service, 36);
	struct drift_monitor_stats s;
	struct seen seen;

	open_monitor(f);
	run_monitor(f, now_of(&f->service));
	seen = events_of(f);
	assert_int_equal(seen.n, 1);
	assert_is_regression(seen.at[0], since);
	assert_true(seen.at[0]->deploy);
	forget(&seen);
	drift_monitor_stats(f->monitor, &s);
	assert_int_equal(s.watching, 1);
	assert_int_equal(s.learning, 0);
	assert_int_equal(s.reading, 0);
	assert_int_equal(s.failures, 0);
	assert_in_range(s.functions, 200, 400);
	assert_int_equal(s.events[DRIFT_REGRESSION], 1);
}

static void slots_are_read_when_late_data_has_arrived(void **state)
{
	struct fixture *f = *state;
	struct drift_monitor_stats s;
	uint64_t before;

	put_slots(f->store, &f->service, 10);
	open_monitor(f);
	run_monitor(f, now_of(&f->service) - 1);
	drift_monitor_stats(f->monitor, &s);
	before = s.slots;
	run_monitor(f, now_of(&f->service));
	drift_monitor_stats(f->monitor, &s);
	assert_int_equal(s.slots, before + 1);
}

static void events_survive_a_stop_and_a_crash(void **state)
{
	struct fixture *f = *state;
	uint64_t since = put_regression(f, &f->service, 36);

	for (unsigned i = 0; i < 3; i++) {
		struct seen seen;

		open_monitor(f);
		run_monitor(f, now_of(&f->service));
		close_monitor(f, i == 0);
		open_monitor(f);
		seen = events_of(f);
		assert_int_equal(seen.n, 1);
		assert_is_regression(seen.at[0], since);
		forget(&seen);
		close_monitor(f, false);
		if (i == 1)
			unlink(f->file); /* then it is found again */
	}
}

static void what_happens_during_a_stop_is_found_after_it(void **state)
{
	struct fixture *f = *state;
	uint64_t since;
	struct seen seen;

	open_monitor(f);
	run_monitor(f, now_of(&f->service));
	close_monitor(f, true);
	since = (f->service.service.slot + 1) * SLOT_NS;
	f->service.service.step[CHANGED] += log(1.2);
	f->service.version = "1.1";
	put_slots(f->store, &f->service, 36);
	open_monitor(f);
	run_monitor(f, now_of(&f->service));
	seen = events_of(f);
	assert_int_equal(seen.n, 1);
	assert_is_regression(seen.at[0], since);
	forget(&seen);
}

static void the_file_is_encrypted_and_a_damaged_one_set_aside(void **state)
{
	static const uint8_t key[SEAL_KEY] = "thirty-two bytes, not all zeros";
	struct fixture *f = *state;
	struct buf text = {0};
	struct seen seen;
	char aside[160];
	int fd;

	assert_ok(key_ring_of_key(&f->keys, key, NULL));
	put_regression(f, &f->service, 36);
	open_monitor(f);
	run_monitor(f, now_of(&f->service));
	close_monitor(f, true);
	assert_int_equal(drift_file_read(f->file, NULL, &text, NULL), -ENOKEY);
	assert_ok(drift_file_read(f->file, f->keys, &text, NULL));
	assert_true(str_find_str(buf_str(&text), STR("work_2")) < text.n);
	buf_fini(&text);
	fd = open(f->file, O_WRONLY);
	assert_int_equal(pwrite(fd, "x", 1, KEY_BLOCK + 200), 1);
	close(fd);
	open_monitor(f);
	seen = events_of(f);
	assert_int_equal(seen.n, 0);
	snprintf(aside, sizeof(aside), "%s.damaged", f->file);
	assert_int_equal(access(aside, F_OK), 0);
	run_monitor(f, now_of(&f->service));
	seen = events_of(f);
	assert_int_equal(seen.n, 1);
	forget(&seen);
}

/* Half of the cost of a function moves to another one of its file, which costs 83 % more. */
static void a_cost_that_moves_is_no_event(void **state)
{
	enum { OTHER = 4 };
	struct fixture *f = *state;
	struct drift_service *s = &f->service.service;
	struct drift_monitor_stats stats;
	struct seen seen;

	s->step[OTHER] += log(1 + 0.5 * s->share[CHANGED] / s->share[OTHER]);
	s->step[CHANGED] += log(0.5);
	f->service.version = "1.1";
	put_slots(f->store, &f->service, 36);
	open_monitor(f);
	run_monitor(f, now_of(&f->service));
	seen = events_of(f);
	assert_int_equal(seen.n, 0);
	drift_monitor_stats(f->monitor, &stats);
	assert_int_equal(stats.moved, 2);
}

static void functions_that_change_together_are_one_event(void **state)
{
	enum { OTHER = 7 }; /* in another file */
	struct fixture *f = *state;
	struct seen seen;

	f->service.service.step[CHANGED] += log(1.2);
	f->service.service.step[OTHER] += log(1.4);
	put_slots(f->store, &f->service, 60);
	open_monitor(f);
	run_monitor(f, now_of(&f->service));
	seen = events_of(f);
	assert_int_equal(seen.n, 1);
	assert_int_equal(seen.at[0]->function_n, 2);
	assert_true(fabs(seen.at[0]->extra - seen.at[0]->functions[0].extra -
			 seen.at[0]->functions[1].extra) < 1);
	assert_true(seen.at[0]->functions[0].extra >= seen.at[0]->functions[1].extra);
	forget(&seen);
}

static void tenants_and_types_are_apart(void **state)
{
	struct fixture *f = *state;
	struct drift_stored silent, *loud = &f->service;
	struct drift_monitor_stats s;
	struct seen seen;

	init_service(&silent, "two", "shop", 4711);
	loud->tenant = "one";
	put_slots(f->store, loud, WEEKS * DRIFT_SLOTS_PER_WEEK);
	put_regression(f, loud, 36);
	put_slots(f->store, &silent, WEEKS * DRIFT_SLOTS_PER_WEEK + 36);
	/* levels are not watched */
	assert_ok(store_fill(f->store,
			     &(struct fill){.tenant = "two",
					    .type = "memory:inuse_space:bytes:space:bytes",
					    .labels = "service_name=shop",
					    .time = loud->service.slot * SLOT_NS,
					    .samples = "main 5"},
			     NULL));
	open_monitor(f);
	run_monitor(f, now_of(loud));
	seen = events_of(f);
	assert_int_equal(seen.n, 1);
	assert_true(str_eq(seen.at[0]->tenant, STR("one")));
	forget(&seen);
	drift_monitor_stats(f->monitor, &s);
	assert_int_equal(s.watching, 2);
}

static void without_memory_a_service_is_refused(void **state)
{
	struct fixture *f = *state;
	struct drift_monitor_options o = {.store = f->store,
					  .memory = 600 * KIB,
					  .query_memory = 64 * MIB,
					  .cpu_percent = 100,
					  .delay_ns = DELAY_NS};
	struct drift_monitor_stats s;

	put_slots(f->store, &f->service, 2 * DRIFT_SLOTS_PER_DAY);
	assert_ok(drift_monitor_new(&f->monitor, &o));
	run_monitor(f, now_of(&f->service));
	drift_monitor_stats(f->monitor, &s);
	assert_int_equal(s.refused, 1);
	assert_int_equal(s.watching, 0);
	assert_true(s.memory < 64 * KIB);
	run_monitor(f, now_of(&f->service) + SLOT_NS); /* it is not tried again at once */
	drift_monitor_stats(f->monitor, &s);
	assert_int_equal(s.refused, 1);
}

static void a_service_with_few_samples_is_watched_in_vain(void **state)
{
	struct fixture *f = *state;
	struct drift_monitor_stats s;

	f->service.service.options.cores = 0.001;
	put_slots(f->store, &f->service, 3 * DRIFT_SLOTS_PER_DAY);
	open_monitor(f);
	run_monitor(f, now_of(&f->service));
	drift_monitor_stats(f->monitor, &s);
	assert_int_equal(s.watching, 1);
	assert_int_equal(s.learning, 1);
	assert_int_equal(s.functions, 0);
	assert_int_equal(s.failures, 0);
}

/* ---- the log ---- */

static int add(struct drift_log *l, enum drift_kind kind, const char *name, uint64_t since,
	       double extra)
{
	struct drift_event e = {.service = STR("shop"),
				.type = STR("cpu"),
				.kind = kind,
				.since = since,
				.found = since + 3600 * NS_PER_SECOND,
				.extra = extra,
				.function_n = 1,
				.functions = {{.name = str_from(name), .extra = extra}}};

	return drift_log_add(l, &e);
}

static void the_log_joins_ends_and_expires(void **state)
{
	const uint64_t hour = 3600 * NS_PER_SECOND, at = 500000 * hour;
	struct drift_log *l;
	struct seen seen = {0};
	char name[16];

	(void)state;
	assert_ok(drift_log_new(&l, NULL, NULL, NULL));
	assert_int_equal(add(l, DRIFT_REGRESSION, "a", at, 5), 1);
	assert_int_equal(add(l, DRIFT_REGRESSION, "a", at + hour, 5), 0);
	for (unsigned i = 0; i < 10; i++) {
		snprintf(name, sizeof(name), "f%u", i);
		assert_int_equal(add(l, DRIFT_REGRESSION, name, at + 2 * hour, i), 0);
	}
	assert_int_equal(add(l, DRIFT_REGRESSION, "late", at + 3 * hour, 1), 1);
	assert_int_equal(add(l, DRIFT_IMPROVEMENT, "b", at, -1), 1);
	assert_int_equal(add(l, DRIFT_ENDED, "f9", at + 9 * hour, 0), 1);
	drift_log_each(l, keep_event, &seen);
	assert_int_equal(seen.n, 4);
	assert_int_equal(seen.at[0]->id, 1);
	assert_int_equal(seen.at[0]->function_n, DRIFT_EVENT_FUNCTIONS);
	assert_int_equal(seen.at[0]->more, 3);
	assert_true(str_eq(seen.at[0]->functions[0].name, STR("f9")));
	assert_true(str_eq(seen.at[0]->functions[4].name, STR("f5")) ||
		    str_eq(seen.at[0]->functions[4].name, STR("a")));
	assert_true(fabs(seen.at[0]->extra - 50) < 1e-9);
	assert_int_equal(seen.at[0]->ended, at + 9 * hour);
	assert_int_equal(seen.at[1]->ended, 0);
	forget(&seen);
	drift_log_expire(l, at + 2 * hour);
	drift_log_each(l, keep_event, &seen);
	assert_int_equal(seen.n, 2);
	forget(&seen);
	for (uint32_t i = 0; i < DRIFT_EVENTS_MAX + 5; i++)
		assert_int_equal(add(l, DRIFT_NEW, "n", at + 100 * hour * (i + 1), 1), 1);
	drift_log_free(l);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(a_regression_becomes_one_event, set_up, tear_down),
		cmocka_unit_test_setup_teardown(slots_are_read_when_late_data_has_arrived, set_up,
						tear_down),
		cmocka_unit_test_setup_teardown(events_survive_a_stop_and_a_crash, set_up,
						tear_down),
		cmocka_unit_test_setup_teardown(what_happens_during_a_stop_is_found_after_it,
						set_up, tear_down),
		cmocka_unit_test_setup_teardown(the_file_is_encrypted_and_a_damaged_one_set_aside,
						set_up, tear_down),
		cmocka_unit_test_setup_teardown(a_cost_that_moves_is_no_event, set_up, tear_down),
		cmocka_unit_test_setup_teardown(functions_that_change_together_are_one_event,
						set_up, tear_down),
		cmocka_unit_test_setup_teardown(tenants_and_types_are_apart, set_up_empty,
						tear_down),
		cmocka_unit_test_setup_teardown(without_memory_a_service_is_refused, set_up,
						tear_down),
		cmocka_unit_test_setup_teardown(a_service_with_few_samples_is_watched_in_vain,
						set_up_empty, tear_down),
		cmocka_unit_test(the_log_joins_ends_and_expires),
	};

	return cmocka_run_group_tests(tests, make_quiet_weeks, remove_quiet_weeks);
}
