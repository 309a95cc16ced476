/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VARVE_STORE_SQLITE_METRIC_VALUES_H
#define VARVE_STORE_SQLITE_METRIC_VALUES_H

#include "store/sqlite/metrics/layout/metric_ints.h"

/*
 * The values of a series in a chunk: bits of doubles, restored exactly, NaN and -0 included. The
 * first byte has the encoding:
 *
 *	decimal	integers (metric_ints.h) divided by a power of ten, which is in bits 4 to 7. Most
 *		metrics are counts or decimal numbers of few digits. With bit 3, values that are no
 *		such number (staleness markers, NaN, infinities) follow: their number, and of each the
 *		gap to the one before and its bits. In their place is the value before.
 *	planes	a byte that says which of the eight planes are not zero, the first value, then
 *		these planes: the exclusive or of each value and the one before, byte by byte. zstd compresses them with
 *		the rest of their piece.
 *
 * All values of a constant series are one integer or one exclusive or, which takes a few bytes.
 */
struct value_scratch {
	int64_t *ints; /* n; of decoders, too */
	struct int_scratch of_ints;
};

/* Append n > 0 values. */
void metric_values_put(struct buf *out, const uint64_t *bits, uint32_t n,
		       const struct value_scratch *s);

/* Read n > 0 values; `ints` has room for n. Damage sets c->bad; `bits` is filled anyway. */
void metric_values_get(struct column_cursor *c, uint64_t *bits, uint32_t n, int64_t *ints);

#endif
