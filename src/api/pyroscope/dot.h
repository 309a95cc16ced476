/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VARVE_API_PYROSCOPE_DOT_H
#define VARVE_API_PYROSCOPE_DOT_H

#include "query/tree/tree.h"

/*
 * Append a call graph for Graphviz of the functions with the largest totals, at most max_nodes (0:
 * 100). Return 0 or -ENOMEM.
 */
MUST_USE int dot_of_tree(struct buf *out, struct tree *t, uint64_t max_nodes);

#endif
