/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Counts of values by attribute and group. A pair of attribute and value is a row with two lines of
 * counts by interval, and an attribute has one more such row for its totals, so that both groups
 * share one lookup.
 */
#include "query/attributes/traceql_compare.h"

#include <math.h>
#include <stdlib.h>

#include "base/container/hash.h"
#include "query/traceql/traceql_counts.h"
#include "signal/otlp/attributes.h"
#include "signal/trace/trace_fill.h"

enum { BASELINE, SELECTION, GROUPS };
enum { EVENT_NAME = 2, LINK_ATTRIBUTES = 4, SCOPE_NAME = 1, SCOPE_VERSION = 2 };

/* An attribute with more values, such as an id, keeps those that were seen first. */
enum { VALUES_MAX = 10000 };

struct compared_value {
	uint32_t attribute;
	struct traceql_value value;
	double *counts[GROUPS]; /* by interval */
	double sums[GROUPS];
	struct traceql_exemplar exemplar; /* of the selection; time 0: none */
};

struct compared_attribute {
	struct str name; /* "span.http.method" */
	uint32_t values;
	bool too_many;
	double *totals[GROUPS];
	double sums[GROUPS];
};

struct traceql_compare {
	const struct traceql *query;
	struct traceql_range range;
	bool exemplars;
	struct arena arena, scratch; /* scratch: of one span */
	struct traceql_run run;
	struct idset attribute_index, value_index;
	VEC(struct compared_attribute) attributes;
	VEC(struct compared_value) values;
	uint64_t inspected;
	/* of the current span */
	uint32_t interval;
	unsigned group;
	const struct trace_span *span;
};

bool traceql_is_compare(const struct traceql *q)
{
	return q->metrics && q->metrics->pipeline && q->metrics->kind == TRACEQL_COMPARE;
}

bool traceql_has_compare(const struct traceql_metrics *m)
{
	if (m->pipeline || m->is_constant)
		return m->pipeline && m->kind == TRACEQL_COMPARE;
	return traceql_has_compare(m->left) || traceql_has_compare(m->right);
}

int traceql_compare_new(struct traceql_compare **out, const struct traceql *query,
			const struct traceql_range *range, bool exemplars, struct budget *budget)
{
	struct traceql_compare *c = calloc(1, sizeof(*c));
	int rc;

	if (!c)
		return -ENOMEM;
	c->query = query;
	c->range = *range;
	c->exemplars = exemplars;
	arena_init(&c->arena, budget);
	arena_init(&c->scratch, budget);
	traceql_run_init(&c->run, query, budget);
	rc = idset_init(&c->attribute_index, &c->arena, 64);
	if (!rc)
		rc = idset_init(&c->value_index, &c->arena, 1024);
	if (rc)
		traceql_compare_free(c);
	else
		*out = c;
	return rc;
}

void traceql_compare_free(struct traceql_compare *c)
{
	if (!c)
		return;
	traceql_run_fini(&c->run);
	arena_fini(&c->scratch);
	arena_fini(&c->arena);
	free(c);
}

uint64_t traceql_compare_inspected(const struct traceql_compare *c)
{
	return c->inspected;
}

/* ---- counting ---- */

static int new_counts(struct traceql_compare *c, double *counts[GROUPS])
{
	for (unsigned g = 0; g < GROUPS; g++) {
		counts[g] = arena_zalloc(&c->arena, c->range.n, sizeof(*counts[g]));
		if (!counts[g])
			return -ENOMEM;
	}
	return 0;
}

static bool name_is(struct str name, const char *scope, struct str key)
{
	size_t n = strlen(scope);

	return name.n == n + key.n && memcmp(name.p, scope, n) == 0 &&
	       str_eq(str_from_at(name, n), key);
}

static int find_attribute(struct traceql_compare *c, const char *scope, struct str key,
			  uint32_t *id)
{
	uint32_t hash = hash32(key) ^ hash32(str_from(scope)) << 1;
	struct idset_cursor cursor = idset_seek(&c->attribute_index, hash);
	struct compared_attribute a = {0};
	int rc;

	while (idset_next(&c->attribute_index, &cursor, id))
		if (name_is(c->attributes.at[*id].name, scope, key))
			return 0;
	*id = c->attributes.n;
	rc = arena_printf(&c->arena, &a.name, "%s%.*s", scope, STR_ARG(key));
	if (!rc)
		rc = new_counts(c, a.totals);
	if (!rc)
		rc = vec_push(&c->arena, &c->attributes, a);
	return rc ? rc : idset_add(&c->attribute_index, hash, *id);
}

/* Find or add a value. UINT32_MAX: the attribute has too many. */
static int find_value(struct traceql_compare *c, uint32_t attribute, const struct traceql_value *v,
		      uint32_t *id)
{
	uint32_t hash = hash_u64(traceql_hash(v) + attribute);
	struct idset_cursor cursor = idset_seek(&c->value_index, hash);
	struct compared_attribute *a = &c->attributes.at[attribute];
	struct compared_value row = {.attribute = attribute, .value = *v};
	int rc = 0;

	while (idset_next(&c->value_index, &cursor, id))
		if (c->values.at[*id].attribute == attribute &&
		    traceql_same(&c->values.at[*id].value, v))
			return 0;
	*id = UINT32_MAX;
	if (a->values >= VALUES_MAX) {
		a->too_many = true;
		return 0;
	}
	a->values++;
	if (v->type == TRACEQL_TYPE_STRING)
		rc = arena_copy_str(&c->arena, v->text, &row.value.text);
	if (!rc)
		rc = new_counts(c, row.counts);
	*id = c->values.n;
	if (!rc)
		rc = vec_push(&c->arena, &c->values, row);
	return rc ? rc : idset_add(&c->value_index, hash, *id);
}

static int count_value(struct traceql_compare *c, const char *scope, struct str key,
		       const struct traceql_value *v)
{
	struct compared_attribute *a;
	struct compared_value *row;
	uint32_t attribute, id;
	int rc;

	if (v->type == TRACEQL_TYPE_NIL || v->type == TRACEQL_TYPE_JSON)
		return 0;
	rc = find_attribute(c, scope, key, &attribute);
	if (!rc)
		rc = find_value(c, attribute, v, &id);
	if (rc)
		return rc;
	a = &c->attributes.at[attribute];
	a->totals[c->group][c->interval]++;
	a->sums[c->group]++;
	if (id == UINT32_MAX)
		return 0;
	row = &c->values.at[id];
	row->counts[c->group][c->interval]++;
	row->sums[c->group]++;
	if (c->exemplars && c->group == SELECTION) {
		memcpy(row->exemplar.trace_id, c->run.view->id, sizeof(row->exemplar.trace_id));
		row->exemplar.time = c->span->start;
		row->exemplar.value = NAN;
	}
	return 0;
}

static int count_text(struct traceql_compare *c, const char *name, struct str text)
{
	struct traceql_value v = {.type = TRACEQL_TYPE_STRING, .text = text};

	return count_value(c, name, STR(""), &v);
}

static int count_attribute(struct traceql_compare *c, const char *scope, struct str message)
{
	struct proto_reader r = proto_reader_of(message);
	struct str key = STR(""), any = STR("");
	struct trace_value v;
	struct traceql_value x;
	int rc;

	while (proto_next(&r)) {
		if (r.tag == PROTO_TAG(1, PROTO_BYTES))
			key = proto_bytes(&r);
		else if (r.tag == PROTO_TAG(2, PROTO_BYTES))
			any = proto_bytes(&r);
		else
			proto_skip(&r);
	}
	rc = trace_value_read(any, &c->scratch, &v);
	for (uint32_t i = 0; !rc && v.type == TRACE_ARRAY && i < v.n; i++) {
		x = traceql_value_of(&v.elements[i]);
		rc = count_value(c, scope, key, &x);
	}
	if (rc || v.type == TRACE_ARRAY)
		return rc;
	x = traceql_value_of(&v);
	return count_value(c, scope, key, &x);
}

/* Count the attributes that are the fields `field` of a message. */
static int count_attributes(struct traceql_compare *c, const char *scope, struct str message,
			    uint32_t field)
{
	struct proto_reader r = proto_reader_of(message);
	int rc = 0;

	while (!rc && proto_next(&r)) {
		if (r.tag == PROTO_TAG(field, PROTO_BYTES))
			rc = count_attribute(c, scope, proto_bytes(&r));
		else
			proto_skip(&r);
	}
	return rc;
}

/* Count the text of the field of a message, unless it is empty. */
static int count_message_text(struct traceql_compare *c, const char *name, struct str message,
			      uint32_t field)
{
	struct proto_reader r = proto_reader_of(message);
	struct str text = STR("");

	while (proto_next(&r)) {
		if (r.tag == PROTO_TAG(field, PROTO_BYTES))
			text = proto_bytes(&r);
		else
			proto_skip(&r);
	}
	return text.n ? count_text(c, name, text) : 0;
}

static int count_origins(struct traceql_compare *c, const struct span_batch *b,
			 const struct span *s)
{
	struct str scope = s->scope ? b->scopes.at[s->scope - 1].message : STR("");
	int rc = 0;

	if (s->resource)
		rc = count_attributes(c, "resource.", b->resources.at[s->resource - 1].message,
				      OTLP_RESOURCE_ATTRIBUTES);
	if (!rc)
		rc = count_message_text(c, "instrumentation:name", scope, SCOPE_NAME);
	if (!rc)
		rc = count_message_text(c, "instrumentation:version", scope, SCOPE_VERSION);
	return rc ? rc : count_attributes(c, "instrumentation.", scope, OTLP_SCOPE_ATTRIBUTES);
}

static int count_details(struct traceql_compare *c, struct str details)
{
	struct proto_reader r = proto_reader_of(details);
	int rc = 0;

	while (!rc && proto_next(&r)) {
		struct str message;

		if ((r.tag & 7) != PROTO_BYTES) {
			proto_skip(&r);
			continue;
		}
		message = proto_bytes(&r);
		switch (proto_field(&r)) {
		case SPAN_FIELD_ATTRIBUTES:
			rc = count_attribute(c, "span.", message);
			break;
		case SPAN_FIELD_EVENTS:
			rc = count_message_text(c, "event:name", message, EVENT_NAME);
			if (!rc)
				rc = count_attributes(c, "event.", message,
						      OTLP_SPAN_EVENT_ATTRIBUTES);
			break;
		case SPAN_FIELD_LINKS:
			rc = count_attributes(c, "link.", message, LINK_ATTRIBUTES);
			break;
		case SPAN_FIELD_STATUS:
			rc = count_message_text(c, "statusMessage", message,
						SPAN_FIELD_STATUS_MESSAGE);
			break;
		default:
			break;
		}
	}
	return rc;
}

/* The intrinsics that are worth a comparison. */
static int count_intrinsics(struct traceql_compare *c, const struct span *s)
{
	const struct trace_view *v = c->run.view;
	const struct traceql_value status = {.type = TRACEQL_TYPE_STATUS, .number = s->status};
	const struct traceql_value kind = {.type = TRACEQL_TYPE_KIND, .number = s->kind};
	uint32_t root = c->run.tree.root;
	int rc = count_text(c, "name", s->name);

	if (!rc)
		rc = count_value(c, "status", STR(""), &status);
	if (!rc)
		rc = count_value(c, "kind", STR(""), &kind);
	if (!rc && root != UINT32_MAX) {
		const struct trace_value *of_root = v->values + (size_t)root * v->field_count;
		struct traceql_value name = traceql_value_of(&of_root[c->query->root_name]);
		struct traceql_value service = traceql_value_of(&of_root[c->query->root_service]);

		rc = count_value(c, "rootName", STR(""), &name);
		if (!rc)
			rc = count_value(c, "rootServiceName", STR(""), &service);
	}
	return rc;
}

static int choose_group(struct traceql_compare *c, uint32_t row, struct err *e)
{
	const struct traceql_metrics *m = c->query->metrics;
	bool yes = !m->to || (c->span->start > m->from && c->span->start <= m->to);
	int rc = 0;

	if (yes)
		rc = traceql_passes(&c->run, m->selection, row, &yes, e);
	c->group = yes ? SELECTION : BASELINE;
	return rc;
}

static int add_span(struct traceql_compare *c, uint32_t row, const struct span_batch *batch,
		    struct err *e)
{
	const struct span *s = &batch->spans.at[row];
	int rc;

	c->span = &c->run.view->spans[row];
	c->interval = traceql_interval_of(&c->range, c->span->start);
	if (c->interval == UINT32_MAX)
		return 0;
	arena_reset(&c->scratch);
	rc = choose_group(c, row, e);
	if (!rc)
		rc = count_intrinsics(c, s);
	if (!rc)
		rc = count_origins(c, batch, s);
	return rc ? rc : count_details(c, s->details);
}

int traceql_compare_add(struct traceql_compare *c, const struct trace_view *view,
			const struct span_batch *batch, struct err *e)
{
	struct traceql_sets sets = {0};
	int rc = traceql_run_begin(&c->run, view);

	c->inspected += view->span_count;
	if (!rc)
		rc = traceql_run_pipeline(&c->run, c->query->metrics->pipeline, &sets, e);
	for (uint32_t s = 0; !rc && s < sets.list.n; s++)
		for (uint32_t i = 0; !rc && i < sets.list.at[s].n; i++)
			rc = add_span(c, sets.list.at[s].rows[i], batch, e);
	return rc;
}

/* ---- series ---- */

static struct traceql_value text_of(const char *text)
{
	return (struct traceql_value){.type = TRACEQL_TYPE_STRING, .text = str_from(text)};
}

/* Append a series with the labels `name`="text" and the attribute with its value. */
static int put_series(struct traceql_compare *c, const char *name, const char *text,
		      const struct compared_attribute *a, struct traceql_value v, double *counts,
		      struct traceql_series_list *out)
{
	struct traceql_series s = {.label_count = 2, .values = counts};

	s.labels[0] = (struct traceql_label){str_from(name), text_of(text)};
	s.labels[1] = (struct traceql_label){a->name, v};
	return vec_push(&c->arena, &out->list, s);
}

struct ranked_value {
	double sum;
	struct compared_value *row;
};

/* The most frequent ones first, then by type and value. */
static int rank_order(const void *a, const void *b)
{
	const struct ranked_value *x = a, *y = b;
	const struct traceql_value *v = &x->row->value, *w = &y->row->value;

	if (x->sum != y->sum)
		return x->sum > y->sum ? -1 : 1;
	if (v->type != w->type)
		return v->type < w->type ? -1 : 1;
	return traceql_compare(TRACEQL_GT, v, w) - traceql_compare(TRACEQL_LT, v, w);
}

/* Append the most frequent values of an attribute in a group. */
static int put_values(struct traceql_compare *c, uint32_t attribute, const struct ranked_value *at,
		      uint32_t n, unsigned group, struct traceql_series_list *out)
{
	static const char *const groups[] = {"baseline", "selection"};
	uint32_t most = c->query->metrics->top;
	int rc = 0;

	for (uint32_t i = 0; !rc && i < n && i < most; i++) {
		struct compared_value *v = at[i].row;

		rc = put_series(c, "__meta_type", groups[group], &c->attributes.at[attribute],
				v->value, v->counts[group], out);
		if (!rc && group == SELECTION && v->exemplar.time) {
			out->list.at[out->list.n - 1].exemplars = &v->exemplar;
			out->list.at[out->list.n - 1].exemplar_count = 1;
		}
	}
	return rc;
}

static int put_attribute(struct traceql_compare *c, uint32_t attribute, const uint32_t *ids,
			 uint32_t n, struct traceql_series_list *out)
{
	static const char *const totals[] = {"baseline_total", "selection_total"};
	struct compared_attribute *a = &c->attributes.at[attribute];
	struct ranked_value *ranked = arena_alloc(&c->arena, n + 1u, sizeof(*ranked));
	const struct traceql_value nil = {0};
	double *none = arena_alloc(&c->arena, c->range.n, sizeof(*none));
	int rc = ranked && none ? 0 : -ENOMEM;

	for (unsigned g = 0; !rc && g < GROUPS; g++) {
		uint32_t k = 0;

		for (uint32_t i = 0; i < n; i++) {
			struct compared_value *v = &c->values.at[ids[i]];

			if (v->sums[g] > 0)
				ranked[k++] = (struct ranked_value){v->sums[g], v};
		}
		qsort(ranked, k, sizeof(*ranked), rank_order);
		a->too_many |= k > c->query->metrics->top;
		rc = put_values(c, attribute, ranked, k, g, out);
		if (!rc && a->sums[g] > 0)
			rc = put_series(c, "__meta_type", totals[g], a, nil, a->totals[g], out);
	}
	if (rc || !a->too_many)
		return rc;
	for (uint32_t i = 0; i < c->range.n; i++)
		none[i] = NAN;
	return put_series(c, "__meta_error", "__too_many_values__", a, nil, none, out);
}

int traceql_compare_finish(struct traceql_compare *c, struct traceql_series_list *out)
{
	uint32_t *first = arena_zalloc(&c->arena, c->attributes.n + 2u, sizeof(*first));
	uint32_t *ids = arena_alloc(&c->arena, c->values.n + 1u, sizeof(*ids));
	int rc = first && ids ? 0 : -ENOMEM;

	*out = (struct traceql_series_list){0};
	if (rc)
		return rc;
	/* sort values by attribute: count, add up, place */
	for (uint32_t i = 0; i < c->values.n; i++)
		first[c->values.at[i].attribute + 2]++;
	for (uint32_t i = 2; i < c->attributes.n + 2; i++)
		first[i] += first[i - 1];
	for (uint32_t i = 0; i < c->values.n; i++)
		ids[first[c->values.at[i].attribute + 1]++] = i;
	for (uint32_t i = 0; !rc && i < c->attributes.n; i++)
		rc = put_attribute(c, i, ids + first[i], first[i + 1] - first[i], out);
	return rc;
}
