/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VARVE_PIPELINE_OTTL_VALUE_H
#define VARVE_PIPELINE_OTTL_VALUE_H

#include "base/container/vec.h"
#include "signal/otlp/attributes.h"
#include "wire/proto.h"

/*
 * The values of OTTL. Lists and maps of a message stay encoded until something looks into them
 * (ottl_value_open()), one level at a time. A pair of a map keeps its encoded form while it is not
 * changed, so that writing a map copies what is unchanged.
 *
 * A list or map has one owner: ottl_value_copy() before it is put into another one.
 */
enum ottl_kind {
	OTTL_NIL,
	OTTL_STRING,
	OTTL_BOOL, /* in i: 0 or 1 */
	OTTL_INT,
	OTTL_DOUBLE,
	OTTL_BYTES,
	OTTL_LIST,
	OTTL_MAP,
	OTTL_TIME,     /* in i: nanoseconds since 1970 */
	OTTL_DURATION, /* in i: nanoseconds */
	OTTL_ENCODED,  /* in s: an AnyValue message with a list or map */
	OTTL_KINDS,
};

struct ottl_value {
	enum ottl_kind kind;
	union {
		int64_t i;
		double d;
		struct str s;
		struct ottl_list *list;
		struct ottl_map *map;
	};
};

struct ottl_pair {
	struct str key;
	struct ottl_value value;
	struct str raw; /* the KeyValue message; empty if the pair was changed */
};

struct ottl_list {
	VEC(struct ottl_value) items;
};

struct ottl_map {
	VEC(struct ottl_pair) pairs;
};

/* Lists and maps that are nested deeper cannot be built. */
enum { OTTL_DEPTH_MAX = OTLP_VALUE_DEPTH_MAX };

/* "nil", "string", "bool", "int64" ... for errors. */
extern const char *const ottl_kind_names[OTTL_KINDS];

#define OTTL_VALUE_INT(number) ((struct ottl_value){.kind = OTTL_INT, .i = (number)})
#define OTTL_VALUE_BOOL(yes) ((struct ottl_value){.kind = OTTL_BOOL, .i = (yes)})
#define OTTL_VALUE_DOUBLE(number) ((struct ottl_value){.kind = OTTL_DOUBLE, .d = (number)})
#define OTTL_VALUE_STRING(text) ((struct ottl_value){.kind = OTTL_STRING, .s = (text)})

/* Round towards zero, to the nearest number of 64 bits; NaN becomes 0. */
int64_t ottl_int_of_double(double d);

/* Return the value of an attribute; lists and maps stay encoded. */
struct ottl_value ottl_value_of(const struct value *v);

/* Decode one level of an encoded list or map. Return 0, -ENOMEM or -EBADMSG. */
MUST_USE int ottl_value_open(struct arena *arena, struct ottl_value *v);

/*
 * Copy lists and maps deeply; with `bytes` also strings, keys and bytes. Return 0, -ENOMEM,
 * -EBADMSG, or -E2BIG if the value is nested too deep.
 */
MUST_USE int ottl_value_copy(struct arena *arena, const struct ottl_value *v, bool bytes,
			     struct ottl_value *out);

/* Write the AnyValue message without tag and length, back to front. Times are not written. */
void ottl_value_write(struct proto_writer *w, const struct ottl_value *v);

/* Return whether both have the same kind and content. */
MUST_USE bool ottl_value_equal(struct arena *arena, struct ottl_value *a, struct ottl_value *b);

/*
 * Append text as the collector does: numbers in decimal, bytes in hex, lists and maps as JSON.
 * Return 0, -ENOMEM or -EBADMSG.
 */
MUST_USE int ottl_value_text(struct buf *out, const struct ottl_value *v);

/* Read all fields `field` of a message, which are KeyValue. Return 0, -ENOMEM or -EBADMSG. */
MUST_USE int ottl_map_read(struct arena *arena, struct str message, uint32_t field,
			   struct ottl_map *out);

/* Write the pairs as fields `field`, back to front. */
void ottl_map_write(struct proto_writer *w, uint32_t field, const struct ottl_map *map);

/* Return a new empty map or list, or NULL. */
struct ottl_map *ottl_map_new(struct arena *arena);
struct ottl_list *ottl_list_new(struct arena *arena);

/* Return the first pair of that key, or NULL. */
struct ottl_pair *ottl_map_get(const struct ottl_map *map, struct str key);

/* Set or append. The key and value are borrowed. Return 0 or -ENOMEM. */
MUST_USE int ottl_map_set(struct arena *arena, struct ottl_map *map, struct str key,
			  struct ottl_value value);

/* Remove all pairs of that key. Return whether there was one. */
bool ottl_map_remove(struct ottl_map *map, struct str key);

/* Append to a list. Return 0 or -ENOMEM. */
MUST_USE int ottl_list_add(struct arena *arena, struct ottl_list *list, struct ottl_value value);

#endif
