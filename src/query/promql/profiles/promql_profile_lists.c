/* SPDX-License-Identifier: Apache-2.0 */
#include "query/promql/profiles/promql_profile_lists.h"

#include <stdlib.h>

#include "base/container/hash.h"
#include "query/promql/profiles/promql_profile_frames.h"

struct collector {
	struct profile_texts *out;
	const struct profile_list *in;
	struct str name;
	struct arena *arena, scratch;
	struct idset index; /* of the texts */
	struct profile_naming_table names;
	struct err *e;
};

static int put_text(struct collector *c, struct str text)
{
	uint32_t hash = hash32(text), id;
	int rc;

	if (!text.n)
		return 0;
	for (struct idset_cursor at = idset_seek(&c->index, hash); idset_next(&c->index, &at, &id);)
		if (str_eq(c->out->list.at[id], text))
			return 0;
	rc = arena_copy_str(c->arena, text, &text);
	if (!rc)
		rc = idset_add(&c->index, hash, c->out->list.n);
	return rc ? rc : vec_push(c->arena, &c->out->list, text);
}

/* Put the names of labels that all series have. */
static int put_common_names(struct collector *c)
{
	int rc = put_text(c, STR("__name__"));

	if (!rc)
		rc = put_text(c, PROFILE_SCOPE);
	for (unsigned i = 0; i < PROFILE_FRAME_LABELS && !rc; i++)
		rc = put_text(c, profile_frame_labels[i]);
	return rc;
}

/* ---- all metrics ---- */

/* Put what a label of a series has: its name, or the value of the wanted label. */
static int put_label(struct collector *c, struct str name, struct str value)
{
	if (!name.n || !value.n)
		return 0;
	if (!c->name.n)
		return put_text(c, name);
	return str_eq(name, c->name) ? put_text(c, value) : 0;
}

static int put_series(void *ctx, uint32_t number, const struct store_series *series)
{
	struct collector *c = ctx;
	struct label_set raw = series->labels;
	struct profile_alias aliases[PROFILE_ALIASES];
	int rc;

	(void)number;
	arena_reset(&c->scratch);
	rc = profile_aliases_of(aliases, raw, &c->scratch);
	for (unsigned i = 0; i < PROFILE_ALIASES && !rc; i++)
		rc = put_label(c, aliases[i].name, aliases[i].value);
	for (uint32_t i = 0; i < raw.n && !rc; i++) {
		struct str name;

		rc = profile_naming_get(&c->names, raw.at[i].name, &name);
		if (!rc)
			rc = put_label(c, name, raw.at[i].value);
	}
	return rc;
}

static int list_families(struct collector *c)
{
	const struct profile_list *in = c->in;
	struct profile_families families;
	int rc = profile_families_list(&families, &in->source, in->from_ms, in->to_ms, c->arena,
				       c->e);

	for (uint32_t i = 0; i < families.list.n && !rc; i++)
		rc = put_text(c, families.list.at[i].name);
	return rc;
}

static int list_all(struct collector *c)
{
	struct store_select select = profile_range(c->in->from_ms, c->in->to_ms);
	struct selector all;
	int rc = 0;

	if (str_eq(c->name, STR("__name__")))
		return list_families(c);
	if (profile_frame_label_find(c->name) < PROFILE_FRAME_LABELS)
		return 0;
	selector_init(&all);
	select.tenant = c->in->source.tenant;
	select.limits = c->in->source.limits;
	select.selector = &all;
	rc = c->in->source.store->ops->series(c->in->source.store, &select, put_series, c, c->e);
	selector_fini(&all);
	if (!rc && !c->name.n && c->out->list.n)
		rc = put_common_names(c);
	for (unsigned i = 0; i < 2 && !rc && str_eq(c->name, PROFILE_SCOPE); i++)
		rc = put_text(c, profile_scopes[i]);
	return rc;
}

/* ---- selected metrics ---- */

/* Lists a label of the functions of stacks. */
struct frame_lister {
	struct collector *c;
	const struct profile_plan *plan;
	struct profile_classes classes;
};

static int found_class(void *ctx, uint32_t class)
{
	(void)ctx, (void)class;
	return 0;
}

static int list_stacks(void *ctx, const struct stack_tree *tree, const int64_t *self, uint32_t n)
{
	struct frame_lister *l = ctx;
	struct profile_frames frames;
	uint32_t class;
	int rc = profile_frames_init(&frames, &l->classes, tree, l->c->in->source.limits.budget);

	for (uint32_t i = 0; i < n && !rc; i++) {
		if (!self[i])
			continue;
		if (l->plan->scopes[0])
			rc = profile_frames_self(&frames, i, &class, l->c->e);
		if (!rc && l->plan->scopes[1])
			rc = profile_frames_each(&frames, i, found_class, NULL, l->c->e);
	}
	profile_frames_fini(&frames);
	return rc;
}

static int list_type(struct frame_lister *l, const struct profile_sets *sets, struct str type)
{
	const struct profile_list *in = l->c->in;
	struct store_select select = profile_range(in->from_ms, in->to_ms);
	struct selector selector;
	uint64_t divisor;
	int rc;

	selector_init(&selector);
	select.tenant = in->source.tenant;
	select.limits = in->source.limits;
	select.selector = &selector;
	rc = profile_sets_push(sets, l->plan, type, &selector, l->c->e);
	if (!rc)
		rc = in->source.store->ops->each_stacks(in->source.store, &select, list_stacks, l,
							&divisor, l->c->e);
	selector_fini(&selector);
	return rc;
}

static int list_frames(struct collector *c, struct profile_plan *plan,
		       const struct profile_sets *sets, enum profile_frame_label label)
{
	struct frame_lister l = {.c = c, .plan = plan};
	int rc;

	for (unsigned i = 0; i < PROFILE_FRAME_LABELS; i++)
		plan->frame_needed[i] = i == (unsigned)label;
	rc = profile_classes_init(&l.classes, plan, c->arena);
	for (uint32_t i = 0; i < sets->types.n && !rc; i++)
		rc = list_type(&l, sets, sets->types.at[i].id);
	for (uint32_t i = 0; i < l.classes.rows.n && !rc; i++)
		rc = put_text(c, l.classes.rows.at[i].labels[label]);
	return rc;
}

static int list_sets(struct collector *c, const struct profile_sets *sets)
{
	int rc = 0;

	for (uint32_t i = 0; i < sets->sets.n && !rc; i++) {
		const struct profile_set *set = &sets->sets.at[i];

		for (uint32_t k = 0; k < set->label_count && !rc; k++)
			rc = put_label(c, set->labels[k].name, set->labels[k].value);
	}
	return rc;
}

static int list_metric(struct collector *c, const struct promql_select *select, struct str metric)
{
	enum profile_frame_label label = profile_frame_label_find(c->name);
	struct store_select range = profile_range(c->in->from_ms, c->in->to_ms);
	struct profile_plan plan;
	struct profile_sets sets;
	int rc = profile_plan_init(&plan, select, metric, c->e);

	range.tenant = c->in->source.tenant;
	range.limits = c->in->source.limits;
	if (!rc)
		rc = profile_sets_list(&sets, &plan, c->in->source.store, &range, c->arena, c->e);
	if (rc || !sets.sets.n || !(plan.scopes[0] || plan.scopes[1]))
		return rc;
	if (label < PROFILE_FRAME_LABELS)
		return list_frames(c, &plan, &sets, label);
	if (str_eq(c->name, STR("__name__")))
		return put_text(c, metric);
	for (unsigned i = 0; i < 2 && !rc && str_eq(c->name, PROFILE_SCOPE); i++)
		rc = plan.scopes[i] ? put_text(c, profile_scopes[i]) : 0;
	if (!rc && !c->name.n)
		rc = put_common_names(c);
	return rc ? rc : list_sets(c, &sets);
}

static int list_select(struct collector *c, const struct promql_select *select)
{
	struct profile_texts metrics = {0};
	int rc = 0;

	if (promql_selects_profiles(select->matchers, select->matcher_count))
		rc = profile_metrics_find(&metrics, &c->in->source, select, c->arena, c->e);
	for (uint32_t i = 0; i < metrics.list.n && !rc; i++)
		rc = list_metric(c, select, metrics.list.at[i]);
	return rc;
}

static int compare_texts(const void *a, const void *b)
{
	return str_cmp(*(const struct str *)a, *(const struct str *)b);
}

int profile_texts_list(struct profile_texts *out, const struct profile_list *in, struct str name,
		       struct arena *a, struct err *e)
{
	struct collector c = {.out = out, .in = in, .name = name, .arena = a, .e = e};
	int rc = idset_init(&c.index, a, 64);

	*out = (struct profile_texts){0};
	arena_init(&c.scratch, in->source.limits.budget);
	if (!rc)
		rc = profile_naming_init(&c.names, a);
	if (!rc && !in->select_count)
		rc = list_all(&c);
	for (uint32_t i = 0; i < in->select_count && !rc; i++)
		rc = list_select(&c, &in->selects[i]);
	arena_fini(&c.scratch);
	if (!rc && out->list.n)
		qsort(out->list.at, out->list.n, sizeof(*out->list.at), compare_texts);
	return rc ? err_errno(e, rc, "list labels of profiles") : 0;
}
