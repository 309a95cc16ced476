/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VARVE_SDK_HOOK_SAMPLING_H
#define VARVE_SDK_HOOK_SAMPLING_H

#include <stdint.h>
#include <string.h>

/*
 * The two functions of exponential sampling, to nine digits. libm's are better and no slower in a loop; but a sample is taken once in a while, when
 * everything is out of the caches: its code, tables and the way to it are 40 cache lines of the host's, these are 4. Hook-safe.
 */

/* -ln(u) for u in (0, 1], a normal number: the distance to the next sample in means. */
static inline double sampling_distance(double u)
{
	const uint64_t half_root_2 = UINT64_C(0x3FE6A09E667F3BCD),
		       fraction = (UINT64_C(1) << 52) - 1;
	uint64_t bits, above;
	double m, z, z2;

	/* u = 2^e m with m between the roots of 1/2 and 2, and ln m = 2 artanh((m - 1) / (m + 1)) */
	memcpy(&bits, &u, sizeof(bits));
	above = bits - half_root_2;
	bits = (above & fraction) + half_root_2;
	memcpy(&m, &bits, sizeof(m));
	z = (m - 1) / (m + 1);
	z2 = z * z;
	return -0.69314718055994531 * (double)((int64_t)above >> 52) -
	       2 * z * (1 + z2 * (1. / 3 + z2 * (1. / 5 + z2 * (1. / 7 + z2 * (1. / 9)))));
}

/* 1 - exp(-x) for x >= 0: the chance that a block of x means is hit. */
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
		chance *= 2 - chance; /* hit in one half, or else in the other */
	return chance;
}

#endif
