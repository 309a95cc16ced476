/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Values of log entries. Maps are searched linearly: entries have a few keys, and comparing lengths
 * first makes that cheaper than a table.
 */
#include "pipeline/receivers/filelog/entry/log_node.h"

#include <errno.h>

#include "config/values.h"

enum { NODE_ROOM_FIRST = 8 };

/* ---- maps and lists ---- */

struct log_node *log_node_get(const struct log_node *map, struct str key)
{
	if (map->kind != VALUE_MAP)
		return NULL;
	for (uint32_t i = 0; i < map->n; i++)
		if (str_eq(map->pairs[i].key, key))
			return &map->pairs[i].value;
	return NULL;
}

/* Make room for one more element of `size` bytes in *at. */
static int grow_node(struct log_node *node, struct arena *arena, void **at, size_t size)
{
	uint32_t room = node->room ? node->room * 2 : NODE_ROOM_FIRST;
	void *grown;

	if (node->n < node->room)
		return 0;
	if (room > INT32_MAX)
		return -ENOMEM;
	grown = arena_resize(arena, *at, node->room, room, size);
	if (!grown)
		return -ENOMEM;
	*at = grown;
	node->room = room;
	return 0;
}

static int append_pair(struct log_node *map, struct arena *arena, struct str key,
		       const struct log_node *value)
{
	void *at = map->pairs;
	int rc = grow_node(map, arena, &at, sizeof(*map->pairs));

	if (rc)
		return rc;
	map->pairs = at;
	map->pairs[map->n++] = (struct log_pair){key, *value};
	return 0;
}

int log_node_set(struct log_node *map, struct arena *arena, struct str key,
		 const struct log_node *value)
{
	struct log_node *found;

	if (map->kind != VALUE_MAP)
		*map = (struct log_node){.kind = VALUE_MAP};
	found = log_node_get(map, key);
	if (!found)
		return append_pair(map, arena, key, value);
	*found = *value;
	return 0;
}

int log_node_merge(struct log_node *map, struct arena *arena, const struct log_node *from)
{
	int rc = 0;

	if (map->kind != VALUE_MAP)
		*map = (struct log_node){.kind = VALUE_MAP};
	for (uint32_t i = 0; i < from->n && !rc; i++)
		rc = log_node_set(map, arena, from->pairs[i].key, &from->pairs[i].value);
	return rc;
}

bool log_node_remove(struct log_node *map, struct str key, struct log_node *out)
{
	struct log_node *found = log_node_get(map, key);
	struct log_pair *pair;

	if (!found)
		return false;
	pair = (void *)((char *)found - offsetof(struct log_pair, value));
	if (out)
		*out = *found;
	map->n--;
	memmove(pair, pair + 1, (size_t)(map->pairs + map->n - pair) * sizeof(*pair));
	return true;
}

int log_node_append(struct log_node *list, struct arena *arena, const struct log_node *value)
{
	void *at = list->items;
	int rc = grow_node(list, arena, &at, sizeof(*list->items));

	if (rc)
		return rc;
	list->items = at;
	list->items[list->n++] = *value;
	return 0;
}

static int copy_pairs(struct log_node *out, struct arena *arena, const struct log_node *from)
{
	int rc = 0;

	out->pairs = arena_alloc(arena, from->n + 1, sizeof(*out->pairs));
	if (!out->pairs)
		return -ENOMEM;
	for (; out->n < from->n && !rc; out->n++) {
		rc = arena_copy_str(arena, from->pairs[out->n].key, &out->pairs[out->n].key);
		if (!rc)
			rc = log_node_copy(&out->pairs[out->n].value, arena,
					   &from->pairs[out->n].value);
	}
	return rc;
}

static int copy_items(struct log_node *out, struct arena *arena, const struct log_node *from)
{
	int rc = 0;

	out->items = arena_alloc(arena, from->n + 1, sizeof(*out->items));
	if (!out->items)
		return -ENOMEM;
	for (; out->n < from->n && !rc; out->n++)
		rc = log_node_copy(&out->items[out->n], arena, &from->items[out->n]);
	return rc;
}

int log_node_copy(struct log_node *out, struct arena *arena, const struct log_node *from)
{
	switch (from->kind) {
	case VALUE_STRING:
	case VALUE_BYTES:
		out->kind = from->kind;
		return arena_copy_str(arena, from->s, &out->s);
	case VALUE_MAP:
		*out = (struct log_node){.kind = VALUE_MAP, .room = from->n + 1};
		return copy_pairs(out, arena, from);
	case VALUE_LIST:
		*out = (struct log_node){.kind = VALUE_LIST, .room = from->n + 1};
		return copy_items(out, arena, from);
	default:
		*out = *from;
		return 0;
	}
}

/* ---- comparison ---- */

static bool maps_eq(const struct log_node *a, const struct log_node *b)
{
	bool equal = a->n == b->n;

	for (uint32_t i = 0; i < a->n && equal; i++) {
		const struct log_node *other = log_node_get(b, a->pairs[i].key);

		equal = other && log_node_eq(&a->pairs[i].value, other);
	}
	return equal;
}

static bool lists_eq(const struct log_node *a, const struct log_node *b)
{
	bool equal = a->n == b->n;

	for (uint32_t i = 0; i < a->n && equal; i++)
		equal = log_node_eq(&a->items[i], &b->items[i]);
	return equal;
}

bool log_node_eq(const struct log_node *a, const struct log_node *b)
{
	if (a->kind != b->kind) {
		if (a->kind == VALUE_INT && b->kind == VALUE_DOUBLE)
			return (double)a->i == b->d;
		return a->kind == VALUE_DOUBLE && b->kind == VALUE_INT && a->d == (double)b->i;
	}
	switch (a->kind) {
	case VALUE_EMPTY:
		return true;
	case VALUE_STRING:
	case VALUE_BYTES:
		return str_eq(a->s, b->s);
	case VALUE_DOUBLE:
		return a->d == b->d;
	case VALUE_MAP:
		return maps_eq(a, b);
	case VALUE_LIST:
		return lists_eq(a, b);
	default:
		return a->i == b->i;
	}
}

/* ---- encoding ---- */

/* Field numbers of AnyValue, ArrayValue, KeyValueList and KeyValue. */
enum {
	NODE_ANY_STRING = 1,
	NODE_ANY_BOOL = 2,
	NODE_ANY_INT = 3,
	NODE_ANY_DOUBLE = 4,
	NODE_ANY_LIST = 5,
	NODE_ANY_MAP = 6,
	NODE_ANY_BYTES = 7,
	NODE_LIST_VALUES = 1,
	NODE_PAIR_KEY = 1,
	NODE_PAIR_VALUE = 2,
};

static void write_node_list(struct proto_writer *w, const struct log_node *node)
{
	size_t end = proto_mark(w);

	for (uint32_t i = node->n; i-- > 0;) {
		size_t mark = proto_mark(w);

		log_node_write(w, &node->items[i]);
		proto_put_header(w, NODE_LIST_VALUES, mark);
	}
	proto_put_header(w, NODE_ANY_LIST, end);
}

static void write_node_map(struct proto_writer *w, const struct log_node *node)
{
	size_t end = proto_mark(w);

	for (uint32_t i = node->n; i-- > 0;) {
		size_t pair = proto_mark(w);

		log_node_write(w, &node->pairs[i].value);
		proto_put_header(w, NODE_PAIR_VALUE, pair);
		proto_put_bytes(w, NODE_PAIR_KEY, node->pairs[i].key);
		proto_put_header(w, NODE_LIST_VALUES, pair);
	}
	proto_put_header(w, NODE_ANY_MAP, end);
}

void log_node_write(struct proto_writer *w, const struct log_node *node)
{
	switch (node->kind) {
	case VALUE_EMPTY:
		break;
	case VALUE_STRING:
		proto_put_entry(
			w, str_utf8_valid(node->s) == node->s.n ? NODE_ANY_STRING : NODE_ANY_BYTES,
			node->s);
		break;
	case VALUE_BYTES:
		proto_put_entry(w, NODE_ANY_BYTES, node->s);
		break;
	case VALUE_BOOL:
		proto_put_varint(w, node->i != 0);
		proto_put_varint(w, PROTO_TAG(NODE_ANY_BOOL, PROTO_VARINT));
		break;
	case VALUE_INT:
		proto_put_varint(w, (uint64_t)node->i);
		proto_put_varint(w, PROTO_TAG(NODE_ANY_INT, PROTO_VARINT));
		break;
	case VALUE_DOUBLE:
		proto_put_raw(w, &node->d, sizeof(node->d));
		proto_put_varint(w, PROTO_TAG(NODE_ANY_DOUBLE, PROTO_FIXED64));
		break;
	case VALUE_LIST:
		write_node_list(w, node);
		break;
	case VALUE_MAP:
		write_node_map(w, node);
		break;
	}
}

int log_node_value(struct value *out, const struct log_node *node, struct arena *arena,
		   struct proto_writer *w)
{
	int rc = 0;

	*out = (struct value){.kind = node->kind};
	switch (node->kind) {
	case VALUE_STRING:
		out->s = node->s;
		if (str_utf8_valid(node->s) != node->s.n)
			out->kind = VALUE_BYTES;
		break;
	case VALUE_BYTES:
		out->s = node->s;
		break;
	case VALUE_DOUBLE:
		out->d = node->d;
		break;
	case VALUE_MAP:
	case VALUE_LIST:
		proto_writer_clear(w);
		log_node_write(w, node);
		rc = proto_writer_error(w);
		if (!rc)
			rc = arena_copy_str(arena, proto_writer_str(w), &out->s);
		break;
	default:
		out->i = node->i;
	}
	return rc;
}

/* ---- conversion ---- */

static void json_number_node(struct log_node *out, const struct json_value *v, bool ints)
{
	struct str text = str_of(v->p, v->n);

	if (ints && !str_to_i64(text, &out->i)) {
		out->kind = VALUE_INT;
		return;
	}
	out->kind = VALUE_DOUBLE;
	if (json_double(v, &out->d))
		out->d = 0;
}

static int json_node(struct log_node *out, const struct json_value *v, bool ints,
		     struct arena *arena, unsigned depth)
{
	struct log_node child;
	int rc = 0;

	*out = (struct log_node){0};
	if (depth > LOG_NODE_DEPTH_MAX)
		return -EINVAL;
	switch (json_kind(v)) {
	case JSON_TRUE:
	case JSON_FALSE:
		*out = LOG_NODE_BOOL(json_kind(v) == JSON_TRUE);
		break;
	case JSON_NUMBER:
		json_number_node(out, v, ints);
		break;
	case JSON_STRING:
		*out = LOG_NODE_STR(json_str(v));
		break;
	case JSON_ARRAY:
		out->kind = VALUE_LIST;
		json_each(item, v)
		{
			rc = json_node(&child, item, ints, arena, depth + 1);
			rc = rc ? rc : log_node_append(out, arena, &child);
			if (rc)
				break;
		}
		break;
	case JSON_OBJECT:
		out->kind = VALUE_MAP;
		json_each_member(key, v)
		{
			rc = json_node(&child, json_member(key), ints, arena, depth + 1);
			rc = rc ? rc : log_node_set(out, arena, json_str(key), &child);
			if (rc)
				break;
		}
		break;
	default:
		break;
	}
	return rc;
}

int log_node_of_json(struct log_node *out, const struct json_value *v, bool ints,
		     struct arena *arena)
{
	return json_node(out, v, ints, arena, 0);
}

static void yaml_scalar_node(struct log_node *out, const struct config_node *n)
{
	bool yes;

	*out = LOG_NODE_STR(n->text);
	if (n->quoted || !n->text.n)
		return;
	if (!setting_parse_bool(n->text, &yes)) {
		*out = LOG_NODE_BOOL(yes);
		return;
	}
	if (!strchr("0123456789+-.", n->text.p[0]))
		return;
	if (!str_to_i64(n->text, &out->i)) {
		out->kind = VALUE_INT;
		return;
	}
	out->kind = VALUE_DOUBLE;
	if (str_to_double(n->text, &out->d))
		*out = LOG_NODE_STR(n->text);
}

static int yaml_node(struct log_node *out, const struct config_node *n, struct arena *arena,
		     unsigned depth)
{
	struct log_node child;
	int rc = 0;

	*out = (struct log_node){0};
	if (depth > LOG_NODE_DEPTH_MAX)
		return -EINVAL;
	if (n->kind == CONFIG_SCALAR)
		yaml_scalar_node(out, n);
	if (n->kind != CONFIG_LIST && n->kind != CONFIG_MAP)
		return 0;
	out->kind = n->kind == CONFIG_LIST ? VALUE_LIST : VALUE_MAP;
	for (const struct config_node *c = n->first; c && !rc; c = c->next) {
		rc = yaml_node(&child, c, arena, depth + 1);
		if (!rc)
			rc = n->kind == CONFIG_LIST ? log_node_append(out, arena, &child)
						    : log_node_set(out, arena, c->key, &child);
	}
	return rc;
}

int log_node_of_yaml(struct log_node *out, const struct config_node *n, struct arena *arena)
{
	return yaml_node(out, n, arena, 0);
}

const char *log_node_kind_name(const struct log_node *node)
{
	static const char *const names[] = {
		[VALUE_EMPTY] = "nil",	    [VALUE_STRING] = "a string", [VALUE_BOOL] = "a bool",
		[VALUE_INT] = "an integer", [VALUE_DOUBLE] = "a number", [VALUE_BYTES] = "bytes",
		[VALUE_LIST] = "a list",    [VALUE_MAP] = "a map",
	};

	return node ? names[node->kind] : "nothing";
}
