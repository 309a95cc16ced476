/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Arbitrary text as a TraceQL query, up to a NUL; it then runs over arbitrary bytes as a message of
 * traces. What the query finds has to be a trace that it wants.
 */
#include <errno.h>

#include "format/otlp/traces.h"
#include "fuzz.h"
#include "query/traceql/traceql.h"
#include "query/traceql/traceql_metrics.h"
#include "query/traceql/traceql_search.h"
#include "query/traceql/traceql_want.h"
#include "signal/trace/trace_fill.h"

static void run_search(const struct traceql *q, const struct trace_view *v, struct budget *budget)
{
	struct traceql_search s;
	struct traceql_plan plan;
	struct err e = {0};
	int rc;

	traceql_search_init(&s, q, 2, 3, budget);
	rc = traceql_search_add(&s, v, &e);
	FUZZ_CHECK(!rc || rc == -ENOMEM || e.text[0]);
	traceql_search_finish(&s);
	rc = traceql_plan(q, &plan);
	FUZZ_CHECK(rc || !s.found.n || plan.want.all || plan.want.n);
	traceql_search_fini(&s);
}

static void run_metrics(const struct traceql *q, const struct trace_view *v, struct budget *budget)
{
	struct traceql_metrics_run *run;
	struct traceql_series_list list;
	struct traceql_range range;
	struct err e = {0};
	uint64_t start = v->span_count ? v->spans[0].start : 0;

	if (traceql_range_set(&range, start, start > UINT64_MAX - 100 ? start : start + 100, 10,
			      &e) ||
	    traceql_metrics_new(&run, q, &range, 5, budget))
		return;
	if (!traceql_metrics_add(run, v, &e)) {
		int rc = traceql_metrics_finish(run, &list, &e);

		FUZZ_CHECK(!rc || rc == -ENOMEM || e.text[0]);
	}
	traceql_metrics_free(run);
}

/* Evaluate the query on all spans of the message as one trace. */
static void run_query(const struct traceql *q, struct str message, struct budget *budget)
{
	struct span_batch b;
	struct trace_maker m;
	struct trace_view v;
	struct arena a;
	struct err e = {0};
	uint32_t *rows;

	arena_init(&a, budget);
	span_batch_init(&b, budget);
	if (!otlp_traces_decode(&b, message, &e) &&
	    !trace_maker_init(&m, &b, q->fields.at, q->fields.n, &a)) {
		rows = arena_alloc(&a, b.spans.n + 1u, sizeof(*rows));
		for (uint32_t i = 0; rows && i < b.spans.n; i++)
			rows[i] = i;
		if (rows && !trace_maker_view(&m, rows, b.spans.n, &a, &v)) {
			if (q->pipeline)
				run_search(q, &v, budget);
			else
				run_metrics(q, &v, budget);
		}
	}
	span_batch_fini(&b);
	arena_fini(&a);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct budget budget = {.limit = FUZZ_BUDGET};
	struct str in = str_of((const char *)data, size), text = str_cut(&in, '\0');
	struct traceql q;
	struct arena a;
	struct err e = {0};
	int rc;

	arena_init(&a, &budget);
	rc = traceql_compile(&q, text, &a, &e);
	FUZZ_CHECK(!rc || rc == -ENOMEM || e.text[0]);
	if (!rc) {
		FUZZ_CHECK(!q.pipeline != !q.metrics);
		run_query(&q, in, &budget);
		traceql_fini(&q);
	}
	arena_fini(&a);
	FUZZ_CHECK(budget.used == 0);
	return 0;
}
