/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VARVE_PIPELINE_FILELOG_LOG_NODE_H
#define VARVE_PIPELINE_FILELOG_LOG_NODE_H

#include "config/config.h"
#include "signal/value.h"
#include "wire/json_value.h"
#include "wire/proto.h"

/*
 * A value of any type that operators change in place: the body, the attributes and the resource of
 * a log entry. Maps and lists are arrays in an arena. Texts and keys are borrowed: from the line,
 * the configuration or the arena.
 */
struct log_pair;

struct log_node {
	enum value_kind kind;
	uint32_t n, room; /* of maps and lists */
	union {
		int64_t i;
		double d;
		struct str s;
		struct log_pair *pairs; /* maps, in the order of insertion */
		struct log_node *items; /* lists */
	};
};

struct log_pair {
	struct str key;
	struct log_node value;
};

/* How deep maps and lists may be nested. */
enum { LOG_NODE_DEPTH_MAX = 64 };

#define LOG_NODE_STR(text) ((struct log_node){.kind = VALUE_STRING, .s = (text)})
#define LOG_NODE_INT(number) ((struct log_node){.kind = VALUE_INT, .i = (number)})
#define LOG_NODE_BOOL(yes) ((struct log_node){.kind = VALUE_BOOL, .i = (yes)})

/* Return the value of a key, or NULL; NULL if `map` is no map. */
struct log_node *log_node_get(const struct log_node *map, struct str key);

/*
 * Set or append a key; `map` becomes a map if it is none. The value is taken over without a copy.
 * Return 0 or -ENOMEM.
 */
MUST_USE int log_node_set(struct log_node *map, struct arena *arena, struct str key,
			  const struct log_node *value);

/* Set each key of the map `from`. Return 0 or -ENOMEM. */
MUST_USE int log_node_merge(struct log_node *map, struct arena *arena, const struct log_node *from);

/* Remove a key; *out, which may be NULL, is its value. Return whether it existed. */
bool log_node_remove(struct log_node *map, struct str key, struct log_node *out);

/* Append to a list. Return 0 or -ENOMEM. */
MUST_USE int log_node_append(struct log_node *list, struct arena *arena,
			     const struct log_node *value);

/* Copy with all that it refers to. Return 0 or -ENOMEM. */
MUST_USE int log_node_copy(struct log_node *out, struct arena *arena, const struct log_node *from);

/* Return whether both are equal; an integer equals a double of the same value. */
bool log_node_eq(const struct log_node *a, const struct log_node *b);

/* Write the AnyValue message, back to front. Texts that are not UTF-8 are written as bytes. */
void log_node_write(struct proto_writer *w, const struct log_node *node);

/*
 * Return the value in *out; maps and lists are encoded in the arena. `w` is scratch. Return 0 or
 * -ENOMEM.
 */
MUST_USE int log_node_value(struct value *out, const struct log_node *node, struct arena *arena,
			    struct proto_writer *w);

/*
 * Convert JSON. Numbers become doubles; with `ints`, those without fraction and exponent become
 * integers. Return 0, -ENOMEM, or -EINVAL if it is nested too deeply.
 */
MUST_USE int log_node_of_json(struct log_node *out, const struct json_value *v, bool ints,
			      struct arena *arena);

/* Convert YAML. Return 0, -ENOMEM, or -EINVAL if it is nested too deeply. */
MUST_USE int log_node_of_yaml(struct log_node *out, const struct config_node *n,
			      struct arena *arena);

/* Return "a string", "a map" ... for errors; "nothing" for NULL. */
const char *log_node_kind_name(const struct log_node *node);

#endif
