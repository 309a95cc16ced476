/* SPDX-License-Identifier: Apache-2.0 */
#include "signal/value.h"

#include "base/hash.h"

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
