/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Tests of leaves on whole columns. Comparisons follow those of TraceQL (traceql_value.c): numbers
 * of both types are compared with each other, other types only with their own.
 */
#include "store/sqlite/spans/span_leaves.h"

#include "signal/otlp/attributes.h"
#include "store/sqlite/block/chunk_decode.h"
#include "store/sqlite/spans/span_fields.h"
#include "store/sqlite/spans/span_filter.h"

#define EXACT_DOUBLE ((int64_t)1 << 53) /* ints up to this one are exact as doubles */

/* ---- preparation ---- */

static bool is_intrinsic(const struct trace_leaf *l, enum trace_intrinsic which)
{
	return l->of == TRACE_LEAF_FIELD && l->field.scope == TRACE_SCOPE_INTRINSIC &&
	       l->field.intrinsic == which;
}

static bool is_resource(const struct trace_leaf *l)
{
	return (l->of == TRACE_LEAF_FIELD && l->field.scope == TRACE_SCOPE_RESOURCE) ||
	       is_intrinsic(l, TRACE_SERVICE_NAME);
}

static bool is_attribute(const struct trace_leaf *l)
{
	return l->of == TRACE_LEAF_FIELD && l->field.scope == TRACE_SCOPE_SPAN;
}

static bool is_structure(const struct trace_leaf *l)
{
	return l->of != TRACE_LEAF_FIELD || is_intrinsic(l, TRACE_SPAN_NAME);
}

/* Set the hash of a field's key. Return false if the filter does not have it. */
static bool key_hash(const struct trace_field *f, uint64_t *hash)
{
	static const enum span_filter_scope scopes[] = {
		[TRACE_SCOPE_SPAN] = SPAN_FILTER_SPAN,
		[TRACE_SCOPE_RESOURCE] = SPAN_FILTER_RESOURCE,
		[TRACE_SCOPE_EVENT] = SPAN_FILTER_EVENT,
		[TRACE_SCOPE_LINK] = SPAN_FILTER_LINK,
		[TRACE_SCOPE_INSTRUMENTATION] = SPAN_FILTER_INSTRUMENTATION,
	};

	if (f->scope != TRACE_SCOPE_INTRINSIC) {
		*hash = span_filter_key(scopes[f->scope], f->key);
		return true;
	}
	switch (f->intrinsic) {
	case TRACE_SPAN_NAME:
		*hash = span_filter_intrinsic(SPAN_FILTER_NAME);
		return true;
	case TRACE_SERVICE_NAME:
		*hash = span_filter_key(SPAN_FILTER_RESOURCE, STR("service.name"));
		return true;
	case TRACE_STATUS_MESSAGE:
		*hash = span_filter_intrinsic(SPAN_FILTER_STATUS_MESSAGE);
		return true;
	case TRACE_EVENT_NAME:
		*hash = span_filter_intrinsic(SPAN_FILTER_EVENT_NAME);
		return true;
	case TRACE_INSTRUMENTATION_NAME:
		*hash = span_filter_intrinsic(SPAN_FILTER_SCOPE_NAME);
		return true;
	default:
		return false;
	}
}

/* Find the hash of a leaf for an equal value. An intrinsic that is missing is "". */
static void hash_leaf(struct span_leaf *out)
{
	const struct trace_leaf *l = out->of;
	uint64_t key;

	if (l->of != TRACE_LEAF_FIELD || l->op != TRACE_LEAF_EQ || !key_hash(&l->field, &key))
		return;
	switch (l->value.type) {
	case TRACE_STRING:
		out->hashed = l->value.text.n || l->field.scope != TRACE_SCOPE_INTRINSIC;
		out->hash = span_filter_text(key, l->value.text);
		break;
	case TRACE_BOOL:
		out->hashed = true;
		out->hash = span_filter_number(key, l->value.truth);
		break;
	case TRACE_INT:
		out->hashed = l->value.number >= -EXACT_DOUBLE && l->value.number <= EXACT_DOUBLE;
		out->hash = span_filter_double(key, (double)l->value.number);
		break;
	case TRACE_DOUBLE:
		out->hashed = l->value.real >= -(double)EXACT_DOUBLE &&
			      l->value.real <= (double)EXACT_DOUBLE;
		out->hash = span_filter_double(key, l->value.real);
		break;
	default:
		break;
	}
}

static bool is_id(const struct trace_leaf *l)
{
	return l->of == TRACE_LEAF_TRACE_ID || l->of == TRACE_LEAF_SPAN_ID;
}

int span_leaves_init(struct span_leaves *l, const struct trace_want *want, struct arena *a)
{
	uint32_t ids = 0;
	size_t n = 0;

	*l = (struct span_leaves){0};
	for (uint32_t i = 0; i < want->n; i++)
		n += want->at[i].n;
	l->at = arena_zalloc(a, n + 1, sizeof(*l->at));
	if (!l->at)
		return -ENOMEM;
	for (uint32_t i = 0; i < want->n && i < TRACE_ALTERNATIVES_MAX; i++) {
		l->all |= (uint32_t)1 << i;
		for (uint32_t k = 0; k < want->at[i].n; k++) {
			struct span_leaf *leaf = &l->at[l->n++];

			leaf->of = &want->at[i].leaves[k];
			leaf->alternative = (uint32_t)1 << i;
			leaf->key = leaf->of->field.scope == TRACE_SCOPE_INTRINSIC
					    ? STR("service.name")
					    : leaf->of->field.key;
			hash_leaf(leaf);
			l->columns |= is_attribute(leaf->of) || is_resource(leaf->of);
			l->structure |= is_structure(leaf->of);
			ids |= is_id(leaf->of) ? leaf->alternative : 0;
		}
	}
	l->ids = ids == l->all;
	return 0;
}

uint32_t span_leaves_ids(const struct span_leaves *l, struct str filter)
{
	uint32_t mask = l->all;

	for (uint32_t i = 0; i < l->n; i++) {
		const struct trace_leaf *leaf = l->at[i].of;

		if (is_id(leaf) && !chunk_filter_has(filter, (const uint8_t *)leaf->value.text.p,
						     leaf->value.text.n))
			mask &= ~l->at[i].alternative;
	}
	return mask;
}

/* ---- comparisons ---- */

static bool order_passes(enum trace_leaf_op op, int order)
{
	switch (op) {
	case TRACE_LEAF_EQ:
		return order == 0;
	case TRACE_LEAF_GT:
		return order > 0;
	case TRACE_LEAF_GE:
		return order >= 0;
	case TRACE_LEAF_LT:
		return order < 0;
	case TRACE_LEAF_LE:
		return order <= 0;
	default:
		return true;
	}
}

static bool double_passes(enum trace_leaf_op op, double x, double y)
{
	if (x != x || y != y)
		return op == TRACE_LEAF_EXISTS;
	return order_passes(op, (x > y) - (x < y));
}

static bool int_passes(const struct trace_leaf *l, int64_t x)
{
	if (l->value.type == TRACE_INT)
		return order_passes(l->op, (x > l->value.number) - (x < l->value.number));
	return l->op == TRACE_LEAF_EXISTS ||
	       (l->value.type == TRACE_DOUBLE && double_passes(l->op, (double)x, l->value.real));
}

static bool real_passes(const struct trace_leaf *l, double x)
{
	if (l->value.type == TRACE_INT)
		return double_passes(l->op, x, (double)l->value.number);
	return l->op == TRACE_LEAF_EXISTS ||
	       (l->value.type == TRACE_DOUBLE && double_passes(l->op, x, l->value.real));
}

static bool text_passes(const struct trace_leaf *l, struct str x)
{
	if (l->value.type == TRACE_STRING && l->op == TRACE_LEAF_EQ)
		return str_eq(x, l->value.text);
	return l->op == TRACE_LEAF_EXISTS ||
	       (l->value.type == TRACE_STRING && order_passes(l->op, str_cmp(x, l->value.text)));
}

static bool truth_passes(const struct trace_leaf *l, bool x)
{
	return l->op == TRACE_LEAF_EXISTS ||
	       (l->value.type == TRACE_BOOL && order_passes(l->op, x - l->value.truth));
}

/* An AnyValue; arrays and the like pass. */
static bool any_passes(const struct trace_leaf *l, struct str any)
{
	struct value v;

	if (!otlp_value_read(any, &v) || v.kind == VALUE_EMPTY)
		return false;
	switch (v.kind) {
	case VALUE_STRING:
		return text_passes(l, v.s);
	case VALUE_BOOL:
		return truth_passes(l, v.i != 0);
	case VALUE_INT:
		return int_passes(l, v.i);
	case VALUE_DOUBLE:
		return real_passes(l, v.d);
	default:
		return true;
	}
}

/* A KeyValue message. */
static bool pair_passes(const struct span_leaf *l, struct str message)
{
	struct proto_reader r = proto_reader_of(message);
	struct str key = STR(""), any = STR("");

	while (proto_next(&r))
		if (r.tag == PROTO_TAG(1, PROTO_BYTES))
			key = proto_bytes(&r);
		else if (r.tag == PROTO_TAG(2, PROTO_BYTES))
			any = proto_bytes(&r);
		else
			proto_skip(&r);
	return str_eq(key, l->key) && any_passes(l->of, any);
}

/* ---- groups ---- */

/* Return whether a value between the limits of a column of numbers can pass. */
static bool limits_pass(const struct trace_leaf *l, const struct span_column *c)
{
	struct trace_leaf x = *l;
	bool low, high;

	if (l->op == TRACE_LEAF_EXISTS || c->type == SPAN_VALUE_BOOL)
		return true;
	if (l->value.type != TRACE_INT && l->value.type != TRACE_DOUBLE)
		return false;
	if (l->op == TRACE_LEAF_EQ) {
		x.op = TRACE_LEAF_LE;
		low = c->type == SPAN_VALUE_INT ? int_passes(&x, span_stored_int(c->min))
						: real_passes(&x, span_stored_double(c->min));
		x.op = TRACE_LEAF_GE;
		high = c->type == SPAN_VALUE_INT ? int_passes(&x, span_stored_int(c->max))
						 : real_passes(&x, span_stored_double(c->max));
		return low && high;
	}
	/* the limits may be NaN, which passes nothing: then values between them may still do */
	if (c->type == SPAN_VALUE_DOUBLE) {
		double min = span_stored_double(c->min), max = span_stored_double(c->max);

		return min != min || max != max || real_passes(l, min) || real_passes(l, max);
	}
	return int_passes(l, span_stored_int(c->min)) || int_passes(l, span_stored_int(c->max));
}

static bool is_column_of(const struct span_column *c, const struct span_leaf *l)
{
	return c->field == SPAN_FIELD_ATTRIBUTES && c->type != SPAN_VALUE_MESSAGE &&
	       str_eq(c->key, l->key);
}

/* A column whose spans may have any attribute. */
static bool is_mixed(const struct span_column *c)
{
	return c->field == SPAN_FIELD_WHOLE ||
	       (c->field == SPAN_FIELD_ATTRIBUTES && c->type == SPAN_VALUE_MESSAGE);
}

/* Return whether the columns of a group can have the attribute of a leaf. */
static bool columns_may_pass(const struct span_leaf *l, const struct span_group *g)
{
	bool any = false;

	for (uint32_t i = 0; !any && i < g->column_count; i++) {
		const struct span_column *c = &g->columns[i];

		if (is_mixed(c))
			any = c->count;
		else if (is_column_of(c, l))
			any = c->count && (!span_column_has_numbers(c) || limits_pass(l->of, c));
	}
	return any;
}

/* Return whether a duration up to the longest can pass =, > or >=. */
static bool longest_passes(const struct trace_leaf *l, uint64_t longest)
{
	struct trace_leaf x = *l;

	if (l->op == TRACE_LEAF_EQ)
		x.op = TRACE_LEAF_GE;
	return int_passes(&x, (int64_t)longest);
}

uint32_t span_leaves_group(const struct span_leaves *l, const struct span_group *g)
{
	uint32_t mask = l->all;

	for (uint32_t i = 0; i < l->n && mask; i++) {
		const struct span_leaf *leaf = &l->at[i];
		bool may = !leaf->hashed || span_filter_has(g->filter, leaf->hash);

		if (may && is_attribute(leaf->of) && !leaf->hashed)
			may = columns_may_pass(leaf, g);
		if (leaf->of->of == TRACE_LEAF_DURATION && leaf->of->op != TRACE_LEAF_LT &&
		    leaf->of->op != TRACE_LEAF_LE && g->longest <= INT64_MAX)
			may = longest_passes(leaf->of, g->longest);
		mask &= may ? UINT32_MAX : ~leaf->alternative;
	}
	return mask;
}

/* ---- columns ---- */

static bool value_passes(const struct span_leaf *l, const struct span_column *c,
			 const union span_value *v)
{
	if (c->field == SPAN_FIELD_WHOLE)
		return true;
	switch (c->type) {
	case SPAN_VALUE_MESSAGE:
		return pair_passes(l, v->text);
	case SPAN_VALUE_STRING:
		return text_passes(l->of, v->text);
	case SPAN_VALUE_BOOL:
		return truth_passes(l->of, v->number != 0);
	case SPAN_VALUE_INT:
		return int_passes(l->of, span_stored_int(v->number));
	default:
		return real_passes(l->of, span_stored_double(v->number));
	}
}

/* Set passes[i] of the spans that have a value in the column which passes. */
static void test_column(const struct span_leaf *l, struct span_group_reader *g, uint32_t column,
			bool *passes)
{
	const struct span_column *c = &g->group->columns[column];
	const union span_value *v = span_group_column(g, column);
	uint32_t *times = arena_zalloc(&g->scratch, (size_t)g->shape_count + 1, sizeof(*times));
	uint32_t next = 0;

	if (!times)
		g->rc = -ENOMEM;
	if (!times || !v)
		return;
	for (uint32_t i = 0; i < g->shape_count; i++)
		for (uint32_t k = 1; k <= g->shapes[i][0]; k++)
			times[i] += g->shapes[i][k] == column;
	for (uint32_t i = 0; i < g->group->rows; i++)
		for (uint32_t k = times[g->shape_of[i]]; k; k--, next++) {
			if (next >= c->count) {
				g->bad = true;
				return;
			}
			passes[i] = passes[i] || value_passes(l, c, &v[next]);
		}
}

static void test_attribute(const struct span_leaf *l, struct span_group_reader *g, uint32_t *masks)
{
	bool *passes = arena_zalloc(&g->scratch, (size_t)g->group->rows + 1, sizeof(*passes));

	if (!passes) {
		g->rc = -ENOMEM;
		return;
	}
	for (uint32_t i = 0; i < g->group->column_count && !g->rc && !g->bad; i++)
		if (is_mixed(&g->group->columns[i]) || is_column_of(&g->group->columns[i], l))
			test_column(l, g, i, passes);
	for (uint32_t i = 0; i < g->group->rows; i++)
		masks[i] &= passes[i] ? UINT32_MAX : ~l->alternative;
}

static bool resource_passes(const struct span_leaf *l, struct str encoded)
{
	struct span_origin o = {0};
	struct proto_reader r;
	bool any = false;

	if (encoded.n && !span_origin_get(encoded, &o))
		return true;
	r = proto_reader_of(o.message);
	while (!any && proto_next(&r))
		if (r.tag == PROTO_TAG(OTLP_RESOURCE_ATTRIBUTES, PROTO_BYTES))
			any = pair_passes(l, proto_bytes(&r));
		else
			proto_skip(&r);
	return any || (is_intrinsic(l->of, TRACE_SERVICE_NAME) && text_passes(l->of, STR("")));
}

static void test_resource(const struct span_leaf *l, struct span_group_reader *g,
			  const struct str *origins, uint32_t *masks)
{
	uint32_t n = g->index->origin_count;
	uint8_t *known = arena_zalloc(&g->scratch, (size_t)n + 1, 1); /* 1 passes, 2 does not */

	if (!known) {
		g->rc = -ENOMEM;
		return;
	}
	for (uint32_t i = 0; i < g->group->rows; i++) {
		uint64_t o = g->resource_of[i];

		if (!known[o])
			known[o] = resource_passes(l, o ? origins[o - 1] : STR("")) ? 1 : 2;
		masks[i] &= known[o] == 1 ? UINT32_MAX : ~l->alternative;
	}
}

void span_leaves_columns(const struct span_leaves *l, struct span_group_reader *g,
			 const struct str *origins, uint32_t *masks)
{
	uint32_t any = UINT32_MAX;

	for (uint32_t i = 0; i < l->n && any && !g->rc && !g->bad; i++) {
		if (is_resource(l->at[i].of))
			test_resource(&l->at[i], g, origins, masks);
		else if (is_attribute(l->at[i].of))
			test_attribute(&l->at[i], g, masks);
		else
			continue;
		any = 0;
		for (uint32_t k = 0; k < g->group->rows; k++)
			any |= masks[k];
	}
}

/* ---- structure ---- */

static int test_names(const struct span_leaf *l, const struct span_table *t, uint32_t *masks,
		      struct arena *a)
{
	bool *passes = arena_alloc(a, t->string_count + (size_t)1, sizeof(*passes));

	if (!passes)
		return -ENOMEM;
	for (uint32_t i = 0; i < t->string_count; i++)
		passes[i] = text_passes(l->of, t->strings[i]);
	for (uint32_t i = 0; i < t->n; i++)
		masks[i] &= passes[t->names[i]] ? UINT32_MAX : ~l->alternative;
	return 0;
}

static void test_trace_id(const struct span_leaf *l, const struct span_table *t, uint32_t *masks)
{
	uint32_t row = 0;

	for (uint32_t k = 0; k < t->trace_count; k++) {
		struct str id = str_of((const char *)t->trace_ids + (size_t)k * TRACE_ID_SIZE,
				       TRACE_ID_SIZE);
		bool same = str_eq(id, l->of->value.text);

		for (uint32_t i = 0; i < t->counts[k]; i++, row++)
			masks[row] &= same ? UINT32_MAX : ~l->alternative;
	}
}

/* A number of a span's structure as a value of the leaf. */
static bool number_passes(const struct trace_leaf *l, const struct span_table *t, uint32_t row)
{
	if (l->of == TRACE_LEAF_DURATION)
		return int_passes(l, (int64_t)t->durations[row]);
	if (l->of == TRACE_LEAF_STATUS)
		return int_passes(l, span_table_status(t, row));
	if (l->of == TRACE_LEAF_KIND)
		return int_passes(l, span_table_kind(t, row));
	return str_eq(str_of((const char *)t->span_ids + (size_t)row * SPAN_ID_SIZE, SPAN_ID_SIZE),
		      l->value.text);
}

int span_leaves_structure(const struct span_leaves *l, const struct span_table *t, uint32_t *masks,
			  struct arena *a)
{
	int rc = 0;

	for (uint32_t i = 0; !rc && i < l->n; i++) {
		const struct span_leaf *leaf = &l->at[i];

		if (!is_structure(leaf->of))
			continue;
		if (leaf->of->of == TRACE_LEAF_FIELD)
			rc = test_names(leaf, t, masks, a);
		else if (leaf->of->of == TRACE_LEAF_TRACE_ID)
			test_trace_id(leaf, t, masks);
		else
			for (uint32_t k = 0; k < t->n; k++)
				if (masks[k] & leaf->alternative && !number_passes(leaf->of, t, k))
					masks[k] &= ~leaf->alternative;
	}
	return rc;
}
