/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VARVE_PIPELINE_FILELOG_LOG_ENTRY_H
#define VARVE_PIPELINE_FILELOG_LOG_ENTRY_H

#include "pipeline/receivers/filelog/entry/log_node.h"

/*
 * What an entry was read from. An operator that keeps an entry after it returns, to combine it with
 * later ones, counts it in `held`, so that the origin stays.
 */
struct log_origin {
	uint64_t id;	    /* of the file, unique in the process */
	struct str path;    /* as found */
	uint32_t held;	    /* groups of operators that hold entries of it */
	uint64_t held_from; /* the least offset of those; see ops_held() */
};

/* A log record on its way through the operators. */
struct log_entry {
	uint64_t time, observed; /* nanoseconds since 1970; time 0: unknown */
	uint32_t severity;	 /* SeverityNumber */
	struct str severity_text;
	struct log_node body, attributes, resource; /* the latter two are maps */
	uint8_t trace_id[16], span_id[8];
	uint32_t flags;
	struct log_origin *origin; /* may be NULL */
	uint64_t offset;	   /* of its first byte in the file */
};

/* Copy with all that it refers to, except for the origin. Return 0 or -ENOMEM. */
MUST_USE int log_entry_copy(struct log_entry *out, struct arena *arena,
			    const struct log_entry *from);

enum entry_root { ENTRY_BODY, ENTRY_ATTRIBUTES, ENTRY_RESOURCE };

enum { ENTRY_FIELD_KEYS_MAX = 16 };

/* The path of a field: body, body.a.b, attributes["a.b"], resource.x. */
struct entry_field {
	bool set; /* false: not configured */
	enum entry_root root;
	uint32_t n;
	struct str keys[ENTRY_FIELD_KEYS_MAX];
	struct str text; /* as written */
};

/*
 * Parse a path. A name without body, attributes or resource before it is a key of the body. Return
 * 0, or -EINVAL with the place of the mistake in `e`. Keys are slices of `text`.
 */
MUST_USE int entry_field_parse(struct entry_field *out, struct str text, struct err *e);

/* Return the field's value, or NULL if it does not exist. */
struct log_node *entry_field_get(struct log_entry *entry, const struct entry_field *f);

/*
 * Set a field; maps on the path are created. A map is merged into what is there. Return 0, -ENOMEM,
 * or -EINVAL with text in `e`: attributes and resource themselves have to be maps.
 */
MUST_USE int entry_field_set(struct log_entry *entry, const struct entry_field *f,
			     const struct log_node *value, struct arena *arena, struct err *e);

/* Remove a field; *out, which may be NULL, is its value. Return whether it existed. */
bool entry_field_remove(struct log_entry *entry, const struct entry_field *f, struct log_node *out);

#endif
