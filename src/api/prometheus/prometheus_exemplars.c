/* SPDX-License-Identifier: Apache-2.0 */
/* The exemplars of the series that an expression of PromQL selects. */
#include <errno.h>

#include "api/prometheus/prometheus_profiles.h"
#include "api/prometheus/prometheus_request.h"
#include "api/prometheus/prometheus_result.h"
#include "query/promql/promql_store.h"
#include "signal/metric/metric_labels.h"

enum { SELECTORS_MAX = 256 };

struct exemplar_query {
	struct request *request;
	struct promql_expr expr;
	VEC(struct store_matchers) sets;
	VEC(struct promql_select) selects; /* the same */
	struct json_writer w;
	struct str series; /* the current one, in the memory of the query */
	bool any;
	uint64_t n, limit; /* series; limit 0: all */
	bool cut;
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

/* Begin the next series, unless there are enough. */
static int begin_series(struct exemplar_query *q, struct str labels)
{
	end_series(q);
	q->cut = q->limit && q->n == q->limit;
	if (q->cut)
		return -ECANCELED;
	q->n++;
	q->any = true;
	q->series = labels;
	json_open_object(&q->w);
	json_put_key(&q->w, STR("seriesLabels"));
	put_label_object(&q->w, labels);
	json_put_key(&q->w, STR("exemplars"));
	json_open_array(&q->w);
	return 0;
}

static int put_exemplar(void *ctx, struct str labels, const struct metric_exemplar *x)
{
	struct exemplar_query *q = ctx;
	struct json_writer *w = &q->w;
	int rc = 0;

	if (!q->any || !str_eq(q->series, labels))
		rc = begin_series(q, labels);
	if (rc)
		return rc;
	json_open_object(w);
	json_put_key(w, STR("labels"));
	put_label_object(w, x->labels);
	json_put_key(w, STR("value"));
	prometheus_put_number(w, x->value);
	json_put_key(w, STR("timestamp"));
	prometheus_put_time(w, x->time);
	json_close_object(w);
	return buf_error(w->out);
}

/* Parse the query and collect its selectors. */
static int read_selectors(struct exemplar_query *q, struct err *e)
{
	int rc = prometheus_read_query(q->request, &q->expr, e);

	if (!rc)
		rc = promql_each_selector(q->expr.root, add_selector, q);
	return rc == -E2BIG ? err_set(e, -EINVAL, "more than %d selectors", SELECTORS_MAX) : rc;
}

static int put_exemplars(struct exemplar_query *q, const struct store_metric_ops *ops,
			 struct store_metric_select *select, struct err *e)
{
	struct request *r = q->request;
	int rc;

	select->sets = q->sets.at;
	select->set_count = q->sets.n;
	for (uint32_t i = 0; i < q->selects.n; i++) {
		q->selects.at[i].from_ms = select->from;
		q->selects.at[i].to_ms = select->to;
	}
	json_open_array(&q->w);
	rc = ops->exemplars(r->store, select, put_exemplar, q, e);
	end_series(q);
	if (!rc)
		rc = prometheus_put_profile_exemplars(&q->w, r, q->selects.at, q->selects.n, e);
	json_close_array(&q->w);
	return q->cut ? 0 : rc;
}

int prometheus_query_exemplars(struct request *r, struct reply *out, struct err *e)
{
	const struct store_metric_ops *ops = prometheus_store(r, e);
	struct store_metric_select select = {.tenant = r->tenant, .limits = r->limits};
	struct exemplar_query q = {.request = r};
	int rc = ops ? read_selectors(&q, e) : -EOPNOTSUPP;

	if (!rc)
		rc = prometheus_read_times(r, &select.from, &select.to, e);
	if (!rc)
		rc = request_u64(r, "limit", 0, &q.limit, e);
	if (!rc) {
		q.w = prometheus_open(out);
		if (q.sets.n)
			rc = put_exemplars(&q, ops, &select, e);
		else
			json_put_null(&q.w); /* as Prometheus */
	}
	if (!rc)
		rc = prometheus_close(&q.w, r, q.cut);
	promql_expr_fini(&q.expr);
	return rc;
}
