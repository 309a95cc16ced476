/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VARVE_FORMAT_JFR_METADATA_H
#define VARVE_FORMAT_JFR_METADATA_H

#include "base/container/idset.h"
#include "base/container/vec.h"
#include "format/jfr/chunk.h"

/*
 * The type descriptions of a chunk: the metadata event, a string table and a tree of elements
 * (root > metadata > class > field > annotation). All events and constants are read by these
 * descriptions; no layout is assumed. A class lists all of its fields, including inherited ones, so
 * the super type is recorded but not followed.
 *
 * Everything lives in the arena given to jfr_metadata_read(), for one chunk.
 */
struct jfr_field {
	struct str name;
	uint64_t type; /* id of a class */
	bool constant; /* the field holds an id in the pool of its type instead of a value */
	bool array;
	struct str unit; /* of a timespan: "TICKS", "NANOSECONDS", ...; empty: none */
};

struct jfr_class {
	uint64_t id;
	struct str name, super;
	uint32_t first_field, field_count; /* of metadata->fields */
};

struct jfr_metadata {
	VEC(struct str) strings;
	VEC(struct jfr_class) classes;
	VEC(struct jfr_field) fields;
	struct idset by_id; /* of classes */
};

/* Read the metadata event at `at`. Return 0, -EBADMSG or -ENOMEM. */
MUST_USE int jfr_metadata_read(struct jfr_metadata *m, struct arena *arena,
			       const struct jfr_chunk *chunk, const uint8_t *at, struct err *e);

/* Return the class with that id or name, or NULL. */
const struct jfr_class *jfr_class_by_id(const struct jfr_metadata *m, uint64_t id);
const struct jfr_class *jfr_class_by_name(const struct jfr_metadata *m, struct str name);

#endif
