/* SPDX-License-Identifier: Apache-2.0 */
#include "signal/value.h"

#include "base/hash.h"
#include "base/vec.h"
#include "wire/proto.h"

/* Does the value live in `s`? The others are eight bytes in the union. */
static bool is_slice(enum value_kind kind)
{
	return kind == VALUE_STRING || kind >= VALUE_BYTES;
}

static uint64_t bits_of(const struct value *v)
{
	uint64_t bits = 0;

	if (v->kind != VALUE_EMPTY)
		memcpy(&bits, &v->i, sizeof(bits)); /* i and d share their place */
	return bits;
}

bool value_eq(const struct value *a, const struct value *b)
{
	if (a->kind != b->kind)
		return false;
	return is_slice(a->kind) ? str_eq(a->s, b->s) : bits_of(a) == bits_of(b);
}

uint64_t value_hash(const struct value *v)
{
	uint64_t bits = bits_of(v);

	if (is_slice(v->kind))
		return hash_bytes(v->s.p, v->s.n) + (uint64_t)v->kind;
	return hash_bytes(&bits, sizeof(bits)) + (uint64_t)v->kind;
}

int value_cmp(const struct value *a, const struct value *b)
{
	if (a->kind != b->kind)
		return a->kind < b->kind ? -1 : 1;
	if (is_slice(a->kind))
		return str_cmp(a->s, b->s);
	if (a->kind == VALUE_INT)
		return (a->i > b->i) - (a->i < b->i);
	return (bits_of(a) > bits_of(b)) - (bits_of(a) < bits_of(b));
}

enum { ANY_ARRAY = 5, ARRAY_VALUES = 1 }; /* opentelemetry.proto.common.v1: AnyValue, ArrayValue */

typedef VEC(struct str) element_list;

/* Append the encoded elements of the list that are not there yet. */
static int add_elements(struct arena *arena, const struct value *list, element_list *out)
{
	struct proto_reader any = proto_reader_of(list->s), array = {0};
	int rc = 0;

	while (proto_next(&any))
		if (any.tag == PROTO_TAG(ANY_ARRAY, PROTO_BYTES))
			array = proto_message(&any);
		else
			proto_skip(&any);
	while (!rc && proto_next(&array)) {
		struct str element;
		bool found = false;

		if (array.tag != PROTO_TAG(ARRAY_VALUES, PROTO_BYTES)) {
			proto_skip(&array);
			continue;
		}
		element = proto_bytes(&array);
		for (uint32_t i = 0; !found && i < out->n; i++)
			found = str_eq(out->at[i], element);
		if (!found)
			rc = vec_push(arena, out, element);
	}
	return rc;
}

int value_list_join(struct arena *arena, const struct value *a, const struct value *b,
		    struct value *out)
{
	struct proto_writer w;
	element_list elements = {0};
	int rc = add_elements(arena, a, &elements);

	if (!rc)
		rc = add_elements(arena, b, &elements);
	if (rc)
		return rc;
	proto_writer_init(&w, arena->budget);
	for (uint32_t i = elements.n; i-- > 0;)
		proto_put_entry(&w, ARRAY_VALUES, elements.at[i]);
	proto_put_header(&w, ANY_ARRAY, 0);
	rc = proto_writer_error(&w);
	*out = (struct value){.kind = VALUE_LIST};
	if (!rc)
		rc = arena_copy_str(arena, proto_writer_str(&w), &out->s);
	proto_writer_fini(&w);
	return rc;
}
