/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VARVE_STORE_SQLITE_SPAN_COLUMNS_H
#define VARVE_STORE_SQLITE_SPAN_COLUMNS_H

#include "signal/trace/trace_view.h"
#include "store/sqlite/block/frame.h"
#include "store/sqlite/spans/span_rows.h"

/*
 * The details of the spans of a merged block, as columns: an index, and a blob of pieces that are
 * compressed one by one, so that a query reads the index and the columns that it needs.
 *
 * The spans are cut into groups of SPAN_GROUP_ROWS spans in the order of the block. In a group each
 * pair of key and type of a span attribute that is frequent enough is a column with the values of
 * the spans that have it, one after the other; so are the other fields of a span. Attributes with
 * rare keys, and those that are arrays, maps, bytes or of an unusual encoding, share a column of
 * whole KeyValue messages. The shape of a span is the list of its columns, in the order of its
 * fields: spans of one origin share a shape. So presence costs nearly nothing, and details are
 * restored exactly.
 *
 * Index:
 *	origins	count; each resource and scope with its length (span_origin_put())
 *	groups	count; of each group: number of spans, number of columns; of each column: field, type,
 *		key, number of values, encoding, size of its piece before and after compression,
 *		least and largest value if it has numbers; the sizes of the piece of its shapes; the
 *		size of its filter; the filter (span_filter.h)
 *	times	of each group: least and largest start, latest end, largest duration; may be missing
 *
 * Pieces of a group, in this order: shapes, then each column.
 *	shapes	count; of each shape: number of columns, their indexes; then three columns of numbers
 *		with an entry for each span: shape, resource and scope (0 none, else 1 + the origin)
 *	numbers	the least one, the width w of the largest difference to it in bytes, w planes of a byte
 *		of each difference
 *	text	strings, in one of two encodings:
 *		plain: a common prefix, the lengths of the rest (numbers), the bytes
 *		dictionary: the distinct strings as plain text, and their indexes (numbers)
 */
enum { SPAN_GROUP_ROWS = 8192 };
#define SPAN_GROUP_BYTES (4 * MIB) /* of details; a single span may have more */
#define SPAN_GROUP_BYTES_MAX (SPAN_GROUP_BYTES + SPAN_DETAILS_MAX)

enum span_value_type {
	SPAN_VALUE_MESSAGE, /* a whole KeyValue message; of other fields: their payload */
	SPAN_VALUE_STRING,
	SPAN_VALUE_BOOL,
	SPAN_VALUE_INT, /* the sign bit is inverted, so that the order is that of unsigned numbers */
	SPAN_VALUE_DOUBLE, /* the same for its bits; of negative ones all bits are inverted */
	SPAN_VALUE_TYPES,
};

enum span_encoding { SPAN_NUMBERS, SPAN_TEXT, SPAN_DICTIONARY, SPAN_ENCODINGS };

/* The field of a column of whole details: of spans that are no valid message. */
enum { SPAN_FIELD_WHOLE = 0 };

struct span_column {
	uint8_t field;	  /* enum span_detail_field, or SPAN_FIELD_WHOLE */
	uint8_t type;	  /* enum span_value_type; of attributes only */
	uint8_t encoding; /* enum span_encoding */
	struct str key;	  /* of attributes that are no messages */
	uint32_t count;
	uint32_t raw, packed; /* size of its piece before and after compression */
	uint64_t min, max;    /* of numbers, as they are stored */
};

struct span_group {
	uint32_t first, rows;
	uint32_t raw, packed; /* the piece of its shapes */
	size_t at;	      /* of its pieces */
	uint32_t column_count;
	struct span_column *columns;
	struct str filter;
	/* Starts, the latest end, and the longest duration; if unknown, the limits of a u64. */
	uint64_t first_start, last_start, last_end, longest;
};

struct span_index {
	uint32_t origin_count, group_count;
	struct span_group *groups;
};

static inline bool span_column_has_numbers(const struct span_column *c)
{
	if (c->field == SPAN_FIELD_ATTRIBUTES)
		return c->type >= SPAN_VALUE_BOOL;
	return c->field == SPAN_FIELD_DROPPED_ATTRIBUTES || c->field == SPAN_FIELD_DROPPED_EVENTS ||
	       c->field == SPAN_FIELD_DROPPED_LINKS || c->field == SPAN_FIELD_FLAGS;
}

/* Return the double that is stored as that number. */
static inline double span_stored_double(uint64_t number)
{
	uint64_t sign = (uint64_t)1 << 63, bits = number & sign ? number ^ sign : ~number;
	double value;

	memcpy(&value, &bits, sizeof(value));
	return value;
}

/* Return the int that is stored as that number. */
static inline int64_t span_stored_int(uint64_t number)
{
	return (int64_t)(number ^ (uint64_t)1 << 63);
}

/*
 * Append the index and the pieces of the details of the ordered spans. `r` has their strings.
 * Return 0 or -ENOMEM.
 */
MUST_USE int span_columns_put(struct buf *index, struct buf *pieces, const struct span_rows *r,
			      struct span_order *order);

/*
 * Read an index into the arena, and append its origins to the strings of the rows. Return 0,
 * -ENOMEM or -EUCLEAN.
 */
MUST_USE int span_index_get(struct span_index *out, struct span_rows *rows, struct str index,
			    struct arena *a, struct err *e);

/* What of the details is needed; the columns of the rest are not read. */
struct span_need {
	struct str *keys; /* of span attributes */
	uint32_t key_count;
	bool events, links, status;
};

/* Set *out to what the fields of a view need. The keys are borrowed. Return 0 or -ENOMEM. */
MUST_USE int span_need_of(struct span_need *out, const struct trace_field *fields, uint32_t n,
			  struct arena *a);

/* Return whether a column is needed; `need` NULL: all are. */
bool span_needs_column(const struct span_need *need, const struct span_column *c);

/*
 * Give the spans of a decoded block their details, or what is needed of them (`need` NULL: all),
 * allocated in the arena. Groups without a picked span are not read. Return 0, -ENOMEM or -EUCLEAN.
 */
MUST_USE int span_columns_get(struct span_rows *rows, struct str index, struct str pieces,
			      const struct span_need *need, struct frame_unpacker *u,
			      struct arena *a, struct err *e);

#endif
