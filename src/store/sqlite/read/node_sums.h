/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VARVE_STORE_SQLITE_NODE_SUMS_H
#define VARVE_STORE_SQLITE_NODE_SUMS_H

#include <errno.h>
#include <stdlib.h>

#include "base/budget.h"

/*
 * A sum for each node of a book, most of which are never touched. The array is dense, so that
 * adding is one addition. The kernel supplies its pages at first use, and one bit for each block of
 * nodes records which blocks were touched. So the cost of a small result does not depend on the
 * number of nodes.
 */
enum { SUMS_BLOCK_BITS = 9 }; /* 512 sums are a page */

struct node_sums {
	int64_t *at;
	uint64_t *blocks; /* a bit for each block: it may have a nonzero sum */
	uint32_t n;
	struct budget *budget;
};

static inline size_t node_sums_words(uint32_t n)
{
	return ((size_t)n >> (SUMS_BLOCK_BITS + 6)) + 1;
}

static inline size_t node_sums_bytes(uint32_t n)
{
	return (size_t)n * sizeof(int64_t) + node_sums_words(n) * sizeof(uint64_t);
}

/* Set all n sums to 0. Return 0 or -ENOMEM. Call node_sums_fini() in every case. */
static inline int node_sums_init(struct node_sums *s, uint64_t n, struct budget *budget)
{
	*s = (struct node_sums){.n = (uint32_t)n, .budget = budget};
	if (!budget_take(budget, node_sums_bytes(s->n))) {
		s->budget = NULL;
		s->n = 0;
		return -ENOMEM;
	}
	s->at = calloc(n ? n : 1, sizeof(*s->at));
	s->blocks = calloc(node_sums_words(s->n), sizeof(*s->blocks));
	return s->at && s->blocks ? 0 : -ENOMEM;
}

static inline void node_sums_fini(struct node_sums *s)
{
	budget_give(s->budget, s->budget ? node_sums_bytes(s->n) : 0);
	free(s->at);
	free(s->blocks);
	*s = (struct node_sums){0};
}

/* Mark the node's block as touched, even if its sum stays 0. */
static inline void node_sums_touch(struct node_sums *s, uint32_t node)
{
	s->blocks[node >> (SUMS_BLOCK_BITS + 6)] |= (uint64_t)1 << (node >> SUMS_BLOCK_BITS & 63);
}

/* Add to the sum of a node, which must be less than n. Wraps on overflow. */
static inline void node_sums_add(struct node_sums *s, uint32_t node, int64_t value)
{
	s->at[node] = (int64_t)((uint64_t)s->at[node] + (uint64_t)value);
	node_sums_touch(s, node);
}

/*
 * Set [*first, *end) to the nodes of the next touched block at or after *end. Return false if there
 * is none.
 */
static inline bool node_sums_next(const struct node_sums *s, uint32_t *first, uint32_t *end)
{
	size_t block = ((size_t)*end + (1u << SUMS_BLOCK_BITS) - 1) >> SUMS_BLOCK_BITS;
	size_t words = node_sums_words(s->n), word = block / 64;
	uint64_t bits = word < words ? s->blocks[word] >> block % 64 << block % 64 : 0;

	while (!bits && ++word < words)
		bits = s->blocks[word];
	if (!bits)
		return false;
	block = word * 64 + (size_t)__builtin_ctzll(bits);
	*first = (uint32_t)(block << SUMS_BLOCK_BITS);
	*end = (uint32_t)((block + 1) << SUMS_BLOCK_BITS);
	*end = *end > s->n ? s->n : *end;
	return *first < s->n;
}

/* Do the same backwards: the last touched block before *first. Begin with *first = n. */
static inline bool node_sums_previous(const struct node_sums *s, uint32_t *first, uint32_t *end)
{
	size_t block = (*first + (1u << SUMS_BLOCK_BITS) - 1) >> SUMS_BLOCK_BITS;

	while (block-- > 0) {
		uint64_t bits = s->blocks[block / 64] << (63 - block % 64);

		if (!bits) {
			block -= block % 64; /* no more bits in this word */
			continue;
		}
		block -= (size_t)__builtin_clzll(bits);
		*first = (uint32_t)(block << SUMS_BLOCK_BITS);
		*end = (uint32_t)((block + 1) << SUMS_BLOCK_BITS);
		*end = *end > s->n ? s->n : *end;
		return true;
	}
	return false;
}

/* Set all sums to 0. */
static inline void node_sums_clear(struct node_sums *s)
{
	for (uint32_t first = 0, end = 0; node_sums_next(s, &first, &end);)
		__builtin_memset(s->at + first, 0, (size_t)(end - first) * sizeof(*s->at));
	__builtin_memset(s->blocks, 0, node_sums_words(s->n) * sizeof(*s->blocks));
}

#endif
