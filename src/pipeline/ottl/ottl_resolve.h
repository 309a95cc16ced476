/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VARVE_PIPELINE_OTTL_RESOLVE_H
#define VARVE_PIPELINE_OTTL_RESOLVE_H

#include "pipeline/ottl/ottl.h"
#include "pipeline/ottl/ottl_syntax.h"

/* Binds the paths and functions of parsed lines to their definitions. */
struct ottl_resolver {
	const struct ottl_options *options;
	enum ottl_context context;
	bool prefixed; /* paths have to name their context */
	struct arena *arena;
	uint32_t *sites; /* the number of calls with a regular expression so far */
	struct str source;
	struct err *e;
};

/*
 * Return the context in which a line has to run: the lowest one that its paths name, or one that
 * its functions need; OTTL_CONTEXTS if it names none. `so_far` is that of the lines before.
 */
enum ottl_context ottl_infer(const struct ottl_line *line, enum ottl_context so_far);

/* Return 0, -ENOMEM, or -EINVAL with "LINE:COLUMN: ..." in `e`. */
MUST_USE int ottl_resolve(struct ottl_resolver *r, struct ottl_line *line);

#endif
