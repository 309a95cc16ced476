/* SPDX-License-Identifier: Apache-2.0 */
#include "query/promql/profiles/promql_profile_series.h"

#include <ctype.h>
#include <stdlib.h>

#include "base/clock.h"
#include "base/container/hash.h"

/* ---- the plan ---- */

static bool is_needed(const struct promql_select *s, struct str label)
{
	for (uint32_t i = 0; i < s->grouping_count; i++)
		if (str_eq(s->grouping[i], label))
			return s->grouping_by;
	return !s->grouping_by;
}

/* Functions of counters whose result over a sum of series is the sum of their results. */
static bool adds_counters(struct str function)
{
	return str_eq(function, STR("rate")) || str_eq(function, STR("increase"));
}

static int read_scopes(struct profile_plan *p, struct err *e)
{
	bool any = false;

	p->scopes[0] = p->scopes[1] = true;
	for (uint32_t i = 0; i < p->select->matcher_count; i++) {
		const struct promql_matcher *m = &p->select->matchers[i];

		if (!str_eq(m->name, PROFILE_SCOPE))
			continue;
		any = true;
		for (unsigned k = 0; k < 2; k++) {
			int yes = promql_matches(m, profile_scopes[k], e);

			if (yes < 0)
				return yes;
			p->scopes[k] &= yes;
		}
	}
	p->scopes[1] &= any;
	return 0;
}

int profile_plan_init(struct profile_plan *p, const struct promql_select *select, struct str metric,
		      struct err *e)
{
	*p = (struct profile_plan){.select = select, .metric = metric};
	p->sums_frames = select->summed;
	p->sums_series = select->summed && adds_counters(select->function);
	for (unsigned i = 0; i < PROFILE_FRAME_LABELS; i++)
		p->frame_needed[i] = !p->sums_frames || is_needed(select, profile_frame_labels[i]);
	for (uint32_t i = 0; i < select->matcher_count; i++) {
		enum profile_frame_label label = profile_frame_label_find(select->matchers[i].name);

		if (label < PROFILE_FRAME_LABELS)
			p->frame_matched[label] = true;
	}
	return read_scopes(p, e);
}

bool profile_plan_splits(const struct profile_plan *p)
{
	for (unsigned i = 0; i < PROFILE_FRAME_LABELS; i++)
		if (p->frame_needed[i])
			return true;
	return false;
}

bool profile_plan_filters(const struct profile_plan *p)
{
	for (unsigned i = 0; i < PROFILE_FRAME_LABELS; i++)
		if (p->frame_matched[i])
			return true;
	return false;
}

struct store_select profile_range(int64_t from_ms, int64_t to_ms)
{
	const int64_t most = INT64_MAX / (int64_t)NS_PER_MS - 1;

	return (struct store_select){
		.from = (uint64_t)(from_ms < 0	    ? 0
				   : from_ms < most ? from_ms
						    : most) *
			NS_PER_MS,
		.to = (uint64_t)(to_ms < 0 ? 0 : (to_ms < most ? to_ms : most) + 1) * NS_PER_MS,
		.untimed = true,
	};
}

/* ---- labels of a series ---- */

/* A profile type that was met, and its place in profile_sets.types, + 1; 0: of another metric. */
struct known_type {
	struct str id;
	uint32_t type;
};

struct lister {
	struct profile_sets *out;
	const struct profile_plan *plan;
	struct arena scratch;
	VEC(struct promql_label) labels; /* of the current series */
	VEC(struct known_type) known;
	struct idset types; /* of them */
	struct err *e;
};

int profile_label_compare(const void *a, const void *b)
{
	const struct promql_label *x = a, *y = b;

	return str_cmp(x->name, y->name);
}

static bool has_label(const struct lister *l, struct str name)
{
	for (uint32_t i = 0; i < l->labels.n; i++)
		if (str_eq(l->labels.at[i].name, name))
			return true;
	return false;
}

static int put_label(struct lister *l, struct str name, struct str value)
{
	return value.n && !has_label(l, name)
		       ? vec_push(&l->scratch, &l->labels, (struct promql_label){name, value})
		       : 0;
}

/* Make the labels of a series, sorted. Of two labels with one name the first is taken. */
static int make_labels(struct lister *l, struct label_set raw)
{
	struct profile_alias aliases[PROFILE_ALIASES];
	int rc;

	l->labels.n = 0;
	for (uint32_t i = 0; i < raw.n; i++) {
		struct str name;

		rc = profile_naming_get(&l->out->names, raw.at[i].name, &name);
		if (!rc && name.n)
			rc = put_label(l, name, raw.at[i].value);
		if (rc)
			return rc;
	}
	rc = profile_aliases_of(aliases, raw, &l->scratch);
	for (unsigned i = 0; i < PROFILE_ALIASES && !rc; i++)
		rc = put_label(l, aliases[i].name, aliases[i].value);
	if (!rc && l->labels.n)
		qsort(l->labels.at, l->labels.n, sizeof(*l->labels.at), profile_label_compare);
	return rc;
}

static struct str value_of(const struct lister *l, struct str name)
{
	for (uint32_t i = 0; i < l->labels.n; i++)
		if (str_eq(l->labels.at[i].name, name))
			return l->labels.at[i].value;
	return (struct str){0};
}

/* Return whether the matcher is one of a label of series. */
static bool is_of_series(const struct promql_matcher *m)
{
	return !str_eq(m->name, STR("__name__")) && !str_eq(m->name, PROFILE_SCOPE) &&
	       profile_frame_label_find(m->name) == PROFILE_FRAME_LABELS;
}

/* Return whether the matchers of labels of series hold: 1, 0 or -errno. */
static int matches_series(struct lister *l, struct label_set raw)
{
	const struct promql_select *s = l->plan->select;

	for (uint32_t i = 0; i < s->matcher_count; i++) {
		const struct promql_matcher *m = &s->matchers[i];
		int yes;

		if (!is_of_series(m))
			continue;
		yes = promql_matches(m,
				     str_starts(m->name, STR("__")) ? label_set_get(raw, m->name)
								    : value_of(l, m->name),
				     l->e);
		if (yes <= 0)
			return yes;
	}
	return 1;
}

/* ---- sets ---- */

static bool same_labels(const struct profile_set *s, const struct lister *l)
{
	if (s->label_count != l->labels.n)
		return false;
	for (uint32_t i = 0; i < l->labels.n; i++)
		if (!str_eq(s->labels[i].name, l->labels.at[i].name) ||
		    !str_eq(s->labels[i].value, l->labels.at[i].value))
			return false;
	return true;
}

static uint32_t hash_labels(const struct lister *l)
{
	uint64_t hash = l->labels.n;

	for (uint32_t i = 0; i < l->labels.n; i++) {
		hash = hash_u64(hash << 32 | hash32(l->labels.at[i].name));
		hash = hash_u64(hash << 32 | hash32(l->labels.at[i].value));
	}
	return (uint32_t)hash;
}

static int copy_labels(struct profile_sets *s, const struct lister *l, struct profile_set *set)
{
	struct promql_label *labels = arena_alloc(s->arena, l->labels.n + 1, sizeof(*labels));
	int rc = labels ? 0 : -ENOMEM;

	for (uint32_t i = 0; i < l->labels.n && !rc; i++) {
		labels[i].name = l->labels.at[i].name; /* in the arena already, or a literal */
		rc = arena_copy_str(s->arena, l->labels.at[i].value, &labels[i].value);
	}
	*set = (struct profile_set){.labels = labels, .label_count = l->labels.n};
	return rc;
}

/* Remove the labels that are not needed. */
static void keep_needed(struct lister *l)
{
	uint32_t kept = 0;

	for (uint32_t i = 0; i < l->labels.n; i++)
		if (is_needed(l->plan->select, l->labels.at[i].name))
			l->labels.at[kept++] = l->labels.at[i];
	l->labels.n = kept;
}

/* Gauges are never added up: equal labels are told apart by the profile type. */
static int put_type_label(struct lister *l, struct str type)
{
	int rc = put_label(l, STR("profile_type"), type);

	if (!rc)
		qsort(l->labels.at, l->labels.n, sizeof(*l->labels.at), profile_label_compare);
	return rc;
}

static int find_set(struct lister *l, const struct profile_metric_type *type, uint32_t *set)
{
	struct profile_sets *s = l->out;
	struct profile_set row;
	uint32_t hash;
	int rc;

	if (l->plan->sums_series && !type->metric.gauge)
		keep_needed(l);
	hash = hash_labels(l);
	for (struct idset_cursor at = idset_seek(&s->index, hash);
	     idset_next(&s->index, &at, set);) {
		if (!same_labels(&s->sets.at[*set], l))
			continue;
		if (!type->metric.gauge || has_label(l, STR("profile_type")))
			return 0;
		rc = put_type_label(l, type->id);
		return rc ? rc : find_set(l, type, set);
	}
	*set = s->sets.n;
	rc = copy_labels(s, l, &row);
	if (!rc)
		rc = idset_add(&s->index, hash, *set);
	return rc ? rc : vec_push(s->arena, &s->sets, row);
}

/* Read a profile type that was not met before: known->type is set if it is one of the metric. */
static int read_type(struct lister *l, struct known_type *known)
{
	struct profile_sets *s = l->out;
	struct profile_metric_type row = {.id = known->id};
	struct profile_type type;
	int rc;

	if (!profile_type_parse(&type, known->id))
		return 0;
	rc = profile_metric_of(&row.metric, &type, s->arena);
	if (rc || !str_eq(row.metric.name, l->plan->metric) ||
	    (s->types.n && s->types.at[0].metric.gauge != row.metric.gauge))
		return rc;
	rc = vec_push(s->arena, &s->types, row);
	known->type = rc ? 0 : s->types.n;
	return rc;
}

/* Get the type of a series, NULL if it is not one of the metric. Return 0 or -ENOMEM. */
static int find_type(struct lister *l, struct str id, const struct profile_metric_type **out)
{
	struct arena *a = l->out->arena;
	struct known_type known = {0};
	uint32_t hash = hash32(id), i;
	int rc;

	*out = NULL;
	for (struct idset_cursor at = idset_seek(&l->types, hash);
	     idset_next(&l->types, &at, &i);) {
		if (!str_eq(l->known.at[i].id, id))
			continue;
		if (l->known.at[i].type)
			*out = &l->out->types.at[l->known.at[i].type - 1];
		return 0;
	}
	rc = arena_copy_str(a, id, &known.id);
	if (!rc)
		rc = read_type(l, &known);
	if (!rc)
		rc = idset_add(&l->types, hash, l->known.n);
	if (!rc)
		rc = vec_push(a, &l->known, known);
	if (!rc && known.type)
		*out = &l->out->types.at[known.type - 1];
	return rc;
}

/* Note the service of a series that is selected. */
static int note_service(struct profile_sets *s, struct label_set raw)
{
	struct str name = label_set_get(raw, STR("service_name"));
	int rc;

	for (uint32_t i = s->services.n; i-- > 0;)
		if (str_eq(s->services.at[i], name))
			return 0;
	s->more_services |= s->services.n == PROFILE_SERVICES;
	if (s->more_services)
		return 0;
	rc = arena_copy_str(s->arena, name, &name);
	return rc ? rc : vec_push(s->arena, &s->services, name);
}

static int list_one(void *ctx, uint32_t number, const struct store_series *series)
{
	struct lister *l = ctx;
	const struct profile_metric_type *type;
	uint32_t set;
	int rc = find_type(l, label_set_get(series->labels, STR("__profile_type__")), &type);

	if (rc || !type)
		return rc;
	arena_reset(&l->scratch);
	l->labels.at = NULL;
	l->labels.cap = 0;
	rc = make_labels(l, series->labels);
	if (!rc)
		rc = matches_series(l, series->labels);
	if (rc <= 0)
		return rc;
	rc = find_set(l, type, &set);
	if (!rc)
		rc = note_service(l->out, series->labels);
	return rc ? rc : map_set(&l->out->of_series, number, set);
}

static const enum matcher_op ops_of[] = {
	[PROMQL_MATCH_EQ] = MATCH_EQUAL,
	[PROMQL_MATCH_NE] = MATCH_NOT_EQUAL,
	[PROMQL_MATCH_RE] = MATCH_REGEX,
	[PROMQL_MATCH_NRE] = MATCH_NOT_REGEX,
};

/* Add the matchers of the service. */
static int push_services(const struct promql_select *s, struct selector *out, struct err *e)
{
	int rc = 0;

	for (uint32_t i = 0; i < s->matcher_count && !rc; i++) {
		const struct promql_matcher *m = &s->matchers[i];

		if (str_eq(m->name, STR("service")) || str_eq(m->name, STR("service_name")))
			rc = selector_add(out, ops_of[m->type], STR("service_name"), m->value, e);
	}
	return rc;
}

int profile_sets_list(struct profile_sets *out, const struct profile_plan *plan,
		      struct store *store, const struct store_select *in, struct arena *a,
		      struct err *e)
{
	struct lister l = {.out = out, .plan = plan, .e = e};
	struct store_select select = *in;
	struct selector selector;
	int rc;

	*out = (struct profile_sets){.arena = a};
	selector_init(&selector);
	arena_init(&l.scratch, in->limits.budget);
	rc = idset_init(&out->index, a, 64);
	if (!rc)
		rc = profile_naming_init(&out->names, a);
	if (!rc)
		rc = idset_init(&l.types, a, 64);
	if (!rc)
		rc = map_init(&out->of_series, a, 64);
	if (!rc)
		rc = push_services(plan->select, &selector, e);
	select.selector = &selector;
	select.untimed = true;
	if (!rc)
		rc = store->ops->series(store, &select, list_one, &l, e);
	arena_fini(&l.scratch);
	selector_fini(&selector);
	return rc ? err_errno(e, rc, "list the series of profiles") : 0;
}

/* Return the only label of the store that has the name; NULL: none or several. */
static const struct profile_raw_label *raw_label_of(const struct profile_sets *s, struct str name)
{
	const struct profile_raw_label *found = NULL;

	for (uint32_t i = 0; i < s->names.rows.n; i++) {
		if (!str_eq(s->names.rows.at[i].name, name))
			continue;
		if (found)
			return NULL;
		found = &s->names.rows.at[i];
	}
	return found;
}

/* Add a matcher of the services that the series have. */
static int push_found_services(const struct profile_sets *s, struct selector *out, struct err *e)
{
	struct buf pattern = {0};
	int rc;

	if (s->more_services || !s->services.n)
		return 0;
	if (s->services.n == 1)
		return selector_add(out, MATCH_EQUAL, STR("service_name"), s->services.at[0], e);
	for (uint32_t i = 0; i < s->services.n; i++) {
		struct str name = s->services.at[i];

		if (i)
			buf_put_char(&pattern, '|');
		for (size_t k = 0; k < name.n; k++) {
			if ((unsigned char)name.p[k] < 0x80 && !isalnum((unsigned char)name.p[k]))
				buf_put_char(&pattern, '\\');
			buf_put_char(&pattern, name.p[k]);
		}
	}
	rc = buf_error(&pattern);
	if (!rc && pattern.n < REGEX_PATTERN_MAX / 2)
		rc = selector_add(out, MATCH_REGEX, STR("service_name"), buf_str(&pattern), e);
	buf_fini(&pattern);
	return rc;
}

int profile_sets_push(const struct profile_sets *s, const struct profile_plan *plan,
		      struct str type, struct selector *out, struct err *e)
{
	const struct promql_select *select = plan->select;
	int rc = selector_add(out, MATCH_EQUAL, STR("__profile_type__"), type, e);

	if (!rc)
		rc = push_found_services(s, out, e);
	for (uint32_t i = 0; i < select->matcher_count && !rc; i++) {
		const struct promql_matcher *m = &select->matchers[i];
		const struct profile_raw_label *label = raw_label_of(s, m->name);

		if (label && is_of_series(m) && !profile_is_alias(m->name))
			rc = selector_add(out, ops_of[m->type], label->raw, m->value, e);
	}
	return rc;
}

/* ---- moments ---- */

int profile_set_note(struct profile_sets *s, uint32_t set, int64_t slot, int64_t time)
{
	struct profile_set *row = &s->sets.at[set];
	struct profile_moment *last = row->moments.n ? &row->moments.at[row->moments.n - 1] : NULL;

	if (!last || last->slot != slot)
		return vec_push(s->arena, &row->moments, (struct profile_moment){slot, time, 1});
	last->last = time > last->last ? time : last->last;
	last->count++;
	return 0;
}

static int compare_moments(const void *a, const void *b)
{
	const struct profile_moment *x = a, *y = b;

	return x->slot == y->slot ? 0 : x->slot < y->slot ? -1 : 1;
}

void profile_sets_sort(struct profile_sets *s)
{
	for (uint32_t i = 0; i < s->sets.n; i++) {
		struct profile_set *row = &s->sets.at[i];
		uint32_t kept = 0;

		if (!row->moments.n)
			continue;
		qsort(row->moments.at, row->moments.n, sizeof(*row->moments.at), compare_moments);
		for (uint32_t k = 1; k < row->moments.n; k++) {
			struct profile_moment *last = &row->moments.at[kept];
			const struct profile_moment *next = &row->moments.at[k];

			if (next->slot != last->slot) {
				row->moments.at[++kept] = *next;
				continue;
			}
			last->last = next->last > last->last ? next->last : last->last;
			last->count += next->count;
		}
		row->moments.n = kept + 1;
	}
}
