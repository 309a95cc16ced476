/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VARVE_UNWIND_DIRECT_H
#define VARVE_UNWIND_DIRECT_H

#include <stdatomic.h>

#include "unwind/unwind.h"

/*
 * Looks up rules of a module that has no table (yet). The module's .eh_frame_hdr lists all
 * functions in order of address, so one function's entry can be found and run on its own. A lookup
 * takes one to two microseconds, compared to 20 ns with a table, but needs no preparation: a module
 * whose code is rarely seen never needs a table, and the owner compiles one when `lookups` shows
 * that it pays off.
 *
 * The module is read from process memory by unwind_memory.copy, which fails when the module has
 * been unloaded meanwhile.
 */
struct unwind_direct {
	uint64_t table_address, hdr_address; /* module addresses */
	uint64_t eh_frame_address, eh_frame_limit;
	uint64_t text_limit;
	uint32_t count; /* functions */
	/* the start of every UNWIND_STRIDE-th function, relative to hdr_address */
	int32_t *index;
	/* number of lookups, plus UNWIND_LOOKUPS_MANY for each address without a rule */
	_Atomic uint32_t lookups;
};

enum { UNWIND_STRIDE = 64, UNWIND_LOOKUPS_MANY = 1 << 20 };

/*
 * Prepare lookups from the mapped .eh_frame_hdr at `hdr_address`; eh_frame_limit is an upper bound
 * for the end of .eh_frame. Return 0, -ENOTSUP when the header has no sorted list in the standard
 * encoding, or -ENOMEM.
 */
MUST_USE int unwind_direct_init(struct unwind_direct *d, struct str hdr, uint64_t hdr_address,
				uint64_t eh_frame_limit, uint64_t text_limit);
void unwind_direct_fini(struct unwind_direct *d);

/* The result of a lookup. */
struct unwind_found {
	uint32_t rule;		  /* of kind DICTIONARY: see `entry`; the index is 0 */
	struct unwind_rule entry; /* valid for rules of kind DICTIONARY */
	uint32_t rbx;		  /* as in unwind_table.rbx */
};

/* Find the rule at `pc`, an address in `range`, which must have `direct`. Async-signal-safe. */
void unwind_direct_find(const struct unwind_range *range, uint64_t pc,
			const struct unwind_memory *memory, struct unwind_found *found);

#endif
