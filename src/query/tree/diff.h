/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VARVE_QUERY_TREE_DIFF_H
#define VARVE_QUERY_TREE_DIFF_H

#include "query/tree/top.h"

/*
 * Two profiles held against each other, by name and on the tree. The tree has both: one column
 * before, one after. Absolute, or normalised: what was before is scaled so that both columns add
 * up to the same, which compares shares and not amounts (two runs of different length).
 */
enum diff_kind { DIFF_SAME, DIFF_GREW, DIFF_SHRANK, DIFF_NEW, DIFF_GONE };

struct diff_value {
	int64_t before, after,
		delta; /* before is scaled; delta = after - before, or the nearest that fits */
	/* Before, as it was. */
	int64_t unscaled;
};

struct diff_row {
	uint32_t name; /* of tree.names */
	enum diff_kind kind;
	struct diff_value self, total;
};

struct diff {
	const struct tree *tree; /* borrowed */
	__int128 scale, unit;	 /* before is multiplied by scale / unit */
	struct diff_row *rows;	 /* in the tree's arena */
	uint32_t n;
	uint32_t count[DIFF_GONE + 1]; /* rows of each kind */
};

/*
 * Compare the columns of a finished tree. 0, -ENOMEM, or -ERANGE when a column that is not positive
 * cannot be normalised. Rows are in the order of names.rows.
 */
MUST_USE int diff_of_tree(struct diff *out, struct tree *t, bool normalise, struct err *e);

/* The same for who has the rows of top_of_tree() already. */
MUST_USE int diff_of_top(struct diff *out, struct tree *t, const struct top *top, bool normalise,
			 struct err *e);

/* Sort by the magnitude of the change of self or total, largest first, then by name. */
void diff_sort(struct diff *d, enum top_order order);

/* The same of the first `n` rows only: the others follow in any order. 0: all. */
void diff_sort_first(struct diff *d, enum top_order order, uint64_t n);

/* A value of the tree's two columns, scaled as the rows are. */
struct diff_value diff_value_of(const struct diff *d, const int64_t columns[TREE_COLUMNS]);

/* "grew", "new", ... */
const char *diff_kind_name(enum diff_kind kind);

/* What the totals of two columns mean. Scaling never makes something of nothing, nor the reverse. */
enum diff_kind diff_kind_of(const struct diff *d, const int64_t columns[TREE_COLUMNS]);

#endif
