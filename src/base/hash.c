/* SPDX-License-Identifier: Apache-2.0 */
#include "base/hash.h"

#include <sys/random.h>

#define XXH_INLINE_ALL
#include <xxhash.h>

static uint64_t seed = 0x7661727665; /* the only state: set before main, read after it */

__attribute__((constructor)) static void seed_from_kernel(void)
{
	if (getrandom(&seed, sizeof(seed), GRND_NONBLOCK) != sizeof(seed))
		seed ^= (uintptr_t)&seed; /* no entropy yet this early in boot: the load address has to do */
}

uint64_t hash_bytes(const void *p, size_t n)
{
	return XXH3_64bits_withSeed(p, n, seed);
}
