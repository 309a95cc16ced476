/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VARVE_SDK_STACKS_H
#define VARVE_SDK_STACKS_H

#include <stdatomic.h>

#include "base/base.h"

/*
 * Stacks seen so far: equal ones have one 32-bit id. Any thread and any signal handler adds; ids stay valid until the table
 * is replaced by a larger or emptier one, which the collector does between exports (stacks_renew()).
 *
 * Addresses are appended to one mapping, reserved at its full size and touched as it fills; slots of a hash table point into it.
 * Adding: hash, probe, compare; if new, reserve room with one atomic add, write, publish the slot by
 * compare-and-swap. Two threads that add the same stack at once may store it twice; one of the ids wins.
 */
enum {
	STACK_NONE = 0, /* no frame */
	STACK_LOST = 1, /* the table was full: shown as the frame "[lost]" */
	STACK_FIRST = 2,
};

struct stacks;

/* Room for `bytes` of addresses and slots together. 0 or -ENOMEM. */
MUST_USE int stacks_new(struct stacks **out, size_t bytes);
void stacks_free(struct stacks *s);

/* The id of these addresses, leaf first; STACK_LOST when there is no room. Hook-safe. */
uint32_t stacks_add(struct stacks *s, const uint64_t *pcs, uint32_t n);

/* The addresses of an id; n is 0 for the special ones. Hook-safe; valid while the table is. */
const uint64_t *stacks_get(const struct stacks *s, uint32_t id, uint32_t *n);

/* How much of it is used, 0 to 1. */
double stacks_fill(const struct stacks *s);
uint32_t stacks_count(const struct stacks *s);

#endif
