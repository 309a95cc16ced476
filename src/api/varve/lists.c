/* SPDX-License-Identifier: Apache-2.0 */
/* Lists of services, types, labels and single profiles. */
#include "api/varve/lists.h"

#include <stdlib.h>

#include "api/api.h"
#include "api/varve/json_fields.h"
#include "api/varve/over_time.h"
#include "api/varve/varve.h"
#include "api/varve/view_query.h"
#include "base/clock.h"

static int by_service(const void *a, const void *b)
{
	const struct label_set *x = a, *y = b;
	int order = str_cmp(label_set_get(*x, STR("service_name")),
			    label_set_get(*y, STR("service_name")));

	return order ? order : label_set_cmp(*x, *y);
}

/* Append the services; each label set is a type of a service, sorted by service. */
static void put_service_list(struct json_writer *w, const struct label_sets *sets)
{
	struct str last = {0};

	json_put_key(w, STR("services"));
	json_open_array(w);
	for (uint32_t i = 0; i < sets->sets.n; i++) {
		struct str name = label_set_get(sets->sets.at[i], STR("service_name"));

		if (!name.n)
			continue;
		if (!last.n || !str_eq(last, name)) {
			if (last.n) {
				json_close_array(w);
				json_close_object(w);
			}
			json_open_object(w);
			put_text(w, "name", name);
			json_put_key(w, STR("types"));
			json_open_array(w);
		}
		json_put_string(w, label_set_get(sets->sets.at[i], STR("__profile_type__")));
		last = name;
	}
	if (last.n) {
		json_close_array(w);
		json_close_object(w);
	}
	json_close_array(w);
}

static int found_other(void *ctx, uint32_t series, const struct store_series *s)
{
	(void)series, (void)s;
	*(bool *)ctx = true;
	return -ECANCELED; /* stop at the first */
}

int has_other_services(struct request *r, bool *out, struct err *e)
{
	struct selection s;
	struct err quiet = {0};
	int rc;

	*out = false;
	rc = selection_init(&s, r, e);
	s.select.untimed = true;
	s.select.limits.missing = NULL; /* warn about damaged days of the query's range only */
	rc = rc ? rc
		: selector_add(&s.selector, MATCH_NOT_EQUAL, STR("service_name"),
			       STR(API_OWN_SERVICE), e);
	if (!rc)
		rc = r->store->ops->series(r->store, &s.select, found_other, out, &quiet);
	selection_fini(&s);
	if (*out)
		return 0;
	return rc ? err_set(e, rc, "%s", quiet.text) : 0;
}

/* Look for another service in the result first; it nearly always contains one. */
static int find_other_services(struct request *r, const struct label_sets *sets, bool *out,
			       struct err *e)
{
	for (uint32_t i = 0; i < sets->sets.n; i++) {
		struct str name = label_set_get(sets->sets.at[i], STR("service_name"));

		*out = name.n && !str_eq(name, STR(API_OWN_SERVICE));
		if (*out)
			return 0;
	}
	return has_other_services(r, out, e);
}

int varve_services(struct request *r, struct reply *out, struct err *e)
{
	static const struct str names[] = {STR_INIT("service_name"), STR_INIT("__profile_type__")};
	struct json_writer w;
	struct label_sets sets = {0};
	struct selection s;
	bool others = false;
	int rc = label_query_read(&s, r, e);

	if (!rc)
		rc = label_sets_of(&sets, s.store, &s.select, names, 2, r->arena, e);
	selection_fini(&s);
	if (!rc)
		rc = find_other_services(r, &sets, &others, e);
	if (rc)
		return rc;
	if (sets.sets.n)
		qsort(sets.sets.at, sets.sets.n, sizeof(*sets.sets.at), by_service);
	w = answer_open(out, r->limits.missing);
	put_service_list(&w, &sets);
	put_flag(&w, "others", others);
	return view_close(&w);
}

static void put_profile_type(struct json_writer *w, struct str id, const struct profile_type *t)
{
	json_open_object(w);
	put_text(w, "id", id);
	put_text(w, "name", t->name);
	put_text(w, "sample_type", t->sample_type);
	put_text(w, "sample_unit", t->sample_unit);
	put_text(w, "period_type", t->period_type);
	put_text(w, "period_unit", t->period_unit);
	put_flag(w, "gauge", profile_type_is_gauge(id));
	json_close_object(w);
}

void put_types(struct json_writer *w, const struct label_list *types)
{
	json_put_key(w, STR("types"));
	json_open_array(w);
	for (uint32_t i = 0; i < types->items.n; i++) {
		struct profile_type t;

		if (profile_type_parse(&t, types->items.at[i]))
			put_profile_type(w, types->items.at[i], &t);
	}
	json_close_array(w);
}

int varve_types(struct request *r, struct reply *out, struct err *e)
{
	struct label_list types = {0};
	struct json_writer w;
	struct selection s;
	int rc = label_query_read(&s, r, e);

	if (!rc)
		rc = label_values_of(&types, s.store, &s.select, STR("__profile_type__"), r->arena,
				     e);
	selection_fini(&s);
	if (rc)
		return rc;
	w = answer_open(out, r->limits.missing);
	put_types(&w, &types);
	return view_close(&w);
}

int varve_labels(struct request *r, struct reply *out, struct err *e)
{
	struct label_list names = {0};
	struct json_writer w;
	struct selection s;
	int rc = label_query_read(&s, r, e);

	if (!rc)
		rc = label_names_of(&names, s.store, &s.select, r->arena, e);
	selection_fini(&s);
	if (rc)
		return rc;
	w = answer_open(out, r->limits.missing);
	put_texts(&w, "labels", names.items.at, names.items.n);
	return view_close(&w);
}

int varve_label_values(struct request *r, struct reply *out, struct err *e)
{
	struct label_list values = {0};
	struct json_writer w;
	struct selection s;
	struct str name;
	bool cost = false;
	int rc = request_param(r, "name", &name, e);

	if (!rc)
		rc = request_flag(r, "cost", &cost, e);
	if (!rc && !name.n)
		rc = err_set(e, -EINVAL, "missing parameter: name");
	if (rc || cost)
		return rc ? rc : varve_label_totals(r, name, out, e);
	rc = label_query_read(&s, r, e);
	if (!rc)
		rc = label_values_of(&values, s.store, &s.select, name, r->arena, e);
	selection_fini(&s);
	if (rc)
		return rc;
	w = answer_open(out, r->limits.missing);
	put_text(&w, "name", name);
	put_texts(&w, "values", values.items.at, values.items.n);
	return view_close(&w);
}

int varve_label_sets(struct request *r, struct reply *out, struct err *e)
{
	struct label_sets sets = {0};
	struct json_writer w;
	struct selection s;
	struct texts names;
	int rc = label_query_read(&s, r, e);

	if (!rc)
		rc = request_params(r, "name", &names, e);
	if (!rc)
		rc = label_sets_of(&sets, s.store, &s.select, names.list.at, names.list.n, r->arena,
				   e);
	selection_fini(&s);
	if (rc)
		return rc;
	w = answer_open(out, r->limits.missing);
	json_put_key(&w, STR("sets"));
	json_open_array(&w);
	for (uint32_t i = 0; i < sets.sets.n; i++)
		put_labels(&w, sets.sets.at[i]);
	json_close_array(&w);
	return view_close(&w);
}

/* ---- single profiles ---- */

enum { PROFILES_DEFAULT = 100, PROFILES_MAX = 100000 };

struct profile_list {
	struct arena *arena;
	VEC(struct store_point) points; /* the newest `limit`, unsorted */
	uint64_t limit, count;
};

static int newest_first(const void *a, const void *b)
{
	const struct store_point *x = a, *y = b;

	if (x->time != y->time)
		return x->time > y->time ? -1 : 1;
	return x->series == y->series ? 0 : x->series < y->series ? -1 : 1;
}

/* Collect up to twice the limit, then drop the older half: one sort per `limit` points. */
static int collect_point(void *ctx, const struct store_point *p)
{
	struct profile_list *l = ctx;

	l->count++;
	if (l->points.n >= 2 * l->limit) {
		qsort(l->points.at, l->points.n, sizeof(*l->points.at), newest_first);
		l->points.n = (uint32_t)l->limit;
	}
	return vec_push(l->arena, &l->points, *p);
}

struct series_labels {
	struct arena *arena;
	VEC(struct label_set) sets;
	VEC(uint32_t) numbers;
};

static int collect_series(void *ctx, uint32_t series, const struct store_series *s)
{
	struct series_labels *l = ctx;
	struct label_set set;
	int rc = label_set_pick(&set, s->labels, NULL, 0, l->arena);

	if (!rc)
		rc = vec_push(l->arena, &l->sets, set);
	return rc ? rc : vec_push(l->arena, &l->numbers, series);
}

static void put_profile_point(struct json_writer *w, const struct store_point *p,
			      const struct series_labels *labels)
{
	char id[PROFILE_ID_TEXT];
	struct label_set set = {0};

	for (uint32_t i = 0; i < labels->numbers.n; i++)
		if (labels->numbers.at[i] == p->series)
			set = labels->sets.at[i];
	json_open_object(w);
	put_text(w, "id", str_from(profile_id_format(p->profile_id, p->time, set, id)));
	put_ms(w, "time", p->time);
	put_ms(w, "duration", p->duration_nano);
	put_i64(w, "total", p->total);
	json_put_key(w, STR("labels"));
	put_labels(w, set);
	json_close_object(w);
}

int varve_profiles(struct request *r, struct reply *out, struct err *e)
{
	struct profile_list list = {.arena = r->arena};
	struct series_labels labels = {.arena = r->arena};
	struct json_writer w;
	struct view_query q;
	int rc = view_query_read(&q, &view_names_single, r, e);

	if (!rc)
		rc = view_query_check_untimed(&q, e);
	if (!rc)
		rc = request_u64(r, "limit", PROFILES_DEFAULT, &list.limit, e);
	if (!rc && (!list.limit || list.limit > PROFILES_MAX))
		rc = err_set(e, -EINVAL, "limit: expected 1 to %d", PROFILES_MAX);
	if (!rc)
		rc = q.s.store->ops->series(q.s.store, &q.s.select, collect_series, &labels, e);
	if (!rc)
		rc = q.s.store->ops->points(q.s.store, &q.s.select, collect_point, &list, e);
	if (!rc) {
		if (list.points.n)
			qsort(list.points.at, list.points.n, sizeof(*list.points.at), newest_first);
		w = view_open(out, &q);
		put_u64(&w, "count", list.count);
		json_put_key(&w, STR("profiles"));
		json_open_array(&w);
		for (uint32_t i = 0; i < list.points.n && i < list.limit; i++)
			put_profile_point(&w, &list.points.at[i], &labels);
		json_close_array(&w);
		rc = view_close(&w);
	}
	view_query_fini(&q);
	return rc;
}
