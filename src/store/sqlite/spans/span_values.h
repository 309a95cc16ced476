/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VARVE_STORE_SQLITE_SPAN_VALUES_H
#define VARVE_STORE_SQLITE_SPAN_VALUES_H

#include "store/sqlite/block/columns.h"
#include "store/sqlite/spans/span_columns.h"

/* The values of one column as a piece: numbers as planes of bytes, text plain or by dictionary. */
union span_value {
	struct str text;
	uint64_t number;
};

/* Append numbers; an offset in `ends` (u32 each) marks each plane. Return the range. */
void span_numbers_put(struct buf *out, struct buf *ends, const uint64_t *v, uint32_t n,
		      uint64_t *min, uint64_t *max);

/* Append text in the encoding that fits it, and return that. Return -ENOMEM without memory. */
MUST_USE int span_text_put(struct buf *out, struct buf *ends, const union span_value *v, uint32_t n,
			   struct arena *a);

/* Read n numbers; *rc is -ENOMEM without memory. NULL then, and where the piece is damaged. */
uint64_t *span_numbers_get(struct column_cursor *c, struct arena *a, uint32_t n, int *rc);

/* Read a column of values; text borrows the piece or is in the arena. NULL as above. */
union span_value *span_values_get(struct column_cursor *c, struct arena *a,
				  enum span_encoding encoding, uint32_t n, int *rc);

#endif
