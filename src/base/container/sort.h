/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VARVE_BASE_CONTAINER_SORT_H
#define VARVE_BASE_CONTAINER_SORT_H

#include "base/base.h"

/* A row that lives elsewhere, by what it is sorted by. */
struct sort_pair {
	uint32_t key, value;
};

/*
 * Sort by key; pairs of one key stay in their order. `spare` has room for as many. Returns where the sorted ones are, `pairs` or `spare`.
 * Linear in n: three passes over the pairs, none where they are sorted.
 */
struct sort_pair *sort_pairs(struct sort_pair *pairs, struct sort_pair *spare, uint32_t n);

/* As qsort_r() has it: which of two rows comes first. */
typedef int sort_compare(const void *a, const void *b, void *arg);

/* Bring the first `k` of n rows to the front, sorted; the others follow in any order. A small k costs one pass over the rows. */
void sort_first(void *rows, size_t n, size_t size, size_t k, sort_compare *compare, void *arg);

#endif
