/* SPDX-License-Identifier: Apache-2.0 */
#include "base/container/hash.h"

#include <sys/random.h>

#define XXH_INLINE_ALL
#include <xxhash.h>

uint64_t hash_seed = 0x7661727665;

__attribute__((constructor)) static void seed_from_kernel(void)
{
	if (getrandom(&hash_seed, sizeof(hash_seed), GRND_NONBLOCK) != sizeof(hash_seed))
		hash_seed ^=
			(uintptr_t)&hash_seed; /* no entropy yet this early in boot: the load address has to do */
}

uint64_t hash_bytes(const void *p, size_t n)
{
	return XXH3_64bits_withSeed(p, n, hash_seed);
}
