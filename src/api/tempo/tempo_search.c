/* SPDX-License-Identifier: Apache-2.0 */
/* Searches by TraceQL, or by the tags and durations of older clients. */
#include "api/tempo/tempo.h"
#include "api/tempo/tempo_json.h"
#include "api/tempo/tempo_params.h"
#include "query/traceql/traceql.h"
#include "query/traceql/traceql_visit.h"

enum { LIMIT_DEFAULT = 20, LIMIT_MAX = 10000, SPANS_DEFAULT = 3, SPANS_MAX = 100000 };

struct tempo_search {
	struct traceql query;
	uint64_t from, to, limit, spans, min_ns, max_ns;
};

/* ---- tags of older clients ---- */

/* Append the condition of one tag: `key=value`, where numbers and bools are also such values. */
static void put_tag_condition(struct buf *out, struct str key, struct str value)
{
	static const struct {
		const char *tag, *field;
	} intrinsics[] = {
		{"name", "name"},
		{"root.name", "rootName"},
		{"root.service.name", "rootServiceName"},
	};
	double number;

	for (size_t i = 0; i < countof(intrinsics); i++) {
		if (!str_eq(key, str_from(intrinsics[i].tag)))
			continue;
		buf_printf(out, "{ %s = ", intrinsics[i].field);
		json_put_string(&(struct json_writer){.out = out}, value);
		buf_put_str(out, STR(" }"));
		return;
	}
	if (str_eq(key, STR("error")) && str_eq(value, STR("true"))) {
		buf_put_str(out, STR("{ status = error }"));
		return;
	}
	if (str_eq(key, STR("status.code"))) {
		buf_printf(out, "{ status = %.*s }", STR_ARG(value));
		return;
	}
	buf_put_str(out, STR("{ ."));
	json_put_string(&(struct json_writer){.out = out}, key);
	buf_put_str(out, STR(" = "));
	json_put_string(&(struct json_writer){.out = out}, value);
	if (!str_to_double(value, &number) || str_eq(value, STR("true")) ||
	    str_eq(value, STR("false"))) {
		buf_put_str(out, STR(" || ."));
		json_put_string(&(struct json_writer){.out = out}, key);
		buf_printf(out, " = %.*s", STR_ARG(value));
	}
	buf_put_str(out, STR(" }"));
}

/* Cut the next `key=value` or `key="value with \" and spaces"` off *in. Return false at the end. */
static bool next_tag(struct str *in, struct arena *a, struct str *key, struct str *value, int *rc)
{
	char *text, *to;

	*in = str_trim(*in);
	if (!in->n)
		return false;
	*key = str_cut(in, '=');
	if (!in->n || in->p[0] != '"') {
		*value = str_cut(in, ' ');
		return true;
	}
	text = to = arena_alloc(a, in->n, 1);
	if (!text) {
		*rc = -ENOMEM;
		return false;
	}
	for (*in = str_from_at(*in, 1); in->n && in->p[0] != '"'; *in = str_from_at(*in, 1)) {
		if (in->p[0] == '\\' && in->n > 1)
			*in = str_from_at(*in, 1);
		*to++ = in->p[0];
	}
	*in = str_from_at(*in, 1);
	*value = str_of(text, (size_t)(to - text));
	return true;
}

/* Write the query of `tags`; without tags, it is all spans. */
static int query_of_tags(struct str tags, struct arena *a, struct str *out)
{
	struct buf text = {0};
	struct str key, value;
	int rc = 0;

	buf_init(&text, a->budget);
	while (next_tag(&tags, a, &key, &value, &rc)) {
		buf_put_str(&text, text.n ? STR(" && ") : STR(""));
		put_tag_condition(&text, key, value);
	}
	if (!text.n)
		buf_put_str(&text, STR("{}"));
	if (!rc)
		rc = buf_error(&text);
	if (!rc)
		rc = arena_copy_str(a, buf_str(&text), out);
	buf_fini(&text);
	return rc;
}

/* ---- the request ---- */

static int read_query(struct request *r, struct tempo_search *s, struct err *e)
{
	struct str text, tags;
	int rc = request_param(r, "q", &text, e);

	if (!rc)
		rc = request_param(r, "tags", &tags, e);
	if (rc)
		return rc;
	if (text.n && tags.n)
		return err_set(e, -EINVAL, "q and tags cannot be used together");
	if (!text.n) {
		rc = query_of_tags(tags, r->arena, &text);
		s->spans = 0; /* older clients expect traces only */
	}
	if (!rc)
		rc = traceql_compile(&s->query, text, r->arena, e);
	if (rc == -EINVAL)
		err_prefix(e, "invalid TraceQL query");
	if (!rc && !s->query.pipeline)
		rc = err_set(e, -EINVAL,
			     "a query of metrics: use /api/metrics/query_range for \"| %.*s()\"",
			     STR_ARG(s->query.metrics->function));
	return rc;
}

static int read_limit(struct request *r, const char *name, uint64_t most, uint64_t *out,
		      struct err *e)
{
	int rc = request_u64(r, name, *out, out, e);

	if (!rc && (!*out || *out > most))
		rc = err_set(e, -EINVAL, "%s must be between 1 and %llu", name,
			     (unsigned long long)most);
	return rc;
}

static int read_search(struct request *r, struct tempo_search *s, struct err *e)
{
	int rc = tempo_read_range(r, 0, &s->from, &s->to, e);

	s->limit = LIMIT_DEFAULT;
	s->spans = SPANS_DEFAULT;
	if (!rc)
		rc = read_limit(r, "limit", LIMIT_MAX, &s->limit, e);
	if (!rc)
		rc = read_limit(r, "spss", SPANS_MAX, &s->spans, e);
	if (!rc)
		rc = tempo_read_duration(r, "minDuration", &s->min_ns, e);
	if (!rc)
		rc = tempo_read_duration(r, "maxDuration", &s->max_ns, e);
	if (!rc && s->max_ns && s->max_ns < s->min_ns)
		rc = err_set(e, -EINVAL, "maxDuration is less than minDuration");
	return rc ? rc : read_query(r, s, e);
}

/* ---- the answer ---- */

static int add_view(void *ctx, const struct trace_view *v, struct err *e)
{
	return traceql_search_add(ctx, v, e);
}

static bool has_enough(void *ctx, uint64_t start)
{
	return traceql_search_is_full(ctx, start);
}

int tempo_search_traces(struct request *r, struct reply *out, struct err *e)
{
	struct tempo_search s = {0};
	struct traceql_search search;
	struct traceql_visitor visitor = {add_view, has_enough, &search, &search.partial, 0};
	struct store_span_select range = {.tenant = r->tenant, .limits = r->limits};
	struct json_writer w = json_writer_to(&out->body, 0);
	int rc = read_search(r, &s, e);

	if (rc)
		goto out;
	traceql_search_init(&search, &s.query, (uint32_t)s.limit, (uint32_t)s.spans,
			    r->limits.budget);
	search.min_duration = s.min_ns;
	search.max_duration = s.max_ns;
	visitor.most = (uint32_t)s.limit;
	range.from = s.from;
	range.to = s.to;
	rc = traceql_visit(r->store, &s.query, &range, &visitor, e);
	traceql_search_finish(&search);
	if (!rc)
		tempo_put_search(&w, &search);
	traceql_search_fini(&search);
	if (!rc)
		rc = tempo_reply_as_accepted(r, out, &tempo_search_response, e);
out:
	traceql_fini(&s.query);
	return rc ? rc : buf_error(&out->body);
}
