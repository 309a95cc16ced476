/* SPDX-License-Identifier: Apache-2.0 */
/* Editors of paths and maps. A changed map is kept decoded until the message is written. */
#include "pipeline/ottl/functions/editors.h"

#include <errno.h>

/* Return a string that lives as long as the map that is edited. */
static int keep_text(struct ottl_eval *ev, struct ottl_args *a, struct str *s)
{
	return a->ref.arena == &ev->kept ? arena_copy_str(&ev->kept, *s, s) : 0;
}

/* Return a copy of a value for the map that is edited. */
static int keep_value(struct ottl_eval *ev, struct ottl_args *a, const struct ottl_value *v,
		      struct ottl_value *out)
{
	int rc = ottl_value_copy(a->ref.arena, v, a->ref.arena == &ev->kept, out);

	return rc == -E2BIG ? ottl_fail(ev, "the value is nested too deep") : rc;
}

static int run_set(struct ottl_eval *ev, struct ottl_args *a, struct ottl_value *out)
{
	(void)out;
	return a->v[1].kind == OTTL_NIL ? 0 : ottl_path_set(ev, a->node[0], &a->v[1]);
}

/* ---- keys ---- */

static int run_delete_key(struct ottl_eval *ev, struct ottl_args *a, struct ottl_value *out)
{
	(void)ev;
	(void)out;
	if (ottl_map_remove(a->map, a->v[1].s))
		ottl_ref_changed(&a->ref);
	return 0;
}

/* Remove the pairs whose keys match, or those whose keys do not. */
static int filter_keys(struct ottl_eval *ev, struct ottl_args *a, bool keep)
{
	struct regex *regex;
	uint32_t kept = 0;
	int rc = ottl_regex_of(ev, a->site, a->v[1].s, &regex);

	for (uint32_t i = 0; i < a->map->pairs.n && rc >= 0; i++) {
		rc = regex_match(regex, a->map->pairs.at[i].key, ev->e);
		if (rc < 0)
			return rc;
		if ((rc == 1) == keep)
			a->map->pairs.at[kept++] = a->map->pairs.at[i];
	}
	if (rc < 0)
		return rc;
	if (kept != a->map->pairs.n)
		ottl_ref_changed(&a->ref);
	a->map->pairs.n = kept;
	return 0;
}

static int run_delete_matching_keys(struct ottl_eval *ev, struct ottl_args *a,
				    struct ottl_value *out)
{
	(void)out;
	return filter_keys(ev, a, false);
}

static int run_keep_matching_keys(struct ottl_eval *ev, struct ottl_args *a, struct ottl_value *out)
{
	(void)out;
	return filter_keys(ev, a, true);
}

static bool list_has(const struct ottl_list *list, struct str key)
{
	for (uint32_t i = 0; list && i < list->items.n; i++)
		if (list->items.at[i].kind == OTTL_STRING && str_eq(list->items.at[i].s, key))
			return true;
	return false;
}

static int run_keep_keys(struct ottl_eval *ev, struct ottl_args *a, struct ottl_value *out)
{
	uint32_t kept = 0;

	(void)ev;
	(void)out;
	for (uint32_t i = 0; i < a->map->pairs.n; i++)
		if (list_has(a->v[1].list, a->map->pairs.at[i].key))
			a->map->pairs.at[kept++] = a->map->pairs.at[i];
	if (kept != a->map->pairs.n)
		ottl_ref_changed(&a->ref);
	a->map->pairs.n = kept;
	return 0;
}

/* Keep the pairs with priority, and of the others the first ones. */
static int run_limit(struct ottl_eval *ev, struct ottl_args *a, struct ottl_value *out)
{
	const struct ottl_list *priority = a->given[2] ? a->v[2].list : NULL;
	uint32_t kept = 0, first = 0, room;

	(void)out;
	if (a->v[1].i < 0)
		return ottl_fail(ev, "invalid limit for limit function, %lld cannot be negative",
				 (long long)a->v[1].i);
	if (priority && priority->items.n > a->v[1].i)
		return ottl_fail(ev, "invalid limit for limit function: there are %u priority keys",
				 priority->items.n);
	if (a->map->pairs.n <= a->v[1].i)
		return 0;
	for (uint32_t i = 0; i < a->map->pairs.n; i++)
		first += list_has(priority, a->map->pairs.at[i].key);
	room = (uint32_t)a->v[1].i - (first > a->v[1].i ? (uint32_t)a->v[1].i : first);
	for (uint32_t i = 0; i < a->map->pairs.n; i++) {
		bool wanted = list_has(priority, a->map->pairs.at[i].key);

		if (!wanted && !room)
			continue;
		room -= !wanted;
		a->map->pairs.at[kept++] = a->map->pairs.at[i];
	}
	a->map->pairs.n = kept;
	ottl_ref_changed(&a->ref);
	return 0;
}

/* ---- values ---- */

/* Return the length of at most `n` bytes of `s` that does not end within a character. */
static size_t cut_length(struct str s, size_t n, bool utf8)
{
	size_t back = n;

	if (s.n <= n || !utf8)
		return min_size(s.n, n);
	while (back && ((unsigned char)s.p[back] & 0xc0) == 0x80)
		back--;
	return back;
}

static int truncate_text(struct ottl_eval *ev, struct ottl_args *a, struct str *s)
{
	struct str marker = a->given[3] ? a->v[3].s : (struct str){0}, head;
	size_t limit = (size_t)a->v[1].i;
	bool utf8 = !a->given[2] || a->v[2].i;

	if (marker.n >= limit)
		marker = (struct str){0};
	head = str_head(*s, cut_length(*s, limit - marker.n, utf8));
	if (!marker.n) {
		*s = head;
		return 0;
	}
	(void)ev;
	return arena_printf(a->ref.arena, s, "%.*s%.*s", STR_ARG(head), STR_ARG(marker));
}

static int run_truncate_all(struct ottl_eval *ev, struct ottl_args *a, struct ottl_value *out)
{
	int rc = 0;

	(void)out;
	if (a->v[1].i < 0)
		return ottl_fail(ev, "invalid limit for truncate_all, %lld cannot be negative",
				 (long long)a->v[1].i);
	for (uint32_t i = 0; i < a->map->pairs.n && !rc; i++) {
		struct ottl_pair *pair = &a->map->pairs.at[i];

		if (pair->value.kind != OTTL_STRING || pair->value.s.n <= (uint64_t)a->v[1].i)
			continue;
		rc = truncate_text(ev, a, &pair->value.s);
		pair->raw = (struct str){0};
		ottl_ref_changed(&a->ref);
	}
	return rc;
}

static int run_merge_maps(struct ottl_eval *ev, struct ottl_args *a, struct ottl_value *out)
{
	struct str strategy = a->v[2].s;
	int rc = 0;

	(void)out;
	for (uint32_t i = 0; i < a->v[1].map->pairs.n && !rc; i++) {
		const struct ottl_pair *from = &a->v[1].map->pairs.at[i];
		bool exists = ottl_map_get(a->map, from->key) != NULL;
		struct ottl_value value;
		struct str key = from->key;

		if (str_eq(strategy, exists ? STR("insert") : STR("update")))
			continue;
		rc = keep_value(ev, a, &from->value, &value);
		if (!rc)
			rc = keep_text(ev, a, &key);
		if (!rc)
			rc = ottl_map_set(a->ref.arena, a->map, key, value);
		ottl_ref_changed(&a->ref);
	}
	return rc;
}

/* ---- flatten ---- */

struct flattener {
	struct arena *arena;
	struct ottl_map *to;
	int64_t depth;
	bool resolve; /* conflicts: add a number to the key */
};

static int flatten_value(struct flattener *f, struct str key, struct ottl_value *v, int64_t depth);

/* Set a key; with `resolve` one that exists gets a number: a, a.0, a.1. */
static int put_flat(struct flattener *f, struct str key, const struct ottl_value *v)
{
	struct str unique = key;
	int rc = 0;

	for (unsigned n = 0; f->resolve && !rc && ottl_map_get(f->to, unique); n++)
		rc = arena_printf(f->arena, &unique, "%.*s.%u", STR_ARG(key), n);
	return rc ? rc : ottl_map_set(f->arena, f->to, unique, *v);
}

static int join_key(struct flattener *f, struct str prefix, struct str key, struct str *out)
{
	*out = key;
	return prefix.n ? arena_printf(f->arena, out, "%.*s.%.*s", STR_ARG(prefix), STR_ARG(key))
			: 0;
}

/* NOLINTNEXTLINE(misc-no-recursion): the depth of values is limited */
static int flatten_map(struct flattener *f, struct str prefix, struct ottl_map *map, int64_t depth)
{
	int rc = 0;

	for (uint32_t i = 0; i < map->pairs.n && !rc; i++) {
		struct str key;

		rc = join_key(f, prefix, map->pairs.at[i].key, &key);
		if (!rc)
			rc = flatten_value(f, key, &map->pairs.at[i].value, depth);
	}
	return rc;
}

/* NOLINTNEXTLINE(misc-no-recursion): the depth of values is limited */
static int flatten_value(struct flattener *f, struct str key, struct ottl_value *v, int64_t depth)
{
	int rc = ottl_value_open(f->arena, v);

	if (rc)
		return rc;
	if (depth >= f->depth || depth >= OTTL_DEPTH_MAX ||
	    (v->kind != OTTL_MAP && v->kind != OTTL_LIST))
		return put_flat(f, key, v);
	if (v->kind == OTTL_MAP)
		return flatten_map(f, key, v->map, depth + 1);
	for (uint32_t i = 0; i < v->list->items.n && !rc; i++) {
		struct str indexed;

		rc = arena_printf(f->arena, &indexed, "%.*s.%u", STR_ARG(key), i);
		if (!rc)
			rc = flatten_value(f, indexed, &v->list->items.at[i], depth + 1);
	}
	return rc;
}

static int run_flatten(struct ottl_eval *ev, struct ottl_args *a, struct ottl_value *out)
{
	struct flattener f = {.arena = a->ref.arena,
			      .to = ottl_map_new(a->ref.arena),
			      .depth = a->given[2] ? a->v[2].i : INT64_MAX,
			      .resolve = a->given[3] && a->v[3].i};
	struct str prefix = a->given[1] ? a->v[1].s : (struct str){0};
	int rc = f.to ? 0 : -ENOMEM;

	(void)out;
	if (f.depth < 1)
		return ottl_fail(ev,
				 "invalid depth for flatten function, %lld has to be at least 1",
				 (long long)f.depth);
	if (!rc)
		rc = flatten_map(&f, prefix, a->map, 0);
	if (rc)
		return rc;
	*a->map = *f.to;
	ottl_ref_changed(&a->ref);
	return 0;
}

/* ---- append ---- */

/* Append a value to the list; one that is no list becomes the first element. */
static int append_to(struct ottl_eval *ev, struct ottl_list *list, const struct ottl_value *v)
{
	struct ottl_value copy;
	int rc = ottl_value_copy(&ev->scratch, v, false, &copy);

	if (rc == -E2BIG)
		return ottl_fail(ev, "the value is nested too deep");
	return rc ? rc : ottl_list_add(&ev->scratch, list, copy);
}

static int append_all(struct ottl_eval *ev, struct ottl_list *list, const struct ottl_list *more)
{
	int rc = 0;

	for (uint32_t i = 0; i < more->items.n && !rc; i++)
		rc = append_to(ev, list, &more->items.at[i]);
	return rc;
}

static int run_append(struct ottl_eval *ev, struct ottl_args *a, struct ottl_value *out)
{
	struct ottl_list *list = ottl_list_new(&ev->scratch);
	struct ottl_value old;
	int rc = list ? ottl_path_get(ev, a->node[0], &old) : -ENOMEM;

	(void)out;
	if (!rc)
		rc = ottl_value_open(&ev->scratch, &old);
	if (!rc && !a->given[1] && !a->given[2])
		return ottl_fail(ev, "append needs value or values");
	if (!rc && old.kind == OTTL_LIST)
		rc = append_all(ev, list, old.list);
	else if (!rc && old.kind != OTTL_NIL)
		rc = append_to(ev, list, &old);
	if (!rc && a->given[1] && a->v[1].kind != OTTL_NIL)
		rc = append_to(ev, list, &a->v[1]);
	if (!rc && a->given[2])
		rc = append_all(ev, list, a->v[2].list);
	old = (struct ottl_value){.kind = OTTL_LIST, .list = list};
	return rc ? rc : ottl_path_set(ev, a->node[0], &old);
}

static int run_delete_index(struct ottl_eval *ev, struct ottl_args *a, struct ottl_value *out)
{
	struct ottl_value old, list = {.kind = OTTL_LIST, .list = ottl_list_new(&ev->scratch)};
	int64_t from = a->v[1].i, to = a->given[2] ? a->v[2].i : a->v[1].i + 1;
	int rc = list.list ? ottl_path_get(ev, a->node[0], &old) : -ENOMEM;

	(void)out;
	if (!rc)
		rc = ottl_value_open(&ev->scratch, &old);
	if (rc)
		return rc;
	if (old.kind != OTTL_LIST)
		return ottl_fail(ev, "expected list but got %s", ottl_kind_names[old.kind]);
	if (from < 0 || to <= from || to > old.list->items.n)
		return ottl_fail(ev, "indexes %lld to %lld are not in the list of %u",
				 (long long)from, (long long)to, old.list->items.n);
	for (uint32_t i = 0; i < old.list->items.n && !rc; i++)
		if (i < from || i >= to)
			rc = append_to(ev, list.list, &old.list->items.at[i]);
	return rc ? rc : ottl_path_set(ev, a->node[0], &list);
}

const struct ottl_function ottl_editors[] = {
	{"set", run_set, {{"target", PARAM_TARGET}, {"value", PARAM_ANY}}},
	{"delete_key", run_delete_key, {{"target", PARAM_TARGET_MAP}, {"key", PARAM_STRING}}},
	{"delete_matching_keys",
	 run_delete_matching_keys,
	 {{"target", PARAM_TARGET_MAP}, {"pattern", PARAM_PATTERN}}},
	{"keep_keys", run_keep_keys, {{"target", PARAM_TARGET_MAP}, {"keys", PARAM_LIST}}},
	{"keep_matching_keys",
	 run_keep_matching_keys,
	 {{"target", PARAM_TARGET_MAP}, {"pattern", PARAM_PATTERN}}},
	{"limit",
	 run_limit,
	 {{"target", PARAM_TARGET_MAP},
	  {"limit", PARAM_INT},
	  {"priority_keys", PARAM_LIST, .optional = true}}},
	{"truncate_all",
	 run_truncate_all,
	 {{"target", PARAM_TARGET_MAP},
	  {"limit", PARAM_INT},
	  {"utf8_safe", PARAM_BOOL, .optional = true},
	  {"marker", PARAM_STRING, .optional = true}}},
	{"merge_maps",
	 run_merge_maps,
	 {{"target", PARAM_TARGET_MAP},
	  {"source", PARAM_MAP},
	  {"strategy", PARAM_CHOICE, .choices = "insert|update|upsert"}}},
	{"flatten",
	 run_flatten,
	 {{"target", PARAM_TARGET_MAP},
	  {"prefix", PARAM_STRING, .optional = true},
	  {"depth", PARAM_INT, .optional = true},
	  {"resolve_conflicts", PARAM_BOOL, .optional = true}}},
	{"append",
	 run_append,
	 {{"target", PARAM_TARGET},
	  {"value", PARAM_ANY, .optional = true},
	  {"values", PARAM_LIST, .optional = true}}},
	{"delete_index",
	 run_delete_index,
	 {{"target", PARAM_TARGET}, {"start", PARAM_INT}, {"end", PARAM_INT, .optional = true}}},
	{.name = NULL},
};
