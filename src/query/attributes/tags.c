/* SPDX-License-Identifier: Apache-2.0 */
/* Names and values of attributes, by the store's lists or by a filter of spans. */
#include "query/attributes/tags.h"

#include "query/attributes/tag_filter.h"
#include "query/traceql/traceql_visit.h"
#include "signal/otlp/attributes.h"

enum { LINK_ATTRIBUTES = 4, SCOPES = TRACE_SCOPE_INTRINSIC };

const struct str tag_scope_names[] = {
	[TRACE_SCOPE_SPAN] = STR_INIT("span"),
	[TRACE_SCOPE_RESOURCE] = STR_INIT("resource"),
	[TRACE_SCOPE_EVENT] = STR_INIT("event"),
	[TRACE_SCOPE_LINK] = STR_INIT("link"),
	[TRACE_SCOPE_INSTRUMENTATION] = STR_INIT("instrumentation"),
	[TRACE_SCOPE_INTRINSIC] = STR_INIT("intrinsic"),
};

struct tag_run {
	const struct tag_select *select;
	struct tag_set *out;
	struct tag_filter filter;
	struct traceql_run run;
	unsigned scopes;
	uint32_t most, counts[SCOPES]; /* of names, in each scope */
};

static void set_span_range(const struct tag_select *s, struct store_span_select *out)
{
	*out = (struct store_span_select){
		.tenant = s->tenant, .from = s->from, .to = s->to, .limits = s->limits};
}

static void set_tag_range(const struct tag_select *s, struct store_tag_select *out)
{
	*out = (struct store_tag_select){
		.tenant = s->tenant, .from = s->from, .to = s->to, .limits = s->limits};
}

static bool has_enough(void *ctx, uint64_t start)
{
	const struct tag_run *r = ctx;

	(void)start;
	return r->out->full;
}

/* ---- names ---- */

static int add_name(struct tag_run *r, enum trace_scope scope, struct str key)
{
	uint32_t before = r->out->list.n;
	int rc;

	if (!(r->scopes & 1u << scope) || r->counts[scope] >= r->most)
		return 0;
	rc = tag_set_add(r->out, tag_scope_names[scope], key);
	r->counts[scope] += r->out->list.n - before;
	return rc < 0 ? rc : 0;
}

static int visit_name(void *ctx, enum trace_scope scope, struct str key,
		      const struct trace_value *value)
{
	struct tag_run *r = ctx;
	int rc = add_name(r, scope, key);

	(void)value;
	return rc ? rc : r->out->full;
}

/* Add the names of the attributes that are the fields `field` of a message. */
static int add_names(struct tag_run *r, enum trace_scope scope, struct str message, uint32_t field)
{
	struct proto_reader m = proto_reader_of(message), pair;
	int rc = 0;

	while (!rc && proto_next(&m)) {
		if (m.tag != PROTO_TAG(field, PROTO_BYTES)) {
			proto_skip(&m);
			continue;
		}
		pair = proto_message(&m);
		while (!rc && proto_next(&pair)) {
			if (pair.tag == PROTO_TAG(1, PROTO_BYTES))
				rc = add_name(r, scope, proto_bytes(&pair));
			else
				proto_skip(&pair);
		}
	}
	return rc;
}

static int add_names_of_span(struct tag_run *r, const struct span_batch *b, const struct span *s)
{
	struct proto_reader m = proto_reader_of(s->details);
	int rc = add_names(r, TRACE_SCOPE_SPAN, s->details, OTLP_SPAN_ATTRIBUTES);

	if (!rc && s->resource)
		rc = add_names(r, TRACE_SCOPE_RESOURCE, b->resources.at[s->resource - 1].message,
			       OTLP_RESOURCE_ATTRIBUTES);
	if (!rc && s->scope)
		rc = add_names(r, TRACE_SCOPE_INSTRUMENTATION, b->scopes.at[s->scope - 1].message,
			       OTLP_SCOPE_ATTRIBUTES);
	while (!rc && proto_next(&m)) {
		if (m.tag == PROTO_TAG(SPAN_FIELD_EVENTS, PROTO_BYTES))
			rc = add_names(r, TRACE_SCOPE_EVENT, proto_bytes(&m),
				       OTLP_SPAN_EVENT_ATTRIBUTES);
		else if (m.tag == PROTO_TAG(SPAN_FIELD_LINKS, PROTO_BYTES))
			rc = add_names(r, TRACE_SCOPE_LINK, proto_bytes(&m), LINK_ATTRIBUTES);
		else
			proto_skip(&m);
	}
	return rc;
}

static int names_of_trace(void *ctx, const struct trace_view *v, const struct span_batch *b,
			  struct err *e)
{
	struct tag_run *r = ctx;
	int rc = traceql_run_begin(&r->run, v);

	for (uint32_t i = 0; !rc && i < v->span_count; i++) {
		bool yes;

		rc = traceql_passes(&r->run, r->filter.filter, i, &yes, e);
		if (!rc && yes)
			rc = add_names_of_span(r, b, &b->spans.at[i]);
	}
	return rc;
}

int tags_find_names(const struct tag_select *s, unsigned scopes, uint32_t most, struct tag_set *out,
		    struct err *e)
{
	struct tag_run r = {.select = s, .out = out, .scopes = scopes, .most = most};
	struct traceql_visitor visitor = {
		.visit_batch = names_of_trace, .enough = has_enough, .ctx = &r};
	struct store_span_select spans;
	struct store_tag_select tags;
	int rc;

	if (!s->store->ops->tags)
		return err_set(e, -EOPNOTSUPP, "this store has no traces");
	rc = tag_filter_init(&r.filter, s->filter, STR(""), out->arena, e);
	set_span_range(s, &spans);
	set_tag_range(s, &tags);
	tags.scopes = scopes;
	traceql_run_init(&r.run, &r.filter.query, s->limits.budget);
	if (!rc && r.filter.all)
		rc = s->store->ops->tags(s->store, &tags, visit_name, &r, e);
	else if (!rc)
		rc = traceql_visit(s->store, &r.filter.query, &spans, &visitor, e);
	traceql_run_fini(&r.run);
	tag_filter_fini(&r.filter);
	return rc;
}

/* ---- values ---- */

static struct str kind_of(enum traceql_type t)
{
	switch (t) {
	case TRACEQL_TYPE_STRING:
		return STR("string");
	case TRACEQL_TYPE_INT:
		return STR("int");
	case TRACEQL_TYPE_DOUBLE:
		return STR("float");
	case TRACEQL_TYPE_BOOL:
		return STR("bool");
	case TRACEQL_TYPE_STATUS:
	case TRACEQL_TYPE_KIND:
		return STR("keyword");
	default:
		return STR("");
	}
}

static int add_value(struct tag_run *r, const struct traceql_value *v)
{
	struct str kind = kind_of(v->type);
	struct buf text = {0};
	int rc = 0;

	if (v->type == TRACEQL_TYPE_STRING)
		return tag_set_add(r->out, kind, v->text);
	for (uint32_t i = 0; !rc && v->type == TRACEQL_TYPE_ARRAY && i < v->n; i++) {
		struct traceql_value x = traceql_value_of(&v->elements[i]);

		rc = x.type == TRACEQL_TYPE_ARRAY ? 0 : add_value(r, &x);
	}
	if (rc || !kind.n)
		return rc;
	buf_init(&text, r->select->limits.budget);
	if (v->type == TRACEQL_TYPE_DOUBLE)
		otlp_double_text(&text, v->real);
	else
		traceql_value_text(&text, v);
	rc = buf_error(&text);
	if (!rc)
		rc = tag_set_add(r->out, kind, buf_str(&text));
	buf_fini(&text);
	return rc;
}

static int visit_tag_value(void *ctx, enum trace_scope scope, struct str key,
			   const struct trace_value *value)
{
	struct traceql_value v = traceql_value_of(value);

	(void)scope;
	(void)key;
	return add_value(ctx, &v);
}

/* Add the value of a field of the view for a span: those of all its events or links. */
static int add_field(struct tag_run *r, const struct trace_view *v, uint32_t field, uint32_t row)
{
	const struct trace_field *f = &r->filter.query.fields.at[field];
	bool event = f->scope == TRACE_SCOPE_EVENT ||
		     (f->scope == TRACE_SCOPE_INTRINSIC && f->intrinsic == TRACE_EVENT_NAME);
	bool link = f->scope == TRACE_SCOPE_LINK;
	const struct trace_items *items = event ? &v->events : link ? &v->links : NULL;
	const struct trace_value *values = items ? items->values : v->values;
	uint32_t i = row, end = row + 1;
	int rc = 0;

	if (items && !items->first)
		return 0;
	if (items) {
		i = items->first[row];
		end = items->first[row + 1];
	}
	for (; !rc && values && i < end; i++) {
		struct traceql_value x =
			traceql_value_of(&values[(size_t)i * v->field_count + field]);

		rc = add_value(r, &x);
	}
	return rc;
}

static int values_of_span(struct tag_run *r, const struct trace_view *v, uint32_t row,
			  struct err *e)
{
	const struct traceql_expr *x = r->filter.field;
	struct traceql_value value;
	int rc;

	if (x->kind == TRACEQL_EXPR_BUILTIN) {
		rc = traceql_eval(&r->run, x, row, &value, e);
		return rc ? rc : add_value(r, &value);
	}
	rc = add_field(r, v, x->field, row);
	for (uint32_t i = 1; !rc && x->kind == TRACEQL_EXPR_UNSCOPED && i < TRACEQL_UNSCOPED_FIELDS;
	     i++)
		rc = add_field(r, v, x->field + i, row);
	return rc;
}

static int values_of_trace(void *ctx, const struct trace_view *v, struct err *e)
{
	struct tag_run *r = ctx;
	int rc = traceql_run_begin(&r->run, v);

	for (uint32_t i = 0; !rc && i < v->span_count; i++) {
		bool yes;

		rc = traceql_passes(&r->run, r->filter.filter, i, &yes, e);
		if (!rc && yes)
			rc = values_of_span(r, v, i, e);
	}
	return rc < 0 ? rc : 0; /* 1: the set is full, which has_enough() returns */
}

/* Add the keywords of status and kind, which are the same whatever is stored. */
static int add_keywords(struct tag_run *r, enum traceql_builtin which)
{
	struct traceql_value v = {.type = which == TRACEQL_STATUS ? TRACEQL_TYPE_STATUS
								  : TRACEQL_TYPE_KIND};
	int n = which == TRACEQL_STATUS ? SPAN_STATUSES : SPAN_KINDS, rc = 0;

	for (; !rc && v.number < n; v.number++)
		rc = add_value(r, &v);
	return rc < 0 ? rc : 0;
}

static int list_field(struct tag_run *r, const struct trace_field *f, bool roots, struct err *e)
{
	const struct tag_select *s = r->select;
	struct store_tag_select tags;

	set_tag_range(s, &tags);
	tags.field = *f;
	tags.roots = roots;
	return s->store->ops->tags(s->store, &tags, visit_tag_value, r, e);
}

/* Without a filter, by the lists of the store. */
static int list_values(struct tag_run *r, struct err *e)
{
	const struct traceql_expr *x = r->filter.field;
	const struct traceql *q = &r->filter.query;
	int rc = 0;

	if (x->kind == TRACEQL_EXPR_BUILTIN) {
		if (x->builtin == TRACEQL_STATUS || x->builtin == TRACEQL_KIND)
			return add_keywords(r, x->builtin);
		return list_field(r,
				  &q->fields.at[x->builtin == TRACEQL_ROOT_NAME ? q->root_name
										: q->root_service],
				  true, e);
	}
	if (x->kind == TRACEQL_EXPR_FIELD)
		return list_field(r, &q->fields.at[x->field], false, e);
	for (uint32_t i = 0; !rc && i < TRACEQL_UNSCOPED_FIELDS; i++)
		rc = list_field(r, &q->fields.at[x->field + i], false, e);
	return rc;
}

/* Return whether the field has values that are worth a list: no ids, times and numbers of spans. */
static bool has_values(const struct tag_filter *f)
{
	const struct traceql_expr *x = f->field;
	const struct trace_field *field;

	if (x->kind == TRACEQL_EXPR_BUILTIN)
		return x->builtin == TRACEQL_STATUS || x->builtin == TRACEQL_KIND ||
		       x->builtin == TRACEQL_ROOT_NAME || x->builtin == TRACEQL_ROOT_SERVICE;
	field = &f->query.fields.at[x->field];
	return field->scope != TRACE_SCOPE_INTRINSIC ||
	       (field->intrinsic != TRACE_EVENT_TIME && field->intrinsic != TRACE_LINK_TRACE_ID &&
		field->intrinsic != TRACE_LINK_SPAN_ID);
}

int tags_find_values(const struct tag_select *s, struct str field, struct tag_set *out,
		     struct err *e)
{
	struct tag_run r = {.select = s, .out = out};
	struct traceql_visitor visitor = {
		.visit = values_of_trace, .enough = has_enough, .ctx = &r};
	struct store_span_select spans;
	int rc;

	if (!s->store->ops->tags)
		return err_set(e, -EOPNOTSUPP, "this store has no traces");
	rc = tag_filter_init(&r.filter, s->filter, field, out->arena, e);
	set_span_range(s, &spans);
	traceql_run_init(&r.run, &r.filter.query, s->limits.budget);
	if (!rc && has_values(&r.filter))
		rc = r.filter.all ? list_values(&r, e)
				  : traceql_visit(s->store, &r.filter.query, &spans, &visitor, e);
	traceql_run_fini(&r.run);
	tag_filter_fini(&r.filter);
	return rc;
}
