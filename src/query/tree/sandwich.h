/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VARVE_QUERY_TREE_SANDWICH_H
#define VARVE_QUERY_TREE_SANDWICH_H

#include "query/tree/tree.h"

/*
 * The callers and the callees of a function, over all its occurrences. Exact: in both trees the
 * function is the only child of the root, with the same total as in `top`. If the function is
 * recursive, only the outermost call counts; inner calls are among its callees.
 */
struct sandwich {
	struct tree callers; /* inverted: the function, then its callers */
	struct tree callees;
};

/*
 * Compute the sandwich for all names of a finished tree that match `function` as in struct
 * frame_ref; functions of several modules or files match if it names none. 0 with both trees
 * finished, -ENOENT when no name matches, or -errno. Fini in every case.
 */
MUST_USE int sandwich_of_tree(struct sandwich *out, const struct tree *t, struct str function,
			      struct err *e);
void sandwich_fini(struct sandwich *s);

#endif
