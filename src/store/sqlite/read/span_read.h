/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VARVE_STORE_SQLITE_SPAN_READ_H
#define VARVE_STORE_SQLITE_SPAN_READ_H

#include "store/sqlite/block/span_block.h"
#include "store/sqlite/catalog/partition.h"

/* A block of spans; all of it lives in the arena. 0, -ENOMEM or -EUCLEAN. */
MUST_USE int spans_read(struct reader *r, const struct span_entry *entry, struct arena *a,
			struct span_rows *out, struct err *e);

#endif
