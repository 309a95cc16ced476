/* SPDX-License-Identifier: Apache-2.0 */
/* XXH3 with a seed from the kernel, which a constructor sets before main(). */
#include "base/container/hash.h"

#include <sys/random.h>

#define XXH_INLINE_ALL
#include <xxhash.h>

uint64_t hash_seed = 0x7661727665;

__attribute__((constructor)) static void seed_from_kernel(void)
{
	if (getrandom(&hash_seed, sizeof(hash_seed), GRND_NONBLOCK) != sizeof(hash_seed))
		/* no entropy this early in boot: use the load address */
		hash_seed ^= (uintptr_t)&hash_seed;
}

uint64_t hash_bytes(const void *p, size_t n)
{
	return XXH3_64bits_withSeed(p, n, hash_seed);
}
