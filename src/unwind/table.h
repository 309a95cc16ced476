/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VARVE_UNWIND_TABLE_H
#define VARVE_UNWIND_TABLE_H

#include "unwind/row.h"
#include "unwind/unwind.h"

/*
 * A compiled table. The rows of page i are rows[pages[i] .. pages[i + 1]); page 0 begins at `base`;
 * `pages` has page_count + 1 entries. All three arrays consist of plain words, so that they can be
 * copied into BPF maps unchanged.
 */
struct unwind_table {
	uint64_t base; /* a multiple of the page size */
	uint32_t page_count;
	const uint32_t *pages;
	const uint32_t *rows;
	const struct unwind_rule *rules; /* the dictionary: rules that do not fit a row */
	/*
	 * Where rbx is saved, for a module with frames whose CFA is computed from rbx (the dynamic
	 * loader in lazy binding), else NULL. The rules of that table are numbers n: rbx is at CFA
	 * - 8 * n; 0: unchanged; UNWIND_RULE_GUESS: unknown.
	 */
	struct unwind_table *rbx;
	struct budget *budget;
	size_t own_bytes; /* without those of the rbx table */
	struct unwind_table_stats stats;
};

/* Return the rule at a module address. */
static inline uint32_t unwind_table_find(const struct unwind_table *t, uint64_t address)
{
	uint64_t page = (address - t->base) >> UNWIND_PAGE_BITS;

	if (address < t->base || page >= t->page_count)
		return UNWIND_RULE_GUESS;

	const uint32_t *row = t->rows + t->pages[page];
	uint32_t count = t->pages[page + 1] - t->pages[page];
	uint32_t key = (uint32_t)address << UNWIND_RULE_BITS | UNWIND_RULE_MASK;

	if (!count || *row > key)
		return UNWIND_RULE_GUESS;
	/* find the last row <= key; conditional moves, since the branch is unpredictable */
	while (count > 1) {
		uint32_t half = count / 2;

		row = row[half] <= key ? row + half : row;
		count -= half;
	}
	return *row & UNWIND_RULE_MASK;
}

#endif
