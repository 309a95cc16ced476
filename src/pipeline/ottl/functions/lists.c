/* SPDX-License-Identifier: Apache-2.0 */
/* Functions of lists and maps. They copy what they return, because a map may be edited later. */
#include "pipeline/ottl/functions/lists.h"

#include <errno.h>
#include <stdlib.h>

/* Add a copy of a value, which another list or map owns. */
static int add_copy(struct ottl_eval *ev, struct ottl_list *list, const struct ottl_value *v)
{
	struct ottl_value copy;
	int rc = ottl_value_copy(&ev->scratch, v, false, &copy);

	if (rc == -E2BIG)
		return ottl_fail(ev, "the value is nested too deep");
	return rc ? rc : ottl_list_add(&ev->scratch, list, copy);
}

static int run_keys(struct ottl_eval *ev, struct ottl_args *a, struct ottl_value *out)
{
	struct ottl_list *list = ottl_list_new(&ev->scratch);
	int rc = list ? 0 : -ENOMEM;

	for (uint32_t i = 0; i < a->v[0].map->pairs.n && !rc; i++)
		rc = ottl_list_add(&ev->scratch, list,
				   OTTL_VALUE_STRING(a->v[0].map->pairs.at[i].key));
	*out = (struct ottl_value){.kind = OTTL_LIST, .list = list};
	return rc;
}

static int run_values(struct ottl_eval *ev, struct ottl_args *a, struct ottl_value *out)
{
	struct ottl_list *list = ottl_list_new(&ev->scratch);
	int rc = list ? 0 : -ENOMEM;

	for (uint32_t i = 0; i < a->v[0].map->pairs.n && !rc; i++)
		rc = add_copy(ev, list, &a->v[0].map->pairs.at[i].value);
	*out = (struct ottl_value){.kind = OTTL_LIST, .list = list};
	return rc;
}

/* Return the index of an equal value in a list, or -1. */
static int64_t index_in(struct ottl_eval *ev, const struct ottl_list *list, struct ottl_value *v)
{
	for (uint32_t i = 0; i < list->items.n; i++)
		if (ottl_value_equal(&ev->scratch, &list->items.at[i], v))
			return i;
	return -1;
}

static int run_contains_value(struct ottl_eval *ev, struct ottl_args *a, struct ottl_value *out)
{
	*out = OTTL_VALUE_BOOL(index_in(ev, a->v[0].list, &a->v[1]) >= 0);
	return 0;
}

/* The index of a value in a list, or of a text in a string; -1 if it is not there. */
static int run_index(struct ottl_eval *ev, struct ottl_args *a, struct ottl_value *out)
{
	struct ottl_value *v = &a->v[0], *part = &a->v[1];

	if (v->kind == OTTL_LIST) {
		*out = OTTL_VALUE_INT(index_in(ev, v->list, part));
		return 0;
	}
	if (v->kind != OTTL_STRING || part->kind != OTTL_STRING)
		return ottl_fail(ev, "Index needs a list, or two strings, but got %s and %s",
				 ottl_kind_names[v->kind], ottl_kind_names[part->kind]);

	size_t at = str_find_str(v->s, part->s);

	*out = OTTL_VALUE_INT(at == v->s.n && part->s.n ? -1 : (int64_t)at);
	return 0;
}

/* ---- Sort ---- */

static double number_of(const struct ottl_value *v)
{
	return v->kind == OTTL_DOUBLE ? v->d : (double)v->i;
}

static bool is_numeric(const struct ottl_value *v)
{
	return v->kind == OTTL_INT || v->kind == OTTL_DOUBLE;
}

/* Order values of the same kind; numbers by value; other kinds by kind. */
static int compare_sorted(const void *x, const void *y)
{
	const struct ottl_value *a = x, *b = y;

	if (a->kind == OTTL_STRING && b->kind == OTTL_STRING)
		return str_cmp(a->s, b->s);
	if (a->kind == b->kind && (a->kind == OTTL_INT || a->kind == OTTL_BOOL))
		return (a->i > b->i) - (a->i < b->i);
	if (is_numeric(a) && is_numeric(b))
		return (number_of(a) > number_of(b)) - (number_of(a) < number_of(b));
	return (a->kind > b->kind) - (a->kind < b->kind);
}

static bool is_one_kind(const struct ottl_list *list)
{
	for (uint32_t i = 1; i < list->items.n; i++)
		if (list->items.at[i].kind != list->items.at[0].kind &&
		    !(is_numeric(&list->items.at[i]) && is_numeric(&list->items.at[0])))
			return false;
	return true;
}

/* Values of several kinds are sorted as text, and become text. */
static int to_texts(struct ottl_eval *ev, struct ottl_list *list)
{
	int rc = 0;

	for (uint32_t i = 0; i < list->items.n && !rc; i++) {
		struct str text = {0};

		rc = ottl_text_of(ev, &list->items.at[i], &text);
		list->items.at[i] = OTTL_VALUE_STRING(text);
	}
	return rc;
}

static int run_sort(struct ottl_eval *ev, struct ottl_args *a, struct ottl_value *out)
{
	bool down = a->given[1] && str_eq(a->v[1].s, STR("desc"));
	struct ottl_list *list;
	int rc = ottl_value_copy(&ev->scratch, &a->v[0], false, out);

	if (rc == -E2BIG)
		return ottl_fail(ev, "the value is nested too deep");
	list = rc ? NULL : out->list;
	if (!rc && !is_one_kind(list))
		rc = to_texts(ev, list);
	if (rc || !list->items.n)
		return rc;
	qsort(list->items.at, list->items.n, sizeof(list->items.at[0]), compare_sorted);
	for (uint32_t i = 0; down && i < list->items.n / 2; i++) {
		struct ottl_value *x = &list->items.at[i];
		struct ottl_value *y = &list->items.at[list->items.n - 1 - i], swapped = *x;

		*x = *y;
		*y = swapped;
	}
	return 0;
}

/* ---- maps to lists and back ---- */

/* Return the value at a path of keys below a map, or NULL. */
static struct ottl_value *value_at(struct ottl_eval *ev, struct ottl_value *v,
				   const struct ottl_list *keys)
{
	for (uint32_t i = 0; keys && v && i < keys->items.n; i++) {
		struct ottl_pair *pair;

		if (ottl_value_open(&ev->scratch, v) || v->kind != OTTL_MAP ||
		    keys->items.at[i].kind != OTTL_STRING)
			return NULL;
		pair = ottl_map_get(v->map, keys->items.at[i].s);
		v = pair ? &pair->value : NULL;
	}
	return v;
}

/* Make a map of a list of maps: keys are at `key_path` of each, values at `value_path`. */
static int run_slice_to_map(struct ottl_eval *ev, struct ottl_args *a, struct ottl_value *out)
{
	struct ottl_map *map = ottl_map_new(&ev->scratch);
	int rc = map ? 0 : -ENOMEM;

	for (uint32_t i = 0; i < a->v[0].list->items.n && !rc; i++) {
		struct ottl_value *element = &a->v[0].list->items.at[i], copy;
		struct ottl_value *key = value_at(ev, element, a->v[1].list);
		struct ottl_value *value = value_at(ev, element, a->given[2] ? a->v[2].list : NULL);

		if (!key || key->kind != OTTL_STRING)
			return ottl_fail(ev, "element %u has no string at key_path", i);
		if (!value)
			return ottl_fail(ev, "element %u has no value at value_path", i);
		rc = ottl_value_copy(&ev->scratch, value, false, &copy);
		if (!rc)
			rc = ottl_map_set(&ev->scratch, map, key->s, copy);
	}
	*out = (struct ottl_value){.kind = OTTL_MAP, .map = map};
	return rc == -E2BIG ? ottl_fail(ev, "the value is nested too deep") : rc;
}

const struct ottl_function ottl_list_functions[] = {
	{"Keys", run_keys, {{"target", PARAM_MAP}}},
	{"Values", run_values, {{"target", PARAM_MAP}}},
	{"ContainsValue", run_contains_value, {{"target", PARAM_LIST}, {"item", PARAM_ANY}}},
	{"Index", run_index, {{"target", PARAM_ANY}, {"value", PARAM_ANY}}},
	{"Sort",
	 run_sort,
	 {{"target", PARAM_LIST},
	  {"order", PARAM_CHOICE, .optional = true, .choices = "asc|desc"}}},
	{"SliceToMap",
	 run_slice_to_map,
	 {{"target", PARAM_LIST},
	  {"key_path", PARAM_LIST},
	  {"value_path", PARAM_LIST, .optional = true}}},
	{.name = NULL},
};
