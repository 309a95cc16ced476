/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VARVE_FORMAT_JFR_LAYOUT_H
#define VARVE_FORMAT_JFR_LAYOUT_H

#include "format/jfr/metadata.h"

/*
 * The fields of a class compiled into steps: read a field into a slot, skip n integers, skip a
 * string. A layout is compiled once per class and chunk; reading with it allocates nothing and
 * compares no names.
 */

/* Where the value of a wanted field is stored. Events and constants share one set of slots. */
enum jfr_slot {
	JFR_TIME,
	JFR_DURATION,
	JFR_THREAD,
	JFR_STACK,
	JFR_STATE,
	JFR_CLASS,
	JFR_SIZE,
	JFR_SAMPLES,
	JFR_CONTEXT,
	JFR_SPAN,
	JFR_SPAN_NAME,
	JFR_ID,
	JFR_NAME,
	JFR_VALUE,
	JFR_OS_ID,
	JFR_OS_NAME,
	JFR_FRAMES,
	JFR_METHOD,
	JFR_LINE,
	JFR_KIND,
	JFR_SLOTS,
	JFR_NO_SLOT = JFR_SLOTS,
};

/* A field by name and its slot. A list ends with an empty name. */
struct jfr_wanted_field {
	struct str field;
	enum jfr_slot slot;
};

/*
 * The values of the wanted fields: numbers as they are encoded (not sign-extended); for strings and
 * arrays the address where they begin. Slots that the layout does not fill keep their values.
 */
struct jfr_record {
	uint64_t number[JFR_SLOTS + 1]; /* the last element takes unwanted fields: JFR_NO_SLOT */
	const uint8_t *at[JFR_SLOTS];
};

enum jfr_step_kind {
	JFR_SKIP_INTEGERS, /* `count` compressed integers */
	JFR_SKIP_BYTES,	   /* `count` bytes */
	JFR_SKIP_STRING,
	JFR_READ_INTEGER, /* compressed */
	JFR_READ_FIXED,	  /* big-endian, of `count` bytes */
	JFR_READ_STRING,
	JFR_ARRAY, /* a number n, then the next `count` steps n times */
};

struct jfr_step {
	uint8_t kind, slot;
	uint16_t count;
};

struct jfr_layout {
	struct jfr_step *steps;
	uint32_t count;
};

/*
 * Compile the fields of `class`. Return 0, -ENOMEM, or -EBADMSG if a type is unknown, nested too
 * deep (it may contain itself), or has too many fields.
 */
MUST_USE int jfr_layout_compile(struct jfr_layout *layout, struct arena *arena,
				const struct jfr_metadata *m, const struct jfr_class *class,
				const struct jfr_wanted_field *wanted, bool compressed,
				struct err *e);

/* Read one value of the class. The cursor holds the error, if any. */
void jfr_layout_read(const struct jfr_layout *layout, struct jfr_cursor *c, struct jfr_record *out);

/*
 * Get the slots of a class whose fields all are compressed integers, in order, JFR_NO_SLOT for
 * unwanted ones: millions of frames are read by this list without the steps. Return their number,
 * or 0 if the class has other fields or more than `max`.
 */
unsigned jfr_layout_integer_slots(const struct jfr_layout *layout, uint8_t *slots, unsigned max);

#endif
