/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VARVE_PIPELINE_PROCESSORS_ACTIONS_ATTRIBUTE_ACTIONS_H
#define VARVE_PIPELINE_PROCESSORS_ACTIONS_ATTRIBUTE_ACTIONS_H

#include "config/settings.h"
#include "pipeline/processors/scratch.h"
#include "signal/value.h"

/*
 * The actions of the processors attributes and resource: a list of changes of attributes, applied
 * in order.
 */
enum attribute_action_kind {
	ACTION_INSERT, /* sets an attribute that is missing */
	ACTION_UPDATE, /* sets an attribute that exists */
	ACTION_UPSERT, /* sets an attribute */
	ACTION_DELETE,
	ACTION_HASH,	/* replaces the value by its SHA-256 in hexadecimal */
	ACTION_EXTRACT, /* sets an attribute for each group of a pattern that matches a value */
	ACTION_CONVERT, /* changes the type of the value */
	ACTION_KINDS,
};

enum attribute_type { TYPE_INT, TYPE_DOUBLE, TYPE_STRING, ATTRIBUTE_TYPES };

struct attribute_action {
	enum attribute_action_kind kind;
	struct str key;	    /* empty: only the pattern applies */
	struct str pattern; /* of keys (delete, hash), or of values (extract); may be empty */
	struct value value; /* set, insert, upsert; used if the sources are empty or missing */
	bool has_value;
	struct str from_attribute;
	struct str from_header; /* lower case, of the request */
	enum attribute_type type;
	uint32_t regex; /* index in the pool, if there is a pattern */
};

struct attribute_actions {
	struct attribute_action *at;
	uint32_t n;
};

/* Reads a list of actions; fills a struct attribute_actions. */
setting_reader attribute_actions_read;

/*
 * Return in *out, which the caller frees (at), a copy of the actions whose patterns are added to
 * the pool. The texts are borrowed. Return 0, -ENOMEM, or -EINVAL with text in `e`.
 */
MUST_USE int attribute_actions_compile(struct attribute_actions *out,
				       const struct attribute_actions *actions,
				       struct scratch_pool *pool, struct err *e);

#endif
