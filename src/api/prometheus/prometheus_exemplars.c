/* SPDX-License-Identifier: Apache-2.0 */
/* The exemplars of the series that an expression of PromQL selects. */
#include <errno.h>

#include "api/prometheus/prometheus_profiles.h"
#include "base/clock.h"
#include "query/promql/promql_store.h"
#include "signal/metric/number_text.h"

enum { SELECTORS_MAX = 256 };

struct exemplar_query {
	struct request *request;
	struct promql_expr expr;
	VEC(struct store_matchers) sets;
	VEC(struct promql_select) selects; /* the same */
	struct json_writer w;
	struct str series; /* the current one, in the memory of the query */
	bool any;
};

static int add_selector(void *ctx, const struct promql_node *n)
{
	struct exemplar_query *q = ctx;
	struct arena *a = q->request->arena;
	struct store_matchers set;
	int rc = promql_store_matchers(&set, n->selector.matchers.at, n->selector.matchers.n, a);

	if (!rc && q->sets.n == SELECTORS_MAX)
		return -E2BIG;
	if (!rc)
		rc = vec_push(a, &q->sets, set);
	return rc ? rc
		  : vec_push(a, &q->selects,
			     (struct promql_select){.matchers = n->selector.matchers.at,
						    .matcher_count = n->selector.matchers.n});
}

static void put_label_object(struct json_writer *w, struct str labels)
{
	struct label label;

	json_open_object(w);
	while (metric_labels_next(&labels, &label)) {
		json_put_key(w, label.name);
		json_put_string(w, label.value);
	}
	json_close_object(w);
}

static void end_series(struct exemplar_query *q)
{
	if (!q->any)
		return;
	json_close_array(&q->w);
	json_close_object(&q->w);
	q->any = false;
}

static void begin_series(struct exemplar_query *q, struct str labels)
{
	end_series(q);
	q->any = true;
	q->series = labels;
	json_open_object(&q->w);
	json_put_key(&q->w, STR("seriesLabels"));
	put_label_object(&q->w, labels);
	json_put_key(&q->w, STR("exemplars"));
	json_open_array(&q->w);
}

static int put_exemplar(void *ctx, struct str labels, const struct metric_exemplar *x)
{
	struct exemplar_query *q = ctx;
	struct json_writer *w = &q->w;

	if (!q->any || !str_eq(q->series, labels))
		begin_series(q, labels);
	json_open_object(w);
	json_put_key(w, STR("labels"));
	put_label_object(w, x->labels);
	json_put_key(w, STR("value"));
	json_put_raw(w, STR("\""));
	number_text(w->out, x->value, NUMBER_JSON);
	buf_put_char(w->out, '"');
	json_put_key(w, STR("timestamp"));
	json_put_double(w, (double)x->time / 1000);
	json_close_object(w);
	return buf_error(w->out);
}

static int read_expression(struct exemplar_query *q, struct err *e)
{
	struct request *r = q->request;
	struct str text;
	int rc = request_param(r, "query", &text, e);

	if (!rc)
		rc = promql_parse(&q->expr, text, PROMQL_ALL_SYNTAX, r->limits.budget, e);
	if (rc == -EINVAL)
		err_prefix(e, "invalid parameter \"query\"");
	if (!rc)
		rc = promql_each_selector(q->expr.root, add_selector, q);
	return rc == -E2BIG ? err_set(e, -EINVAL, "more than %d selectors", SELECTORS_MAX) : rc;
}

static int read_range(struct exemplar_query *q, struct store_metric_select *select, struct err *e)
{
	struct request *r = q->request;
	int rc = prometheus_time(r, "end", (int64_t)(r->now_ns / NS_PER_MS), &select->to, e);

	if (!rc)
		rc = prometheus_time(r, "start", select->to - 3600 * 1000, &select->from, e);
	if (!rc && select->to < select->from)
		rc = err_set(e, -EINVAL,
			     "invalid parameter \"end\": end timestamp must not be before start "
			     "time");
	return rc;
}

int prometheus_query_exemplars(struct request *r, struct reply *out, struct err *e)
{
	const struct store_metric_ops *ops = prometheus_store(r, e);
	struct store_metric_select select = {.tenant = r->tenant, .limits = r->limits};
	struct exemplar_query q = {.request = r};
	int rc = ops ? prometheus_read_form(r) : -EOPNOTSUPP;

	if (!rc)
		rc = read_range(&q, &select, e);
	if (!rc)
		rc = read_expression(&q, e);
	select.sets = q.sets.at;
	select.set_count = q.sets.n;
	if (!rc) {
		q.w = prometheus_open(out);
		json_open_array(&q.w);
		if (q.sets.n)
			rc = ops->exemplars(r->store, &select, put_exemplar, &q, e);
		end_series(&q);
		for (uint32_t i = 0; i < q.selects.n; i++) {
			q.selects.at[i].from_ms = select.from;
			q.selects.at[i].to_ms = select.to;
		}
		if (!rc)
			rc = prometheus_put_profile_exemplars(&q.w, r, q.selects.at, q.selects.n,
							      e);
		json_close_array(&q.w);
	}
	if (!rc)
		rc = prometheus_close(&q.w, r, false);
	promql_expr_fini(&q.expr);
	return rc;
}
