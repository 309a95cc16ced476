/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VARVE_TESTS_SDK_GUEST_FIXTURE_H
#define VARVE_TESTS_SDK_GUEST_FIXTURE_H

#include "sdk/hook/guest.h"
#include "varve/varve.h"

/*
 * The guest without its collector: the test drains the ring itself. For test programs that link
 * the interposed functions.
 */

/* Start the guest with these kinds enabled. */
void guest_fixture_start(unsigned kinds, uint64_t heap_interval, uint64_t block_interval_ns);
void guest_fixture_set(unsigned kinds);
void guest_fixture_stop(void);

/* Sums by kind of the records drained since the last call. */
struct guest_fixture_sums {
	int64_t records[16], value[16], weight[16];
};
void guest_fixture_drain(struct guest_fixture_sums *sums);

/* Called for each drained record; may be NULL. */
extern void (*guest_fixture_each)(const struct record *r);

/* Drain every 10 ms in a thread marked as the library's own, until guest_fixture_drain_end(). */
void guest_fixture_drain_always(struct guest_fixture_sums *sums);
void guest_fixture_drain_end(void);

/* A function that is neither inlined nor cloned; no other starts within its first 512 bytes. */
#ifdef __clang__
#define PLACE __attribute__((noinline, optnone, aligned(512)))
#else
#define PLACE __attribute__((noipa, aligned(512)))
#endif

/* Return true if a frame of the stack is in the PLACE function that begins at `place`. */
bool guest_fixture_stack_has(uint32_t stack, const void *place);

#endif
