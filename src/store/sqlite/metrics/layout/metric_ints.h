/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VARVE_STORE_SQLITE_METRIC_INTS_H
#define VARVE_STORE_SQLITE_METRIC_INTS_H

#include "store/sqlite/block/columns.h"

/*
 * A list of integers in few bytes: differences of an order (0: the numbers, 1: between neighbours,
 * 2: between those), less their median, zigzag encoded, packed with the same number of bits each.
 * Residuals that need more bits are exceptions: their place and their value. The encoder chooses
 * the order and the number of bits with the fewest bytes. Identity for every input: all arithmetic
 * is modulo 2^64.
 *
 *	byte	order in bits 0 and 1, bit 2: exceptions
 *	byte	bits per residual, 0 to 64
 *	varint	the first number (order 1 and 2), the first difference (order 2), the median
 *	varint	number of exceptions; of each the gap to the one before and the residual
 *	bits	the others; those of exceptions are 0
 */

/* Memory of the encoder for lists of up to n numbers. */
struct int_scratch {
	uint64_t *residuals; /* n */
	uint64_t *sorted;    /* n */
};

/* Append n > 0 numbers. */
void metric_ints_put(struct buf *out, const int64_t *v, uint32_t n, const struct int_scratch *s);

/* Read n > 0 numbers. Damage sets c->bad; `v` is filled anyway. */
void metric_ints_get(struct column_cursor *c, int64_t *v, uint32_t n);

#endif
