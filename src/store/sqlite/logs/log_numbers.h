/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VARVE_STORE_SQLITE_LOG_NUMBERS_H
#define VARVE_STORE_SQLITE_LOG_NUMBERS_H

#include "store/sqlite/block/columns.h"

/*
 * A column of numbers as small as it is without a general compression: constant, or in groups of
 * 128 numbers, each group as its least number and the differences to it in as many bits as the
 * largest needs. The numbers may be divided by their greatest common divisor.
 */
void log_numbers_put(struct buf *out, const uint64_t *v, uint32_t n);

/*
 * Read a column of n numbers. Return NULL if it is bad, or without memory: *rc is -ENOMEM. The
 * array has room for at least one number.
 */
uint64_t *log_numbers_get(struct column_cursor *c, struct arena *a, uint32_t n, int *rc);

/* The same for numbers of 32 bits; a larger one is bad. */
void log_numbers_put_u32(struct buf *out, const uint32_t *v, uint32_t n, uint64_t *scratch);
uint32_t *log_numbers_get_u32(struct column_cursor *c, struct arena *a, uint32_t n, int *rc);

#endif
