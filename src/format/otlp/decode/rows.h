/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VARVE_FORMAT_OTLP_DECODE_ROWS_H
#define VARVE_FORMAT_OTLP_DECODE_ROWS_H

#include "format/otlp/decode/decoder.h"
#include "wire/proto.h"
#include "wire/varints.h"

/* Conversion of indices of the message to rows of the batch, one by one and as packed lists. */

/* The field names of the tables in ProfilesDictionary, for messages. */
extern const char *const otlp_table_names[OTLP_TABLES];

/* Handle an index that is out of range: report the repair and set *row to 0. Return 0 or -errno. */
MUST_USE int otlp_bad_index(struct otlp_decoder *d, enum otlp_table table, uint32_t index,
			    uint32_t *row);

/* Set *row to the row of an index of the message, or to 0 ("none") if it is out of range. */
static inline int otlp_row(struct otlp_decoder *d, enum otlp_table table, uint64_t wire,
			   uint32_t *row)
{
	const struct otlp_rows *t = &d->rows[table];
	uint32_t index = (uint32_t)wire; /* protobuf truncates to int32 in the same way */

	if (unlikely(index >= t->limit))
		return otlp_bad_index(d, table, index, row);
	*row = index ? index + t->offset : t->zero;
	return 0;
}

/*
 * Read the varint at `p`. Return the byte after it, or NULL if it exceeds `end` or is too long.
 * Varints of one and two bytes, which are nearly all indices, are read inline.
 */
static inline const uint8_t *otlp_varint(const uint8_t *p, const uint8_t *end, uint64_t *value)
{
	if (likely(end - p >= 2)) {
		uint32_t one = p[0], two = p[1];

		if (one < 0x80) {
			*value = one;
			return p + 1;
		}
		if (two < 0x80) {
			*value = (one & 0x7f) | two << 7;
			return p + 2;
		}
	}
	return varint_read_bounded(p, end, value);
}

/* The general form of otlp_read_numbers(), for fields in any order. */
MUST_USE int otlp_read_numbers_general(struct otlp_decoder *d, struct str bytes, uint64_t *fields,
				       uint32_t last);

/*
 * Read a message whose fields 1 to `last` (below 16) are varints: set fields[i] to field i, or 0 if
 * it is absent; skip other fields. Fields in ascending order, as all known senders write them, are
 * read inline. Return 0 or -EBADMSG.
 */
static inline int otlp_read_numbers(struct otlp_decoder *d, struct str bytes, uint64_t *fields,
				    uint32_t last)
{
	const uint8_t *p = (const uint8_t *)bytes.p, *end = p + bytes.n;
	const uint8_t *input_end = (const uint8_t *)d->whole.p + d->whole.n;

	if (unlikely(input_end - end < VARINT_SLACK))
		return otlp_read_numbers_general(d, bytes, fields, last);
	for (uint32_t field = 1; field <= last; field++) {
		fields[field] = 0;
		if (p < end && *p == PROTO_TAG(field, PROTO_VARINT)) {
			p = varint_read(p + 1, &fields[field]);
			if (unlikely(!p))
				break;
		}
	}
	return likely(p == end) ? 0 : otlp_read_numbers_general(d, bytes, fields, last);
}

/* Append the rows of a packed list of indices of `table` to a VEC(uint32_t). Yields 0 or -errno. */
#define otlp_read_rows(d, table, bytes, v)                                                         \
	({                                                                                         \
		struct str list_ = (bytes);                                                        \
		list_.n == 1 && (uint8_t)list_.p[0] < 0x80                                         \
			? otlp_read_row((d), (table), (uint8_t)list_.p[0], (v))                    \
			: otlp_read_rows_into((d), (table), list_, &(v)->at, &(v)->n, &(v)->cap);  \
	})
MUST_USE int otlp_read_rows_into(struct otlp_decoder *d, enum otlp_table table, struct str bytes,
				 uint32_t **at, uint32_t *n, uint32_t *cap);

/* Append the row of one index to a VEC(uint32_t). Yields 0 or -errno. */
#define otlp_read_row(d, table, index, v)                                                          \
	({                                                                                         \
		uint32_t row_ = 0;                                                                 \
		int rc_row_ = otlp_row((d), (table), (index), &row_);                              \
		rc_row_ ? rc_row_ : vec_push(&(d)->b->arena, (v), row_);                           \
	})

/* Set the error for a list that ends within the varint at `at`. Return -EBADMSG. */
int otlp_bad_list(const struct otlp_decoder *d, const uint8_t *at);

/*
 * Set *differ to whether the keys of these attribute rows are distinct. Row 0 must not be among
 * them. Return 0 or -ENOMEM.
 */
MUST_USE int otlp_keys_differ(struct otlp_decoder *d, const uint32_t *ids, uint32_t n,
			      bool *differ);

/*
 * Remove row 0 and repeated keys from a list of attribute rows; the first of equal keys stays. *n
 * is the length before and after. Return 0 or -errno.
 */
MUST_USE int otlp_repair_attribute_list(struct otlp_decoder *d, uint32_t *ids, uint32_t *n);

/* Finish a list of attribute rows that was appended to pool `v` from index `from` on: repair it. */
#define otlp_end_list(d, v, from)                                                                  \
	({                                                                                         \
		uint32_t n_ = (v)->n - (from);                                                     \
		bool fine_ = !n_ || (n_ == 1 && (v)->at[from]);                                    \
		int rc_list_ = fine_ ? 0 : otlp_repair_attribute_list((d), (v)->at + (from), &n_); \
		(v)->n = (from) + n_;                                                              \
		rc_list_;                                                                          \
	})

#endif
