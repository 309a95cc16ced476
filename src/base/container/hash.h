/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VARVE_BASE_CONTAINER_HASH_H
#define VARVE_BASE_CONTAINER_HASH_H

#include "base/str.h"

/*
 * Hashes for tables in memory. The seed is random per process, so that input cannot provoke
 * collisions. Hashes must not be stored or compared between processes.
 */
uint64_t hash_bytes(const void *p, size_t n);

extern uint64_t hash_seed; /* set before main */

static inline uint32_t hash32(struct str s)
{
	return (uint32_t)hash_bytes(s.p, s.n);
}

/* Hash a number, such as an id or an address, cheaply. */
static inline uint32_t hash_u64(uint64_t x)
{
	x ^= hash_seed ^ x >> 32;
	x *= 0x9e3779b97f4a7c15u;
	x ^= x >> 29;
	x *= 0xbf58476d1ce4e5b9u;
	return (uint32_t)(x >> 32);
}

#endif
