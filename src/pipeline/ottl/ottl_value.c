/* SPDX-License-Identifier: Apache-2.0 */
/* Values, lists and maps: reading from AnyValue messages and writing them. */
#include "pipeline/ottl/ottl_value.h"

#include <errno.h>
#include <math.h>

#include "wire/text.h"

/* Field numbers of opentelemetry.proto.common.v1. */
enum { ANY_LIST = 5, ANY_MAP = 6, ELEMENTS = 1, PAIR_KEY = 1, PAIR_VALUE = 2 };

const char *const ottl_kind_names[OTTL_KINDS] = {
	[OTTL_NIL] = "nil",
	[OTTL_STRING] = "string",
	[OTTL_BOOL] = "bool",
	[OTTL_INT] = "int64",
	[OTTL_DOUBLE] = "double",
	[OTTL_BYTES] = "bytes",
	[OTTL_LIST] = "list",
	[OTTL_MAP] = "map",
	[OTTL_TIME] = "time",
	[OTTL_DURATION] = "duration",
	[OTTL_ENCODED] = "list or map",
};

int64_t ottl_int_of_double(double d)
{
	if (isnan(d))
		return 0;
	return d >= 0x1p63 ? INT64_MAX : d < -0x1p63 ? INT64_MIN : (int64_t)d;
}

/* ---- reading ---- */

struct ottl_value ottl_value_of(const struct value *v)
{
	switch (v->kind) {
	case VALUE_STRING:
		return (struct ottl_value){.kind = OTTL_STRING, .s = v->s};
	case VALUE_BOOL:
		return (struct ottl_value){.kind = OTTL_BOOL, .i = v->i};
	case VALUE_INT:
		return (struct ottl_value){.kind = OTTL_INT, .i = v->i};
	case VALUE_DOUBLE:
		return (struct ottl_value){.kind = OTTL_DOUBLE, .d = v->d};
	case VALUE_BYTES:
		return (struct ottl_value){.kind = OTTL_BYTES, .s = v->s};
	case VALUE_LIST:
	case VALUE_MAP:
		return (struct ottl_value){.kind = OTTL_ENCODED, .s = v->s};
	case VALUE_EMPTY:
		break;
	}
	return (struct ottl_value){0};
}

/* Read a KeyValue message. Return false if it is damaged. */
static bool read_ottl_pair(struct str message, struct ottl_pair *out)
{
	struct proto_reader r = proto_reader_of(message);
	struct value v = {0};
	bool good = true;

	*out = (struct ottl_pair){.raw = message};
	while (proto_next(&r)) {
		if (r.tag == PROTO_TAG(PAIR_KEY, PROTO_BYTES))
			out->key = proto_bytes(&r);
		else if (r.tag == PROTO_TAG(PAIR_VALUE, PROTO_BYTES))
			good &= otlp_value_read(proto_bytes(&r), &v);
		else
			proto_skip(&r);
	}
	out->value = ottl_value_of(&v);
	return good && !r.error;
}

int ottl_map_read(struct arena *arena, struct str message, uint32_t field, struct ottl_map *out)
{
	struct proto_reader r = proto_reader_of(message);
	struct ottl_pair pair;

	*out = (struct ottl_map){0};
	while (proto_next(&r)) {
		if (r.tag != PROTO_TAG(field, PROTO_BYTES)) {
			proto_skip(&r);
			continue;
		}
		if (!read_ottl_pair(proto_bytes(&r), &pair))
			return -EBADMSG;
		if (vec_push(arena, &out->pairs, pair))
			return -ENOMEM;
	}
	return r.error ? -EBADMSG : 0;
}

static int read_ottl_list(struct arena *arena, struct str message, struct ottl_list *out)
{
	struct proto_reader r = proto_reader_of(message);
	struct value v;

	while (proto_next(&r)) {
		if (r.tag != PROTO_TAG(ELEMENTS, PROTO_BYTES)) {
			proto_skip(&r);
			continue;
		}
		if (!otlp_value_read(proto_bytes(&r), &v))
			return -EBADMSG;
		if (vec_push(arena, &out->items, ottl_value_of(&v)))
			return -ENOMEM;
	}
	return r.error ? -EBADMSG : 0;
}

int ottl_value_open(struct arena *arena, struct ottl_value *v)
{
	struct proto_reader r = proto_reader_of(v->s);
	struct str list = {0}, map = {0};
	struct ottl_value opened;

	if (likely(v->kind != OTTL_ENCODED))
		return 0;
	while (proto_next(&r)) {
		if (r.tag == PROTO_TAG(ANY_LIST, PROTO_BYTES))
			list = proto_bytes(&r);
		else if (r.tag == PROTO_TAG(ANY_MAP, PROTO_BYTES))
			map = proto_bytes(&r);
		else
			proto_skip(&r);
	}
	if (list.p) {
		opened = (struct ottl_value){.kind = OTTL_LIST, .list = ottl_list_new(arena)};
		*v = opened;
		return opened.list ? read_ottl_list(arena, list, opened.list) : -ENOMEM;
	}
	opened = (struct ottl_value){.kind = OTTL_MAP, .map = ottl_map_new(arena)};
	*v = opened;
	return opened.map ? ottl_map_read(arena, map, ELEMENTS, opened.map) : -ENOMEM;
}

/* ---- maps and lists ---- */

struct ottl_map *ottl_map_new(struct arena *arena)
{
	return arena_zalloc(arena, 1, sizeof(struct ottl_map));
}

struct ottl_list *ottl_list_new(struct arena *arena)
{
	return arena_zalloc(arena, 1, sizeof(struct ottl_list));
}

struct ottl_pair *ottl_map_get(const struct ottl_map *map, struct str key)
{
	for (uint32_t i = 0; i < map->pairs.n; i++)
		if (str_eq(map->pairs.at[i].key, key))
			return &map->pairs.at[i];
	return NULL;
}

int ottl_map_set(struct arena *arena, struct ottl_map *map, struct str key, struct ottl_value value)
{
	struct ottl_pair *found = ottl_map_get(map, key);

	if (found) {
		found->value = value;
		found->raw = (struct str){0};
		return 0;
	}
	return vec_push(arena, &map->pairs, (struct ottl_pair){.key = key, .value = value})
		       ? -ENOMEM
		       : 0;
}

bool ottl_map_remove(struct ottl_map *map, struct str key)
{
	uint32_t kept = 0, before = map->pairs.n;

	for (uint32_t i = 0; i < before; i++)
		if (!str_eq(map->pairs.at[i].key, key))
			map->pairs.at[kept++] = map->pairs.at[i];
	map->pairs.n = kept;
	return kept != before;
}

int ottl_list_add(struct arena *arena, struct ottl_list *list, struct ottl_value value)
{
	return vec_push(arena, &list->items, value) ? -ENOMEM : 0;
}

/* ---- copies ---- */

struct value_copier {
	struct arena *arena;
	bool bytes;
	unsigned depth;
};

static int copy_ottl_value(struct value_copier *c, const struct ottl_value *v,
			   struct ottl_value *out);

/* NOLINTNEXTLINE(misc-no-recursion): the depth is limited */
static int copy_ottl_list(struct value_copier *c, const struct ottl_list *in,
			  struct ottl_value *out)
{
	struct ottl_list *list = ottl_list_new(c->arena);
	int rc = list ? 0 : -ENOMEM;

	if (rc || vec_reserve(c->arena, &list->items, in->items.n))
		return -ENOMEM;
	for (uint32_t i = 0; i < in->items.n && !rc; i++)
		rc = copy_ottl_value(c, &in->items.at[i], &list->items.at[list->items.n++]);
	*out = (struct ottl_value){.kind = OTTL_LIST, .list = list};
	return rc;
}

/* NOLINTNEXTLINE(misc-no-recursion): the depth is limited */
static int copy_ottl_map(struct value_copier *c, const struct ottl_map *in, struct ottl_value *out)
{
	struct ottl_map *map = ottl_map_new(c->arena);
	int rc = map ? 0 : -ENOMEM;

	if (rc || vec_reserve(c->arena, &map->pairs, in->pairs.n))
		return -ENOMEM;
	for (uint32_t i = 0; i < in->pairs.n && !rc; i++) {
		const struct ottl_pair *from = &in->pairs.at[i];
		struct ottl_pair *to = &map->pairs.at[map->pairs.n++];

		*to = (struct ottl_pair){.key = from->key};
		if (c->bytes)
			rc = arena_copy_str(c->arena, from->key, &to->key);
		if (!rc)
			rc = copy_ottl_value(c, &from->value, &to->value);
	}
	*out = (struct ottl_value){.kind = OTTL_MAP, .map = map};
	return rc;
}

/* NOLINTNEXTLINE(misc-no-recursion): the depth is limited */
static int copy_ottl_value(struct value_copier *c, const struct ottl_value *v,
			   struct ottl_value *out)
{
	int rc;

	*out = *v;
	switch (v->kind) {
	case OTTL_STRING:
	case OTTL_BYTES:
	case OTTL_ENCODED:
		return c->bytes ? arena_copy_str(c->arena, v->s, &out->s) : 0;
	case OTTL_LIST:
	case OTTL_MAP:
		if (c->depth++ >= OTTL_DEPTH_MAX)
			return -E2BIG;
		rc = v->kind == OTTL_LIST ? copy_ottl_list(c, v->list, out)
					  : copy_ottl_map(c, v->map, out);
		c->depth--;
		return rc;
	default:
		return 0;
	}
}

int ottl_value_copy(struct arena *arena, const struct ottl_value *v, bool bytes,
		    struct ottl_value *out)
{
	struct value_copier c = {.arena = arena, .bytes = bytes};

	return copy_ottl_value(&c, v, out);
}

/* ---- writing ---- */

/* NOLINTNEXTLINE(misc-no-recursion): values that are nested too deep cannot be built */
static void write_ottl_list(struct proto_writer *w, const struct ottl_list *list)
{
	size_t end = proto_mark(w);

	for (uint32_t i = list->items.n; i-- > 0;) {
		size_t element = proto_mark(w);

		ottl_value_write(w, &list->items.at[i]);
		proto_put_header(w, ELEMENTS, element);
	}
	proto_put_header(w, ANY_LIST, end);
}

/* NOLINTNEXTLINE(misc-no-recursion): values that are nested too deep cannot be built */
void ottl_map_write(struct proto_writer *w, uint32_t field, const struct ottl_map *map)
{
	for (uint32_t i = map->pairs.n; i-- > 0;) {
		const struct ottl_pair *pair = &map->pairs.at[i];
		size_t end = proto_mark(w), value;

		if (pair->raw.n) {
			proto_put_entry(w, field, pair->raw);
			continue;
		}
		value = proto_mark(w);
		ottl_value_write(w, &pair->value);
		proto_put_header(w, PAIR_VALUE, value);
		proto_put_bytes(w, PAIR_KEY, pair->key);
		proto_put_header(w, field, end);
	}
}

static struct value plain_value(const struct ottl_value *v)
{
	switch (v->kind) {
	case OTTL_STRING:
		return (struct value){.kind = VALUE_STRING, .s = v->s};
	case OTTL_BOOL:
		return (struct value){.kind = VALUE_BOOL, .i = v->i};
	case OTTL_INT:
		return (struct value){.kind = VALUE_INT, .i = v->i};
	case OTTL_DOUBLE:
		return (struct value){.kind = VALUE_DOUBLE, .d = v->d};
	case OTTL_BYTES:
		return (struct value){.kind = VALUE_BYTES, .s = v->s};
	case OTTL_ENCODED:
		return (struct value){.kind = VALUE_LIST, .s = v->s};
	default:
		return (struct value){0};
	}
}

/* NOLINTNEXTLINE(misc-no-recursion): values that are nested too deep cannot be built */
void ottl_value_write(struct proto_writer *w, const struct ottl_value *v)
{
	struct value plain;
	size_t end;

	switch (v->kind) {
	case OTTL_LIST:
		write_ottl_list(w, v->list);
		break;
	case OTTL_MAP:
		end = proto_mark(w);
		ottl_map_write(w, ELEMENTS, v->map);
		proto_put_header(w, ANY_MAP, end);
		break;
	default:
		plain = plain_value(v);
		otlp_value_write(w, &plain);
	}
}

/* ---- equality ---- */

/* NOLINTNEXTLINE(misc-no-recursion): the depth of values is limited */
static bool lists_equal(struct arena *arena, const struct ottl_list *a, const struct ottl_list *b)
{
	if (a->items.n != b->items.n)
		return false;
	for (uint32_t i = 0; i < a->items.n; i++)
		if (!ottl_value_equal(arena, &a->items.at[i], &b->items.at[i]))
			return false;
	return true;
}

/* NOLINTNEXTLINE(misc-no-recursion): the depth of values is limited */
static bool maps_equal(struct arena *arena, const struct ottl_map *a, const struct ottl_map *b)
{
	if (a->pairs.n != b->pairs.n)
		return false;
	for (uint32_t i = 0; i < a->pairs.n; i++) {
		struct ottl_pair *other = ottl_map_get(b, a->pairs.at[i].key);

		if (!other || !ottl_value_equal(arena, &a->pairs.at[i].value, &other->value))
			return false;
	}
	return true;
}

/* NOLINTNEXTLINE(misc-no-recursion): the depth of values is limited */
bool ottl_value_equal(struct arena *arena, struct ottl_value *a, struct ottl_value *b)
{
	if (a->kind == OTTL_ENCODED && b->kind == OTTL_ENCODED && str_eq(a->s, b->s))
		return true;
	if (ottl_value_open(arena, a) || ottl_value_open(arena, b) || a->kind != b->kind)
		return false;
	switch (a->kind) {
	case OTTL_NIL:
		return true;
	case OTTL_STRING:
	case OTTL_BYTES:
		return str_eq(a->s, b->s);
	case OTTL_DOUBLE:
		return a->d == b->d;
	case OTTL_LIST:
		return lists_equal(arena, a->list, b->list);
	case OTTL_MAP:
		return maps_equal(arena, a->map, b->map);
	default:
		return a->i == b->i;
	}
}

/* ---- text ---- */

/* Append a list or map, which is encoded for that, as JSON. */
static int nested_text(struct buf *out, const struct ottl_value *v)
{
	struct proto_writer w;
	struct value value = {0};
	int rc;

	proto_writer_init(&w, out->budget);
	ottl_value_write(&w, v);
	rc = proto_writer_error(&w);
	if (!rc && !otlp_value_read(proto_writer_str(&w), &value))
		rc = -EBADMSG;
	if (!rc)
		rc = otlp_value_text(out, &value);
	proto_writer_fini(&w);
	return rc;
}

int ottl_value_text(struct buf *out, const struct ottl_value *v)
{
	struct value plain;

	switch (v->kind) {
	case OTTL_LIST:
	case OTTL_MAP:
	case OTTL_ENCODED:
		return nested_text(out, v);
	case OTTL_BYTES:
		hex_encode(out, v->s);
		return 0;
	case OTTL_TIME:
	case OTTL_DURATION:
		buf_put_i64(out, v->i);
		return 0;
	default:
		plain = plain_value(v);
		return otlp_value_text(out, &plain);
	}
}
