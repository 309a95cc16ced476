/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VARVE_BASE_CONTAINER_SORT_H
#define VARVE_BASE_CONTAINER_SORT_H

#include "base/base.h"

/* A sort key and the index of its row. */
struct sort_pair {
	uint32_t key, value;
};

/*
 * Sort by key; the sort is stable. `spare` has room for n pairs. Return where the result is,
 * `pairs` or `spare`. Radix sort: three passes over the pairs, none if they are sorted already.
 */
struct sort_pair *sort_pairs(struct sort_pair *pairs, struct sort_pair *spare, uint32_t n);

/* A comparison function as for qsort_r(). */
typedef int sort_compare(const void *a, const void *b, void *arg);

/*
 * Move the first `k` of n rows to the front, sorted; the others follow in any order. A small k
 * takes one pass over the rows.
 */
void sort_first(void *rows, size_t n, size_t size, size_t k, sort_compare *compare, void *arg);

#endif
