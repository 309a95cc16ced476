/* SPDX-License-Identifier: Apache-2.0 */
/*
 * There are three ways to read. If functions are not told apart, the totals of profiles are read
 * (store_ops.points), filtered by stack. If all series are one set and slots are long, the store
 * adds up the stacks of each slot (store_ops.each_stacks), from roll-ups. Else all samples are read:
 * consecutive profiles of one set and slot are added up by stack first, and then their sums are
 * added to the functions.
 */
#include "query/promql/profiles/promql_profile_sums.h"

#include <stdlib.h>

#include "base/clock.h"

/* Slots of this length on average are added up by the store, unless there are too many. */
enum { LONG_SLOT_MS = 3600 * 1000, LONG_SLOTS_MAX = 1000 };

struct reader {
	struct profile_sums *out;
	struct store *store;
	struct store_select select;
	struct stack_tree tree;
	struct profile_frames frames;
	struct err *e;
	bool total; /* what points() reads now */
	bool noted; /* the profiles were noted by an earlier pass */
	/* The profiles that are added up by stack. */
	uint32_t set;
	int64_t slot;
	struct arena arena; /* of values and touched */
	int64_t *values;    /* by node */
	uint32_t value_n;
	VEC(uint32_t) touched;
	int64_t value;	/* of the stack that is added to its functions */
	int64_t factor; /* of the values of the current type */
};

bool profile_sums_are_gauges(const struct profile_sums *s)
{
	return s->sets.types.n && s->sets.types.at[0].metric.gauge;
}

/* ---- rows ---- */

static int find_row(struct reader *r, uint32_t set, uint32_t class, bool total, uint32_t *row)
{
	struct profile_sums *s = r->out;
	uint64_t key = (uint64_t)set << 33 | (uint64_t) class << 1 | total;
	bool added;
	uint64_t *at = map_at(&s->index, key, &added);

	if (!at)
		return -ENOMEM;
	if (added) {
		if (s->rows.n == PROFILE_ROWS_MAX)
			return err_set(r->e, -EDOM,
				       "%.*s: the selector has more than %d series: add a matcher "
				       "of service, function, package, module or file, or sum up "
				       "by a label",
				       STR_ARG(s->plan->metric), PROFILE_ROWS_MAX);
		*at = s->rows.n;
		*row = s->rows.n;
		return vec_push(s->arena, &s->rows,
				(struct profile_row){.set = set, .class = class, .total = total});
	}
	*row = (uint32_t)*at;
	return 0;
}

static void add_wrapping_sum(int64_t *to, int64_t value)
{
	*to = (int64_t)((uint64_t)*to + (uint64_t)value);
}

static int add_value(struct reader *r, uint32_t class, bool total, int64_t value)
{
	struct profile_row *row;
	uint32_t id = 0;
	int rc = find_row(r, r->set, class, total, &id);

	if (rc)
		return rc;
	value = (int64_t)((uint64_t)value * (uint64_t)r->factor);
	row = &r->out->rows.at[id];
	if (row->entries.n && row->entries.at[row->entries.n - 1].slot == r->slot) {
		add_wrapping_sum(&row->entries.at[row->entries.n - 1].sum, value);
		return 0;
	}
	return vec_push(r->out->arena, &row->entries, (struct profile_entry){r->slot, value});
}

static int compare_entries(const void *a, const void *b)
{
	const struct profile_entry *x = a, *y = b;

	return x->slot == y->slot ? 0 : x->slot < y->slot ? -1 : 1;
}

void profile_row_sort(struct profile_row *row)
{
	uint32_t kept = 0;

	if (!row->entries.n)
		return;
	qsort(row->entries.at, row->entries.n, sizeof(*row->entries.at), compare_entries);
	for (uint32_t i = 1; i < row->entries.n; i++) {
		if (row->entries.at[i].slot == row->entries.at[kept].slot)
			add_wrapping_sum(&row->entries.at[kept].sum, row->entries.at[i].sum);
		else
			row->entries.at[++kept] = row->entries.at[i];
	}
	row->entries.n = kept + 1;
}

static int put_row_label(struct profile_labels *l, struct arena *a, struct str name,
			 struct str value)
{
	return value.n ? vec_push(a, &l->list, (struct promql_label){name, value}) : 0;
}

int profile_row_labels(struct profile_labels *out, const struct profile_sums *s,
		       const struct profile_row *row, struct arena *a)
{
	const struct profile_set *set = &s->sets.sets.at[row->set];
	int rc = 0;

	out->list.n = 0;
	for (uint32_t i = 0; i < set->label_count && !rc; i++)
		rc = put_row_label(out, a, set->labels[i].name, set->labels[i].value);
	if (!rc)
		rc = put_row_label(out, a, STR("__name__"), s->plan->metric);
	if (!rc)
		rc = put_row_label(out, a, PROFILE_SCOPE, profile_scopes[row->total]);
	for (unsigned i = 0; i < PROFILE_FRAME_LABELS && row->class != PROFILE_NO_CLASS && !rc; i++)
		rc = put_row_label(out, a, profile_frame_labels[i],
				   s->classes.rows.at[row->class].labels[i]);
	if (!rc)
		qsort(out->list.at, out->list.n, sizeof(*out->list.at), profile_label_compare);
	return rc;
}

/* Note a profile of the store. Return 1, 0 if its series is not selected, or -errno. */
static int begin_profile(struct reader *r, uint32_t series, uint64_t time_ns, uint32_t *set,
			 int64_t *slot)
{
	int64_t time = (int64_t)(time_ns / NS_PER_MS);
	uint64_t found;
	int rc;

	if (!map_get(&r->out->sets.of_series, series, &found))
		return 0;
	*set = (uint32_t)found;
	*slot = profile_slot_end(&r->out->slots, time);
	rc = r->noted ? 0 : profile_set_note(&r->out->sets, *set, *slot, time);
	return rc ? rc : 1;
}

/* ---- totals of profiles ---- */

static int visit_total(void *ctx, const struct store_point *p)
{
	struct reader *r = ctx;
	int rc = begin_profile(r, p->series, p->time, &r->set, &r->slot);

	if (rc <= 0 || (!p->total && profile_plan_filters(r->out->plan)))
		return rc < 0 ? rc : 0;
	return add_value(r, PROFILE_NO_CLASS, r->total, p->total);
}

static int found_class(void *ctx, uint32_t class)
{
	(void)ctx, (void)class;
	return 1;
}

/* Return whether a stack counts for the functions that are selected. */
static int keeps_stack(void *ctx, uint32_t node, bool *yes)
{
	struct reader *r = ctx;
	uint32_t class = PROFILE_NO_CLASS;
	int rc = profile_frames_extend(&r->frames);

	if (!rc && r->total) {
		rc = profile_frames_each(&r->frames, node, found_class, NULL, r->e);
		*yes = rc == 1;
		return rc < 0 ? rc : 0;
	}
	if (!rc)
		rc = profile_frames_self(&r->frames, node, &class, r->e);
	*yes = class != PROFILE_NO_CLASS;
	return rc;
}

static int read_totals(struct reader *r)
{
	const struct profile_plan *p = r->out->plan;
	struct store_stack_filter filter = {&r->tree, keeps_stack, r};
	int rc = 0;

	r->select.stacks = profile_plan_filters(p) ? &filter : NULL;
	for (unsigned total = 0; total < 2 && !rc; total++) {
		r->total = total;
		if (!p->scopes[total])
			continue;
		rc = r->store->ops->points(r->store, &r->select, visit_total, r, r->e);
		r->noted = true;
	}
	r->select.stacks = NULL;
	return rc;
}

/* ---- samples ---- */

static int add_class_total(void *ctx, uint32_t class)
{
	struct reader *r = ctx;

	return add_value(r, class, true, r->value);
}

static int add_stack(struct reader *r, uint32_t node)
{
	const struct profile_plan *p = r->out->plan;
	uint32_t class;
	int rc = 0;

	if (p->scopes[0]) {
		rc = profile_frames_self(&r->frames, node, &class, r->e);
		if (!rc && class != PROFILE_NO_CLASS)
			rc = add_value(r, class, false, r->value);
	}
	if (!rc && p->scopes[1])
		rc = profile_frames_each(&r->frames, node, add_class_total, r, r->e);
	return rc;
}

/* Add what was added up by stack to the functions. */
static int flush(struct reader *r)
{
	int rc = 0;

	for (uint32_t i = 0; i < r->touched.n && !rc; i++) {
		uint32_t node = r->touched.at[i];

		r->value = r->values[node];
		r->values[node] = 0;
		if (r->value)
			rc = add_stack(r, node);
	}
	r->touched.n = 0;
	return rc;
}

static int reserve_values(struct reader *r, uint32_t n)
{
	int64_t *grown;

	if (n <= r->value_n)
		return 0;
	n += n / 2;
	grown = arena_resize(&r->arena, r->values, r->value_n, n, sizeof(*grown));
	if (!grown)
		return -ENOMEM;
	memset(grown + r->value_n, 0, (n - r->value_n) * sizeof(*grown));
	r->values = grown;
	r->value_n = n;
	return 0;
}

static int visit_profile(void *ctx, const struct store_samples *s)
{
	struct reader *r = ctx;
	uint32_t set;
	int64_t slot;
	int rc = begin_profile(r, s->series, s->time, &set, &slot);

	if (rc <= 0)
		return rc;
	rc = profile_frames_extend(&r->frames);
	if (!rc && (set != r->set || slot != r->slot))
		rc = flush(r);
	r->set = set;
	r->slot = slot;
	if (!rc)
		rc = reserve_values(r, r->tree.nodes.n);
	for (uint32_t i = 0; i < s->n && !rc; i++) {
		uint32_t node = s->nodes[i];

		if (!r->values[node])
			rc = vec_push(&r->arena, &r->touched, node);
		if (!rc)
			add_wrapping_sum(&r->values[node], s->values[i]);
	}
	return rc;
}

static int read_samples(struct reader *r)
{
	int rc = r->store->ops->scan(r->store, &r->select, &r->tree, visit_profile, r, r->e);

	return rc ? rc : flush(r);
}

/* ---- sums of long slots ---- */

struct foreign {
	const struct profile_sets *sets;
	bool found;
};

static int find_foreign(void *ctx, uint32_t series, const struct store_series *s)
{
	struct foreign *f = ctx;
	uint64_t set;

	(void)s;
	f->found |= !map_get(&f->sets->of_series, series, &set);
	return 0;
}

/* Set *yes to whether the store can add up what is selected: one set, in few and long slots. */
static int has_long_slots(struct reader *r, bool *yes)
{
	const struct profile_slots *slots = &r->out->slots;
	struct foreign foreign = {.sets = &r->out->sets};
	int64_t most = (slots->to - slots->from) / LONG_SLOT_MS + 1, n = 0;
	int rc;

	*yes = false;
	if (profile_sums_are_gauges(r->out) || !slots->exact || r->out->sets.sets.n != 1)
		return 0;
	most = most < LONG_SLOTS_MAX ? most : LONG_SLOTS_MAX;
	for (int64_t at = slots->from; at <= slots->to; at = profile_slot_end(slots, at) + 1)
		if (++n > most)
			return 0;
	/* series that are not selected would be added up, too */
	rc = r->store->ops->series(r->store, &r->select, find_foreign, &foreign, r->e);
	*yes = !rc && !foreign.found;
	return rc;
}

static int note_last(void *ctx, uint32_t series, const struct store_series *s)
{
	struct reader *r = ctx;
	uint64_t set;

	if (!map_get(&r->out->sets.of_series, series, &set))
		return 0;
	return profile_set_note(&r->out->sets, (uint32_t)set, r->slot,
				(int64_t)(s->last / NS_PER_MS));
}

static int add_stacks(void *ctx, const struct stack_tree *tree, const int64_t *self, uint32_t n)
{
	struct reader *r = ctx;
	int rc;

	profile_frames_fini(&r->frames);
	rc = profile_frames_init(&r->frames, &r->out->classes, tree, r->select.limits.budget);
	for (uint32_t i = 0; i < n && !rc; i++) {
		r->value = self[i];
		if (r->value)
			rc = add_stack(r, i);
	}
	return rc;
}

static int read_long_slots(struct reader *r)
{
	const struct profile_slots *slots = &r->out->slots;
	struct store_select select = r->select;
	int rc = 0;

	r->set = 0;
	for (int64_t at = slots->from; at <= slots->to && !rc; at = r->slot + 1) {
		struct store_select range;
		uint64_t divisor;

		r->slot = profile_slot_end(slots, at);
		range = profile_range(at, r->slot);
		select.from = range.from;
		select.to = range.to;
		select.untimed = false;
		rc = r->store->ops->series(r->store, &select, note_last, r, r->e);
		if (!rc)
			rc = r->store->ops->each_stacks(r->store, &select, add_stacks, r, &divisor,
							r->e);
	}
	return rc;
}

static int read_stacks(struct reader *r)
{
	bool long_slots = false;
	int rc = has_long_slots(r, &long_slots);

	if (rc)
		return rc;
	return long_slots ? read_long_slots(r) : read_samples(r);
}

/* ---- all ---- */

static int read_type(struct reader *r, const struct profile_metric_type *type)
{
	const struct profile_plan *p = r->out->plan;
	struct selector selector;
	int rc;

	r->factor = (int64_t)(r->out->divisor / type->metric.divisor);
	selector_init(&selector);
	arena_init(&r->arena, r->select.limits.budget);
	r->values = NULL;
	r->value_n = r->touched.n = r->touched.cap = 0;
	r->noted = false;
	rc = profile_sets_push(&r->out->sets, p, type->id, &selector, r->e);
	if (!rc)
		rc = stack_tree_init(&r->tree, r->select.limits.budget);
	if (!rc)
		rc = profile_frames_init(&r->frames, &r->out->classes, &r->tree,
					 r->select.limits.budget);
	r->select.selector = &selector;
	if (!rc)
		rc = profile_plan_splits(p) ? read_stacks(r) : read_totals(r);
	profile_frames_fini(&r->frames);
	stack_tree_fini(&r->tree);
	arena_fini(&r->arena);
	selector_fini(&selector);
	return rc;
}

int profile_sums_read(struct profile_sums *out, const struct profile_plan *plan,
		      const struct profile_source *source, struct arena *a, struct err *e)
{
	struct reader r = {.out = out, .store = source->store, .e = e};
	int rc;

	*out = (struct profile_sums){.arena = a, .plan = plan};
	out->slots = profile_slots_of(plan->select, false);
	if (!(plan->scopes[0] || plan->scopes[1]) || plan->select->to_ms < 0)
		return 0;
	r.select = profile_range(out->slots.from, out->slots.to);
	r.select.tenant = source->tenant;
	r.select.limits = source->limits;
	rc = profile_sets_list(&out->sets, plan, source->store, &r.select, a, e);
	if (!rc)
		rc = profile_classes_init(&out->classes, plan, a);
	if (!rc)
		rc = map_init(&out->index, a, 64);
	for (uint32_t i = 0; i < out->sets.types.n; i++) {
		double divisor = out->sets.types.at[i].metric.divisor;

		out->divisor = divisor > out->divisor ? divisor : out->divisor;
	}
	if (!rc && profile_sums_are_gauges(out))
		out->slots = profile_slots_of(plan->select, true);
	r.select.from = profile_range(out->slots.from, out->slots.to).from;
	for (uint32_t i = 0; i < out->sets.types.n && !rc; i++)
		rc = read_type(&r, &out->sets.types.at[i]);
	if (!rc)
		profile_sets_sort(&out->sets);
	if (rc == -ENOMEM)
		err_set(e, rc,
			"%.*s: the series do not fit the memory of a query: add a matcher of "
			"service, function, package, module or file, or sum up by a label",
			STR_ARG(plan->metric));
	return rc ? err_errno(e, rc, "read profiles") : 0;
}
