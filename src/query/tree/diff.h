/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VARVE_QUERY_TREE_DIFF_H
#define VARVE_QUERY_TREE_DIFF_H

#include "query/tree/top.h"

/*
 * Compares two profiles, by name and by tree node. The tree has a column of values before and one
 * of values after. The comparison is absolute, or normalised: values before are scaled so that both
 * columns have the same sum, which compares shares instead of amounts (two runs of different
 * length).
 */
enum diff_kind { DIFF_SAME, DIFF_GREW, DIFF_SHRANK, DIFF_NEW, DIFF_GONE };

struct diff_value {
	/* `before` is scaled; delta = after - before, saturated. */
	int64_t before, after, delta;
	/* The value before scaling. */
	int64_t unscaled;
};

struct diff_row {
	uint32_t name; /* row of tree.names */
	enum diff_kind kind;
	struct diff_value self, total;
};

struct diff {
	const struct tree *tree; /* borrowed */
	__int128 scale, unit;	 /* values before are multiplied by scale / unit */
	struct diff_row *rows;	 /* in the tree's arena */
	uint32_t n;
	uint32_t count[DIFF_GONE + 1]; /* number of rows of each kind */
};

/*
 * Compare the columns of a finished tree; rows are in the order of names.rows. 0, -ENOMEM, or
 * -ERANGE when normalising and the sum of a column is not positive.
 */
MUST_USE int diff_of_tree(struct diff *out, struct tree *t, bool normalise, struct err *e);

/* The same for a caller that already has the rows of top_of_tree(). */
MUST_USE int diff_of_top(struct diff *out, struct tree *t, const struct top *top, bool normalise,
			 struct err *e);

/* Sort by the magnitude of the change of self or total, largest first, then by name. */
void diff_sort(struct diff *d, enum top_order order);

/* Sort only the first `n` rows; the others follow in any order. 0: all. */
void diff_sort_first(struct diff *d, enum top_order order, uint64_t n);

/* Return the values of two columns, scaled like the rows. */
struct diff_value diff_value_of(const struct diff *d, const int64_t columns[TREE_COLUMNS]);

/* Return "grew", "new", ... */
const char *diff_kind_name(enum diff_kind kind);

/*
 * Return the kind of change between the totals of two columns. Zero and non-zero are judged before
 * scaling.
 */
enum diff_kind diff_kind_of(const struct diff *d, const int64_t columns[TREE_COLUMNS]);

#endif
