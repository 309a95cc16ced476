/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VARVE_API_MERGED_H
#define VARVE_API_MERGED_H

#include "api/selection.h"

/*
 * What a selection adds up to: sums by stack, and trees of them. Both are taken from what is kept (query/kept.h) where it is of the
 * same moment, and are kept for the next query else. Which tenant, store or file, labels, range, ids, times and filters: all of it is
 * in the key, so no query is given what is not its own.
 */
struct merged {
	const struct stack_tree *tree;
	const struct stack_sums *sums;

	/* private to merged.c */
	struct kept *kept;
	struct kept_stacks *entry;
	struct arena arena; /* of: */
	struct stack_sums filtered;
};

/* Sum by stack what is selected; the filters are applied. 0 or -errno. merged_fini() in every case. */
MUST_USE int merged_stacks(struct merged *m, struct selection *s, struct err *e);
void merged_fini(struct merged *m);

/*
 * The finished tree of one selection, or of two for a difference (`after` may be NULL). `view` says which frames it has: the text of
 * all parameters that the options were read from. The selection holds what the tree reads: tree_fini() before selection_fini().
 * 0 or -errno; tree_fini() in every case.
 */
MUST_USE int merged_tree(struct tree *t, struct selection *s, struct selection *after,
			 const struct tree_options *o, struct str view, struct err *e);

/* All rows of top_of_tree(), of the tree that merged_tree() made of this selection. Not to be changed. 0 or -ENOMEM. */
MUST_USE int merged_top(struct top *out, struct tree *t, struct selection *s);

#endif
