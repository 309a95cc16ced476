/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VARVE_SIGNAL_VALUE_H
#define VARVE_SIGNAL_VALUE_H

#include "base/arena.h"

/*
 * One OTLP AnyValue. Strings and bytes are slices whose memory the owner of the batch keeps alive.
 * Lists and maps are rare and only passed through, so they stay encoded as the AnyValue message
 * (protobuf), with all string references resolved.
 */
enum value_kind {
	VALUE_EMPTY,
	VALUE_STRING,
	VALUE_BOOL, /* in i: 0 or 1 */
	VALUE_INT,
	VALUE_DOUBLE,
	VALUE_BYTES,
	VALUE_LIST, /* in s: the encoded AnyValue with an array_value */
	VALUE_MAP,  /* in s: the encoded AnyValue with a kvlist_value */
};

struct value {
	enum value_kind kind;
	union {
		int64_t i;
		double d;
		struct str s;
	};
};

#define VALUE_OF_STR(text) ((struct value){.kind = VALUE_STRING, .s = (text)})
#define VALUE_OF_INT(number) ((struct value){.kind = VALUE_INT, .i = (number)})
#define VALUE_OF_BOOL(yes) ((struct value){.kind = VALUE_BOOL, .i = (yes)})

/* Return whether both have the same kind and the same bits; a NaN equals itself. */
bool value_eq(const struct value *a, const struct value *b);
uint64_t value_hash(const struct value *v);

/*
 * Return the elements of list `a`, then those of list `b` that are not in it, encoded in `arena`.
 * 0 or -ENOMEM.
 */
MUST_USE int value_list_join(struct arena *arena, const struct value *a, const struct value *b,
			     struct value *out);

/* Compare two values in a total order, for deterministic output. */
int value_cmp(const struct value *a, const struct value *b);

#endif
