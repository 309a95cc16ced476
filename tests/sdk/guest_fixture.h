/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VARVE_TESTS_SDK_GUEST_FIXTURE_H
#define VARVE_TESTS_SDK_GUEST_FIXTURE_H

#include "sdk/hook/guest.h"
#include "varve/varve.h"

/*
 * A guest without its collector: the test drains the ring itself. For programs that hold the interposed functions themselves.
 */

/* Start the guest with these kinds on. */
void guest_fixture_start(unsigned kinds, uint64_t heap_interval, uint64_t block_interval_ns);
void guest_fixture_set(unsigned kinds);
void guest_fixture_stop(void);

/* What the ring held since the last call, by kind. */
struct guest_fixture_sums {
	int64_t records[16], value[16], weight[16];
};
void guest_fixture_drain(struct guest_fixture_sums *sums);

/* Called for each record that is drained; may be NULL. */
extern void (*guest_fixture_each)(const struct record *r);

/* Drain in a thread of the library's own kind, every 10 ms, until the end. */
void guest_fixture_drain_always(struct guest_fixture_sums *sums);
void guest_fixture_drain_end(void);

/* A function that keeps its shape, and has its first 512 bytes for itself. */
#ifdef __clang__
#define PLACE __attribute__((noinline, optnone, aligned(512)))
#else
#define PLACE __attribute__((noipa, aligned(512)))
#endif

/* Is a frame of the stack in the PLACE that begins there? */
bool guest_fixture_stack_has(uint32_t stack, const void *place);

#endif
