/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VARVE_PIPELINE_OTTL_RECORD_H
#define VARVE_PIPELINE_OTTL_RECORD_H

#include "pipeline/ottl/ottl_value.h"

/*
 * A message (Resource, Span, Metric, a data point ...) with changes that are not written into it
 * yet. Fields are found in its bytes when they are needed. A changed field is kept in its encoded
 * form; attributes and bodies are kept decoded in a slot while statements work on them.
 */
struct ottl_change {
	uint32_t field;
	struct str bytes; /* all occurrences of the field, with tags; empty: removed */
};

/* A field that is decoded: attributes (repeated KeyValue), or a body (AnyValue). */
struct ottl_slot {
	uint32_t field; /* 0: the slot is not used */
	bool any;
	bool changed;
	struct ottl_value value; /* of attributes: always a map */
};

enum { OTTL_SLOTS = 2 };

struct ottl_record {
	struct str message;
	VEC(struct ottl_change) changes;
	struct ottl_slot slots[OTTL_SLOTS];
};

/* Return the bytes in which to look for a field: the message, or those of its change. */
struct str ottl_record_field(const struct ottl_record *r, uint32_t field);

/* Change a field. Return 0 or -ENOMEM. */
MUST_USE int ottl_record_put(struct ottl_record *r, struct arena *arena, uint32_t field,
			     struct str bytes);

/* Return the slot of a field if it is loaded, or NULL. */
struct ottl_slot *ottl_record_loaded(struct ottl_record *r, uint32_t field);

/* Load a slot. Return 0, -ENOMEM or -EBADMSG. */
MUST_USE int ottl_record_load(struct ottl_record *r, struct arena *arena, uint32_t field, bool any,
			      struct ottl_slot **out);

bool ottl_record_changed(const struct ottl_record *r);

/*
 * Return in *out, allocated in `arena`, the message with all changes. `w` is for scratch. Return 0,
 * -ENOMEM or -EBADMSG.
 */
MUST_USE int ottl_record_write(struct ottl_record *r, struct proto_writer *w, struct arena *arena,
			       struct str *out);

/*
 * Return in *out the message with some fields replaced; a field that it did not have is appended.
 * Return 0, -ENOMEM or -EBADMSG.
 */
MUST_USE int ottl_message_replace(struct str message, const struct ottl_change *changes,
				  uint32_t count, struct arena *arena, struct str *out);

/* Copy what was written to the arena and make the writer empty. Return 0 or -ENOMEM. */
MUST_USE int ottl_take_written(struct proto_writer *w, struct arena *arena, struct str *out);

#endif
