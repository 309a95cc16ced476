/* SPDX-License-Identifier: Apache-2.0 */
/* Collects the traces that a query finds, the newest ones up to the limit. */
#include "query/traceql/traceql_search.h"

#include <stdlib.h>

#include "signal/span_batch.h"

void traceql_search_init(struct traceql_search *s, const struct traceql *q, uint32_t limit,
			 uint32_t spans_per_set, struct budget *budget)
{
	*s = (struct traceql_search){
		.limit = limit, .spans_per_set = spans_per_set, .budget = budget};
	traceql_run_init(&s->run, q, budget);
	arena_init(&s->arena, budget);
}

static void free_found(struct traceql_found *f)
{
	if (f->arena) {
		arena_fini(f->arena);
		free(f->arena);
	}
	*f = (struct traceql_found){0};
}

void traceql_search_fini(struct traceql_search *s)
{
	for (uint32_t i = 0; i < s->found.n; i++)
		free_found(&s->found.at[i]);
	traceql_run_fini(&s->run);
	arena_fini(&s->arena);
}

/* ---- copies ---- */

static int copy_elements(struct arena *a, struct traceql_value *v)
{
	struct trace_value *copy = arena_alloc(a, v->n + 1u, sizeof(*copy));
	int rc = copy ? 0 : -ENOMEM;

	for (uint32_t i = 0; !rc && i < v->n; i++) {
		copy[i] = v->elements[i];
		if (copy[i].type == TRACE_STRING)
			rc = arena_copy_str(a, v->elements[i].text, &copy[i].text);
	}
	v->elements = copy;
	return rc;
}

static int copy_value(struct arena *a, struct traceql_value *v)
{
	if (v->type == TRACEQL_TYPE_STRING || v->type == TRACEQL_TYPE_JSON)
		return arena_copy_str(a, v->text, &v->text);
	return v->type == TRACEQL_TYPE_ARRAY ? copy_elements(a, v) : 0;
}

/* Append an attribute that the span has. */
static int copy_attribute(struct traceql_found *f, struct str name, struct traceql_value v,
			  struct traceql_found_span *out)
{
	int rc;

	if (v.type == TRACEQL_TYPE_NIL)
		return 0;
	rc = copy_value(f->arena, &v);
	out->attributes[out->attribute_count++] = (struct traceql_attribute){name, v};
	return rc;
}

/*
 * What the query refers to. Of an attribute without scope select() shows that of each scope, and a
 * condition those that have the value of the first one.
 */
static int copy_attributes(struct traceql_search *s, struct traceql_found *f, uint32_t row,
			   struct traceql_found_span *out, struct err *e)
{
	const struct traceql *q = s->run.query;
	int rc = 0;

	out->attributes = arena_alloc(f->arena, q->shown.n * TRACEQL_UNSCOPED_FIELDS + 1u,
				      sizeof(*out->attributes));
	if (!out->attributes)
		return -ENOMEM;
	for (uint32_t i = 0; !rc && i < q->shown.n; i++) {
		const struct traceql_expr *x = q->shown.at[i];
		bool unscoped = x->kind == TRACEQL_EXPR_UNSCOPED;
		struct traceql_value first = {0};

		for (uint32_t k = 0; !rc && k < (unscoped ? TRACEQL_UNSCOPED_FIELDS : 1); k++) {
			struct traceql_expr one = *x;
			struct traceql_value v;

			one.kind = unscoped ? TRACEQL_EXPR_FIELD : x->kind;
			one.field += k;
			rc = traceql_eval(&s->run, &one, row, &v, e);
			if (!first.type)
				first = v;
			if (!rc && (i < q->selected || traceql_same(&first, &v)))
				rc = copy_attribute(f, x->key, v, out);
		}
	}
	return rc;
}

/* The text of a field of a span; empty if it is no text. */
static struct str text_of(const struct traceql_search *s, uint32_t row, uint32_t field)
{
	const struct trace_view *v = s->run.view;
	const struct trace_value *x = &v->values[(size_t)row * v->field_count + field];

	return x->type == TRACE_STRING ? x->text : STR("");
}

static int copy_span(struct traceql_search *s, struct traceql_found *f, uint32_t row,
		     struct traceql_found_span *out, struct err *e)
{
	const struct trace_span *span = &s->run.view->spans[row];
	int rc;

	*out = (struct traceql_found_span){.start = span->start, .duration = span->duration};
	memcpy(out->id, span->id, sizeof(out->id));
	rc = arena_copy_str(f->arena, text_of(s, row, s->run.query->root_name), &out->name);
	return rc ? rc : copy_attributes(s, f, row, out, e);
}

static int copy_set(struct traceql_search *s, struct traceql_found *f,
		    const struct traceql_set *set, struct traceql_found_set *out, struct err *e)
{
	int rc = 0;

	*out = (struct traceql_found_set){.matched = set->n};
	out->n = set->n < s->spans_per_set ? set->n : s->spans_per_set;
	out->spans = arena_alloc(f->arena, out->n + 1u, sizeof(*out->spans));
	out->attributes =
		arena_alloc(f->arena, set->attribute_count + 1u, sizeof(*out->attributes));
	if (!out->spans || !out->attributes)
		return -ENOMEM;
	for (uint32_t i = 0; !rc && i < out->n; i++)
		rc = copy_span(s, f, set->rows[i], &out->spans[i], e);
	for (uint32_t i = 0; !rc && i < set->attribute_count; i++) {
		out->attributes[i] = (struct traceql_attribute){set->attributes[i].name,
								set->attributes[i].value};
		rc = copy_value(f->arena, &out->attributes[i].value);
		out->attribute_count++;
	}
	return rc;
}

/* Count spans and errors by service. */
static int count_services(struct traceql_search *s, struct traceql_found *f)
{
	const struct trace_view *v = s->run.view;
	VEC(struct traceql_service) list = {0};
	int rc = 0;

	for (uint32_t i = 0; !rc && i < v->span_count; i++) {
		struct str name = text_of(s, i, s->run.query->root_service);
		struct traceql_service added = {0};
		uint32_t k = 0;

		while (k < list.n && !str_eq(list.at[k].name, name))
			k++;
		if (k == list.n) {
			rc = arena_copy_str(f->arena, name, &added.name);
			if (!rc)
				rc = vec_push(f->arena, &list, added);
		}
		if (!rc) {
			list.at[k].spans++;
			list.at[k].errors += v->spans[i].status == SPAN_STATUS_ERROR;
		}
	}
	f->services = list.at;
	f->service_count = list.n;
	return rc;
}

static int copy_found(struct traceql_search *s, const struct traceql_sets *sets,
		      struct traceql_found *f, struct err *e)
{
	const struct traceql_tree *t = &s->run.tree;
	int rc = 0;

	memcpy(f->id, s->run.view->id, sizeof(f->id));
	f->start = t->start;
	f->duration = t->end - t->start;
	f->has_root = t->root != UINT32_MAX;
	if (f->has_root) {
		rc = arena_copy_str(f->arena, text_of(s, t->root, s->run.query->root_name),
				    &f->root_name);
		if (!rc)
			rc = arena_copy_str(f->arena,
					    text_of(s, t->root, s->run.query->root_service),
					    &f->root_service);
	}
	f->sets = arena_alloc(f->arena, sets->list.n, sizeof(*f->sets));
	if (!f->sets)
		return -ENOMEM;
	for (uint32_t i = 0; !rc && i < sets->list.n; i++, f->set_count++)
		rc = copy_set(s, f, &sets->list.at[i], &f->sets[i], e);
	return rc ? rc : count_services(s, f);
}

/* ---- the list ---- */

static int by_start(const void *a, const void *b)
{
	const struct traceql_found *x = a, *y = b;

	if (x->start != y->start)
		return x->start < y->start ? 1 : -1;
	return memcmp(x->id, y->id, sizeof(x->id));
}

void traceql_search_finish(struct traceql_search *s)
{
	if (s->found.n)
		qsort(s->found.at, s->found.n, sizeof(*s->found.at), by_start);
	while (s->found.n > s->limit)
		free_found(&s->found.at[--s->found.n]);
}

bool traceql_search_is_full(const struct traceql_search *s, uint64_t start)
{
	uint32_t newer = 0;

	for (uint32_t i = 0; i < s->found.n; i++)
		newer += s->found.at[i].start > start;
	return newer >= s->limit;
}

static int keep_found(struct traceql_search *s, const struct traceql_sets *sets, struct err *e)
{
	struct traceql_found f = {.arena = malloc(sizeof(*f.arena))};
	int rc;

	if (!f.arena)
		return -ENOMEM;
	arena_init(f.arena, s->budget);
	rc = copy_found(s, sets, &f, e);
	if (!rc)
		rc = vec_push(&s->arena, &s->found, f);
	if (rc)
		free_found(&f);
	else if (s->found.n >= 2 * (size_t)s->limit + 64)
		traceql_search_finish(s);
	return rc;
}

int traceql_search_add(struct traceql_search *s, const struct trace_view *view, struct err *e)
{
	struct traceql_sets sets;
	uint64_t duration;
	int rc = traceql_run_begin(&s->run, view);

	s->inspected += view->span_count;
	s->inspected_traces++;
	if (rc)
		return rc;
	duration = s->run.tree.end - s->run.tree.start;
	if (duration < s->min_duration || (s->max_duration && duration > s->max_duration))
		return 0;
	rc = traceql_run_pipeline(&s->run, s->run.query->pipeline, &sets, e);
	return rc || !sets.list.n ? rc : keep_found(s, &sets, e);
}
