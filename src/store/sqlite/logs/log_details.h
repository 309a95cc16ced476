/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VARVE_STORE_SQLITE_LOG_DETAILS_H
#define VARVE_STORE_SQLITE_LOG_DETAILS_H

#include "store/sqlite/logs/log_page.h"

/*
 * The details of the records of a page. Columns:
 *
 *	time source	0 the record's time, 1 the observed one, 2 that of arrival
 *	observed	whether it is set; difference to the time
 *	severity	whether it was derived from the text
 *	texts		severity texts, event names (log_strings.h, both parts with their lengths)
 *	numbers		dropped attributes, flags
 *	ids		distinct trace ids, the number of that of each record (0: none); span ids
 *	attributes	distinct pairs of key and kind of value; distinct lists of these; the list
 *			of each record; a column for each pair
 *
 * The attributes of a record with more than LOG_ATTRIBUTES_MAX of them, or of one that does not fit
 * LOG_ATTRIBUTE_COLUMNS_MAX, are one value of the pair of an empty key and the kind VALUE_KINDS.
 */
enum {
	LOG_ATTRIBUTES_MAX = 256,
	LOG_ATTRIBUTE_COLUMNS_MAX = 1024,
	LOG_ATTRIBUTE_PACKED = VALUE_MAP + 1,
};

/* The longest text of an attribute value that filters have. */
enum { LOG_FILTER_VALUE_MAX = 256 };

/* Append the details. Return 0 or -ENOMEM. */
MUST_USE int log_details_put(struct log_page_packer *p, struct buf *out,
			     const struct kept_log *logs, uint32_t n, struct log_hashes *hashes);

/* A cursor over the records of a page. Private fields. */
struct log_attribute_column {
	struct str key;
	uint32_t kind, n, next;
	struct log_strings strings; /* VALUE_STRING */
	const uint64_t *numbers;
	const uint32_t *at; /* of other kinds: where each begins */
	const char *bytes;
};

struct log_details {
	const struct log_page *page;
	struct log_strings severity_texts, event_names;
	uint64_t *source, *has_observed, *observed, *derived, *dropped, *flags;
	uint32_t *traces, *spans;
	const uint8_t *trace_ids, *span_ids;
	uint32_t trace_n, span_n;
	struct log_attribute_column *columns;
	uint32_t column_n;
	uint32_t *shape_columns; /* of all shapes */
	uint32_t *shape_at;	 /* where each shape begins, and the end */
	uint32_t shape_n;
	uint32_t *shapes; /* of each record */
	uint32_t row;	  /* the next record */
	struct proto_writer writer;
	struct buf text, severity_text, event_name;
	struct str attributes;
};

/* Decode the piece `details` of the page. Return 0, -ENOMEM or -EUCLEAN. Fini in any case. */
MUST_USE int log_details_init(struct log_details *d, struct log_page *page, struct err *e);
void log_details_fini(struct log_details *d);

/* Return the ids of a record; NULL: none. */
const uint8_t *log_details_trace(const struct log_details *d, uint32_t i);
const uint8_t *log_details_span(const struct log_details *d, uint32_t i);

/*
 * Go to record i, which is not before the last one, and fill *out, without body. Text is valid
 * until the next call. Return 0 or -ENOMEM.
 */
MUST_USE int log_details_record(struct log_details *d, uint32_t i, struct log_record *out);

#endif
