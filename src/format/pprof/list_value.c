/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Encoding and decoding of OTLP arrays. They are written back to front. Members of a oneof are
 * written even if zero: an AnyValue without a field is "empty", not 0 or "".
 */
#include "format/pprof/list_value.h"

#include <errno.h>

static void put_any(struct proto_writer *w, const struct value *v)
{
	if (v->kind == VALUE_STRING) {
		proto_put_entry(w, ANY_STRING, v->s);
	} else if (v->kind == VALUE_INT) {
		proto_put_varint(w, (uint64_t)v->i);
		proto_put_varint(w, PROTO_TAG(ANY_INT, PROTO_VARINT));
	}
}

static void put_pair(struct proto_writer *w, struct str key, const struct value *v)
{
	size_t pair = proto_mark(w);

	put_any(w, v);
	proto_put_header(w, KEYVALUE_VALUE, pair);
	proto_put_entry(w, KEYVALUE_KEY, key);
	proto_put_header(w, KVLIST_VALUES, pair);
}

static void put_item(struct proto_writer *w, const struct list_item *item)
{
	size_t element = proto_mark(w);

	if (item->unit.n) {
		put_pair(w, STR("unit"), &VALUE_OF_STR(item->unit));
		put_pair(w, STR("value"), &item->value);
		proto_put_header(w, ANY_KVLIST, element);
	} else {
		put_any(w, &item->value);
	}
	proto_put_header(w, ARRAY_VALUES, element);
}

int list_value_encode(struct arena *arena, const struct list_item *items, size_t n,
		      struct value *out)
{
	struct proto_writer w;
	struct str copy;
	int rc;

	proto_writer_init(&w, arena->budget);
	for (size_t i = n; i-- > 0;)
		put_item(&w, &items[i]);
	proto_put_header(&w, ANY_ARRAY, 0);
	rc = proto_writer_error(&w);
	if (!rc)
		rc = arena_copy_str(arena, proto_writer_str(&w), &copy);
	if (!rc)
		*out = (struct value){.kind = VALUE_LIST, .s = copy};
	proto_writer_fini(&w);
	return rc;
}

struct value any_value_decode(struct str message)
{
	struct proto_reader r = proto_reader_of(message);
	struct value v = {.kind = VALUE_EMPTY};

	while (proto_next(&r))
		switch (r.tag) {
		case PROTO_TAG(ANY_STRING, PROTO_BYTES):
			v = VALUE_OF_STR(proto_bytes(&r));
			break;
		case PROTO_TAG(ANY_BOOL, PROTO_VARINT):
			v = VALUE_OF_BOOL(proto_varint(&r) != 0);
			break;
		case PROTO_TAG(ANY_INT, PROTO_VARINT):
			v = VALUE_OF_INT((int64_t)proto_varint(&r));
			break;
		case PROTO_TAG(ANY_DOUBLE, PROTO_FIXED64):
			v = (struct value){.kind = VALUE_DOUBLE, .d = proto_double(&r)};
			break;
		case PROTO_TAG(ANY_BYTES, PROTO_BYTES):
			v = (struct value){.kind = VALUE_BYTES, .s = proto_bytes(&r)};
			break;
		case PROTO_TAG(ANY_ARRAY, PROTO_BYTES):
			v = (struct value){.kind = VALUE_LIST, .s = message};
			proto_skip(&r);
			break;
		case PROTO_TAG(ANY_KVLIST, PROTO_BYTES):
			v = (struct value){.kind = VALUE_MAP, .s = message};
			proto_skip(&r);
			break;
		default:
			proto_skip(&r);
		}
	return v;
}

struct proto_reader list_value_reader(const struct value *list)
{
	struct proto_reader r = proto_reader_of(list->s);

	while (proto_next(&r)) {
		if (r.tag == PROTO_TAG(ANY_ARRAY, PROTO_BYTES))
			return proto_message(&r);
		proto_skip(&r);
	}
	return proto_reader_of((struct str){0});
}

void key_value_decode(struct str message, struct str *key, struct value *value)
{
	struct proto_reader r = proto_reader_of(message);

	while (proto_next(&r))
		if (r.tag == PROTO_TAG(KEYVALUE_KEY, PROTO_BYTES))
			*key = proto_bytes(&r);
		else if (r.tag == PROTO_TAG(KEYVALUE_VALUE, PROTO_BYTES))
			*value = any_value_decode(proto_bytes(&r));
		else
			proto_skip(&r);
}

/* Decode {"value": v, "unit": u}; return false if the map has another form. */
static bool read_item_with_unit(struct str message, struct list_item *item)
{
	struct proto_reader any = proto_reader_of(message);
	unsigned pairs = 0, known = 0;

	if (!proto_next(&any) || any.tag != PROTO_TAG(ANY_KVLIST, PROTO_BYTES))
		return false;

	struct proto_reader r = proto_message(&any);

	while (proto_next(&r)) {
		struct str key = {0};
		struct value value = {0};

		if (r.tag != PROTO_TAG(KVLIST_VALUES, PROTO_BYTES)) {
			proto_skip(&r);
			continue;
		}
		key_value_decode(proto_bytes(&r), &key, &value);
		pairs++;
		if (str_eq(key, STR("value"))) {
			item->value = value;
			known |= 1;
		} else if (str_eq(key, STR("unit")) && value.kind == VALUE_STRING) {
			item->unit = value.s;
			known |= 2;
		}
	}
	return pairs == 2 && known == 3;
}

bool list_value_next(struct proto_reader *r, struct list_item *item)
{
	while (proto_next(r)) {
		if (r->tag != PROTO_TAG(ARRAY_VALUES, PROTO_BYTES)) {
			proto_skip(r);
			continue;
		}

		struct str message = proto_bytes(r);

		*item = (struct list_item){.value = any_value_decode(message)};
		if (r->error)
			return false;
		if (item->value.kind == VALUE_MAP && !read_item_with_unit(message, item))
			*item = (struct list_item){.value = {.kind = VALUE_MAP, .s = message}};
		return true;
	}
	return false;
}
