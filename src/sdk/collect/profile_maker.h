/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VARVE_SDK_COLLECT_PROFILE_MAKER_H
#define VARVE_SDK_COLLECT_PROFILE_MAKER_H

#include "sdk/collect/modules.h"
#include "sdk/collect/window.h"
#include "sdk/hook/stack_ids.h"
#include "signal/profile/profile_builder.h"
#include "symbol/symbol.h"

/*
 * A profile batch of one kind out of a window: entries become samples, addresses become locations with names. What each kind's
 * sample types are is a table. Collector's mutex held.
 */
struct profile_maker {
	const struct modules *modules;
	struct symbol_cache *symbols;
	const struct keyvalue *resource;
	uint32_t resource_count;
	const char *(*label_text)(uint32_t labels, uint32_t index,
				  const char **value); /* may be NULL */
	uint64_t heap_interval, cpu_period_ns, wall_period_ns;
};

/* `out` is empty. 0 or -errno; `out` holds its invariants in each case. */
MUST_USE int profile_make(const struct profile_maker *m, const struct window *w,
			  enum varve_profile kind, uint64_t now_ns, struct profile_batch *out);

/* What an address is called: its function, or "module+0xoffset". Returns the length, below size. */
size_t profile_name_address(const struct profile_maker *m, uint64_t address, char *out,
			    size_t size);

#endif
