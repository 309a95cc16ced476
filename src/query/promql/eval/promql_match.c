/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Operators between two vectors. Series meet by join keys: label sets, interned, so that a key is a
 * small number. Each pair of series with the same key is calculated over all steps at once.
 */
#include "query/promql/eval/promql_eval.h"

const struct promql_labels *promql_join_key(struct promql_query *q, const struct promql_matching *m,
					    const struct promql_labels *l)
{
	if (m->on)
		return promql_labels_select(&q->labels, l, m->labels.at, m->labels.n, true);
	return promql_labels_without(&q->labels, l, m->labels.at, m->labels.n);
}

/* The series of both sides with one join key. */
struct join {
	const struct promql_labels *key;
	VEC(uint32_t) many, one; /* indices of series */
	uint8_t *matched;	 /* steps with a result; of one-to-one matches */
	uint8_t *one_matched;	 /* steps at which the one side is matched */
};

struct match {
	struct promql_eval *ev;
	struct promql_node *node;
	const struct promql_matching *matching;
	struct arena arena;
	struct promql_matrix many, one; /* one: the right side, or the left one of group_right */
	struct promql_matrix out;
	struct map by_key, claims;
	VEC(struct join) joins;
	uint32_t *many_join, *one_join;
	uint8_t *active; /* steps at which both sides count */
	bool swapped;	 /* group_right */
};

static int find_join(struct match *m, const struct promql_labels *l, uint32_t *index)
{
	const struct promql_labels *key = promql_join_key(m->ev->q, m->matching, l);
	struct join join = {.key = key};
	uint64_t *at;
	bool added;

	at = key ? map_at(&m->by_key, key->id, &added) : NULL;
	if (!at)
		return promql_no_space(m->ev->q);
	if (added) {
		*at = m->joins.n;
		if (vec_push(&m->arena, &m->joins, join))
			return promql_no_space(m->ev->q);
	}
	*index = (uint32_t)*at;
	return 0;
}

static int make_joins(struct match *m)
{
	int rc = 0;

	m->many_join = arena_alloc(&m->arena, m->many.list.n, sizeof(uint32_t));
	m->one_join = arena_alloc(&m->arena, m->one.list.n, sizeof(uint32_t));
	if (!m->many_join || !m->one_join || map_init(&m->by_key, &m->arena, m->one.list.n) ||
	    map_init(&m->claims, &m->arena, 16))
		return promql_no_space(m->ev->q);
	for (uint32_t i = 0; i < m->many.list.n && !rc; i++) {
		rc = find_join(m, m->many.list.at[i].labels, &m->many_join[i]);
		if (!rc)
			rc = vec_push(&m->arena, &m->joins.at[m->many_join[i]].many, i);
	}
	for (uint32_t i = 0; i < m->one.list.n && !rc; i++) {
		rc = find_join(m, m->one.list.at[i].labels, &m->one_join[i]);
		if (!rc)
			rc = vec_push(&m->arena, &m->joins.at[m->one_join[i]].one, i);
	}
	return rc == -ENOMEM ? promql_no_space(m->ev->q) : rc;
}

/* A step counts if both sides have samples, or one has and missing ones are filled. */
static int find_active(struct match *m)
{
	bool fills = m->matching->fill_left || m->matching->fill_right;
	struct promql_matrix *sides[] = {&m->many, &m->one};
	uint32_t n = m->ev->grid.n;

	m->active = arena_zalloc(&m->arena, n, 1);
	if (!m->active)
		return promql_no_space(m->ev->q);
	for (uint32_t side = 0; side < 2; side++)
		for (uint32_t i = 0; i < sides[side]->list.n; i++)
			for (uint32_t k = 0; k < n; k++)
				if (promql_is_present(&sides[side]->list.at[i], k))
					m->active[k] |= (uint8_t)(1 << side);
	for (uint32_t k = 0; k < n; k++)
		m->active[k] = fills ? m->active[k] != 0 : m->active[k] == 3;
	return 0;
}

static int fail_duplicate(struct match *m, const struct join *join, uint32_t a, uint32_t b)
{
	struct buf key = {0}, x = {0}, y = {0};
	int rc;

	promql_labels_put(&key, join->key);
	promql_labels_put(&x, m->one.list.at[a].labels);
	promql_labels_put(&y, m->one.list.at[b].labels);
	if (str_cmp(buf_str(&x), buf_str(&y)) > 0) {
		struct buf swap = x;

		x = y;
		y = swap;
	}
	rc = promql_error(m->ev->q, -EDOM,
			  "found duplicate series for the match group %.*s on the %s hand-side of "
			  "the operation: [%.*s, %.*s];many-to-many matching not allowed: matching "
			  "labels must be unique on one side",
			  STR_ARG(buf_str(&key)), m->swapped ? "left" : "right",
			  STR_ARG(buf_str(&x)), STR_ARG(buf_str(&y)));
	buf_fini(&key);
	buf_fini(&x);
	buf_fini(&y);
	return rc;
}

/* The one side must have one series at most for each key and step. */
static int check_unique(struct match *m)
{
	for (uint32_t i = 0; i < m->joins.n; i++) {
		const struct join *join = &m->joins.at[i];

		for (uint32_t k = 0; join->one.n > 1 && k < m->ev->grid.n; k++) {
			uint32_t found = UINT32_MAX;

			for (uint32_t s = 0; s < join->one.n && m->active[k]; s++) {
				if (!promql_is_present(&m->one.list.at[join->one.at[s]], k))
					continue;
				if (found != UINT32_MAX)
					return fail_duplicate(m, join, found, join->one.at[s]);
				found = join->one.at[s];
			}
		}
	}
	return 0;
}

/* Return the labels of the result of two series. NULL: out of memory. */
static const struct promql_labels *result_labels(struct match *m, const struct promql_labels *many,
						 const struct promql_labels *one)
{
	struct promql_query *q = m->ev->q;
	struct promql_label_table *t = &q->labels;
	const struct promql_matching *by = m->matching;
	const struct promql_labels *l = many;
	bool drops = m->node->binary.op <= PROMQL_OP_ATAN2 ||
		     (m->node->binary.returns_bool && !q->options.delayed_name_removal);

	if (drops)
		l = promql_labels_drop_name(t, l);
	if (l && by->card == PROMQL_ONE_TO_ONE)
		l = promql_labels_select(t, l, by->labels.at, by->labels.n, by->on);
	for (uint32_t i = 0; l && i < by->include.n; i++)
		l = promql_labels_set(t, l, by->include.at[i],
				      promql_labels_get(one, by->include.at[i]));
	return l;
}

/* Return the flags by step of a pair of result and key; NULL if memory is exhausted. */
static uint8_t *claims_of(struct match *m, const struct promql_labels *labels, uint32_t join)
{
	uint64_t *at;
	bool added;

	at = map_at(&m->claims, (uint64_t)labels->id << 32 | join, &added);
	if (at && added)
		*at = (uint64_t)(uintptr_t)arena_zalloc(&m->arena, m->ev->grid.n, 1);
	return at ? (uint8_t *)(uintptr_t)*at : NULL;
}

/* Mark a step as matched. Fail if it is matched already. */
static int claim(struct match *m, struct join *join, uint8_t *claims, uint32_t step)
{
	if (m->matching->card == PROMQL_ONE_TO_ONE) {
		if (join->matched[step])
			return promql_error(m->ev->q, -EDOM,
					    "multiple matches for labels: many-to-one matching "
					    "must be explicit (group_left/group_right)");
		join->matched[step] = 1;
		return 0;
	}
	if (claims[step])
		return promql_error(m->ev->q, -EDOM,
				    "multiple matches for labels: grouping labels must ensure "
				    "unique matches");
	claims[step] = 1;
	join->one_matched[step] = 1;
	return 0;
}

/* One side of a pair: a series, or a number for missing ones. */
struct operand {
	const struct promql_series *series; /* NULL: filled */
	const struct promql_labels *labels;
	double fill;
	/* Steps at which a filled operand is missing; NULL: at none. */
	const uint8_t *present;
};

static bool operand_at(const struct operand *o, uint32_t step, struct promql_point *out)
{
	if (!o->series) {
		*out = (struct promql_point){o->fill, NULL, true};
		return !o->present[step];
	}
	*out = (struct promql_point){o->series->floats[step], promql_histogram_at(o->series, step),
				     true};
	return promql_is_present(o->series, step);
}

/* Calculate a pair and emit its series. */
static int calculate(struct match *m, uint32_t join_index, const struct operand *many,
		     const struct operand *one, struct promql_series *out)
{
	struct join *join = &m->joins.at[join_index];
	bool returns_bool = m->node->binary.returns_bool, any = false, any_histogram = false;
	uint8_t *claims = NULL;
	uint32_t n = m->ev->grid.n;
	int rc = promql_check_time(m->ev->q);

	out->labels = result_labels(m, many->labels, one->labels);
	if (!out->labels)
		return promql_no_space(m->ev->q);
	if (m->matching->card != PROMQL_ONE_TO_ONE) {
		claims = claims_of(m, out->labels, join_index);
		if (!claims)
			return promql_no_space(m->ev->q);
	}
	out->drops_name = returns_bool;
	for (uint32_t i = 0; i < n && !rc; i++) {
		struct promql_point a, b, result;
		bool keep;

		out->floats[i] = promql_absent();
		out->histograms[i] = NULL;
		if (!m->active[i] || !operand_at(many, i, &a) || !operand_at(one, i, &b))
			continue;
		rc = promql_operate(m->ev->q, m->node, m->swapped ? b : a, m->swapped ? a : b,
				    &result, &keep);
		if (rc || !result.found)
			continue;
		rc = claim(m, join, claims, i);
		if (!keep && !returns_bool)
			continue;
		if (returns_bool)
			result = (struct promql_point){keep, NULL, true};
		any = true;
		if (result.histogram)
			out->histograms[i] = result.histogram;
		else
			out->floats[i] = result.value;
		any_histogram |= result.histogram != NULL;
	}
	if (rc || !any)
		return rc;
	struct promql_series emitted = *out;

	if (!any_histogram)
		emitted.histograms = NULL;
	return promql_emit(&m->out.sink, &emitted);
}

/* Return flags of the steps at which a series of the list is present. */
static uint8_t *presence(struct match *m, const struct promql_matrix *side, const uint32_t *list,
			 uint32_t n)
{
	uint8_t *flags = arena_zalloc(&m->arena, m->ev->grid.n, 1);

	for (uint32_t i = 0; flags && i < n; i++)
		for (uint32_t k = 0; k < m->ev->grid.n; k++)
			flags[k] |= promql_is_present(&side->list.at[list[i]], k);
	return flags;
}

/* As in Prometheus, fill_left is for the many side and fill_right for the one, also if swapped. */
static int match_many(struct match *m, struct promql_series *out)
{
	int rc = 0;

	for (uint32_t i = 0; i < m->many.list.n && !rc; i++) {
		const struct promql_series *s = &m->many.list.at[i];
		struct join *join = &m->joins.at[m->many_join[i]];
		struct operand many = {.series = s, .labels = s->labels};

		for (uint32_t k = 0; k < join->one.n && !rc; k++) {
			const struct promql_series *o = &m->one.list.at[join->one.at[k]];
			struct operand one = {.series = o, .labels = o->labels};

			rc = calculate(m, m->many_join[i], &many, &one, out);
		}
		if (m->matching->fill_right && !rc) {
			struct operand one = {
				.labels = join->key,
				.fill = m->matching->fill_right_value,
				.present = presence(m, &m->one, join->one.at, join->one.n)};

			rc = one.present ? calculate(m, m->many_join[i], &many, &one, out)
					 : promql_no_space(m->ev->q);
		}
	}
	return rc;
}

/* Series of the one side without a partner, if those of the many side are filled. */
static int match_one(struct match *m, struct promql_series *out)
{
	int rc = 0;

	for (uint32_t i = 0; i < m->one.list.n && m->matching->fill_left && !rc; i++) {
		const struct promql_series *o = &m->one.list.at[i];
		struct join *join = &m->joins.at[m->one_join[i]];
		struct operand one = {.series = o, .labels = o->labels};
		struct operand many = {.labels = join->key, .fill = m->matching->fill_left_value};
		uint8_t *matched =
			m->matching->card == PROMQL_ONE_TO_ONE ? join->matched : join->one_matched;
		uint8_t *present = arena_alloc(&m->arena, m->ev->grid.n, 1);

		if (!present)
			return promql_no_space(m->ev->q);
		/* The flags change while the pair is calculated. */
		memcpy(present, matched, m->ev->grid.n);
		many.present = present;
		rc = calculate(m, m->one_join[i], &many, &one, out);
	}
	return rc;
}

static int run(struct match *m, struct promql_sink *sink)
{
	uint32_t n = m->ev->grid.n;
	struct promql_series out = {0};
	int rc = make_joins(m);

	if (!rc)
		rc = find_active(m);
	if (!rc)
		rc = check_unique(m);
	out.floats = promql_column_new(&m->arena, n);
	out.histograms = promql_histograms_new(&m->arena, n);
	for (uint32_t i = 0; i < m->joins.n && !rc; i++) {
		m->joins.at[i].matched = arena_zalloc(&m->arena, n, 1);
		m->joins.at[i].one_matched = arena_zalloc(&m->arena, n, 1);
		if (!m->joins.at[i].matched || !m->joins.at[i].one_matched)
			rc = promql_no_space(m->ev->q);
	}
	if (!rc && (!out.floats || !out.histograms))
		rc = promql_no_space(m->ev->q);
	if (!rc)
		rc = match_many(m, &out);
	if (!rc)
		rc = match_one(m, &out);
	return rc ? rc : promql_matrix_emit(&m->out, sink);
}

int promql_eval_match(struct promql_eval *ev, struct promql_node *node, struct promql_sink *sink)
{
	const struct promql_matching *by = &node->binary.matching;
	struct match m = {
		.ev = ev, .node = node, .matching = by, .swapped = by->card == PROMQL_ONE_TO_MANY};
	int rc;

	arena_init(&m.arena, ev->q->options.budget);
	promql_matrix_init(&m.many, ev->q, ev->grid.n, false);
	promql_matrix_init(&m.one, ev->q, ev->grid.n, false);
	promql_matrix_init(&m.out, ev->q, ev->grid.n, true);
	rc = promql_matrix_eval(m.swapped ? &m.one : &m.many, ev, node->binary.left);
	if (!rc)
		rc = promql_matrix_eval(m.swapped ? &m.many : &m.one, ev, node->binary.right);
	if (!rc)
		rc = run(&m, sink);
	promql_matrix_fini(&m.out);
	promql_matrix_fini(&m.one);
	promql_matrix_fini(&m.many);
	arena_fini(&m.arena);
	return rc;
}
