/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VARVE_SDK_COLLECT_PROFILE_MAKER_H
#define VARVE_SDK_COLLECT_PROFILE_MAKER_H

#include "sdk/collect/modules.h"
#include "sdk/collect/window.h"
#include "sdk/hook/stack_ids.h"
#include "signal/profile/profile_builder.h"
#include "symbol/cache.h"

/*
 * Makes a profile batch of one kind from a window: entries become samples, addresses become
 * locations with names. A table declares the sample types of each kind. Requires the collector's
 * mutex.
 */
struct profile_maker {
	const struct modules *modules;
	struct symbol_cache *symbols;
	const struct keyvalue *resource;
	uint32_t resource_count;
	/* text of a label, NULL past the last; may be NULL */
	const char *(*label_text)(uint32_t labels, uint32_t index, const char **value);
	uint64_t heap_interval, cpu_period_ns, wall_period_ns;
};

/* Make a batch; `out` must be empty. Return 0 or -errno; `out` is valid in both cases. */
MUST_USE int profile_make(const struct profile_maker *m, const struct window *w,
			  enum varve_profile kind, uint64_t now_ns, struct profile_batch *out);

/* Write the function's name or "module+0xoffset" of an address. Return the length, below `size`. */
size_t profile_name_address(const struct profile_maker *m, uint64_t address, char *out,
			    size_t size);

#endif
