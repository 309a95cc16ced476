/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VARVE_UNWIND_DIRECT_H
#define VARVE_UNWIND_DIRECT_H

#include <stdatomic.h>

#include "unwind/unwind.h"

/*
 * Rules of a module that has no table (yet): its .eh_frame_hdr lists all functions in order of address, so one function's entry can be found
 * and run by itself. That takes a microsecond or two instead of the twenty nanoseconds of a table, and nothing beforehand: a
 * module whose code is seldom met needs no table at all, and whoever owns it compiles one when `lookups` says that it is worth it.
 *
 * What is read is the module in memory, by unwind_memory.copy, which says no where a module is gone: it may have been unloaded since.
 */
struct unwind_direct {
	uint64_t table_address, hdr_address; /* as the module counts */
	uint64_t eh_frame_address, eh_frame_limit;
	uint64_t text_limit;
	uint32_t count; /* functions */
	int32_t *index; /* where every UNWIND_STRIDE-th function begins, from hdr_address */
	_Atomic uint32_t
		lookups; /* how often it was asked; UNWIND_LOOKUPS_MANY more for what it could not say */
};

enum { UNWIND_STRIDE = 64, UNWIND_LOOKUPS_MANY = 1 << 20 };

/*
 * Prepare from the mapped .eh_frame_hdr at `hdr_address`; .eh_frame ends at eh_frame_limit at the latest. 0, -ENOTSUP when there is no sorted list
 * of the usual form, or -ENOMEM.
 */
MUST_USE int unwind_direct_init(struct unwind_direct *d, struct str hdr, uint64_t hdr_address,
				uint64_t eh_frame_limit, uint64_t text_limit);
void unwind_direct_fini(struct unwind_direct *d);

/* What is known at an address. */
struct unwind_found {
	uint32_t rule; /* of kind DICTIONARY: `entry`, whatever the index */
	struct unwind_rule entry;
	uint32_t rbx; /* as in unwind_table.rbx */
};

/* The rule at `pc`, an address in the range, which has `direct`. Async-signal-safe. */
void unwind_direct_find(const struct unwind_range *range, uint64_t pc,
			const struct unwind_memory *memory, struct unwind_found *found);

#endif
