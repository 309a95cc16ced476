/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VARVE_STORE_MEAN_H
#define VARVE_STORE_MEAN_H

/*
 * Means of gauges, as store.h defines them: the mean of a series in a slot is rounded once, to
 * 1/MEAN_PARTS of a unit, so that every store returns the same number.
 */
enum { MEAN_PARTS = 240 };

#endif
