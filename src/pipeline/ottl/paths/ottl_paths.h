/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VARVE_PIPELINE_OTTL_PATHS_H
#define VARVE_PIPELINE_OTTL_PATHS_H

#include "pipeline/ottl/ottl_eval.h"
#include "pipeline/ottl/ottl_field.h"

/* The paths of all contexts, as tables. */

/* Read or set a path that is no plain field. `n` has its keys. */
typedef int ottl_path_reader(struct ottl_eval *ev, const struct ottl_node *n,
			     const struct ottl_path_def *def, struct ottl_value *out);
typedef int ottl_path_writer(struct ottl_eval *ev, const struct ottl_node *n,
			     const struct ottl_path_def *def, struct ottl_value *v);

struct ottl_path_def {
	const char *name; /* without the name of the context */
	enum ottl_field_type type;
	uint8_t field;
	uint8_t inner; /* the field in the message `field`; 0: none */
	bool read_only;
	bool explicit;		 /* defaults are written, too: optional fields */
	ottl_path_reader *read;	 /* NULL: by type */
	ottl_path_writer *write; /* NULL: by type, unless the path has a reader */
};

/*
 * Find a path in a context. With `prefixed` it has to begin with the name of its context. Return 0,
 * or -EINVAL with the reason and a suggestion; `at` is its offset in `source`.
 */
MUST_USE int ottl_find_path(enum signal_kind signal, enum ottl_context context, bool prefixed,
			    struct str source, const struct ottl_node *n, struct ottl_path *out,
			    struct err *e);

/*
 * Return the context that a path names by its prefix, or OTTL_CONTEXTS if it has no such prefix
 * (cache, otelcol) or an unknown one.
 */
enum ottl_context ottl_path_context(struct str name);

/* Return whether the path can be set. */
bool ottl_path_writable(const struct ottl_path *p);

/* Return the number of an enum: SPAN_KIND_SERVER. Return false if there is none. */
bool ottl_enum_value(struct str name, int64_t *out);

/* Return the most similar enum, or NULL. */
const char *ottl_enum_suggest(struct str name);

/* Return the i-th path of a context, or NULL after the last one; for documentation. */
const char *ottl_path_name(enum ottl_context context, unsigned i);

#endif
