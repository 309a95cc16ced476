/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VARVE_API_MERGED_H
#define VARVE_API_MERGED_H

#include "api/selection.h"

/*
 * Merges the samples of a selection into sums by stack, and those into trees. Both are cached
 * (query/kept.h) and reused while the version of the data is the same. The cache key contains all
 * inputs: tenant, file, labels, range, ids, times and filters, so a query cannot get results of
 * another tenant or selection.
 */
struct merged {
	const struct stack_tree *tree;
	const struct stack_sums *sums;

	/* private to merged.c */
	struct kept *kept;
	struct kept_stacks *entry;
	struct arena arena; /* owns `filtered` */
	struct stack_sums filtered;
};

/*
 * Sum the selected samples by stack and apply the filters. Return 0 or -errno; call merged_fini()
 * in either case.
 */
MUST_USE int merged_stacks(struct merged *m, struct selection *s, struct err *e);
void merged_fini(struct merged *m);

/*
 * Build the call tree of one selection, or of two for a difference (`after` may be NULL). `view` is
 * the part of the cache key for the options: the text of all parameters they were read from. The
 * selection owns the data of the tree: call tree_fini() before selection_fini(). Return 0 or
 * -errno; call tree_fini() in either case.
 */
MUST_USE int merged_tree(struct tree *t, struct selection *s, struct selection *after,
			 const struct tree_options *o, struct str view, struct err *e);

/*
 * Return all rows of top_of_tree() for the tree that merged_tree() built from this selection, in
 * *out, which must not be modified. Return 0 or -ENOMEM.
 */
MUST_USE int merged_top(struct top *out, struct tree *t, struct selection *s);

#endif
