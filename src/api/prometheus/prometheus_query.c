/* SPDX-License-Identifier: Apache-2.0 */
/* Queries of Prometheus' API: PromQL at one time, and over a range of times. */
#include <errno.h>

#include "api/prometheus/prometheus_profiles.h"
#include "api/prometheus/prometheus_result.h"
#include "base/clock.h"
#include "query/promql/promql_store.h"

enum { POINTS_MAX = 11000 };

struct query {
	struct request *request;
	struct promql_times times;
	struct promql_options options;
	uint64_t limit, begun_ns, parsed_ns, evaluated_ns;
	struct str stats;
	struct promql_expr expr;
};

static bool is_canceled(void *arg)
{
	const struct store_limits *l = arg;

	if (l->pause)
		l->pause(l->deadline_ns, l->cancelled);
	return l->cancelled && atomic_load(l->cancelled);
}

/* Read `timeout`, which may shorten the time that the server allows. */
static int read_timeout(struct query *q, struct err *e)
{
	struct store_limits *l = &q->request->limits;
	uint64_t now = clock_monotonic_ns();
	int64_t ns;
	int rc = prometheus_duration(q->request, "timeout", &ns, e);

	if (rc)
		return rc;
	if (ns < 0)
		return err_set(e, -EINVAL, "invalid parameter \"timeout\": it is negative");
	if (ns && (!l->deadline_ns || now + (uint64_t)ns < l->deadline_ns))
		l->deadline_ns = now + (uint64_t)ns;
	q->options.deadline_ns = l->deadline_ns;
	q->options.timeout_ns = l->deadline_ns > now ? l->deadline_ns - now : 0;
	return 0;
}

/* Read what both kinds of query have. Forms were read already. */
static int read_common(struct query *q, struct err *e)
{
	struct request *r = q->request;
	struct str text;
	int64_t lookback;
	int rc = request_u64(r, "limit", 0, &q->limit, e);

	if (!rc)
		rc = read_timeout(q, e);
	if (!rc)
		rc = prometheus_duration(r, "lookback_delta", &lookback, e);
	if (!rc && lookback < 0)
		rc = err_set(e, -EINVAL, "invalid parameter \"lookback_delta\": it is negative");
	if (!rc)
		rc = request_param(r, "stats", &q->stats, e);
	if (!rc)
		rc = request_param(r, "query", &text, e);
	if (rc)
		return rc;
	q->options.lookback_ms = lookback / (int64_t)NS_PER_MS;
	q->options.delayed_name_removal = true; /* as everything that Prometheus has a flag for */
	q->options.is_canceled = is_canceled;
	q->options.cancel_arg = &r->limits;
	q->options.budget = r->limits.budget;
	rc = promql_parse(&q->expr, text, PROMQL_ALL_SYNTAX, r->limits.budget, e);
	if (rc == -EINVAL)
		err_prefix(e, "invalid parameter \"query\"");
	return rc;
}

static void put_seconds(struct json_writer *w, const char *key, uint64_t ns)
{
	json_put_key(w, str_from(key));
	json_put_double(w, (double)ns / 1e9);
}

/* Steps are evaluated together: samples are not counted for each. */
static void put_stats(struct json_writer *w, const struct query *q, const struct promql_stats *s)
{
	const uint64_t whole = clock_monotonic_ns() - q->begun_ns;

	json_put_key(w, STR("stats"));
	json_open_object(w);
	json_put_key(w, STR("timings"));
	json_open_object(w);
	put_seconds(w, "evalTotalTime", q->evaluated_ns);
	put_seconds(w, "resultSortTime", 0);
	put_seconds(w, "queryPreparationTime", q->parsed_ns);
	put_seconds(w, "innerEvalTime", q->evaluated_ns);
	put_seconds(w, "execQueueTime", 0);
	put_seconds(w, "execTotalTime", whole);
	json_close_object(w);
	json_put_key(w, STR("samples"));
	json_open_object(w);
	json_put_key(w, STR("totalQueryableSamples"));
	json_put_u64(w, s->samples);
	json_put_key(w, STR("peakSamples"));
	json_put_u64(w, s->peak);
	json_close_object(w);
	json_close_object(w);
}

static int put_answer(struct query *q, const struct promql_result *result, struct reply *out)
{
	struct json_writer w = prometheus_open(out);
	bool cut;

	json_open_object(&w);
	cut = prometheus_put_result(&w, result, q->limit);
	if (q->stats.n)
		put_stats(&w, q, &result->stats);
	json_close_object(&w);
	return prometheus_close_notes(&w, q->request, cut, &result->annotations, q->expr.text);
}

static int run_query(struct query *q, struct reply *out, struct err *e)
{
	struct request *r = q->request;
	struct promql_result result = {0};
	struct promql_store source;
	int rc;

	promql_store_init(&source, r->store, r->tenant, &r->limits);
	q->parsed_ns = clock_monotonic_ns() - q->begun_ns;
	rc = promql_evaluate(&result, &q->expr, &q->times, &source.source, &q->options, e);
	q->evaluated_ns = clock_monotonic_ns() - q->begun_ns - q->parsed_ns;
	if (!rc)
		rc = prometheus_note_profiles(r, &q->expr, &result, e);
	if (!rc)
		rc = put_answer(q, &result, out);
	promql_result_fini(&result);
	return rc == -EMSGSIZE ? -EDOM : rc;
}

static int begin(struct query *q, struct request *r, struct err *e)
{
	*q = (struct query){.request = r, .begun_ns = clock_monotonic_ns()};
	return prometheus_store(r, e) ? prometheus_read_form(r) : -EOPNOTSUPP;
}

int prometheus_query(struct request *r, struct reply *out, struct err *e)
{
	struct query q;
	int rc = begin(&q, r, e);

	if (!rc)
		rc = prometheus_time(r, "time", (int64_t)(r->now_ns / NS_PER_MS), &q.times.start_ms,
				     e);
	q.times.end_ms = q.times.start_ms;
	if (!rc)
		rc = read_common(&q, e);
	if (!rc)
		rc = run_query(&q, out, e);
	promql_expr_fini(&q.expr);
	return rc;
}

/* Read a time that must be there. */
static int read_time(struct request *r, const char *name, int64_t *out, struct err *e)
{
	struct str text;
	int rc = request_param(r, name, &text, e);

	if (!rc && !text.n)
		rc = err_set(e, -EINVAL,
			     "invalid parameter \"%s\": cannot parse \"\" to a valid timestamp",
			     name);
	return rc ? rc : prometheus_time(r, name, 0, out, e);
}

static int read_range(struct query *q, struct err *e)
{
	struct request *r = q->request;
	struct promql_times *t = &q->times;
	struct str text;
	int64_t step;
	int rc = read_time(r, "start", &t->start_ms, e);

	if (!rc)
		rc = read_time(r, "end", &t->end_ms, e);
	if (!rc && t->end_ms < t->start_ms)
		rc = err_set(e, -EINVAL,
			     "invalid parameter \"end\": end timestamp must not be before start "
			     "time");
	if (!rc)
		rc = request_param(r, "step", &text, e);
	if (!rc && !text.n)
		rc = err_set(e, -EINVAL,
			     "invalid parameter \"step\": cannot parse \"\" to a valid duration");
	if (!rc)
		rc = prometheus_duration(r, "step", &step, e);
	if (rc)
		return rc;
	t->step_ms = step / (int64_t)NS_PER_MS;
	if (t->step_ms <= 0)
		return err_set(e, -EINVAL,
			       "invalid parameter \"step\": zero or negative query resolution "
			       "step widths are not accepted. Try a positive integer");
	if ((t->end_ms - t->start_ms) / t->step_ms > POINTS_MAX)
		return err_set(e, -EINVAL,
			       "exceeded maximum resolution of 11,000 points per timeseries. Try "
			       "decreasing the query resolution (?step=XX)");
	return 0;
}

int prometheus_query_range(struct request *r, struct reply *out, struct err *e)
{
	struct query q;
	int rc = begin(&q, r, e);

	if (!rc)
		rc = read_range(&q, e);
	if (!rc)
		rc = read_common(&q, e);
	if (!rc)
		rc = run_query(&q, out, e);
	promql_expr_fini(&q.expr);
	return rc;
}

int prometheus_format_query(struct request *r, struct reply *out, struct err *e)
{
	struct promql_expr expr = {0};
	struct json_writer w;
	struct buf text = {0};
	int rc = prometheus_read_query(r, &expr, e);

	if (!rc) {
		promql_print_pretty(&text, expr.root);
		rc = buf_error(&text);
	}
	if (!rc) {
		w = prometheus_open(out);
		json_put_string(&w, buf_str(&text));
		rc = prometheus_close(&w, r, false);
	}
	buf_fini(&text);
	promql_expr_fini(&expr);
	return rc;
}
