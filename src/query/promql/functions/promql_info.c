/* SPDX-License-Identifier: Apache-2.0 */
/*
 * info(): series get the labels of info metrics, such as target_info, that have the same instance
 * and job. Of several info series the one with the newest sample counts.
 */
#include "query/promql/functions/promql_vector_call.h"

static const struct str identifying[] = {STR_INIT("instance"), STR_INIT("job")};

/* The info series of one name, instance and job. */
struct info_group {
	const struct promql_labels *key;
	VEC(uint32_t) series;
	uint32_t *best; /* by step: index + 1 of the newest series, 0 if there is none */
};

struct info {
	struct promql_eval *ev;
	struct arena arena;
	struct promql_matrix base, infos, out;
	promql_matchers names;	 /* of the info metrics */
	promql_matchers data;	 /* of their other labels */
	VEC(struct str) metrics; /* names of info metrics that were found */
	struct map by_key;
	VEC(struct info_group) groups;
	uint8_t *active; /* steps with base samples */
	bool *ignored;	 /* base series that are info metrics themselves */
	struct regex *any_info;
};

/* Put the matchers of the second argument apart. */
static int split_matchers(struct info *f, const struct promql_node *call)
{
	static const struct promql_matcher target = {PROMQL_MATCH_EQ, STR_INIT("__name__"),
						     STR_INIT("target_info"), NULL};
	struct promql_matcher any = {PROMQL_MATCH_RE, STR("__name__"), STR(".+_info"), NULL};
	const promql_matchers *list = NULL;
	bool positive = false;
	int rc = 0;

	if (call->call.args.n > 1)
		list = &call->call.args.at[1]->selector.matchers;
	for (uint32_t i = 0; list && i < list->n && !rc; i++) {
		bool name = str_eq(list->at[i].name, STR("__name__"));

		rc = vec_push(&f->arena, name ? &f->names : &f->data, list->at[i]);
		positive |= name && (list->at[i].type == PROMQL_MATCH_EQ ||
				     list->at[i].type == PROMQL_MATCH_RE);
	}
	if (!rc && !f->names.n) {
		rc = vec_push(&f->arena, &f->names, target);
	} else if (!rc && !positive) {
		rc = regex_new(&f->any_info, any.value, REGEX_WHOLE | REGEX_DOT_ALL, NULL);
		any.regex = f->any_info;
		if (!rc)
			rc = vec_push(&f->arena, &f->names, any);
	}
	return rc ? promql_no_space(f->ev->q) : 0;
}

/* Find @ and offset of the first selector of the base. */
static bool find_shift(const struct promql_node *node, struct promql_shift *shift)
{
	switch (node->kind) {
	case PROMQL_SELECTOR:
		*shift = node->selector.shift;
		return true;
	case PROMQL_RANGE:
		return find_shift(node->range.selector, shift);
	case PROMQL_SUBQUERY:
		if (!find_shift(node->subquery.expr, shift))
			return false;
		if (!shift->at_kind) {
			shift->offset_ns += node->subquery.shift.offset_ns;
			shift->at_kind = node->subquery.shift.at_kind;
			shift->at_ms = node->subquery.shift.at_ms;
		}
		return true;
	case PROMQL_CALL:
		for (uint32_t i = 0; i < node->call.args.n; i++)
			if (find_shift(node->call.args.at[i], shift))
				return true;
		return false;
	case PROMQL_AGGREGATE:
		return find_shift(node->aggregate.expr, shift) ||
		       (node->aggregate.param && find_shift(node->aggregate.param, shift));
	case PROMQL_BINARY:
		return find_shift(node->binary.left, shift) ||
		       find_shift(node->binary.right, shift);
	case PROMQL_UNARY:
		return find_shift(node->unary.expr, shift);
	case PROMQL_PAREN:
	case PROMQL_INVARIANT:
		return find_shift(node->inner, shift);
	default:
		return false;
	}
}

/* Mark base series that are info metrics, and steps with samples. */
static int scan_base(struct info *f)
{
	struct promql_query *q = f->ev->q;
	uint32_t n = f->ev->grid.n;

	f->active = arena_zalloc(&f->arena, n, 1);
	f->ignored = arena_zalloc(&f->arena, f->base.list.n, 1);
	if (!f->active || !f->ignored)
		return promql_no_space(q);
	for (uint32_t i = 0; i < f->base.list.n; i++) {
		const struct promql_series *s = &f->base.list.at[i];
		struct str name = promql_labels_name(s->labels);

		f->ignored[i] = true;
		for (uint32_t k = 0; k < f->names.n; k++) {
			int rc = promql_matches(&f->names.at[k], name.p ? name : STR(""), q->e);

			if (rc < 0)
				return rc;
			f->ignored[i] &= rc;
		}
		for (uint32_t k = 0; k < n; k++)
			f->active[k] |= promql_is_present(s, k);
	}
	return 0;
}

/* Return whether a base series has the value of an identifying label, or none has the label. */
static bool is_wanted(const struct info *f, struct str name, struct str value)
{
	bool any = false;

	for (uint32_t i = 0; i < f->base.list.n; i++) {
		struct str v;

		if (f->ignored[i])
			continue;
		v = promql_labels_get(f->base.list.at[i].labels, name);
		if (v.n && str_eq(v, value))
			return true;
		any |= v.n > 0;
	}
	return !any;
}

static bool base_is_identified(const struct info *f)
{
	for (uint32_t i = 0; i < f->base.list.n; i++)
		for (unsigned k = 0; k < countof(identifying) && !f->ignored[i]; k++)
			if (promql_labels_get(f->base.list.at[i].labels, identifying[k]).n)
				return true;
	return false;
}

static int fetch(struct info *f, const struct promql_node *call)
{
	struct promql_node selector = {.kind = PROMQL_SELECTOR, .start = call->start};
	int rc = 0;

	if (!base_is_identified(f))
		return 0;
	(void)find_shift(call->call.args.at[0], &selector.selector.shift);
	for (uint32_t i = 0; i < f->data.n && !rc; i++)
		rc = vec_push(&f->arena, &selector.selector.matchers, f->data.at[i]);
	for (uint32_t i = 0; i < f->names.n && !rc; i++)
		rc = vec_push(&f->arena, &selector.selector.matchers, f->names.at[i]);
	return rc ? promql_no_space(f->ev->q)
		  : promql_eval_info_times(f->ev, &selector, &f->infos.sink);
}

/* Return the join key: the name of an info metric with the instance and job of a series. */
static const struct promql_labels *join_key(struct info *f, const struct promql_labels *l,
					    struct str name)
{
	struct promql_label_table *t = &f->ev->q->labels;

	l = promql_labels_select(t, l, identifying, countof(identifying), true);
	return l ? promql_labels_set(t, l, STR("__name__"), name) : NULL;
}

static int add_metric(struct info *f, struct str name)
{
	for (uint32_t i = 0; i < f->metrics.n; i++)
		if (str_eq(f->metrics.at[i], name))
			return 0;
	return vec_push(&f->arena, &f->metrics, name);
}

static int group_infos(struct info *f)
{
	struct promql_query *q = f->ev->q;

	for (uint32_t i = 0; i < f->infos.list.n; i++) {
		const struct promql_labels *l = f->infos.list.at[i].labels;
		struct info_group g = {0};
		uint64_t *at;
		bool added, wanted = true;

		for (unsigned k = 0; k < countof(identifying); k++)
			wanted &=
				is_wanted(f, identifying[k], promql_labels_get(l, identifying[k]));
		if (!wanted)
			continue;
		g.key = join_key(f, l, promql_labels_name(l));
		at = g.key ? map_at(&f->by_key, g.key->id, &added) : NULL;
		if (!at || add_metric(f, promql_labels_name(l)))
			return promql_no_space(q);
		if (added) {
			*at = f->groups.n;
			if (vec_push(&f->arena, &f->groups, g))
				return promql_no_space(q);
		}
		if (vec_push(&f->arena, &f->groups.at[*at].series, i))
			return promql_no_space(q);
	}
	return 0;
}

static int fail_duplicate(struct info *f, uint32_t a, uint32_t b, double seconds)
{
	struct buf x = {0}, y = {0};
	int rc;

	promql_labels_put(&x, f->infos.list.at[a].labels);
	promql_labels_put(&y, f->infos.list.at[b].labels);
	rc = promql_error(f->ev->q, -EDOM,
			  "found duplicate series for info metric: existing %.*s @ %lld, new %.*s "
			  "@ %lld",
			  STR_ARG(buf_str(&x)), (long long)(seconds * 1000), STR_ARG(buf_str(&y)),
			  (long long)(seconds * 1000));
	buf_fini(&x);
	buf_fini(&y);
	return rc;
}

/* Find the newest info series of each group and step. */
static int choose(struct info *f)
{
	uint32_t n = f->ev->grid.n;

	for (uint32_t i = 0; i < f->groups.n; i++) {
		struct info_group *g = &f->groups.at[i];

		g->best = arena_zalloc(&f->arena, n, sizeof(*g->best));
		if (!g->best)
			return promql_no_space(f->ev->q);
		for (uint32_t m = 0; m < g->series.n; m++)
			for (uint32_t k = 0; k < n; k++) {
				uint32_t s = g->series.at[m], old = g->best[k];
				double time = f->infos.list.at[s].floats[k], before;

				if (promql_is_absent(time) || !f->active[k])
					continue;
				before = old ? f->infos.list.at[old - 1].floats[k] : -1e300;
				if (old && before == time)
					return fail_duplicate(f, old - 1, s, time);
				if (time > before)
					g->best[k] = s + 1;
			}
	}
	return 0;
}

static bool takes_label(const struct info *f, struct str name)
{
	if (str_eq(name, STR("__name__")))
		return false;
	for (uint32_t i = 0; i < f->data.n; i++)
		if (str_eq(f->data.at[i].name, name))
			return true;
	return !f->data.n;
}

/* Add the labels of an info series to `added`, which has those of the ones before. */
static int add_labels(struct info *f, const struct promql_labels *info,
		      const struct promql_labels *base, const struct promql_labels **added)
{
	struct promql_query *q = f->ev->q;

	for (uint32_t i = 0; i < info->n; i++) {
		const struct promql_label *l = &info->at[i];
		struct str old = promql_labels_get(*added, l->name);

		if (!takes_label(f, l->name))
			continue;
		if (old.n && !str_eq(old, l->value))
			return promql_error(q, -EDOM, "conflicting label: %.*s", STR_ARG(l->name));
		if (promql_labels_get(base, l->name).n)
			continue;
		*added = promql_labels_set(&q->labels, *added, l->name, l->value);
		if (!*added)
			return promql_no_space(q);
	}
	return 0;
}

/* Return whether the matchers accept series without info: 1, 0, or -errno. */
static int accepts_none(const struct info *f)
{
	for (uint32_t i = 0; i < f->data.n; i++) {
		int rc = promql_matches(&f->data.at[i], STR(""), f->ev->q->e);

		if (rc <= 0)
			return rc;
	}
	return 1;
}

/* Return the labels of a base series at a step; *out is NULL if it is dropped. */
static int combined_labels(struct info *f, const struct promql_labels *base, uint32_t step,
			   const struct promql_labels **out)
{
	struct promql_query *q = f->ev->q;
	const struct promql_labels *added = q->labels.empty;
	bool any = false;
	int rc = 0;

	*out = NULL;
	for (uint32_t i = 0; i < f->metrics.n && !rc; i++) {
		const struct promql_labels *key = join_key(f, base, f->metrics.at[i]);
		uint64_t group;
		uint32_t best;

		if (!key)
			return promql_no_space(q);
		if (!map_get(&f->by_key, key->id, &group))
			continue;
		best = f->groups.at[group].best[step];
		if (!best)
			continue;
		any = true;
		rc = add_labels(f, f->infos.list.at[best - 1].labels, base, &added);
	}
	if (rc)
		return rc;
	if (!any) {
		rc = accepts_none(f);
		if (rc > 0)
			*out = base;
		return rc < 0 ? rc : 0;
	}
	*out = base;
	for (uint32_t i = 0; i < added->n && *out; i++)
		*out = promql_labels_set(&q->labels, *out, added->at[i].name, added->at[i].value);
	return *out ? 0 : promql_no_space(q);
}

/* Emit a base series, in pieces if its info changes. */
static int emit_base(struct info *f, const struct promql_series *s)
{
	uint32_t n = f->ev->grid.n;
	struct promql_series out = *s;

	out.floats = promql_column_new(&f->arena, n);
	out.histograms = s->histograms ? promql_histograms_new(&f->arena, n) : NULL;
	if (!out.floats || (s->histograms && !out.histograms))
		return promql_no_space(f->ev->q);
	for (uint32_t i = 0; i < n; i++) {
		const struct promql_labels *labels;
		int rc;

		if (!promql_is_present(s, i))
			continue;
		rc = combined_labels(f, s->labels, i, &labels);
		if (rc)
			return rc;
		if (!labels)
			continue;
		if (labels != out.labels) {
			rc = promql_emit(&f->out.sink, &out);
			if (rc)
				return rc;
			promql_column_clear(out.floats, n);
			if (out.histograms)
				memset(out.histograms, 0,
				       n * sizeof(const struct native_histogram *));
			out.labels = labels;
		}
		out.floats[i] = s->floats[i];
		if (out.histograms)
			out.histograms[i] = promql_histogram_at(s, i);
	}
	return promql_emit(&f->out.sink, &out);
}

static int run(struct info *f, struct promql_node *call)
{
	int rc = map_init(&f->by_key, &f->arena, 16) ? promql_no_space(f->ev->q)
						     : split_matchers(f, call);

	if (!rc)
		rc = promql_matrix_eval(&f->base, f->ev, call->call.args.at[0]);
	if (!rc)
		rc = scan_base(f);
	if (!rc)
		rc = fetch(f, call);
	if (!rc)
		rc = group_infos(f);
	if (!rc)
		rc = choose(f);
	for (uint32_t i = 0; i < f->base.list.n && !rc; i++)
		rc = f->ignored[i] ? promql_emit(&f->out.sink, &f->base.list.at[i])
				   : emit_base(f, &f->base.list.at[i]);
	return rc;
}

int promql_eval_info(struct promql_eval *ev, struct promql_node *call, struct promql_sink *sink)
{
	struct info f = {.ev = ev};
	int rc;

	arena_init(&f.arena, ev->q->options.budget);
	promql_matrix_init(&f.base, ev->q, ev->grid.n, false);
	promql_matrix_init(&f.infos, ev->q, ev->grid.n, false);
	promql_matrix_init(&f.out, ev->q, ev->grid.n, true);
	rc = run(&f, call);
	if (!rc)
		rc = promql_matrix_emit(&f.out, sink);
	promql_matrix_fini(&f.out);
	promql_matrix_fini(&f.infos);
	promql_matrix_fini(&f.base);
	regex_free(f.any_info);
	arena_fini(&f.arena);
	return rc;
}
