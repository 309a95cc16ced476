/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VARVE_UNWIND_BUILD_H
#define VARVE_UNWIND_BUILD_H

#include "unwind/cfi.h"
#include "unwind/table.h"

/*
 * Builds one unwind table row by row.
 *
 * Rows are added in order of address and written to their final place. Beside them the builder
 * holds only the page index and the dictionary of rules, so peak memory is the size of the table
 * plus the spare capacity of its arrays.
 *
 * Errors are sticky: after the first one nothing is added, and `error` is -ENOMEM or -E2BIG.
 */
struct unwind_array {
	void *at;
	uint32_t n, cap;
};

struct unwind_builder {
	struct budget *budget;
	struct unwind_array rows;  /* uint32_t */
	struct unwind_array rules; /* struct unwind_rule */
	/* hash table: index + 1 into rules, 0 = free; at most half full */
	uint32_t *rule_slots;
	uint32_t rule_mask;
	uint32_t *pages;
	uint32_t page_count;
	uint64_t base;
	uint32_t page;	  /* the page that rows are being added to */
	uint32_t running; /* the rule of the last row */
	bool by_rbx;	  /* the CFA of some frames is computed from rbx */
	int error;
};

/*
 * Begin a table for [start, limit). Return 0, -ENOMEM, or -E2BIG for a range above UNWIND_SPAN_MAX.
 */
MUST_USE int unwind_builder_init(struct unwind_builder *b, uint64_t start, uint64_t limit,
				 struct budget *budget);
/* Free what the builder holds. May be called after any error and after unwind_builder_finish(). */
void unwind_builder_fini(struct unwind_builder *b);

/* Set the rule from `address` on. Addresses must not decrease; at equal ones the last wins. */
void unwind_builder_add(struct unwind_builder *b, uint64_t address, uint32_t rule);

/*
 * Add rows for [start, limit), which .eh_frame does not cover: PLT entries and sigreturn
 * trampolines are recognised by their bytes. `code` holds the bytes from `start` on, as far as they
 * are available. (gap.c)
 */
void unwind_builder_add_gap(struct unwind_builder *b, uint64_t start, uint64_t limit,
			    struct str code);

/*
 * Make the table, which takes over the builder's arrays. Return 0, -ENOMEM or the builder's error.
 * After an error call unwind_builder_fini().
 */
MUST_USE int unwind_builder_finish(struct unwind_builder *b, struct unwind_table **out);

/* The largest distance of code from .eh_frame: 32-bit relative pointers reach no further. */
#define UNWIND_SPAN_MAX ((uint64_t)1 << 32)

/* Make room for another element of `size` bytes. Return 0, -ENOMEM (or budget) or -E2BIG. */
MUST_USE int unwind_array_grow(struct unwind_array *a, size_t size, struct budget *budget);
void unwind_array_fini(struct unwind_array *a, size_t size, struct budget *budget);

#endif
