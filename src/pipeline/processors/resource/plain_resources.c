/* SPDX-License-Identifier: Apache-2.0 */
/* AnyValue and KeyValue messages with references become such with texts; others stay. */
#include "pipeline/processors/resource/plain_resources.h"

#include <errno.h>

#include "base/container/vec.h"
#include "pipeline/processors/message_edit.h"
#include "signal/otlp/attributes.h"

/* Field numbers of opentelemetry.proto.common.v1 and profiles.v1development. */
enum {
	REQUEST_DICTIONARY = 2,
	DICTIONARY_STRINGS = 5,
	ANY_STRING = 1,
	ANY_LIST = 5,
	ANY_MAP = 6,
	ANY_STRING_INDEX = 8,
	LIST_VALUES = 1, /* of ArrayValue and KeyValueList */
	PAIR_KEY = 1,
	PAIR_VALUE = 2,
	PAIR_KEY_INDEX = 3,
};

struct plain_strings {
	VEC(struct str) table;
	unsigned depth; /* of the value that is being edited */
};

static int read_plain_strings(struct plain_strings *s, struct str dictionary, struct arena *arena)
{
	struct proto_reader r = proto_reader_of(dictionary);
	int rc = 0;

	while (!rc && proto_next(&r)) {
		if (r.tag == PROTO_TAG(DICTIONARY_STRINGS, PROTO_BYTES))
			rc = vec_push(arena, &s->table, proto_bytes(&r));
		else
			proto_skip(&r);
	}
	return !rc && r.error ? -EBADMSG : rc;
}

/* Read the strings of all dictionaries among the fields of a request. */
static int read_dictionary(struct plain_strings *s, struct str fields, struct arena *arena)
{
	struct proto_reader r = proto_reader_of(fields);
	int rc = 0;

	while (!rc && proto_next(&r)) {
		if (r.tag == PROTO_TAG(REQUEST_DICTIONARY, PROTO_BYTES))
			rc = read_plain_strings(s, proto_bytes(&r), arena);
		else
			proto_skip(&r);
	}
	return !rc && r.error ? -EBADMSG : rc;
}

/* Return whether the message has a reference in field `field`, and its string. */
static bool find_reference(const struct plain_strings *s, struct str message, uint32_t field,
			   struct str *text)
{
	struct proto_reader r = proto_reader_of(message);
	bool found = false;

	while (proto_next(&r)) {
		uint64_t index;

		if (r.tag != PROTO_TAG(field, PROTO_VARINT)) {
			proto_skip(&r);
			continue;
		}
		index = proto_varint(&r);
		found = true;
		*text = index < s->table.n ? s->table.at[index] : (struct str){0};
	}
	return found;
}

/* Return in *out a message of a string field and `rest`. */
static int put_plain_text(struct arena *arena, uint32_t field, struct str text, struct str rest,
			  struct str *out)
{
	size_t room = 1 + 10 + text.n + rest.n;
	struct proto_writer w = {.p = arena_alloc(arena, room, 1), .cap = room, .start = room};

	if (!w.p)
		return -ENOMEM;
	proto_put_raw(&w, rest.p, rest.n);
	proto_put_entry(&w, field, text);
	*out = proto_writer_str(&w);
	return 0;
}

static message_editor plain_any, plain_pair;

static int plain_list(void *arg, struct arena *arena, struct str in, struct str *out)
{
	return message_edit(in, LIST_VALUES, plain_any, arg, arena, out);
}

static int plain_map(void *arg, struct arena *arena, struct str in, struct str *out)
{
	return message_edit(in, LIST_VALUES, plain_pair, arg, arena, out);
}

/* Edit an AnyValue. */
static int plain_any(void *arg, struct arena *arena, struct str in, struct str *out)
{
	struct plain_strings *s = arg;
	struct str text, listed;
	int rc;

	if (find_reference(s, in, ANY_STRING_INDEX, &text))
		return put_plain_text(arena, ANY_STRING, text, (struct str){0}, out);
	if (s->depth == OTLP_VALUE_DEPTH_MAX)
		return -EBADMSG;
	s->depth++;
	rc = message_edit(in, ANY_LIST, plain_list, s, arena, &listed);
	if (!rc)
		rc = message_edit(listed, ANY_MAP, plain_map, s, arena, out);
	s->depth--;
	return rc;
}

/* Edit a KeyValue. One with a reference gets the key instead, and keeps its value. */
static int plain_pair(void *arg, struct arena *arena, struct str in, struct str *out)
{
	const struct plain_strings *s = arg;
	struct str key, valued, value = {0};
	struct proto_reader r;
	int rc = message_edit(in, PAIR_VALUE, plain_any, arg, arena, &valued);

	*out = valued;
	if (rc || !find_reference(s, in, PAIR_KEY_INDEX, &key))
		return rc;
	r = proto_reader_of(valued);
	for (const uint8_t *from = r.at; proto_next(&r); from = r.at) {
		proto_skip(&r);
		if (r.tag == PROTO_TAG(PAIR_VALUE, PROTO_BYTES))
			value = str_of((const char *)from, (size_t)(r.at - from));
	}
	return put_plain_text(arena, PAIR_KEY, key, value, out);
}

int plain_resources(struct otlp_tree *tree, struct arena *arena)
{
	struct plain_strings s = {0};
	int rc;

	if (tree->signal != SIGNAL_PROFILES)
		return 0;
	rc = read_dictionary(&s, tree->unknown, arena);
	for (uint32_t i = 0; i < tree->resource_count && !rc; i++) {
		struct otlp_resource *r = &tree->resources[i];

		rc = message_edit(r->resource, OTLP_RESOURCE_ATTRIBUTES, plain_pair, &s, arena,
				  &r->resource);
	}
	return rc;
}
