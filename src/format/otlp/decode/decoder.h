/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VARVE_FORMAT_OTLP_DECODE_DECODER_H
#define VARVE_FORMAT_OTLP_DECODE_DECODER_H

#include "format/format.h"
#include "format/otlp/decode/layout.h"

/*
 * The state shared by the files of the OTLP decoder: decode.c (messages, resources, profiles),
 * scan.c and dictionary.c (tables), rows.c (indices), samples.c, values.c (AnyValue, KeyValue) and
 * fast_path.c.
 *
 * Dictionary tables are appended to the batch row by row, so an index of the message becomes a row
 * of the batch by adding an offset: no hashing, no interning. The offset is 0 unless other messages
 * were decoded before, or the sender omitted the zero row.
 */
enum otlp_table {
	TABLE_MAPPINGS = 1, /* the field numbers of ProfilesDictionary */
	TABLE_LOCATIONS,
	TABLE_FUNCTIONS,
	TABLE_LINKS,
	TABLE_STRINGS,
	TABLE_ATTRIBUTES,
	TABLE_STACKS,
	OTLP_TABLES,
};

/* How indices of one table of the message map to rows of the batch. */
struct otlp_rows {
	uint32_t count;	 /* rows in the message */
	uint32_t limit;	 /* upper bound of valid indices: count, or 1 if the table is missing */
	uint32_t offset; /* index + offset is the row */
	uint32_t zero;	 /* the row of index 0 */
	bool real_zero;	 /* the sender's row 0 is not the zero value */
};

/* One dictionary field. protobuf allows several in a message; their tables are concatenated. */
struct otlp_dictionary_part {
	struct str bytes;
	/* begin and end of the range that contains the rows of each table */
	const uint8_t *first[OTLP_TABLES], *end[OTLP_TABLES];
};

enum { OTLP_MAX_DICTIONARY_PARTS = 64, OTLP_MAX_VALUE_DEPTH = 64, OTLP_MAX_SAMPLE_TYPES = 64 };

/* Kinds of repairs; each kind is reported once per decoder. */
enum otlp_repair {
	REPAIR_STRING_RANGE,
	REPAIR_MAPPING_RANGE,
	REPAIR_LOCATION_RANGE,
	REPAIR_FUNCTION_RANGE,
	REPAIR_LINK_RANGE,
	REPAIR_ATTRIBUTE_RANGE,
	REPAIR_STACK_RANGE,
	REPAIR_MISSING_TABLE,
	REPAIR_REAL_ZERO,
	REPAIR_UTF8,
	REPAIR_DUPLICATE_KEY,
	REPAIR_SHAPE,
	REPAIR_LINK_ID,
	REPAIR_PROFILE_ID,
	REPAIR_TEMPORALITY,
};

/*
 * Observations for the checker that the batch does not store. With an observer nothing is repaired:
 * indices, rows 0 and sample shapes stay as the sender wrote them, so any index in the batch may be
 * out of range.
 */
enum otlp_event {
	EVENT_STRING_USED,  /* by a value or an inline attribute: number = index */
	EVENT_LINK,	    /* row, number = length of trace id << 32 | length of span id */
	EVENT_PROFILE_ID,   /* number = length; the profile is the last one of the batch */
	EVENT_UTF8,	    /* a string is not UTF-8 */
	EVENT_KEY_TWICE,    /* a KeyValue has both key and key_strindex */
	EVENT_REPEATED_KEY, /* duplicate key among the attributes of the last resource or scope */
};

/* The part of the message that an event belongs to. */
enum otlp_place { IN_ATTRIBUTE_TABLE, IN_RESOURCE, IN_SCOPE, IN_PROFILE, IN_STRING_TABLE };

struct otlp_observer {
	void (*event)(void *arg, enum otlp_event event, enum otlp_place place, uint32_t row,
		      uint64_t number);
	void *arg;
};

struct otlp_decoder {
	struct profile_batch *b;
	const struct decode_options *o; /* may be NULL */
	const struct otlp_observer *observer;
	struct err *e;
	struct str whole;  /* the input; byte offsets in errors are relative to its beginning */
	bool layout_known; /* the layout is 1.11; skip detection */
	bool no_fast_path; /* tests: disable all fast paths */
	enum otlp_layout layout;
	const struct otlp_roles *roles;
	struct otlp_rows rows[OTLP_TABLES];
	uint32_t first_string;	/* row of the first string of this message */
	bool non_ascii_strings; /* some string of this message is not ASCII */
	uint32_t repaired;	/* bits of enum otlp_repair */
	enum otlp_place place;
	bool has_profiles; /* otherwise missing tables are not reported */

	/*
	 * Attributes whose keys have the same text are in one class; class 0 is the empty key.
	 * key_class[i], i < class_rows, is the class of attribute row first_attribute + i. See
	 * otlp_repair_attribute_list().
	 */
	uint32_t *key_class;
	uint32_t first_attribute, class_rows, classes;
	uint32_t *marks, mark; /* marks[class] == mark: the class occurs in the current list */
	/* 1.7: attribute rows created for the flags of mappings and locations, or 0 */
	uint32_t flag_attributes[ROW_FLAGS];

	struct key_classes *key_classes; /* set while the attribute units of 1.7 are decoded */

	uint32_t part_count;
	struct otlp_dictionary_part parts[OTLP_MAX_DICTIONARY_PARTS];
};

static inline void otlp_observe(const struct otlp_decoder *d, enum otlp_event event, uint32_t row,
				uint64_t number)
{
	if (unlikely(d->observer != NULL))
		d->observer->event(d->observer->arg, event, d->place, row, number);
}

#endif
