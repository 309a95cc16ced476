/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VARVE_FORMAT_JFR_METADATA_H
#define VARVE_FORMAT_JFR_METADATA_H

#include "base/container/idset.h"
#include "base/container/vec.h"
#include "format/jfr/chunk.h"

/*
 * What a chunk says of its own types: the metadata event, a string table and a tree of elements
 * (root > metadata > class > field > annotation). Every event and constant is read by these
 * descriptions; no layout is assumed. A class lists all of its fields, inherited ones too, so the
 * super type is known but not followed.
 *
 * Lives in the arena given to jfr_metadata_read(), for one chunk.
 */
struct jfr_field {
	struct str name;
	uint64_t type; /* id of a class */
	bool constant; /* an id in the pool of its type instead of the value */
	bool array;
	struct str unit;    /* of a timespan: "TICKS", "NANOSECONDS", ...; empty: none */
	uint64_t unit_type; /* id of the annotation that says so */
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

/* Read the event at `at`. 0, -EBADMSG or -ENOMEM. */
MUST_USE int jfr_metadata_read(struct jfr_metadata *m, struct arena *arena,
			       const struct jfr_chunk *chunk, const uint8_t *at, struct err *e);

/* NULL when there is none. */
const struct jfr_class *jfr_class_by_id(const struct jfr_metadata *m, uint64_t id);
const struct jfr_class *jfr_class_by_name(const struct jfr_metadata *m, struct str name);

#endif
