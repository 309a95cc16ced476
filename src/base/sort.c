/* SPDX-License-Identifier: Apache-2.0 */
#include "base/sort.h"

enum { DIGIT_BITS = 11, DIGITS = 1 << DIGIT_BITS };

static bool is_sorted(const struct sort_pair *p, uint32_t n)
{
	for (uint32_t i = 1; i < n; i++)
		if (p[i].key < p[i - 1].key)
			return false;
	return true;
}

/* One pass: stable, by the bits at `shift`. */
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
