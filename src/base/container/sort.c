/* SPDX-License-Identifier: Apache-2.0 */
/* A radix sort of pairs, and a partial sort by a heap of the first k rows. */
#include "base/container/sort.h"

#include <stdlib.h>

enum { DIGIT_BITS = 11, DIGITS = 1 << DIGIT_BITS };

static bool is_sorted(const struct sort_pair *p, uint32_t n)
{
	for (uint32_t i = 1; i < n; i++)
		if (p[i].key < p[i - 1].key)
			return false;
	return true;
}

/* One stable counting-sort pass by the bits at `shift`. */
static void sort_pass(const struct sort_pair *from, struct sort_pair *to, uint32_t n,
		      unsigned shift)
{
	uint32_t at[DIGITS] = {0}, sum = 0;

	for (uint32_t i = 0; i < n; i++)
		at[from[i].key >> shift & (DIGITS - 1)]++;
	for (uint32_t i = 0; i < DIGITS; i++) {
		uint32_t count = at[i];

		at[i] = sum;
		sum += count;
	}
	for (uint32_t i = 0; i < n; i++)
		to[at[from[i].key >> shift & (DIGITS - 1)]++] = from[i];
}

struct sort_pair *sort_pairs(struct sort_pair *pairs, struct sort_pair *spare, uint32_t n)
{
	if (is_sorted(pairs, n))
		return pairs;
	for (unsigned shift = 0; shift < 32; shift += DIGIT_BITS) {
		struct sort_pair *sorted = spare;

		sort_pass(pairs, spare, n, shift);
		spare = pairs;
		pairs = sorted;
	}
	return pairs;
}

struct heap {
	char *rows; /* the root is the row that comes last */
	size_t n, size;
	sort_compare *compare;
	void *arg;
};

static void swap_rows(char *a, char *b, size_t size)
{
	for (size_t i = 0; i < size; i++) {
		char byte = a[i];

		a[i] = b[i];
		b[i] = byte;
	}
}

static void sift_down(const struct heap *h, size_t at)
{
	for (size_t next; (next = 2 * at + 1) < h->n; at = next) {
		char *row = h->rows + at * h->size, *below = h->rows + next * h->size;

		if (next + 1 < h->n && h->compare(below, below + h->size, h->arg) < 0) {
			below += h->size;
			next++;
		}
		if (h->compare(row, below, h->arg) >= 0)
			return;
		swap_rows(row, below, h->size);
	}
}

void sort_first(void *rows, size_t n, size_t size, size_t k, sort_compare *compare, void *arg)
{
	struct heap h = {rows, k < n ? k : n, size, compare, arg};

	if (!h.n)
		return;
	if (h.n < n) {
		for (size_t i = h.n / 2; i-- > 0;)
			sift_down(&h, i);
		for (size_t i = h.n; i < n; i++) {
			char *row = h.rows + i * size;

			if (compare(row, h.rows, arg) >= 0)
				continue;
			swap_rows(row, h.rows, size);
			sift_down(&h, 0);
		}
	}
	qsort_r(rows, h.n, size, compare, arg);
}
