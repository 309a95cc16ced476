/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VARVE_FORMAT_OTLP_DECODER_H
#define VARVE_FORMAT_OTLP_DECODER_H

#include "format/format.h"
#include "format/otlp/layout.h"
#include "wire/proto.h"
#include "wire/varints.h"

/*
 * Private to the OTLP decoder: decode.c (messages, profiles), samples.c, rows.c (lists of
 * indices), scan.c, dictionary.c and usual.c (tables) and values.c (AnyValue, KeyValue).
 *
 * Dictionary tables go into the batch row by row, so an index of the message becomes a row of the
 * batch by adding an offset: no hashing, no interning. The offset is 0 unless other messages were
 * decoded before, or the sender left out the zero row.
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

struct otlp_rows {
	uint32_t count;	 /* in the message */
	uint32_t limit;	 /* valid indices are below: count, or 1 when the table is missing */
	uint32_t offset; /* index + offset is the row */
	uint32_t zero;	 /* the row of index 0 */
	bool real_zero;	 /* the sender's row 0 is not the zero value */
};

/* A part of the dictionary: protobuf allows several, their tables add up. */
struct otlp_dictionary_part {
	struct str bytes;
	/* where rows of each table begin and end */
	const uint8_t *first[OTLP_TABLES], *end[OTLP_TABLES];
};

enum { OTLP_MAX_DICTIONARY_PARTS = 64, OTLP_MAX_VALUE_DEPTH = 64, OTLP_MAX_SAMPLE_TYPES = 64 };

/* What is repaired; each kind is said once a message. */
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
 * What the checker wants to know and the batch does not keep. With an observer nothing is repaired:
 * indices, rows 0 and shapes stay as the sender wrote them, and the batch must be read with care.
 */
enum otlp_event {
	EVENT_STRING_USED,  /* by a value or an inline attribute: number = index */
	EVENT_LINK,	    /* row, number = length of trace id << 32 | of span id */
	EVENT_PROFILE_ID,   /* number = its length; the profile is the last one */
	EVENT_UTF8,	    /* a string is not UTF-8 */
	EVENT_KEY_TWICE,    /* a KeyValue with key and key_strindex */
	EVENT_REPEATED_KEY, /* a key twice among the attributes of the last resource or scope */
};

/* Where an event of a value happened. */
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
	struct str whole;  /* byte offsets in errors count from its beginning */
	bool layout_known; /* it is 1.11: do not guess */
	bool slowly;	   /* tests: nothing is read the usual way */
	enum otlp_layout layout;
	const struct otlp_roles *roles;
	struct otlp_rows rows[OTLP_TABLES];
	uint32_t first_string; /* of this message */
	bool wide_strings;     /* not all of them are ASCII */
	uint32_t repaired;     /* bits of enum otlp_repair */
	enum otlp_place place;
	bool has_profiles; /* else nobody misses a table */

	/* one class for all attributes of this message whose keys read the same: see otlp_clean_list() */
	uint32_t *key_class; /* of the attribute row first_attribute + i, i < class_rows */
	uint32_t first_attribute, class_rows, classes;
	uint32_t *marks, mark; /* marks[class] == mark: seen in this list */
	uint32_t flag_attributes
		[ROW_FLAGS]; /* 1.7: rows made for mapping and location flags, or 0 */

	struct key_classes *key_classes; /* while 1.7's attribute units are read */

	uint32_t part_count;
	struct otlp_dictionary_part parts[OTLP_MAX_DICTIONARY_PARTS];
};

/* A decoder in the batch's arena, or NULL. */
struct otlp_decoder *otlp_decoder_new(struct profile_batch *out, struct str whole,
				      const struct decode_options *o, struct err *e);

/*
 * Decode one message and append it to the batch. `whole` is what contains it. 0 or -errno; after
 * an error the batch may hold part of the message and is good for profile_batch_fini() only.
 */
MUST_USE int otlp_decode_message(struct otlp_decoder *d, struct str message);

/* How the input is cut into messages. Any input is one plain message if nothing else fits. */
enum otlp_framing { OTLP_PLAIN, OTLP_BIG_ENDIAN, OTLP_VARINT };
enum otlp_framing otlp_find_framing(struct str in);

/* 1: *message is the next one, *rest what follows; 0: no more; -EBADMSG with `e` set. */
MUST_USE int otlp_next_message(enum otlp_framing framing, struct str whole, struct str *rest,
			       struct str *message, struct err *e);

/*
 * JSON: the next message in `json` from *at on, as protobuf in `out`, which is emptied first. 1, 0 when there is none,
 * or -errno. `scratch` is reset.
 */
MUST_USE int otlp_json_next(struct str json, size_t *at, struct buf *out, struct arena *scratch,
			    struct err *e);

/* scan.c */
MUST_USE int otlp_scan_dictionary(struct otlp_decoder *d, struct str message);
MUST_USE int otlp_report_tables(struct otlp_decoder *d);

/* dictionary.c */
MUST_USE int otlp_decode_dictionary(struct otlp_decoder *d);
MUST_USE int otlp_new_attribute(struct otlp_decoder *d, struct str key, struct value value,
				uint32_t *row);

/*
 * usual.c: rows of a table that stand one behind the other from `at` on, up to the first that is unusual: where that one
 * begins. Room for all rows of the table is there.
 */
typedef const uint8_t *otlp_row_taker(struct otlp_decoder *d, const uint8_t *at,
				      const uint8_t *end);
otlp_row_taker otlp_take_functions, otlp_take_locations, otlp_take_stacks;

/*
 * samples.c: the sample that the reader stands on and those right behind it, for the last profile of the
 * batch. Damage of the profile is left in the reader.
 */
struct otlp_sample_plan {
	uint32_t sample;		      /* how many came before */
	uint32_t value_at, type_count;	      /* 1.7: which value, of how many */
	uint32_t location_at, location_count; /* 1.7: the profile's locations, in stack_locations */
	uint32_t stack_first;		      /* 1.7: the row of the first sample's stack */
	bool make_stacks;
};
MUST_USE int otlp_decode_samples(struct otlp_decoder *d, struct proto_reader *r,
				 struct otlp_sample_plan *plan);
/* Do the lists of field 2 name attributes, each key once, as 1.11 has it? */
bool otlp_field_2_has_attributes(struct otlp_decoder *d, struct str message);

/* values.c */
MUST_USE int otlp_read_value(struct otlp_decoder *d, struct str bytes, struct value *out);
MUST_USE int otlp_read_keyvalues(struct otlp_decoder *d, struct str message, uint32_t field,
				 struct list *out);
MUST_USE int otlp_read_string(struct otlp_decoder *d, struct str bytes, struct str *out);

/* Report a repair: 0, or an error when the caller wants none. */
MUST_USE int otlp_repair(struct otlp_decoder *d, enum otlp_repair kind, const char *fmt, ...)
	PRINTF_LIKE(3, 4);
MUST_USE int otlp_bad_index(struct otlp_decoder *d, enum otlp_table table, uint32_t index,
			    uint32_t *row);

static inline void otlp_observe(const struct otlp_decoder *d, enum otlp_event event, uint32_t row,
				uint64_t number)
{
	if (unlikely(d->observer != NULL))
		d->observer->event(d->observer->arg, event, d->place, row, number);
}

/* The row that an index of the message means; 0 ("none") when it is out of range. */
static inline int otlp_row(struct otlp_decoder *d, enum otlp_table table, uint64_t wire,
			   uint32_t *row)
{
	const struct otlp_rows *t = &d->rows[table];
	uint32_t index = (uint32_t)wire; /* as protobuf reads an int32 */

	if (unlikely(index >= t->limit))
		return otlp_bad_index(d, table, index, row);
	*row = index ? index + t->offset : t->zero;
	return 0;
}

/*
 * The varint at `p`: returns what follows it, or NULL when it goes past `end` or is too long.
 * One and two bytes in line: nearly all indices.
 */
const uint8_t *otlp_varint_long(const uint8_t *p, const uint8_t *end, uint64_t *value);

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
	return otlp_varint_long(p, end, value);
}

/*
 * A message whose fields 1 to `last` (below 16) are varints: fields[i] is field i, 0 when it is not there; other
 * fields are passed over. 0 or -EBADMSG. Fields that stand in their order, as everybody writes them, are read in
 * line; the slow way reads whatever it is.
 */
MUST_USE int otlp_read_numbers_slowly(struct otlp_decoder *d, struct str bytes, uint64_t *fields,
				      uint32_t last);

static inline int otlp_read_numbers(struct otlp_decoder *d, struct str bytes, uint64_t *fields,
				    uint32_t last)
{
	const uint8_t *p = (const uint8_t *)bytes.p, *end = p + bytes.n;
	const uint8_t *input_end = (const uint8_t *)d->whole.p + d->whole.n;

	if (unlikely(input_end - end < VARINT_SLACK))
		return otlp_read_numbers_slowly(d, bytes, fields, last);
	for (uint32_t field = 1; field <= last; field++) {
		fields[field] = 0;
		if (p < end && *p == PROTO_TAG(field, PROTO_VARINT)) {
			p = varint_read(p + 1, &fields[field]);
			if (unlikely(!p))
				break;
		}
	}
	return likely(p == end) ? 0 : otlp_read_numbers_slowly(d, bytes, fields, last);
}

/* A packed list of indices of `table`, as rows at the end of a VEC(uint32_t). */
#define otlp_read_rows(d, table, bytes, v)                                                         \
	({                                                                                         \
		struct str list_ = (bytes);                                                        \
		list_.n == 1 && (uint8_t)list_.p[0] < 0x80                                         \
			? otlp_read_row((d), (table), (uint8_t)list_.p[0], (v))                    \
			: otlp_read_rows_into((d), (table), list_, &(v)->at, &(v)->n, &(v)->cap);  \
	})
MUST_USE int otlp_read_rows_into(struct otlp_decoder *d, enum otlp_table table, struct str bytes,
				 uint32_t **at, uint32_t *n, uint32_t *cap);

/* One index, as a row at the end of a VEC(uint32_t). */
#define otlp_read_row(d, table, index, v)                                                          \
	({                                                                                         \
		uint32_t row_ = 0;                                                                 \
		int rc_row_ = otlp_row((d), (table), (index), &row_);                              \
		rc_row_ ? rc_row_ : vec_push(&(d)->b->arena, (v), row_);                           \
	})

/* The error for a varint at `at` that goes past its list. Returns -EBADMSG. */
int otlp_bad_list(const struct otlp_decoder *d, const uint8_t *at);

/* Are all keys of these attribute rows different? Row 0 may not be among them. 0 or -ENOMEM. */
MUST_USE int otlp_keys_differ(struct otlp_decoder *d, const uint32_t *ids, uint32_t n,
			      bool *differ);

/*
 * Make a list of attribute rows keep its promise: no row 0, each key once, the first one wins.
 * *n is its length, before and after.
 */
MUST_USE int otlp_clean_list(struct otlp_decoder *d, uint32_t *ids, uint32_t *n);

/* A list that has just been read to the end of a pool of attribute rows, from `at` on. */
#define otlp_end_list(d, v, from)                                                                  \
	({                                                                                         \
		uint32_t n_ = (v)->n - (from);                                                     \
		bool fine_ = !n_ || (n_ == 1 && (v)->at[from]);                                    \
		int rc_list_ = fine_ ? 0 : otlp_clean_list((d), (v)->at + (from), &n_);            \
		(v)->n = (from) + n_;                                                              \
		rc_list_;                                                                          \
	})

#endif
