/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The targets of the receiver `prometheus`. They belong to the operator of the server: a tenant
 * sees none. Targets that relabelling has dropped are not listed.
 */
#include <strings.h>

#include "api/endpoint.h"
#include "api/prometheus/prometheus_request.h"
#include "base/clock.h"
#include "pipeline/host.h"
#include "query/promql/syntax/promql_literal.h"

static void each_target(struct request *r, void (*visit)(void *ctx, const struct listed_target *t),
			void *ctx)
{
	struct host *host = r->api ? r->api->options.host : NULL;

	if (host && !r->tenant.n)
		target_list_each(&host->scrape_targets, visit, ctx);
}

static void put_text(struct json_writer *w, const char *key, struct str value)
{
	json_put_key(w, str_from(key));
	json_put_string(w, value);
}

static void put_labels(struct json_writer *w, const char *key, const struct prom_labels *l)
{
	json_put_key(w, str_from(key));
	json_open_object(w);
	for (uint32_t i = 0; i < l->list.n; i++) {
		json_put_key(w, l->list.at[i].name);
		json_put_string(w, l->list.at[i].value);
	}
	json_close_object(w);
}

static void put_duration(struct json_writer *w, const char *key, uint64_t ns)
{
	struct buf text = {0};

	promql_put_duration(&text, (int64_t)ns);
	put_text(w, key, buf_str(&text));
	w->out->failed |= text.failed;
	buf_fini(&text);
}

/* ---- targets ---- */

struct target_output {
	struct json_writer w;
	struct str pool; /* only those of this job; empty: all */
};

static void put_target(void *ctx, const struct listed_target *t)
{
	static const char *const health[] = {"unknown", "up", "down"};
	struct target_output *o = ctx;
	struct json_writer *w = &o->w;
	char time[CLOCK_TEXT_SIZE];

	if (o->pool.n && !str_eq(o->pool, t->pool))
		return;
	json_open_object(w);
	put_labels(w, "discoveredLabels", t->discovered);
	put_labels(w, "labels", t->labels);
	put_text(w, "scrapePool", t->pool);
	put_text(w, "scrapeUrl", t->url);
	put_text(w, "globalUrl", t->url);
	put_text(w, "lastError", str_from(t->last_error));
	put_text(w, "lastScrape",
		 t->last_scrape ? str_from(clock_format(t->last_scrape, time))
				: STR("0001-01-01T00:00:00Z"));
	json_put_key(w, STR("lastScrapeDuration"));
	json_put_double(w, (double)t->duration_ns / 1e9);
	put_text(w, "health", str_from(health[t->health]));
	put_duration(w, "scrapeInterval", t->interval_ns);
	put_duration(w, "scrapeTimeout", t->timeout_ns);
	json_close_object(w);
}

static bool is_word(struct str text, const char *word)
{
	return text.n == strlen(word) && !strncasecmp(text.p, word, text.n);
}

int prometheus_targets(struct request *r, struct reply *out, struct err *e)
{
	struct target_output o = {0};
	struct str state;
	int rc = request_param(r, "state", &state, e);

	if (!rc)
		rc = request_param(r, "scrapePool", &o.pool, e);
	if (rc)
		return rc;
	o.w = prometheus_open(out);
	json_open_object(&o.w);
	json_put_key(&o.w, STR("activeTargets"));
	json_open_array(&o.w);
	if (!state.n || is_word(state, "any") || is_word(state, "active"))
		each_target(r, put_target, &o);
	json_close_array(&o.w);
	json_put_key(&o.w, STR("droppedTargets"));
	json_open_array(&o.w);
	json_close_array(&o.w);
	json_put_key(&o.w, STR("droppedTargetCounts"));
	json_open_object(&o.w);
	json_close_object(&o.w);
	json_close_object(&o.w);
	return prometheus_close(&o.w, r, false);
}

/* ---- pools ---- */

struct pool_list {
	struct arena *arena;
	VEC(struct str) names;
	int rc;
};

static void add_pool(void *ctx, const struct listed_target *t)
{
	struct pool_list *l = ctx;
	uint32_t at = 0;
	struct str name;

	while (at < l->names.n && str_cmp(l->names.at[at], t->pool) < 0)
		at++;
	if (l->rc || (at < l->names.n && str_eq(l->names.at[at], t->pool)))
		return;
	l->rc = arena_copy_str(l->arena, t->pool, &name);
	if (!l->rc)
		l->rc = vec_push(l->arena, &l->names, name);
	if (l->rc)
		return;
	for (uint32_t i = l->names.n - 1; i > at; i--)
		l->names.at[i] = l->names.at[i - 1];
	l->names.at[at] = name;
}

int prometheus_scrape_pools(struct request *r, struct reply *out, struct err *e)
{
	struct pool_list l = {.arena = r->arena};
	struct json_writer w;

	(void)e;
	each_target(r, add_pool, &l);
	if (l.rc)
		return l.rc;
	w = prometheus_open(out);
	json_open_object(&w);
	json_put_key(&w, STR("scrapePools"));
	json_open_array(&w);
	for (uint32_t i = 0; i < l.names.n; i++)
		json_put_string(&w, l.names.at[i]);
	json_close_array(&w);
	json_close_object(&w);
	return prometheus_close(&w, r, false);
}

/* ---- metadata ---- */

struct metadata_output {
	struct json_writer w;
	struct promql_expr matchers; /* of the target's labels; without a root: all targets */
	struct str metric;
	uint64_t n, limit;
	bool has_limit;
	struct err *e;
	int rc;
};

/* Return whether the labels of a target match. */
static bool matches(struct metadata_output *o, const struct listed_target *t)
{
	const promql_matchers *list =
		o->matchers.root ? &o->matchers.root->selector.matchers : NULL;

	for (uint32_t i = 0; list && i < list->n; i++) {
		int rc = promql_matches(&list->at[i], prom_labels_get(t->labels, list->at[i].name),
					o->e);

		if (rc < 0)
			o->rc = rc;
		if (rc <= 0)
			return false;
	}
	return true;
}

static void put_metadata(void *ctx, const struct listed_target *t)
{
	struct metadata_output *o = ctx;

	if (o->rc || !matches(o, t))
		return;
	for (uint32_t i = 0; i < t->metadata.n && !(o->has_limit && o->n >= o->limit); i++) {
		const struct target_metadata *m = &t->metadata.at[i];

		if (o->metric.n && !str_eq(o->metric, m->metric))
			continue;
		o->n++;
		json_open_object(&o->w);
		put_labels(&o->w, "target", t->labels);
		if (!o->metric.n)
			put_text(&o->w, "metric", m->metric);
		put_text(&o->w, "type", str_from(m->type));
		put_text(&o->w, "help", m->help);
		put_text(&o->w, "unit", m->unit);
		json_close_object(&o->w);
	}
}

static int read_metadata_params(struct metadata_output *o, struct request *r, struct err *e)
{
	struct str match, limit;
	int rc = request_param(r, "metric", &o->metric, e);

	if (!rc)
		rc = request_param(r, "limit", &limit, e);
	if (!rc)
		rc = request_u64(r, "limit", 0, &o->limit, e);
	if (!rc)
		rc = request_param(r, "match_target", &match, e);
	if (rc)
		return rc;
	o->has_limit = limit.n > 0;
	if (!match.n)
		return 0;
	rc = promql_parse_selector(&o->matchers, match, r->limits.budget, e);
	if (rc == -EINVAL)
		err_prefix(e, "invalid parameter \"match_target\"");
	return rc;
}

int prometheus_target_metadata(struct request *r, struct reply *out, struct err *e)
{
	struct metadata_output o = {.e = e};
	int rc = read_metadata_params(&o, r, e);

	if (!rc) {
		o.w = prometheus_open(out);
		json_open_array(&o.w);
		each_target(r, put_metadata, &o);
		json_close_array(&o.w);
		rc = o.rc;
	}
	promql_expr_fini(&o.matchers);
	return rc ? rc : prometheus_close(&o.w, r, false);
}
