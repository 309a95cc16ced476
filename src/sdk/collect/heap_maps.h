/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VARVE_SDK_COLLECT_HEAP_MAPS_H
#define VARVE_SDK_COLLECT_HEAP_MAPS_H

#include <stdatomic.h>

#include "base/base.h"
#include "sdk/hook/heap_table.h"

/*
 * Anonymous memory that the host took with mmap(): address ranges, each with the stack that mapped it. Mapping is rare, so every one
 * is seen. What is unmapped, in part or across several, is cut out. A sorted array under one lock (sdk/hook/hook_lock.h); hook-safe but where marked.
 */
struct heap_map {
	uint64_t start, end;
	uint32_t stack, labels;
};

enum { HEAP_MAPS_MAX = 1 << 16, HEAP_MAPS_CUT_MAX = 16 };

extern _Atomic uint32_t heap_maps_count;

/* What was cut out of the ranges, so that it can be put back when the call fails after all; pieces beyond those are not kept. */
struct heap_maps_cut {
	uint32_t n;
	struct heap_map pieces[HEAP_MAPS_CUT_MAX];
};

/* Take [start, end) out. */
void heap_maps_remove(uint64_t start, uint64_t end, struct heap_maps_cut *cut);
void heap_maps_restore(const struct heap_maps_cut *cut);

/* Put a range in; what was there before is cut. False: no room, and it stays unknown. */
bool heap_maps_put(const struct heap_map *m);

/* Every range as a block of its size. Not for hooks. */
void heap_maps_each(void (*each)(void *arg, const struct heap_block *b), void *arg);

/* Give every range's stack another id. Not for hooks. */
void heap_maps_renew(uint32_t (*renew)(uint32_t stack));

/* Forget all, give the memory back. Not for hooks. */
void heap_maps_clear(void);

/* Around fork(), as heap_table_before_fork(). */
void heap_maps_before_fork(void);
void heap_maps_after_fork(void);

#endif
