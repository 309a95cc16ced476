/* SPDX-License-Identifier: Apache-2.0 */
/* Parameters and envelopes of Prometheus' API. */
#include "api/prometheus/prometheus_request.h"

#include <errno.h>
#include <math.h>

#include "api/prometheus/prometheus_result.h"
#include "base/clock.h"
#include "base/time_text.h"
#include "query/promql/promql_store.h"
#include "query/promql/syntax/promql_literal.h"

enum { DEFAULT_RANGE_MS = 3600000, SELECTORS_MAX = 256 };

int prometheus_read_form(struct request *r)
{
	struct str all;
	int rc;

	if (!r->body.n || !str_starts(r->content_type, STR("application/x-www-form-urlencoded")))
		return 0;
	rc = arena_printf(r->arena, &all, "%.*s%s%.*s", STR_ARG(r->query), r->query.n ? "&" : "",
			  STR_ARG(r->body));
	if (!rc)
		r->query = all;
	return rc;
}

int prometheus_time(struct request *r, const char *name, int64_t initial, int64_t *out,
		    struct err *e)
{
	struct str text;
	double seconds;
	uint64_t ns;
	int rc = request_param(r, name, &text, e);

	*out = initial;
	if (rc || !text.n)
		return rc;
	if (!str_to_double(text, &seconds) && isfinite(seconds) && fabs(seconds) < 1e15) {
		*out = (int64_t)llround(seconds * 1000);
		return 0;
	}
	if (time_parse(text, r->now_ns, &ns, NULL))
		return err_set(e, -EINVAL,
			       "invalid parameter \"%s\": cannot parse \"%.*s\" to a valid "
			       "timestamp",
			       name, STR_ARG(str_head(text, 64)));
	*out = (int64_t)(ns / NS_PER_MS);
	return 0;
}

int prometheus_duration(struct request *r, const char *name, int64_t *ns, struct err *e)
{
	struct str text;
	double seconds;
	int rc = request_param(r, name, &text, e);

	*ns = 0;
	if (rc || !text.n)
		return rc;
	if (!str_to_double(text, &seconds)) {
		if (isfinite(seconds) && fabs(seconds) < 9e9) {
			*ns = (int64_t)(seconds * 1e9);
			return 0;
		}
		return err_set(e, -EINVAL,
			       "invalid parameter \"%s\": cannot parse \"%.*s\" to a valid "
			       "duration. It overflows int64",
			       name, STR_ARG(str_head(text, 64)));
	}
	if (promql_parse_duration(text, ns))
		return err_set(e, -EINVAL,
			       "invalid parameter \"%s\": cannot parse \"%.*s\" to a valid "
			       "duration",
			       name, STR_ARG(str_head(text, 64)));
	return 0;
}

static int read_selector(struct promql_expr *x, struct store_matchers *set, struct request *r,
			 struct str text, struct err *e)
{
	int rc = promql_parse_selector(x, text, r->limits.budget, e);

	if (rc == -EINVAL)
		err_prefix(e, "invalid parameter \"match[]\"");
	if (rc)
		return rc;
	return promql_store_matchers(set, x->root->selector.matchers.at,
				     x->root->selector.matchers.n, r->arena);
}

static int read_selectors(struct prometheus_selection *s, struct request *r, struct err *e)
{
	struct store_matchers *sets;
	struct texts texts = {0};
	int rc = request_params(r, "match[]", &texts, e);

	if (!rc && texts.list.n > SELECTORS_MAX)
		rc = err_set(e, -EINVAL, "more than %u selectors", SELECTORS_MAX);
	if (rc || !texts.list.n)
		return rc;
	s->selectors = arena_zalloc(r->arena, texts.list.n, sizeof(*s->selectors));
	sets = arena_zalloc(r->arena, texts.list.n, sizeof(*sets));
	if (!s->selectors || !sets)
		return -ENOMEM;
	for (uint32_t i = 0; i < texts.list.n && !rc; i++) {
		s->selector_count++;
		rc = read_selector(&s->selectors[i], &sets[i], r, texts.list.at[i], e);
	}
	s->select.sets = sets;
	s->select.set_count = texts.list.n;
	return rc;
}

int prometheus_read_times(struct request *r, int64_t *from, int64_t *to, struct err *e)
{
	int64_t now = (int64_t)(r->now_ns / NS_PER_MS);
	int rc = prometheus_time(r, "end", now, to, e);

	if (!rc)
		rc = prometheus_time(r, "start", *to - DEFAULT_RANGE_MS, from, e);
	if (!rc && *to < *from)
		rc = err_set(e, -EINVAL,
			     "invalid parameter \"end\": end timestamp must not be before start "
			     "time");
	return rc;
}

int prometheus_read_query(struct request *r, struct promql_expr *expr, struct err *e)
{
	struct str query;
	int rc = prometheus_read_form(r);

	if (!rc)
		rc = request_param(r, "query", &query, e);
	if (!rc)
		rc = promql_parse(expr, query, PROMQL_ALL_SYNTAX, r->limits.budget, e);
	if (rc == -EINVAL)
		err_prefix(e, "invalid parameter \"query\"");
	return rc;
}

int prometheus_selection_read(struct prometheus_selection *s, struct request *r, struct err *e)
{
	int rc;

	*s = (struct prometheus_selection){
		.select = {.tenant = r->tenant, .labels_only = true, .limits = r->limits}};
	rc = prometheus_read_form(r);
	if (!rc)
		rc = prometheus_read_times(r, &s->select.from, &s->select.to, e);
	if (!rc)
		rc = request_u64(r, "limit", 0, &s->limit, e);
	return rc ? rc : read_selectors(s, r, e);
}

void prometheus_selection_fini(struct prometheus_selection *s)
{
	for (uint32_t i = 0; i < s->selector_count; i++)
		promql_expr_fini(&s->selectors[i]);
}

const struct store_metric_ops *prometheus_store(struct request *r, struct err *e)
{
	if (!r->store || !r->store->ops->metrics)
		err_set(e, -EOPNOTSUPP, "this store has no metrics");
	return r->store ? r->store->ops->metrics : NULL;
}

struct json_writer prometheus_open(struct reply *out)
{
	struct json_writer w = json_writer_to(&out->body, 0);

	out->content_type = STR("application/json");
	json_open_object(&w);
	json_put_key(&w, STR("status"));
	json_put_string(&w, STR("success"));
	json_put_key(&w, STR("data"));
	return w;
}

static void put_warnings(struct json_writer *w, bool cut, struct str missing,
			 const struct promql_annotations *notes, struct str query)
{
	uint32_t n = notes ? prometheus_count_notes(notes, PROMQL_WARNING) : 0;

	if (!cut && !missing.n && !n)
		return;
	json_put_key(w, STR("warnings"));
	json_open_array(w);
	if (n)
		prometheus_put_notes(w, notes, PROMQL_WARNING, query);
	if (cut)
		json_put_string(w, STR("results truncated due to limit"));
	if (missing.n)
		json_put_string(w, missing);
	json_close_array(w);
}

int prometheus_close_notes(struct json_writer *w, const struct request *r, bool cut,
			   const struct promql_annotations *notes, struct str query)
{
	struct buf missing = {0};
	int rc;

	warning_text(r->limits.missing, &missing);
	put_warnings(w, cut, buf_str(&missing), notes, query);
	if (notes && prometheus_count_notes(notes, PROMQL_INFO)) {
		json_put_key(w, STR("infos"));
		json_open_array(w);
		prometheus_put_notes(w, notes, PROMQL_INFO, query);
		json_close_array(w);
	}
	json_close_object(w);
	rc = buf_error(&missing);
	buf_fini(&missing);
	return rc ? rc : buf_error(w->out);
}

int prometheus_close(struct json_writer *w, const struct request *r, bool cut)
{
	return prometheus_close_notes(w, r, cut, NULL, STR(""));
}
