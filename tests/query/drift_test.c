/* SPDX-License-Identifier: Apache-2.0 */
/* Drift: what is found in simulated services, and what is not. */
#include "query/drift/drift.h"

#include <errno.h>
#include <math.h>

#include "query/drift/drift_name.h"
#include "query/drift/drift_transients.h"
#include "test/drift_service.h"
#include "test/test.h"

enum { WATCHED = 2, OTHER = 40, FINDINGS = 64 };

struct findings {
	struct drift_finding at[FINDINGS];
	uint32_t n;
};

static void keep_finding(void *context, const struct drift_finding *f)
{
	struct findings *all = context;

	assert_true(all->n < FINDINGS);
	all->at[all->n++] = *f;
}

/* A service without bursts that was watched for four weeks; findings of that time are dropped. */
struct watched {
	struct drift_service service;
	struct drift *drift;
	struct findings findings;
	bool deploys; /* are known */
};

static void run_slots(struct watched *w, uint32_t slots)
{
	for (uint32_t i = 0; i < slots; i++) {
		struct drift_slot slot = drift_service_next(&w->service);

		if (w->service.deployed && w->deploys)
			drift_deploy(w->drift, w->service.slot);
		assert_ok(drift_add(w->drift, &slot, keep_finding, &w->findings, NULL));
	}
}

static void begin(struct watched *w, double bursts_a_week)
{
	struct drift_service_options o = DRIFT_SERVICE_OF_NOTE;

	*w = (struct watched){0};
	o.bursts_a_week = bursts_a_week;
	drift_service_init(&w->service, &o, 4711);
	w->drift = drift_new(NULL);
	assert_non_null(w->drift);
	run_slots(w, 4 * DRIFT_SLOTS_PER_WEEK);
	w->findings.n = 0;
}

static const struct drift_finding *find(const struct watched *w, enum drift_kind kind,
					uint32_t function)
{
	for (uint32_t i = 0; i < w->findings.n; i++)
		if (w->findings.at[i].kind == kind && w->findings.at[i].function == function)
			return &w->findings.at[i];
	return NULL;
}

static void quiet_weeks_have_no_findings(void **state)
{
	static struct watched w;

	(void)state;
	begin(&w, 0);
	assert_in_range(drift_monitored(w.drift), 200, 400); /* those with 0.05 % or more */
	run_slots(&w, 2 * DRIFT_SLOTS_PER_WEEK);
	assert_int_equal(w.findings.n, 0);
	drift_free(w.drift);
}

static void a_regression_is_found_with_its_size_and_begin(void **state)
{
	static struct watched w;
	const struct drift_finding *f;
	uint64_t began;

	(void)state;
	begin(&w, 0);
	began = w.service.slot + 1;
	w.service.step[WATCHED] += log(1.3);
	w.service.step[OTHER] -= log(2);
	run_slots(&w, DRIFT_SLOTS_PER_DAY);
	f = find(&w, DRIFT_REGRESSION, WATCHED);
	assert_non_null(f);
	assert_in_range(f->since, began - 1, began + 1);
	assert_in_range(f->found, began + 5, began + 24);
	assert_true(f->ratio > 1.2 && f->ratio < 1.4);
	assert_true(f->low < f->ratio && f->ratio < f->high);
	assert_true(f->before > 0.04 && f->before < 0.06);
	assert_true(!f->deploy);
	f = find(&w, DRIFT_IMPROVEMENT, OTHER);
	assert_non_null(f);
	assert_true(f->ratio > 0.4 && f->ratio < 0.6);
	assert_int_equal(w.findings.n, 2);
	run_slots(&w, DRIFT_SLOTS_PER_WEEK); /* it is the usual cost now */
	assert_int_equal(w.findings.n, 2);
	drift_free(w.drift);
}

static void after_a_deploy_half_an_hour_is_enough(void **state)
{
	static struct watched w;
	const struct drift_finding *f;
	uint64_t deploy;

	(void)state;
	begin(&w, 0);
	deploy = w.service.slot + 1;
	drift_deploy(w.drift, deploy);
	w.service.step[WATCHED] += log(1.3);
	run_slots(&w, 3);
	f = find(&w, DRIFT_REGRESSION, WATCHED);
	assert_non_null(f);
	assert_true(f->deploy);
	assert_int_equal(f->since, deploy);
	assert_int_equal(f->found, deploy + 2);
	drift_free(w.drift);
}

static void a_burst_is_not_reported(void **state)
{
	static struct watched w;

	(void)state;
	begin(&w, 0);
	w.service.step[WATCHED] += log(2);
	run_slots(&w, 4);
	w.service.step[WATCHED] -= log(2);
	run_slots(&w, DRIFT_SLOTS_PER_WEEK);
	assert_int_equal(w.findings.n, 0);
	drift_free(w.drift);
}

static void what_goes_away_later_is_reported_as_ended(void **state)
{
	static struct watched w;
	const struct drift_finding *f;
	uint64_t ended;

	(void)state;
	begin(&w, 0);
	w.service.step[WATCHED] += log(1.5);
	run_slots(&w, 30);
	assert_non_null(find(&w, DRIFT_REGRESSION, WATCHED));
	w.service.step[WATCHED] -= log(1.5);
	ended = w.service.slot + 1;
	run_slots(&w, 12);
	f = find(&w, DRIFT_ENDED, WATCHED);
	assert_non_null(f);
	assert_in_range(f->found, ended, ended + 6);
	run_slots(&w, DRIFT_SLOTS_PER_WEEK);
	assert_int_equal(w.findings.n, 2);
	drift_free(w.drift);
}

/* One function that takes three times as much lowers the share of all others. */
static void others_do_not_improve_when_one_grows(void **state)
{
	static struct watched w;

	(void)state;
	begin(&w, 0);
	w.service.step[0] += log(3);
	run_slots(&w, 60);
	assert_non_null(find(&w, DRIFT_REGRESSION, 0));
	assert_int_equal(w.findings.n, 1);
	drift_free(w.drift);
}

static void a_new_function_is_reported(void **state)
{
	static struct watched w;
	const struct drift_finding *f;

	(void)state;
	begin(&w, 0);
	for (uint32_t i = 0; i < 20; i++) {
		static struct drift_count counts[DRIFT_FUNCTIONS + 1];
		struct drift_slot slot = drift_service_next(&w.service);

		for (uint32_t j = 0; j < slot.n; j++)
			counts[j] = slot.counts[j];
		counts[slot.n] = (struct drift_count){.function = 700, .n = slot.total / 100};
		slot = (struct drift_slot){slot.slot, slot.total * 1.01, counts, slot.n + 1};
		assert_ok(drift_add(w.drift, &slot, keep_finding, &w.findings, NULL));
	}
	f = find(&w, DRIFT_NEW, 700);
	assert_non_null(f);
	assert_true(f->after > 0.008 && f->after < 0.012);
	assert_int_equal(w.findings.n, 1);
	drift_free(w.drift);
}

static void lost_slots_are_no_change(void **state)
{
	static struct watched w;
	static const uint32_t gaps[] = {1, 5, 100, 300, 2000, 1000000000};

	(void)state;
	begin(&w, 0);
	for (uint32_t i = 0; i < countof(gaps); i++) {
		w.service.slot += gaps[i];
		run_slots(&w, 50);
	}
	assert_int_equal(w.findings.n, 0);
	drift_free(w.drift);
}

static void bad_slots_are_refused(void **state)
{
	struct drift_count count = {.function = DRIFT_MAX_FUNCTIONS, .n = 1};
	struct drift_slot slot = {.slot = 1000, .total = 1, .counts = &count, .n = 1};
	struct drift *d = drift_new(NULL);
	struct err e = {0};

	(void)state;
	assert_non_null(d);
	assert_int_equal(drift_add(d, &slot, keep_finding, NULL, &e), -EINVAL);
	assert_string_equal(e.text, "function number 1048576 is above 1048575");
	count.function = 3;
	assert_ok(drift_add(d, &slot, keep_finding, NULL, NULL));
	e = (struct err){0};
	assert_int_equal(drift_add(d, &slot, keep_finding, NULL, &e), -EINVAL);
	assert_string_equal(e.text, "slot 1000 follows slot 1000");
	drift_free(d);
}

static void without_memory_slots_are_lost(void **state)
{
	struct drift_service_options o = DRIFT_SERVICE_OF_NOTE;
	static struct drift_service service;
	static struct findings findings;
	struct budget budget = {.limit = 200 * KIB};
	struct drift *d = drift_new(&budget);
	int failed = 0;

	(void)state;
	assert_non_null(d);
	drift_service_init(&service, &o, 1);
	for (uint32_t i = 0; i < 300; i++) {
		struct drift_slot slot = drift_service_next(&service);

		failed += drift_add(d, &slot, keep_finding, &findings, NULL) == -ENOMEM;
	}
	assert_true(failed > 0);
	assert_true(budget.used <= budget.limit);
	drift_free(d);
	assert_int_equal(budget.used, 0);
}

/* Bursts that were seen make the wait longer, for changes of about their size. */
static void waits_follow_the_bursts(void **state)
{
	struct drift_transients t = {0};
	uint64_t now = 10 * DRIFT_SLOTS_PER_WEEK;
	uint32_t before = drift_transients_wait(&t, now, now, 0.5, 1);

	(void)state;
	for (uint32_t i = 0; i < 20; i++)
		drift_transients_add(&t, now - 100 * i, 4 + i % 9, 0.5);
	assert_true(drift_transients_wait(&t, now, now, 0.5, 1) > before + 6);
	assert_true(drift_transients_wait(&t, now, now, 0.5, 1) >
		    drift_transients_wait(&t, now, now, 0.1, 1));
	assert_true(drift_transients_wait(&t, now, now, 0.5, 0.01) <
		    drift_transients_wait(&t, now, now, 0.5, 1));
	/* they are forgotten after some weeks */
	assert_int_equal(drift_transients_wait(&t, now * 2, now, 0.5, 1), before);
}

static void names_are_the_same_in_all_builds(void **state)
{
	static const struct {
		const char *name, *key, *plain;
	} rows[] = {
		{"parse", "parse", "parse"},
		{"parse.cold", "parse", "parse"},
		{"parse.part.0", "parse", "parse"},
		{"parse.constprop.0.isra.12.cold", "parse", "parse"},
		{"parse.llvm.1234567890", "parse", "parse"},
		{"parse(int) [clone .isra.0]", "parse(int)", "parse"},
		{"v1.2", "v1.2", "v1.2"}, /* no word of a compiler */
		{".cold", ".cold", ".cold"},
		{"core::fmt::write::h0123456789abcdef", "core::fmt::write", "core::fmt::write"},
		{"core::fmt::write::hash", "core::fmt::write::hash", "core::fmt::write::hash"},
		{"main.run.func12", "main.run.func#", "main.run.func#"},
		{"main.run.func2.1", "main.run.func#.#", "main.run.func#.#"},
		{"a::{lambda(int)#2}::operator()(int) const",
		 "a::{lambda(int)#}::operator()(int) const", "a::{lambda#}::operator const"},
		{"a::$_12::operator()", "a::$_#::operator()", "a::$_#::operator"},
		{"std::vector<int, a<b> >::push_back(int&&)",
		 "std::vector<int, a<b> >::push_back(int&&)", "std::vector::push_back"},
		{"", "", ""},
		{"<a>", "<a>", "<a>"},
	};
	struct buf out = {0};

	(void)state;
	for (size_t i = 0; i < countof(rows); i++) {
		drift_name_key(&out, str_from(rows[i].name));
		assert_true(str_eq(buf_str(&out), str_from(rows[i].key)));
		drift_name_plain(&out, str_from(rows[i].name));
		assert_true(str_eq(buf_str(&out), str_from(rows[i].plain)));
	}
	buf_fini(&out);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(quiet_weeks_have_no_findings),
		cmocka_unit_test(a_regression_is_found_with_its_size_and_begin),
		cmocka_unit_test(after_a_deploy_half_an_hour_is_enough),
		cmocka_unit_test(a_burst_is_not_reported),
		cmocka_unit_test(what_goes_away_later_is_reported_as_ended),
		cmocka_unit_test(others_do_not_improve_when_one_grows),
		cmocka_unit_test(a_new_function_is_reported),
		cmocka_unit_test(lost_slots_are_no_change),
		cmocka_unit_test(bad_slots_are_refused),
		cmocka_unit_test(without_memory_slots_are_lost),
		cmocka_unit_test(waits_follow_the_bursts),
		cmocka_unit_test(names_are_the_same_in_all_builds),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
