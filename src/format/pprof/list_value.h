/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VARVE_FORMAT_PPROF_LIST_VALUE_H
#define VARVE_FORMAT_PPROF_LIST_VALUE_H

#include "signal/profile/profile.h"
#include "wire/proto.h"

/*
 * Attributes with several values. A pprof label key can have many values, text and numbers, and
 * each number has its own unit; OTLP has one attribute per key, with one unit. Therefore:
 *
 * - several values become an array, in their order;
 * - a unit that all values share is the attribute's unit;
 * - if units differ, an element with a unit is the map {"value": ..., "unit": "..."}.
 *
 * Private to format/pprof.
 */
struct list_item {
	struct value value; /* empty, string or int */
	struct str unit;    /* only if this element has its own unit */
};

/* Set *out to the array of these items, its bytes in `arena`. Return 0 or -ENOMEM. */
MUST_USE int list_value_encode(struct arena *arena, const struct list_item *items, size_t n,
			       struct value *out);

/*
 * Iterate over a list, with `r` from list_value_reader(). Return false at its end or if malformed.
 */
struct proto_reader list_value_reader(const struct value *list);
bool list_value_next(struct proto_reader *r, struct list_item *item);

/* Decode an AnyValue. Arrays and maps stay encoded. */
struct value any_value_decode(struct str message);

/* Decode a KeyValue with an inline key. */
void key_value_decode(struct str message, struct str *key, struct value *value);

enum any_value_field {
	ANY_STRING = 1,
	ANY_BOOL = 2,
	ANY_INT = 3,
	ANY_DOUBLE = 4,
	ANY_ARRAY = 5,
	ANY_KVLIST = 6,
	ANY_BYTES = 7,
};

enum { ARRAY_VALUES = 1, KVLIST_VALUES = 1, KEYVALUE_KEY = 1, KEYVALUE_VALUE = 2 };

#endif
