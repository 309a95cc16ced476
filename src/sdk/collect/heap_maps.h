/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VARVE_SDK_COLLECT_HEAP_MAPS_H
#define VARVE_SDK_COLLECT_HEAP_MAPS_H

#include <stdatomic.h>

#include "base/base.h"
#include "sdk/hook/heap_table.h"

/*
 * Anonymous memory that the host program took with mmap(): address ranges, each with the stack that
 * mapped it. Mappings are rare, so all are recorded. Unmapping cuts out any part or several ranges.
 * A sorted array under one lock (sdk/hook/hook_lock.h); hook-safe unless marked.
 */
struct heap_map {
	uint64_t start, end;
	uint32_t stack, labels;
};

enum { HEAP_MAPS_MAX = 1 << 16, HEAP_MAPS_CUT_MAX = 16 };

extern _Atomic uint32_t heap_maps_count;

/* Pieces cut out of ranges, to be restored when the system call fails; further pieces are lost. */
struct heap_maps_cut {
	uint32_t n;
	struct heap_map pieces[HEAP_MAPS_CUT_MAX];
};

/* Remove [start, end). */
void heap_maps_remove(uint64_t start, uint64_t end, struct heap_maps_cut *cut);
void heap_maps_restore(const struct heap_maps_cut *cut);

/* Add a range; older ranges are cut. Return false when there is no room for it. */
bool heap_maps_put(const struct heap_map *m);

/* Visit every range as a block of its size. Not hook-safe. */
void heap_maps_each(void (*each)(void *arg, const struct heap_block *b), void *arg);

/* Replace the stack ids of all ranges. Not hook-safe. */
void heap_maps_renew(uint32_t (*renew)(uint32_t stack));

/* Remove all ranges and free the memory. Not hook-safe. */
void heap_maps_clear(void);

/* Call around fork(), as heap_table_before_fork(). */
void heap_maps_before_fork(void);
void heap_maps_after_fork(void);

#endif
