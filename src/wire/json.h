/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VARVE_WIRE_JSON_H
#define VARVE_WIRE_JSON_H

#include "base/container/vec.h"
#include "base/err.h"

/*
 * JSON in: RFC 8259, strict (a UTF-8 BOM in front is tolerated), parsed into a tape of 16-byte nodes
 * in document order. A container is followed by its children; its span leads to what stands behind
 * it. In an object a key (a string) stands before each value.
 *
 *	struct json doc;
 *	json_init(&doc, arena);
 *	rc = json_parse(&doc, in, e);
 *	const struct json_value *frames = json_get(json_root(&doc), STR("frames"));
 *	json_each(frame, frames)
 *		name = json_str(json_get(frame, STR("name")));
 *	json_each_member(key, object)
 *		use(json_str(key), json_member(key));
 *
 * Values borrow from the input and from the arena (only strings with escapes are copied), and are
 * valid until the next parse into the same doc. Numbers stay text until asked for, so that 64-bit
 * integers are exact. Every accessor takes NULL, "there is no such value".
 */
enum json_kind {
	JSON_MISSING, /* of NULL only */
	JSON_NULL,
	JSON_FALSE,
	JSON_TRUE,
	JSON_NUMBER,
	JSON_STRING,
	JSON_ARRAY,
	JSON_OBJECT,
};

struct json_value {
	const char *p; /* string (decoded) or number: its text; else where it begins in the input */
	uint32_t n;    /* string, number: bytes; array: items; object: members */
	uint32_t
		tag; /* kind, and above JSON_KIND_BITS how many nodes the value takes with its children */
};

struct json {
	struct arena *arena; /* borrowed */
	struct str in;	     /* borrowed */
	VEC(struct json_value) nodes;
};

enum {
	JSON_KIND_BITS = 3,
	JSON_DEPTH_MAX = 512,
	JSON_NODES_MAX = 1 << 29,
};

void json_init(struct json *doc, struct arena *arena);

/*
 * Parse the one value that `in` is. 0, or -EBADMSG "at byte N (line L, column C): expected X, found
 * Y", -ENOMEM, -EFBIG for 4 GiB and more. Reuses the nodes of the parse before.
 */
MUST_USE int json_parse(struct json *doc, struct str in, struct err *e);

/*
 * As json_parse(), for values in a row (JSON lines): parse the one that begins at *at, and move *at
 * behind it. 1, 0 when only white space was left, or an error.
 */
MUST_USE int json_parse_next(struct json *doc, struct str in, size_t *at, struct err *e);

/* The value that was parsed. */
static inline const struct json_value *json_root(const struct json *doc)
{
	return doc->nodes.n ? doc->nodes.at : NULL;
}

static inline enum json_kind json_kind(const struct json_value *v)
{
	return v ? (enum json_kind)(v->tag & ((1u << JSON_KIND_BITS) - 1)) : JSON_MISSING;
}

/* "a number", "nothing": for errors. */
const char *json_kind_name(enum json_kind kind);

/* The bytes of a string; empty for all else. */
static inline struct str json_str(const struct json_value *v)
{
	return json_kind(v) == JSON_STRING ? str_of(v->p, v->n) : (struct str){0};
}

/* Items of an array, members of an object; 0 for all else. */
static inline uint32_t json_count(const struct json_value *v)
{
	return json_kind(v) >= JSON_ARRAY ? v->n : 0;
}

/*
 * Numbers, or strings that hold one, as OTLP's JSON has them. Integers also as 1e3 or 2.0 if that is
 * one exactly. 0, -EINVAL for another kind or no number, -ERANGE when it does not fit; *out is then untouched.
 */
MUST_USE int json_i64(const struct json_value *v, int64_t *out);
MUST_USE int json_u64(const struct json_value *v, uint64_t *out);

/* Also the strings "NaN", "Infinity" and "-Infinity". A number too large for a double is infinite. */
MUST_USE int json_double(const struct json_value *v, double *out);

/* true and false; 0 or -EINVAL. */
MUST_USE int json_bool(const struct json_value *v, bool *out);

/* The value of this key in an object, else NULL. Of several the last one, as everyone else does it. */
const struct json_value *json_get(const struct json_value *object, struct str key);

/* The i-th item of an array, else NULL. Walks: to visit all, use json_each(). */
const struct json_value *json_item(const struct json_value *array, uint32_t i);

/* What stands behind `v` and its children. */
static inline const struct json_value *json_behind(const struct json_value *v)
{
	return v + (v->tag >> JSON_KIND_BITS);
}

static inline const struct json_value *json_first(const struct json_value *v, enum json_kind kind)
{
	return json_kind(v) == kind ? v + 1 : NULL;
}

static inline const struct json_value *json_end(const struct json_value *v, enum json_kind kind)
{
	return json_kind(v) == kind ? json_behind(v) : NULL;
}

/* The value of a key met in json_each_member(). */
static inline const struct json_value *json_member(const struct json_value *key)
{
	return key + 1;
}

/* For each item of an array; anything else has none. */
#define json_each(item, array)                                                                     \
	for (const struct json_value *item = json_first((array), JSON_ARRAY),                      \
				     *item##_end = json_end((array), JSON_ARRAY);                  \
	     item != item##_end; item = json_behind(item))

/* For each key of an object, duplicates too; anything else has none. */
#define json_each_member(key, object)                                                              \
	for (const struct json_value *key = json_first((object), JSON_OBJECT),                     \
				     *key##_end = json_end((object), JSON_OBJECT);                 \
	     key != key##_end; key = json_behind(json_member(key)))

/* Where the value stands in the input (with NULL: at its end). */
size_t json_offset(const struct json *doc, const struct json_value *v);

/* "at byte N (line L, column C): expected X, found a number"; returns -EBADMSG. */
int json_fail(const struct json *doc, const struct json_value *v, struct err *e,
	      const char *expected);

#endif
