/* SPDX-License-Identifier: Apache-2.0 */
/*
 * PromQL over columns in memory: sum by (x) (rate(m[5m])) over 6 h of samples every 15 s, in steps
 * of 60 s, and an instant query. Prints the CPU time of one evaluation.
 */
#include <stdio.h>
#include <stdlib.h>

#include "base/clock.h"
#include "query/promql/promql.h"

enum { SAMPLES = 1440 + 20, INTERVAL_MS = 15000, HOURS_6_MS = 6 * 3600 * 1000 };

/* All series share their columns, so that the memory of the bench does not grow with them. */
struct promql_cursor {
	uint32_t next, count;
	struct promql_label labels[3];
	char text[3][32];
};

static int64_t times[SAMPLES];
static double values[SAMPLES];
static uint32_t series_count;

static int bench_select(struct promql_source *source, const struct promql_select *select,
			struct promql_cursor **out, struct err *e)
{
	struct promql_cursor *c = calloc(1, sizeof(*c));

	(void)source;
	(void)select;
	if (!c)
		return err_set(e, -ENOMEM, "out of memory");
	c->count = series_count;
	*out = c;
	return 0;
}

static int bench_next(struct promql_cursor *c, struct promql_samples *out, struct err *e)
{
	(void)e;
	if (c->next == c->count)
		return 0;
	snprintf(c->text[0], sizeof(c->text[0]), "instance-%u", c->next);
	snprintf(c->text[1], sizeof(c->text[1]), "x-%u", c->next % 10);
	c->labels[0] = (struct promql_label){STR("__name__"), STR("m_total")};
	c->labels[1] = (struct promql_label){STR("instance"), str_from(c->text[0])};
	c->labels[2] = (struct promql_label){STR("x"), str_from(c->text[1])};
	*out = (struct promql_samples){.labels = c->labels,
				       .label_count = 3,
				       .count = SAMPLES,
				       .times = times,
				       .values = values};
	c->next++;
	return 1;
}

static void bench_close(struct promql_cursor *c)
{
	free(c);
}

static double run(const char *text, uint32_t series, bool range)
{
	struct promql_source source = {bench_select, bench_next, bench_close};
	struct promql_times range_of = {300000, 300000 + HOURS_6_MS, 60000};
	struct promql_times instant = {300000 + HOURS_6_MS, 300000 + HOURS_6_MS, 0};
	struct promql_options options = {0};
	struct promql_result r;
	struct promql_expr expr;
	struct err e = {0};
	uint64_t from, to;

	series_count = series;
	from = clock_read_ns(CLOCK_PROCESS_CPUTIME_ID);
	if (promql_parse(&expr, str_from(text), PROMQL_ALL_SYNTAX, NULL, &e) ||
	    promql_evaluate(&r, &expr, range ? &range_of : &instant, &source, &options, &e)) {
		fprintf(stderr, "%s\n", e.text);
		exit(1);
	}
	to = clock_read_ns(CLOCK_PROCESS_CPUTIME_ID);
	promql_result_fini(&r);
	promql_expr_fini(&expr);
	return (double)(to - from) / 1e6;
}

static void report(const char *text, uint32_t series, bool range)
{
	double best = 1e300;

	for (int i = 0; i < 5; i++) {
		double ms = run(text, series, range);

		best = ms < best ? ms : best;
	}
	printf("%-44s %7u series, %-7s %9.2f ms\n", text, series, range ? "6 h" : "instant", best);
}

int main(void)
{
	double value = 0;

	for (int i = 0; i < SAMPLES; i++) {
		times[i] = (int64_t)i * INTERVAL_MS;
		value = i % 500 == 499 ? 0 : value + i % 7;
		values[i] = value;
	}
	report("sum by (x) (rate(m_total[5m]))", 1000, true);
	report("sum by (x) (rate(m_total[5m]))", 100000, true);
	report("sum by (x) (rate(m_total[5m]))", 1000, false);
	report("sum by (x) (m_total)", 1000, true);
	report("avg_over_time(m_total[5m])", 1000, true);
	report("topk(5, rate(m_total[5m]))", 1000, true);
	report("rate(m_total[5m]) / on (instance) m_total", 1000, true);
	return 0;
}
