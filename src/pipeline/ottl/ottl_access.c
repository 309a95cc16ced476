/* SPDX-License-Identifier: Apache-2.0 */
/* Finds the definition of a path at the current place of the walk, and reads or sets it. */
#include "pipeline/ottl/ottl_access.h"

#include <errno.h>

static const struct ottl_path_def *current_def(const struct ottl_eval *ev,
					       const struct ottl_node *n)
{
	bool by_kind = n->path.level == LEVEL_PART && ev->tree->signal == SIGNAL_METRICS;

	return n->path.def[by_kind ? ev->point_kind : 0];
}

static bool is_slot(const struct ottl_path_def *def)
{
	return !def->read && (def->type == FIELD_MAP || def->type == FIELD_ANY);
}

static int damaged(struct ottl_eval *ev, const struct ottl_node *n, int rc)
{
	if (rc == -EBADMSG)
		err_set(ev->e, rc, "%.*s is damaged", STR_ARG(n->name));
	return rc;
}

/* ---- slots ---- */

static int load_cache(struct ottl_eval *ev, struct ottl_slot **out)
{
	*out = &ev->cache;
	if (ev->cache.field)
		return 0;
	ev->cache = (struct ottl_slot){.field = 1, .value = {.kind = OTTL_MAP}};
	ev->cache.value.map = ottl_map_new(&ev->scratch);
	return ev->cache.value.map ? 0 : -ENOMEM;
}

static int load_slot(struct ottl_eval *ev, const struct ottl_node *n,
		     const struct ottl_path_def *def, struct ottl_slot **out)
{
	if (n->path.level == LEVEL_CACHE)
		return load_cache(ev, out);
	return damaged(ev, n,
		       ottl_record_load(&ev->at[n->path.level], ottl_level_arena(ev, n->path.level),
					def->field, def->type == FIELD_ANY, out));
}

/* ---- keys ---- */

static int eval_key(struct ottl_eval *ev, const struct ottl_node *key, struct ottl_value *out)
{
	if (key->kind == NODE_LITERAL) {
		*out = key->literal;
		return 0;
	}
	return ottl_eval_node(ev, key, out);
}

/* Return in *out the element of a list or map, or NULL if there is none. */
static int element_at(struct ottl_eval *ev, struct arena *arena, struct ottl_value *v,
		      const struct ottl_value *key, struct ottl_value **out)
{
	struct ottl_pair *pair;
	int rc = ottl_value_open(arena, v);

	*out = NULL;
	if (rc || v->kind == OTTL_NIL)
		return rc;
	if (v->kind == OTTL_MAP && key->kind == OTTL_STRING) {
		pair = ottl_map_get(v->map, key->s);
		*out = pair ? &pair->value : NULL;
		return 0;
	}
	if (v->kind != OTTL_LIST || key->kind != OTTL_INT)
		return ottl_fail(ev, "type %s does not support indexing by %s",
				 ottl_kind_names[v->kind], ottl_kind_names[key->kind]);
	if (key->i < 0 || key->i >= v->list->items.n)
		return ottl_fail(ev, "index %lld out of bounds of a list of %u", (long long)key->i,
				 v->list->items.n);
	*out = &v->list->items.at[key->i];
	return 0;
}

/* Follow the keys from `first` on. *at becomes NULL if there is no such value. */
static int follow(struct ottl_eval *ev, struct arena *arena, const struct ottl_node *n,
		  uint32_t first, struct ottl_value **at)
{
	int rc = 0;

	for (uint32_t i = first; i < n->keys.n && !rc && *at; i++) {
		struct ottl_value key;

		rc = eval_key(ev, n->keys.at[i], &key);
		if (!rc)
			rc = element_at(ev, arena, *at, &key, at);
	}
	return rc;
}

int ottl_follow_keys(struct ottl_eval *ev, const struct ottl_node *n, struct ottl_value *v)
{
	struct ottl_value start = *v, *at = &start;
	int rc = follow(ev, &ev->scratch, n, 0, &at);

	if (!rc)
		*v = at ? *at : (struct ottl_value){0};
	return rc;
}

/* ---- reading ---- */

/* Read one attribute without loading the others. */
static int find_attribute(struct ottl_eval *ev, const struct ottl_node *n,
			  const struct ottl_path_def *def, struct ottl_value *out)
{
	struct value found = {0};
	struct ottl_value key, *at = out;
	int rc = eval_key(ev, n->keys.at[0], &key);

	if (rc)
		return rc;
	if (key.kind != OTTL_STRING)
		return ottl_fail(ev, "the key of %.*s has to be a string", STR_ARG(n->name));
	otlp_attribute_find(ottl_record_field(&ev->at[n->path.level], def->field), def->field,
			    key.s, &found);
	*out = ottl_value_of(&found);
	if (n->keys.n == 1)
		return 0;
	rc = follow(ev, ottl_level_arena(ev, n->path.level), n, 1, &at);
	if (!rc)
		*out = at ? *at : (struct ottl_value){0};
	return rc;
}

static int get_slot(struct ottl_eval *ev, const struct ottl_node *n,
		    const struct ottl_path_def *def, struct ottl_value *out)
{
	struct ottl_slot *slot;
	struct ottl_value *at;
	int rc;

	if (n->keys.n && def->type == FIELD_MAP && n->path.level < LEVELS &&
	    !ottl_record_loaded(&ev->at[n->path.level], def->field))
		return find_attribute(ev, n, def, out);
	rc = load_slot(ev, n, def, &slot);
	if (rc)
		return rc;
	at = &slot->value;
	rc = follow(ev, ottl_level_arena(ev, n->path.level), n, 0, &at);
	*out = !rc && at ? *at : (struct ottl_value){0};
	return rc;
}

int ottl_path_get(struct ottl_eval *ev, const struct ottl_node *n, struct ottl_value *out)
{
	const struct ottl_path_def *def = current_def(ev, n);
	struct str message;
	uint32_t field;
	int rc;

	*out = (struct ottl_value){0};
	if (!def)
		return 0;
	if (def->read)
		return damaged(ev, n, def->read(ev, n, def, out));
	if (is_slot(def))
		return get_slot(ev, n, def, out);
	field = def->inner ? def->inner : def->field;
	message = ottl_record_field(&ev->at[n->path.level], def->field);
	if (def->inner)
		message = ottl_find_bytes(message, def->field);
	rc = damaged(ev, n, ottl_field_read(message, field, def->type, &ev->scratch, out));
	return rc || !n->keys.n ? rc : ottl_follow_keys(ev, n, out);
}

/* ---- setting ---- */

/* Return in *at the value at the keys, which is created if it is missing. */
static int make_way(struct ottl_eval *ev, const struct ottl_node *n, struct arena *arena,
		    struct ottl_value **at)
{
	int rc = 0;

	for (uint32_t i = 0; i < n->keys.n && !rc; i++) {
		struct ottl_value key, *element;

		if ((*at)->kind == OTTL_NIL) {
			**at = (struct ottl_value){.kind = OTTL_MAP, .map = ottl_map_new(arena)};
			if (!(*at)->map)
				return -ENOMEM;
		}
		rc = eval_key(ev, n->keys.at[i], &key);
		if (!rc)
			rc = element_at(ev, arena, *at, &key, &element);
		if (rc)
			return rc;
		if ((*at)->kind == OTTL_MAP) {
			struct ottl_value value = element ? *element : (struct ottl_value){0};

			rc = element ? 0 : arena_copy_str(arena, key.s, &key.s);
			if (!rc) /* sets its encoded form to empty, too */
				rc = ottl_map_set(arena, (*at)->map, key.s, value);
			if (!rc)
				element = &ottl_map_get((*at)->map, key.s)->value;
		}
		*at = element;
	}
	return rc;
}

static int set_slot(struct ottl_eval *ev, const struct ottl_node *n,
		    const struct ottl_path_def *def, struct ottl_value *v)
{
	struct arena *arena = ottl_level_arena(ev, n->path.level);
	struct ottl_value old, copy, *at;
	struct ottl_slot *slot;
	int rc = load_slot(ev, n, def, &slot);

	if (!rc)
		rc = get_slot(ev, n, def, &old);
	if (rc || (old.kind != OTTL_NIL && ottl_value_equal(arena, &old, v)))
		return rc;
	if (v->kind == OTTL_TIME || v->kind == OTTL_DURATION)
		return ottl_fail(ev,
				 "%.*s cannot hold a %s: use FormatTime(), UnixNano() or Seconds()",
				 STR_ARG(n->name), ottl_kind_names[v->kind]);
	if (!n->keys.n && !slot->any && v->kind != OTTL_MAP)
		return ottl_fail(ev, "%.*s expects map but got %s", STR_ARG(n->name),
				 ottl_kind_names[v->kind]);
	rc = ottl_value_copy(arena, v, arena == &ev->kept, &copy);
	if (rc == -E2BIG)
		return ottl_fail(ev, "the value of %.*s is nested deeper than %d levels",
				 STR_ARG(n->name), OTTL_DEPTH_MAX);
	at = &slot->value;
	if (!rc)
		rc = make_way(ev, n, arena, &at);
	if (rc)
		return rc;
	*at = copy;
	slot->changed = true;
	return 0;
}

/* Encode a value as a field, and put it into the message of the nested field, if it is in one. */
static int encode_field(struct ottl_eval *ev, const struct ottl_node *n,
			const struct ottl_path_def *def, struct ottl_value *v, struct str *bytes)
{
	struct arena *arena = ottl_level_arena(ev, n->path.level);
	struct ottl_change change = {.field = def->inner ? def->inner : def->field};
	const char *expected = "";
	struct str inner;
	int rc;

	proto_writer_clear(&ev->writer);
	rc = ottl_field_write(&ev->writer, change.field, def->type, def->explicit, v, arena,
			      &expected);
	if (rc == -EINVAL)
		return ottl_fail(ev, "%.*s expects %s but got %s", STR_ARG(n->name), expected,
				 ottl_kind_names[v->kind]);
	if (!rc)
		rc = ottl_take_written(&ev->writer, arena, bytes);
	if (rc || !def->inner)
		return rc;
	change.bytes = *bytes;
	inner = ottl_find_bytes(ottl_record_field(&ev->at[n->path.level], def->field), def->field);
	rc = ottl_message_replace(inner, &change, 1, arena, &inner);
	if (rc)
		return damaged(ev, n, rc);
	proto_put_entry(&ev->writer, def->field, inner);
	return ottl_take_written(&ev->writer, arena, bytes);
}

static int set_field(struct ottl_eval *ev, const struct ottl_node *n,
		     const struct ottl_path_def *def, struct ottl_value *v)
{
	struct ottl_value old;
	struct str bytes;
	int rc = n->keys.n ? ottl_fail(ev, "%.*s cannot be set by an index", STR_ARG(n->name))
			   : ottl_path_get(ev, n, &old);

	if (rc || (!def->explicit && ottl_value_equal(&ev->scratch, &old, v)))
		return rc;
	rc = encode_field(ev, n, def, v, &bytes);
	return rc ? rc
		  : ottl_record_put(&ev->at[n->path.level], ottl_level_arena(ev, n->path.level),
				    def->field, bytes);
}

int ottl_path_set(struct ottl_eval *ev, const struct ottl_node *n, struct ottl_value *v)
{
	const struct ottl_path_def *def = current_def(ev, n);
	int rc = ottl_value_open(&ev->scratch, v);

	if (rc || !def)
		return rc;
	if (def->read && !def->write)
		return ottl_fail(ev, "%.*s is read-only", STR_ARG(n->name));
	if (def->write)
		return def->write(ev, n, def, v);
	return is_slot(def) ? set_slot(ev, n, def, v) : set_field(ev, n, def, v);
}

/* ---- references ---- */

/*
 * The pairs on the way lose their encoded form: if the value is changed, they are written anew.
 */
int ottl_path_ref(struct ottl_eval *ev, const struct ottl_node *n, struct ottl_ref *out)
{
	const struct ottl_path_def *def = current_def(ev, n);
	int rc;

	*out = (struct ottl_ref){.arena = ottl_level_arena(ev, n->path.level)};
	if (!def)
		return 0;
	if (!is_slot(def))
		return ottl_fail(ev, "%.*s is neither a map nor a list", STR_ARG(n->name));
	rc = load_slot(ev, n, def, &out->slot);
	if (rc)
		return rc;
	out->value = &out->slot->value;
	for (uint32_t i = 0; i < n->keys.n && !rc && out->value; i++) {
		struct ottl_value key, *container = out->value;

		rc = eval_key(ev, n->keys.at[i], &key);
		if (!rc)
			rc = element_at(ev, out->arena, container, &key, &out->value);
		if (!rc && out->value && container->kind == OTTL_MAP)
			ottl_map_get(container->map, key.s)->raw = (struct str){0};
	}
	if (!rc && out->value)
		rc = damaged(ev, n, ottl_value_open(out->arena, out->value));
	return rc;
}

void ottl_ref_changed(struct ottl_ref *ref)
{
	ref->slot->changed = true;
}

int ottl_text_of(struct ottl_eval *ev, const struct ottl_value *v, struct str *out)
{
	struct buf text = {.budget = ev->scratch.budget};
	int rc;

	if (v->kind == OTTL_STRING) {
		*out = v->s;
		return 0;
	}
	rc = ottl_value_text(&text, v);
	if (!rc)
		rc = buf_error(&text);
	if (!rc)
		rc = arena_copy_str(&ev->scratch, buf_str(&text), out);
	buf_fini(&text);
	return rc;
}
