/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VARVE_WIRE_JSON_VALUE_H
#define VARVE_WIRE_JSON_VALUE_H

#include "base/str.h"

/*
 * Access to the values of a parsed JSON document (json.h): a tape of 16-byte nodes in document
 * order. A container is followed by its children, and its tag gives the distance to the node after
 * them. In an object a key (a string) precedes each value.
 *
 *	const struct json_value *frames = json_get(json_root(&doc), STR("frames"));
 *	json_each(frame, frames)
 *		name = json_str(json_get(frame, STR("name")));
 *	json_each_member(key, object)
 *		use(json_str(key), json_member(key));
 *
 * Numbers stay text until they are converted, so 64-bit integers are exact. Every function accepts
 * NULL, which means that there is no such value.
 */
enum json_kind {
	JSON_MISSING, /* only of NULL */
	JSON_NULL,
	JSON_FALSE,
	JSON_TRUE,
	JSON_NUMBER,
	JSON_STRING,
	JSON_ARRAY,
	JSON_OBJECT,
};

struct json_value {
	/*
	 * Text of a string (decoded) or number; for other kinds the begin of the value in the
	 * input.
	 */
	const char *p;
	/* Bytes of a string or number, items of an array, members of an object. */
	uint32_t n;
	/*
	 * The kind, and above JSON_KIND_BITS the number of nodes of the value including children.
	 */
	uint32_t tag;
};

enum { JSON_KIND_BITS = 3 };

static inline enum json_kind json_kind(const struct json_value *v)
{
	return v ? (enum json_kind)(v->tag & ((1u << JSON_KIND_BITS) - 1)) : JSON_MISSING;
}

/* Return the bytes of a string; empty for other kinds. */
static inline struct str json_str(const struct json_value *v)
{
	return json_kind(v) == JSON_STRING ? str_of(v->p, v->n) : (struct str){0};
}

/* Return the number of items of an array or members of an object; 0 for other kinds. */
static inline uint32_t json_count(const struct json_value *v)
{
	return json_kind(v) >= JSON_ARRAY ? v->n : 0;
}

/*
 * Convert a number, or a string that contains one, as in OTLP's JSON. 1e3 and 2.0 are integers,
 * too. Return 0, -EINVAL for other values, or -ERANGE if the number does not fit; *out is unchanged
 * on error.
 */
MUST_USE int json_i64(const struct json_value *v, int64_t *out);
MUST_USE int json_u64(const struct json_value *v, uint64_t *out);

/*
 * Convert a number as above, or one of the strings "NaN", "Infinity" and "-Infinity". Numbers that
 * are too large become infinite.
 */
MUST_USE int json_double(const struct json_value *v, double *out);

/* Convert true or false. Return 0, or -EINVAL for other kinds. */
MUST_USE int json_bool(const struct json_value *v, bool *out);

/* Return the value of this key in an object, or NULL. Of duplicate keys the last one counts. */
const struct json_value *json_get(const struct json_value *object, struct str key);

/* Return the i-th item of an array, or NULL. O(i): to visit all items, use json_each(). */
const struct json_value *json_item(const struct json_value *array, uint32_t i);

/* Return the node after `v` and its children. */
static inline const struct json_value *json_after(const struct json_value *v)
{
	return v + (v->tag >> JSON_KIND_BITS);
}

static inline const struct json_value *json_first(const struct json_value *v, enum json_kind kind)
{
	return json_kind(v) == kind ? v + 1 : NULL;
}

static inline const struct json_value *json_end(const struct json_value *v, enum json_kind kind)
{
	return json_kind(v) == kind ? json_after(v) : NULL;
}

/* Return the value of a key of json_each_member(). */
static inline const struct json_value *json_member(const struct json_value *key)
{
	return key + 1;
}

/* For each item of an array; other kinds have none. */
#define json_each(item, array)                                                                     \
	for (const struct json_value *item = json_first((array), JSON_ARRAY),                      \
				     *item##_end = json_end((array), JSON_ARRAY);                  \
	     item != item##_end; item = json_after(item))

/* For each key of an object, including duplicates; other kinds have none. */
#define json_each_member(key, object)                                                              \
	for (const struct json_value *key = json_first((object), JSON_OBJECT),                     \
				     *key##_end = json_end((object), JSON_OBJECT);                 \
	     key != key##_end; key = json_after(json_member(key)))

#endif
