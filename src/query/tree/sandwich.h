/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VARVE_QUERY_TREE_SANDWICH_H
#define VARVE_QUERY_TREE_SANDWICH_H

#include "query/tree/tree.h"

/*
 * Who calls a function, and what it calls, over all places where it stands. Exact: both trees have
 * the function alone below their root, with the total that `top` gives it. Where it calls itself
 * only the outermost call counts; the inner ones are among what it calls.
 */
struct sandwich {
	struct tree callers; /* upside down: the function, then its callers */
	struct tree callees;
};

/*
 * Of a finished tree, for all names that match `function` as in struct frame_ref: several, where modules or files have
 * functions of one name and it does not say which. 0 with both trees finished; -ENOENT when no such name is in it; or -errno. Fini in every case.
 */
MUST_USE int sandwich_of_tree(struct sandwich *out, const struct tree *t, struct str function,
			      struct err *e);
void sandwich_fini(struct sandwich *s);

#endif
