/* SPDX-License-Identifier: Apache-2.0 */
/* query_exemplars: the exemplars of all series that an expression selects. */
#include <errno.h>

#include "api/prometheus/prometheus_request.h"
#include "api/prometheus/prometheus_result.h"
#include "query/promql/promql_store.h"
#include "signal/metric/metric_labels.h"

enum { SELECTORS_MAX = 1024 };

struct selectors {
	struct arena *arena;
	VEC(struct store_matchers) sets;
	int rc;
};

static void collect(struct selectors *s, const struct promql_node *n);

static void collect_all(struct selectors *s, const promql_nodes *list)
{
	for (uint32_t i = 0; i < list->n; i++)
		collect(s, list->at[i]);
}

static void add_selector(struct selectors *s, const struct promql_node *n)
{
	struct store_matchers set;

	if (s->sets.n >= SELECTORS_MAX)
		s->rc = -E2BIG;
	if (!s->rc)
		s->rc = promql_store_matchers(&set, n->selector.matchers.at, n->selector.matchers.n,
					      s->arena);
	if (!s->rc)
		s->rc = vec_push(s->arena, &s->sets, set);
}

/* Collect the selectors of a tree, whose depth the parser has limited. */
static void collect(struct selectors *s, const struct promql_node *n)
{
	if (!n || s->rc)
		return;
	switch (n->kind) {
	case PROMQL_SELECTOR:
		add_selector(s, n);
		break;
	case PROMQL_RANGE:
		collect(s, n->range.selector);
		break;
	case PROMQL_SUBQUERY:
		collect(s, n->subquery.expr);
		break;
	case PROMQL_CALL:
		collect_all(s, &n->call.args);
		break;
	case PROMQL_AGGREGATE:
		collect(s, n->aggregate.param);
		collect(s, n->aggregate.expr);
		break;
	case PROMQL_BINARY:
		collect(s, n->binary.left);
		collect(s, n->binary.right);
		break;
	case PROMQL_UNARY:
		collect(s, n->unary.expr);
		break;
	case PROMQL_PAREN:
	case PROMQL_INVARIANT:
		collect(s, n->inner);
		break;
	default:
		break;
	}
}

struct exemplar_output {
	struct json_writer w;
	struct buf labels; /* of the current series */
	bool open;
	uint64_t n, limit;
	bool cut;
};

static void put_labels(struct json_writer *w, struct str labels)
{
	struct label l;

	json_open_object(w);
	while (metric_labels_next(&labels, &l)) {
		json_put_key(w, l.name);
		json_put_string(w, l.value);
	}
	json_close_object(w);
}

static void close_series(struct exemplar_output *o)
{
	if (!o->open)
		return;
	json_close_array(&o->w);
	json_close_object(&o->w);
	o->open = false;
}

/* Begin the next series, unless there are enough. */
static int open_series(struct exemplar_output *o, struct str labels)
{
	close_series(o);
	o->cut = o->limit && o->n == o->limit;
	if (o->cut)
		return -ECANCELED;
	o->n++;
	o->open = true;
	buf_clear(&o->labels);
	buf_put_str(&o->labels, labels);
	json_open_object(&o->w);
	json_put_key(&o->w, STR("seriesLabels"));
	put_labels(&o->w, labels);
	json_put_key(&o->w, STR("exemplars"));
	json_open_array(&o->w);
	return buf_error(&o->labels);
}

static int put_exemplar(void *ctx, struct str labels, const struct metric_exemplar *x)
{
	struct exemplar_output *o = ctx;
	int rc = 0;

	if (!o->open || !str_eq(buf_str(&o->labels), labels))
		rc = open_series(o, labels);
	if (rc)
		return rc;
	json_open_object(&o->w);
	json_put_key(&o->w, STR("labels"));
	put_labels(&o->w, x->labels);
	json_put_key(&o->w, STR("value"));
	prometheus_put_number(&o->w, x->value);
	json_put_key(&o->w, STR("timestamp"));
	prometheus_put_time(&o->w, x->time);
	json_close_object(&o->w);
	return 0;
}

static int answer(struct request *r, const struct store_metric_ops *ops,
		  const struct store_metric_select *select, uint64_t limit, struct reply *out,
		  struct err *e)
{
	struct exemplar_output o = {.w = prometheus_open(out), .limit = limit};
	int rc = 0;

	/* Prometheus' answer to an expression without a selector */
	if (!select->set_count) {
		json_put_null(&o.w);
		return prometheus_close(&o.w, r, false);
	}
	buf_init(&o.labels, r->limits.budget);
	json_open_array(&o.w);
	rc = ops->exemplars(r->store, select, put_exemplar, &o, e);
	if (o.cut)
		rc = 0;
	close_series(&o);
	json_close_array(&o.w);
	buf_fini(&o.labels);
	return rc ? rc : prometheus_close(&o.w, r, o.cut);
}

int prometheus_query_exemplars(struct request *r, struct reply *out, struct err *e)
{
	const struct store_metric_ops *ops = prometheus_store(r, e);
	struct store_metric_select select = {.tenant = r->tenant, .limits = r->limits};
	struct selectors s = {.arena = r->arena};
	struct promql_expr expr = {0};
	uint64_t limit;
	int rc = ops ? prometheus_read_query(r, &expr, e) : -EOPNOTSUPP;

	if (!rc)
		rc = prometheus_read_times(r, &select.from, &select.to, e);
	if (!rc)
		rc = request_u64(r, "limit", 0, &limit, e);
	if (!rc) {
		collect(&s, expr.root);
		rc = s.rc == -E2BIG ? err_set(e, -EINVAL, "more than %u selectors", SELECTORS_MAX)
				    : s.rc;
	}
	if (!rc) {
		select.sets = s.sets.at;
		select.set_count = s.sets.n;
		rc = answer(r, ops, &select, limit, out, e);
	}
	promql_expr_fini(&expr);
	return rc;
}
