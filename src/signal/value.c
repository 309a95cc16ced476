/* SPDX-License-Identifier: Apache-2.0 */
/* Comparison and hashing of attribute values, and joining of encoded lists. */
#include "signal/value.h"

#include "base/container/hash.h"
#include "base/container/idset.h"
#include "base/container/vec.h"
#include "wire/proto.h"

/* Return whether the value is the slice `s`; the other kinds are eight bytes of the union. */
static bool is_slice(enum value_kind kind)
{
	return kind == VALUE_STRING || kind >= VALUE_BYTES;
}

static uint64_t bits_of(const struct value *v)
{
	uint64_t bits = 0;

	if (v->kind != VALUE_EMPTY)
		memcpy(&bits, &v->i, sizeof(bits)); /* i and d overlap */
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

/* A set of encoded elements. */
struct elements {
	VEC(struct str) rows;
	struct idset index;
};

static int add_element(struct arena *arena, struct str element, struct elements *out)
{
	uint32_t hash = hash32(element), id;
	struct idset_cursor c = idset_seek(&out->index, hash);
	int rc;

	while (idset_next(&out->index, &c, &id))
		if (str_eq(out->rows.at[id], element))
			return 0;
	rc = idset_add(&out->index, hash, out->rows.n);
	return rc ? rc : vec_push(arena, &out->rows, element);
}

static int add_elements(struct arena *arena, const struct value *list, struct elements *out)
{
	struct proto_reader any = proto_reader_of(list->s), array = {0};
	int rc = 0;

	while (proto_next(&any))
		if (any.tag == PROTO_TAG(ANY_ARRAY, PROTO_BYTES))
			array = proto_message(&any);
		else
			proto_skip(&any);
	while (!rc && proto_next(&array))
		if (array.tag == PROTO_TAG(ARRAY_VALUES, PROTO_BYTES))
			rc = add_element(arena, proto_bytes(&array), out);
		else
			proto_skip(&array);
	return rc;
}

int value_list_join(struct arena *arena, const struct value *a, const struct value *b,
		    struct value *out)
{
	struct proto_writer w;
	struct elements elements = {0};
	int rc = idset_init(&elements.index, arena, 0);

	if (!rc)
		rc = add_elements(arena, a, &elements);
	if (!rc)
		rc = add_elements(arena, b, &elements);
	if (rc)
		return rc;
	proto_writer_init(&w, arena->budget);
	for (uint32_t i = elements.rows.n; i-- > 0;)
		proto_put_entry(&w, ARRAY_VALUES, elements.rows.at[i]);
	proto_put_header(&w, ANY_ARRAY, 0);
	rc = proto_writer_error(&w);
	*out = (struct value){.kind = VALUE_LIST};
	if (!rc)
		rc = arena_copy_str(arena, proto_writer_str(&w), &out->s);
	proto_writer_fini(&w);
	return rc;
}
