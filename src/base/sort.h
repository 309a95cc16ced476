/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VARVE_BASE_SORT_H
#define VARVE_BASE_SORT_H

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

#endif
