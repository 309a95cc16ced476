/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Parses any text as PromQL, prints it, parses what was printed, and evaluates it over a few series
 * with limits on memory and samples.
 */
#include <stdlib.h>

#include "base/clock.h"
#include "fuzz.h"
#include "query/promql/profiles/promql_profile_slots.h"
#include "query/promql/promql.h"

enum { SAMPLES = 40, SERIES = 6 };

struct promql_cursor {
	struct promql_matcher matchers[16];
	uint32_t matcher_count, next;
};

static int64_t times[SAMPLES];
static double values[SERIES][SAMPLES];
static struct native_histogram histograms[SAMPLES];
static double counts[SAMPLES][3];
static struct native_span spans[2] = {{-1, 2}, {1, 1}};
static const double bounds[2] = {1, 5};

static void make_data(void)
{
	for (int i = 0; i < SAMPLES; i++) {
		times[i] = (int64_t)i * 15000;
		for (int k = 0; k < SERIES; k++)
			values[k][i] = (double)(i * (k + 1) % 17) - (k == 3 ? 5 : 0);
		for (int k = 0; k < 3; k++)
			counts[i][k] = (double)(i + k);
		histograms[i] = (struct native_histogram){
			.schema = i < 20 ? 1 : 0,
			.zero_threshold = 0.001,
			.zero_count = 1,
			.count = 3 * i + 4,
			.sum = i,
			.positive = {spans, counts[i], 2, 3},
		};
		if (i % 13 == 12)
			histograms[i] = (struct native_histogram){
				.schema = NATIVE_CUSTOM,
				.count = 3 * i + 3,
				.sum = i,
				.positive = {(struct native_span[]){{0, 3}}, counts[i], 1, 3},
				.custom = bounds,
				.custom_count = 2,
			};
	}
}

/* Slots of profiles are without gaps, and end where the windows of the query begin and end. */
static void check_slots(const struct promql_select *select, bool gauge)
{
	struct profile_slots s = profile_slots_of(select, gauge);
	int64_t at = s.from;

	FUZZ_CHECK(s.from <= select->from_ms && s.to == select->to_ms);
	for (int i = 0; i < 1000 && at <= s.to; i++) {
		int64_t end = profile_slot_end(&s, at), middle = at + (end - at) / 2;

		FUZZ_CHECK(end >= at && end <= s.to);
		FUZZ_CHECK(profile_slot_end(&s, middle) == end && profile_slot_end(&s, end) == end);
		at = end + 1;
	}
	for (int i = 0; i < 100; i++) {
		int64_t edge = select->last_ms - i * select->step_ms,
			begin = edge - select->range_ms;

		if (edge >= s.from && edge <= s.to)
			FUZZ_CHECK(profile_slot_end(&s, edge) == edge);
		if (select->range_ms && begin >= s.from && begin <= s.to)
			FUZZ_CHECK(profile_slot_end(&s, begin) == begin);
	}
}

static int fuzz_select(struct promql_source *source, const struct promql_select *select,
		       struct promql_cursor **out, struct err *e)
{
	struct promql_cursor *c = calloc(1, sizeof(*c));

	(void)source;
	check_slots(select, false);
	check_slots(select, true);
	if (!c)
		return err_set(e, -ENOMEM, "out of memory");
	c->matcher_count = select->matcher_count < 16 ? select->matcher_count : 16;
	for (uint32_t i = 0; i < c->matcher_count; i++)
		c->matchers[i] = select->matchers[i];
	*out = c;
	return 0;
}

static int fuzz_next(struct promql_cursor *c, struct promql_samples *out, struct err *e)
{
	static const struct promql_label labels[SERIES][3] = {
		{{STR_INIT("__name__"), STR_INIT("a")},
		 {STR_INIT("le"), STR_INIT("1")},
		 {STR_INIT("x"), STR_INIT("1")}},
		{{STR_INIT("__name__"), STR_INIT("a")},
		 {STR_INIT("le"), STR_INIT("+Inf")},
		 {STR_INIT("x"), STR_INIT("1")}},
		{{STR_INIT("__name__"), STR_INIT("b")},
		 {STR_INIT("job"), STR_INIT("j")},
		 {STR_INIT("x"), STR_INIT("1")}},
		{{STR_INIT("__name__"), STR_INIT("b")},
		 {STR_INIT("job"), STR_INIT("k")},
		 {STR_INIT("x"), STR_INIT("2")}},
		{{STR_INIT("__name__"), STR_INIT("target_info")},
		 {STR_INIT("job"), STR_INIT("j")},
		 {STR_INIT("y"), STR_INIT("2")}},
		{{STR_INIT("__name__"), STR_INIT("h")},
		 {STR_INIT("job"), STR_INIT("j")},
		 {STR_INIT("x"), STR_INIT("1")}},
	};

	while (c->next < SERIES) {
		uint32_t at = c->next++;
		int rc = 1;

		for (uint32_t i = 0; i < c->matcher_count && rc == 1; i++) {
			struct str value = STR("");

			for (int k = 0; k < 3; k++)
				if (str_eq(labels[at][k].name, c->matchers[i].name))
					value = labels[at][k].value;
			rc = promql_matches(&c->matchers[i], value, e);
		}
		if (rc < 0)
			return rc;
		if (!rc)
			continue;
		*out = (struct promql_samples){.labels = labels[at], .label_count = 3};
		if (at < 5) {
			out->times = times;
			out->values = values[at];
			out->count = SAMPLES;
			out->exact = at == 1;
		} else {
			/* half of the samples are floats */
			out->times = times;
			out->values = values[at];
			out->count = 5;
			out->histogram_times = times + 5;
			out->histograms = histograms + 5;
			out->histogram_count = SAMPLES - 5;
		}
		return 1;
	}
	return 0;
}

static void fuzz_close(struct promql_cursor *c)
{
	free(c);
}

static void evaluate(struct str text, bool range, bool delayed)
{
	struct promql_source source = {fuzz_select, fuzz_next, fuzz_close};
	struct budget budget = {.limit = 64 * MIB};
	struct promql_options options = {.delayed_name_removal = delayed,
					 .use_start_times = delayed,
					 .max_samples = 100000,
					 .budget = &budget,
					 .deadline_ns = clock_monotonic_ns() + NS_PER_SECOND / 2};
	struct promql_times times_of = {300000, range ? 600000 : 300000, range ? 30000 : 0};
	struct promql_expr expr;
	struct promql_result r;
	struct err e = {0};

	if (promql_parse(&expr, text, PROMQL_ALL_SYNTAX, NULL, &e))
		return;
	if (!promql_evaluate(&r, &expr, &times_of, &source, &options, &e)) {
		struct buf b = {0};

		for (uint32_t i = 0; i < r.annotations.list.n; i++)
			promql_annotation_put(&b, &r.annotations.list.at[i], text);
		buf_fini(&b);
		promql_result_fini(&r);
	} else if (!e.text[0]) {
		abort(); /* an error without a reason */
	}
	promql_expr_fini(&expr);
	if (budget.used)
		abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct str text = str_of((const char *)data, size);
	struct promql_expr expr;
	struct buf b = {0};
	struct err e = {0};

	if (!times[1])
		make_data();
	if (promql_parse(&expr, text, PROMQL_ALL_SYNTAX, NULL, &e)) {
		if (!e.text[0])
			abort();
		return 0;
	}
	promql_print(&b, expr.root);
	promql_print_pretty(&b, expr.root);
	buf_fini(&b);
	promql_expr_fini(&expr);
	evaluate(text, false, true);
	evaluate(text, true, false);
	return 0;
}
