/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VARVE_STORE_SQLITE_METRIC_HISTOGRAMS_H
#define VARVE_STORE_SQLITE_METRIC_HISTOGRAMS_H

#include "signal/metric/native_histogram.h"
#include "store/sqlite/block/columns.h"

/*
 * Native histograms as bytes, each relative to the one before it in its series, if there is one:
 *
 *	byte	bit 0: the layout is that of the one before; bits 1 and 2: reset hint; bit 3: all
 *		counts are integers
 *	layout	schema, zero threshold, spans of both sides, custom bounds
 *	sum	8 bytes
 *	counts	of all observations, the zero bucket, positive and negative buckets: integers as
 *		differences to the one before if that has the same layout and integers, too; or
 *		8 bytes each
 *
 * Doubles are restored bit by bit. Integers are below 2^53.
 */

/* Append a histogram; `before` may be NULL. */
void metric_histogram_put(struct buf *out, const struct native_histogram *h,
			  const struct native_histogram *before);

/*
 * Read a histogram into *h, with arrays in the arena; layouts are shared with `before`. Return 0 or
 * -ENOMEM. Damage sets c->bad, then *h is empty; else native_check() passes.
 */
MUST_USE int metric_histogram_get(struct column_cursor *c, struct native_histogram *h,
				  const struct native_histogram *before, struct arena *a);

#endif
