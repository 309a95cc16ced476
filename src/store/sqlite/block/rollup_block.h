/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VARVE_STORE_SQLITE_ROLLUP_BLOCK_H
#define VARVE_STORE_SQLITE_ROLLUP_BLOCK_H

#include "base/arena.h"
#include "base/buf.h"
#include "base/err.h"
#include "store/sqlite/read/node_sums.h"

/*
 * The part `rollup` of a chunk: nonzero sums by node as columns, divided by their greatest common
 * divisor; for gauges followed by the sums of the means in MEAN_PARTS of a unit.
 */

/*
 * Append the block and the ends of its columns (frame_put_columns()). `parts` are the sums of
 * means; NULL: there are none. Return 0 or -ENOMEM.
 */
MUST_USE int rollup_encode(struct buf *out, struct buf *ends, const struct node_sums *sums,
			   const struct node_sums *parts);

/* Add the sums, or with `parts` the sums of means, to `to`. Return 0, -ENOMEM or -EUCLEAN. */
MUST_USE int rollup_add(struct str rollup, bool parts, struct node_sums *to, struct arena *a,
			struct err *e);

#endif
