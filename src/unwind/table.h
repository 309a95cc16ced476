/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VARVE_UNWIND_TABLE_H
#define VARVE_UNWIND_TABLE_H

#include "unwind/row.h"
#include "unwind/unwind.h"

/*
 * A compiled table. The rows of page i are rows[pages[i] .. pages[i + 1]); page 0 begins at `base`, and there are page_count + 1
 * entries in `pages`. Three arrays of plain words, so that they can be copied into BPF maps as they are.
 */
struct unwind_table {
	uint64_t base; /* a multiple of the page size */
	uint32_t page_count;
	const uint32_t *pages;
	const uint32_t *rows;
	const struct unwind_rule *rules; /* those that do not fit a row */
	/*
	 * Where rbx is saved, in a module that finds frames by it (the loader, when it binds a name at its first call), else
	 * NULL: a table whose rules are numbers n, rbx being at CFA - 8 * n; 0: where it was; UNWIND_RULE_GUESS: unknown.
	 */
	struct unwind_table *rbx;
	struct budget *budget;
	size_t own_bytes; /* without those of rbx */
	struct unwind_table_stats stats;
};

/* The rule at an address as the module counts. */
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
	/* the last row that is not above the key; conditional moves, since no branch here can be foretold */
	while (count > 1) {
		uint32_t half = count / 2;

		row = row[half] <= key ? row + half : row;
		count -= half;
	}
	return *row & UNWIND_RULE_MASK;
}

#endif
