/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Pipelines: each stage maps the spansets of a trace to others. Sets of rows are lists in ascending
 * order; operators work on flags by row.
 */
#include "query/traceql/traceql_eval.h"

struct tq_stage {
	struct traceql_run *run;
	struct err *e;
};

static int eval_spansets(struct tq_stage *c, const struct traceql_spanset *s,
			 const struct traceql_set *in, struct traceql_set *out);
static int apply_pipeline(struct tq_stage *c, const struct traceql_pipeline *p,
			  const struct traceql_set *in, struct traceql_sets *out);

/* ---- sets of rows ---- */

static bool *flags_of(struct tq_stage *c, const struct traceql_set *s)
{
	bool *flags = arena_zalloc(&c->run->arena, c->run->view->span_count + 1u, sizeof(*flags));

	for (uint32_t i = 0; flags && s && i < s->n; i++)
		flags[s->rows[i]] = true;
	return flags;
}

/* The rows whose flags are set. */
static int set_of_flags(struct tq_stage *c, const bool *flags, struct traceql_set *out)
{
	uint32_t n = c->run->view->span_count;

	*out = (struct traceql_set){0};
	out->rows = arena_alloc(&c->run->arena, n + 1u, sizeof(*out->rows));
	if (!out->rows)
		return -ENOMEM;
	for (uint32_t i = 0; i < n; i++)
		if (flags[i])
			out->rows[out->n++] = i;
	return 0;
}

static int add_attribute(struct tq_stage *c, struct traceql_set *s, struct str name,
			 const struct traceql_value *v)
{
	struct traceql_set_attribute *grown =
		arena_alloc(&c->run->arena, s->attribute_count + 1u, sizeof(*grown));

	if (!grown)
		return -ENOMEM;
	for (uint32_t i = 0; i < s->attribute_count; i++)
		grown[i] = s->attributes[i];
	grown[s->attribute_count] = (struct traceql_set_attribute){name, *v};
	s->attributes = grown;
	s->attribute_count++;
	return 0;
}

/* ---- spansets ---- */

static int eval_filter(struct tq_stage *c, const struct traceql_expr *filter,
		       const struct traceql_set *in, struct traceql_set *out)
{
	int rc = 0;

	*out = (struct traceql_set){0};
	out->rows = arena_alloc(&c->run->arena, in->n + 1u, sizeof(*out->rows));
	if (!out->rows)
		return -ENOMEM;
	for (uint32_t i = 0; !rc && i < in->n; i++) {
		bool yes;

		rc = traceql_passes(c->run, filter, in->rows[i], &yes, c->e);
		if (!rc && yes)
			out->rows[out->n++] = in->rows[i];
	}
	return rc;
}

static enum traceql_op mirrored(enum traceql_op op)
{
	switch (op) {
	case TRACEQL_CHILD:
		return TRACEQL_PARENT_OF;
	case TRACEQL_PARENT_OF:
		return TRACEQL_CHILD;
	case TRACEQL_DESCENDANT:
		return TRACEQL_ANCESTOR;
	case TRACEQL_ANCESTOR:
		return TRACEQL_DESCENDANT;
	default:
		return op;
	}
}

static int eval_structure(struct tq_stage *c, const struct traceql_spanset *s,
			  const struct traceql_set *a, const struct traceql_set *b,
			  struct traceql_set *out)
{
	const struct traceql_tree *tree = &c->run->tree;
	bool *left = flags_of(c, a), *right = flags_of(c, b), *hit = flags_of(c, NULL), *other;

	if (!left || !right || !hit)
		return -ENOMEM;
	traceql_tree_relate(tree, s->op, left, right, hit);
	if (s->negated)
		for (uint32_t i = 0; i < c->run->view->span_count; i++)
			hit[i] = right[i] && !hit[i];
	if (s->both) {
		other = flags_of(c, NULL);
		if (!other)
			return -ENOMEM;
		traceql_tree_relate(tree, mirrored(s->op), right, left, other);
		for (uint32_t i = 0; i < c->run->view->span_count; i++)
			hit[i] |= other[i];
	}
	return set_of_flags(c, hit, out);
}

/* && and ||: the spans of both sides; with && only if neither is empty. */
static int eval_union(struct tq_stage *c, bool needs_both, const struct traceql_set *a,
		      const struct traceql_set *b, struct traceql_set *out)
{
	bool *flags;

	*out = (struct traceql_set){0};
	if (needs_both && (!a->n || !b->n))
		return 0;
	flags = flags_of(c, a);
	if (!flags)
		return -ENOMEM;
	for (uint32_t i = 0; i < b->n; i++)
		flags[b->rows[i]] = true;
	return set_of_flags(c, flags, out);
}

/* A pipeline as an operand: the spans of all its sets. */
static int eval_nested(struct tq_stage *c, const struct traceql_pipeline *p,
		       const struct traceql_set *in, struct traceql_set *out)
{
	struct traceql_sets sets = {0};
	bool *flags = flags_of(c, NULL);
	int rc = flags ? apply_pipeline(c, p, in, &sets) : -ENOMEM;

	if (rc)
		return rc;
	for (uint32_t i = 0; i < sets.list.n; i++)
		for (uint32_t k = 0; k < sets.list.at[i].n; k++)
			flags[sets.list.at[i].rows[k]] = true;
	return set_of_flags(c, flags, out);
}

static int eval_spansets(struct tq_stage *c, const struct traceql_spanset *s,
			 const struct traceql_set *in, struct traceql_set *out)
{
	struct traceql_set a, b;
	int rc;

	if (s->kind == TRACEQL_SPANSET_FILTER)
		return eval_filter(c, s->filter, in, out);
	if (s->kind == TRACEQL_SPANSET_PIPELINE)
		return eval_nested(c, s->pipeline, in, out);
	rc = eval_spansets(c, s->left, in, &a);
	if (!rc)
		rc = eval_spansets(c, s->right, in, &b);
	if (rc)
		return rc;
	if (s->op == TRACEQL_AND || s->op == TRACEQL_OR)
		return eval_union(c, s->op == TRACEQL_AND, &a, &b, out);
	return eval_structure(c, s, &a, &b, out);
}

/* ---- stages ---- */

static int stage_spansets(struct tq_stage *c, const struct traceql_stage *s,
			  const struct traceql_set *in, struct traceql_sets *out)
{
	struct traceql_set set;
	int rc = eval_spansets(c, s->spansets, in, &set);

	if (rc || !set.n)
		return rc;
	set.attributes = in->attributes;
	set.attribute_count = in->attribute_count;
	return vec_push(&c->run->arena, &out->list, set);
}

/* Find the group of the value in [first, out->list.n), or add one; its rows have room for all. */
static int find_group(struct tq_stage *c, const struct traceql_stage *s,
		      const struct traceql_set *in, const struct traceql_value *v, uint32_t first,
		      struct traceql_sets *out, uint32_t *group)
{
	struct traceql_set set = {.attributes = in->attributes,
				  .attribute_count = in->attribute_count};
	int rc;

	for (*group = first; *group < out->list.n; ++*group) {
		const struct traceql_set *g = &out->list.at[*group];

		if (traceql_same(&g->attributes[g->attribute_count - 1].value, v))
			return 0;
	}
	rc = add_attribute(c, &set, s->name, v);
	return rc ? rc : vec_push(&c->run->arena, &out->list, set);
}

/* by(): a set for each value. Groups are few in practice; most traces have tens of spans. */
static int stage_by(struct tq_stage *c, const struct traceql_stage *s, const struct traceql_set *in,
		    struct traceql_sets *out)
{
	uint32_t first = out->list.n, *group_of;
	int rc = 0;

	group_of = arena_alloc(&c->run->arena, in->n + 1u, sizeof(*group_of));
	if (!group_of)
		return -ENOMEM;
	for (uint32_t i = 0; !rc && i < in->n; i++) {
		struct traceql_value v;

		rc = traceql_eval(c->run, s->of, in->rows[i], &v, c->e);
		if (!rc)
			rc = find_group(c, s, in, &v, first, out, &group_of[i]);
		if (!rc)
			out->list.at[group_of[i]].n++;
	}
	for (uint32_t g = first; !rc && g < out->list.n; g++) {
		struct traceql_set *set = &out->list.at[g];

		set->rows = arena_alloc(&c->run->arena, set->n, sizeof(*set->rows));
		set->n = 0;
		rc = set->rows ? 0 : -ENOMEM;
	}
	for (uint32_t i = 0; !rc && i < in->n; i++) {
		struct traceql_set *set = &VEC_ARRAY(&out->list)[group_of[i]];

		set->rows[set->n++] = in->rows[i];
	}
	return rc;
}

/* The state of an aggregate over the spans of a set. */
struct aggregation {
	uint32_t n;
	enum traceql_type type; /* of the first value: others do not count */
	int64_t number;
	double real, sum;
};

static void aggregate_value(struct aggregation *a, enum traceql_aggregate kind,
			    const struct traceql_value *v)
{
	double x;
	bool first = !a->n, less, more;

	if (!traceql_number(v, &x) || (!first && v->type != a->type))
		return;
	less = v->type == TRACEQL_TYPE_DOUBLE ? x < a->real : v->number < a->number;
	more = v->type == TRACEQL_TYPE_DOUBLE ? x > a->real : v->number > a->number;
	a->type = v->type;
	a->n++;
	a->sum += x;
	if (kind == TRACEQL_SUM || kind == TRACEQL_AVG) {
		a->real += x;
		if (v->type != TRACEQL_TYPE_DOUBLE)
			a->number = (int64_t)((uint64_t)a->number + (uint64_t)v->number);
	} else if (first || (kind == TRACEQL_MIN ? less : more)) {
		a->number = v->type == TRACEQL_TYPE_DOUBLE ? 0 : v->number;
		a->real = x;
	}
}

static struct traceql_value aggregate_result(const struct aggregation *a,
					     enum traceql_aggregate kind)
{
	struct traceql_value v = {.type = a->type};

	if (kind == TRACEQL_COUNT) {
		v.type = TRACEQL_TYPE_INT;
		v.number = a->n;
	} else if (kind == TRACEQL_AVG) {
		v.type = a->type == TRACEQL_TYPE_DURATION ? TRACEQL_TYPE_DURATION
							  : TRACEQL_TYPE_DOUBLE;
		if (v.type == TRACEQL_TYPE_DURATION)
			v.number = (int64_t)(a->sum / a->n);
		else
			v.real = a->sum / a->n;
	} else if (a->type == TRACEQL_TYPE_DOUBLE) {
		v.real = a->real;
	} else {
		v.number = a->number;
	}
	return v;
}

/* avg(duration) > 1s: keep the set, with the aggregate as an attribute, or drop it. */
static int stage_aggregate(struct tq_stage *c, const struct traceql_stage *s,
			   const struct traceql_set *in, struct traceql_sets *out)
{
	struct aggregation a = {0};
	struct traceql_set set = *in;
	struct traceql_value v;
	int rc = 0;

	if (s->aggregate == TRACEQL_COUNT)
		a.n = in->n;
	for (uint32_t i = 0; s->of && !rc && i < in->n; i++) {
		rc = traceql_eval(c->run, s->of, in->rows[i], &v, c->e);
		if (!rc)
			aggregate_value(&a, s->aggregate, &v);
	}
	if (rc || !a.n)
		return rc;
	v = aggregate_result(&a, s->aggregate);
	if (!traceql_compare(s->op, &v, &s->literal))
		return 0;
	rc = add_attribute(c, &set, s->name, &v);
	return rc ? rc : vec_push(&c->run->arena, &out->list, set);
}

static int stage_coalesce(struct tq_stage *c, const struct traceql_sets *in,
			  struct traceql_sets *out)
{
	struct traceql_set set;
	bool *flags = flags_of(c, NULL);
	int rc;

	if (!flags)
		return -ENOMEM;
	for (uint32_t i = 0; i < in->list.n; i++)
		for (uint32_t k = 0; k < in->list.at[i].n; k++)
			flags[in->list.at[i].rows[k]] = true;
	rc = set_of_flags(c, flags, &set);
	return rc || !set.n ? rc : vec_push(&c->run->arena, &out->list, set);
}

static int apply_stage(struct tq_stage *c, const struct traceql_stage *s,
		       const struct traceql_sets *in, struct traceql_sets *out)
{
	int rc = 0;

	if (s->kind == TRACEQL_STAGE_COALESCE)
		return stage_coalesce(c, in, out);
	for (uint32_t i = 0; !rc && i < in->list.n; i++) {
		const struct traceql_set *set = &in->list.at[i];

		if (s->kind == TRACEQL_STAGE_SPANSETS)
			rc = stage_spansets(c, s, set, out);
		else if (s->kind == TRACEQL_STAGE_BY)
			rc = stage_by(c, s, set, out);
		else if (s->kind == TRACEQL_STAGE_AGGREGATE)
			rc = stage_aggregate(c, s, set, out);
		else
			rc = vec_push(&c->run->arena, &out->list, *set);
	}
	return rc;
}

static int apply_pipeline(struct tq_stage *c, const struct traceql_pipeline *p,
			  const struct traceql_set *in, struct traceql_sets *out)
{
	struct traceql_sets now = {0};
	int rc = vec_push(&c->run->arena, &now.list, *in);

	for (uint32_t i = 0; !rc && now.list.n && i < p->stages.n; i++) {
		struct traceql_sets next = {0};

		rc = apply_stage(c, &p->stages.at[i], &now, &next);
		now = next;
	}
	*out = now;
	return rc;
}

int traceql_run_pipeline(struct traceql_run *r, const struct traceql_pipeline *p,
			 struct traceql_sets *out, struct err *e)
{
	struct tq_stage c = {.run = r, .e = e};
	struct traceql_set all = {.n = r->view->span_count};

	all.rows = arena_alloc(&r->arena, all.n + 1u, sizeof(*all.rows));
	if (!all.rows)
		return -ENOMEM;
	for (uint32_t i = 0; i < all.n; i++)
		all.rows[i] = i;
	return apply_pipeline(&c, p, &all, out);
}
