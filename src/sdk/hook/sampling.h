/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VARVE_SDK_HOOK_SAMPLING_H
#define VARVE_SDK_HOOK_SAMPLING_H

#include <stdint.h>
#include <string.h>

/*
 * The two functions of exponential sampling, to nine digits. libm's are more precise and as fast in
 * a loop, but samples are rare and find the caches cold: libm's code and tables would evict 40
 * cache lines of the host, these evict 4. Hook-safe.
 */

/*
 * Return -ln(u) for a normal number u in (0, 1]: the distance to the next sample, in multiples of
 * the mean.
 */
static inline double sampling_distance(double u)
{
	const uint64_t half_root_2 = UINT64_C(0x3FE6A09E667F3BCD),
		       fraction = (UINT64_C(1) << 52) - 1;
	uint64_t bits, above;
	double m, z, z2;

	/* u = 2^e m with m between sqrt(1/2) and sqrt(2), and ln m = 2 artanh((m - 1) / (m + 1)) */
	memcpy(&bits, &u, sizeof(bits));
	above = bits - half_root_2;
	bits = (above & fraction) + half_root_2;
	memcpy(&m, &bits, sizeof(m));
	z = (m - 1) / (m + 1);
	z2 = z * z;
	return -0.69314718055994531 * (double)((int64_t)above >> 52) -
	       2 * z * (1 + z2 * (1. / 3 + z2 * (1. / 5 + z2 * (1. / 7 + z2 * (1. / 9)))));
}

/* Return 1 - exp(-x) for x >= 0: the probability that a block of x times the mean is sampled. */
static inline double sampling_chance(double x)
{
	unsigned doubled = 0;
	double chance;

	if (x > 40)
		return 1;
	for (; x > 0.125; doubled++)
		x /= 2;
	chance = x * (1 - x / 2 * (1 - x / 3 * (1 - x / 4 * (1 - x / 5 * (1 - x / 6)))));
	for (; doubled; doubled--)
		chance *= 2 - chance; /* hit in the first half, or else in the second */
	return chance;
}

#endif
