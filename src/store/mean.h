/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VARVE_STORE_MEAN_H
#define VARVE_STORE_MEAN_H

#include <stdint.h>

/*
 * Means of gauges, as store.h defines them: the mean of a series in a slot is kept in MEAN_PARTS of a
 * unit, rounded once, so that every store comes to the same number.
 */
enum { MEAN_PARTS = 240 };

/* To the nearest, halves away from zero. */
static inline int64_t divide_rounded(__int128 a, int64_t b)
{
	return (int64_t)((a + (a < 0 ? -b : b) / 2) / b);
}

#endif
