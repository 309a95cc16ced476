/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VARVE_UNWIND_BUILD_H
#define VARVE_UNWIND_BUILD_H

#include "unwind/cfi.h"
#include "unwind/table.h"

/*
 * A table while it grows. Rows come in order of address and go straight to where they stay; nothing else is kept
 * but the page index and the dictionary, so the peak is the table itself plus what its arrays have to spare.
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
	uint32_t *rule_slots;	   /* index + 1 into rules, 0 = free: at most half full */
	uint32_t rule_mask;
	uint32_t *pages;
	uint32_t page_count;
	uint64_t base;
	uint32_t page;	  /* the one that rows are added to */
	uint32_t running; /* the rule of the last row */
	bool by_rbx;	  /* some frames are found by rbx */
	int error;
};

/* Begin a table for [start, limit). 0 or -ENOMEM, or -E2BIG when that is more than UNWIND_SPAN_MAX. */
MUST_USE int unwind_builder_init(struct unwind_builder *b, uint64_t start, uint64_t limit,
				 struct budget *budget);
void unwind_builder_fini(struct unwind_builder *b);

/* From `address` on, this rule holds. Addresses do not fall; of two rows at one address the last stays. */
void unwind_builder_add(struct unwind_builder *b, uint64_t address, uint32_t rule);

/* The rule for a state, by way of the dictionary where it does not fit a row. `understood` is false when it is a guess. */
uint32_t unwind_builder_rule(struct unwind_builder *b, const struct cfi_state *state,
			     bool *understood);

/* The same without a dictionary: of a rule of that kind the index is 0, and *entry is what it says. Async-signal-safe. */
uint32_t unwind_rule_of(const struct cfi_state *state, struct unwind_rule *entry);

/* Of a function whose CIE says 'S': is that the frame that the kernel makes for a signal? Its registers are reached by expressions; others are like any. */
bool unwind_is_kernel_frame(const struct cfi_state *state);

/* The row of a table of rbx (struct unwind_table) for a state. */
uint32_t unwind_rbx_rule(const struct cfi_state *state);

/*
 * Say what can be said about [start, limit), of which .eh_frame says nothing: PLT entries and the return from signals are known by
 * their bytes. `code` is what stands at `start`, as far as it is there.
 */
void unwind_builder_gap(struct unwind_builder *b, uint64_t start, uint64_t limit, struct str code);

/* Make the table; it takes over what the builder has. -ENOMEM leaves the builder to unwind_builder_fini(). */
MUST_USE int unwind_builder_finish(struct unwind_builder *b, struct unwind_table **out);

/* Where code may lie around .eh_frame: it is reached by 32 bits. */
#define UNWIND_SPAN_MAX ((uint64_t)1 << 32)

/* Room for one more element, in the budget. */
MUST_USE int unwind_array_grow(struct unwind_array *a, size_t size, struct budget *budget);
void unwind_array_fini(struct unwind_array *a, size_t size, struct budget *budget);

#endif
