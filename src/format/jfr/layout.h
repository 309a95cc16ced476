/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VARVE_FORMAT_JFR_LAYOUT_H
#define VARVE_FORMAT_JFR_LAYOUT_H

#include "format/jfr/metadata.h"

/*
 * A class's fields compiled into steps: read this into that slot, pass over n integers, pass over
 * a string. Made once per class and chunk; running it allocates nothing and knows no names.
 */

/* Where a value that somebody wants is put. One set of names for events and constants. */
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

/* The field of that name goes to that slot. The end of a list: no name. */
struct jfr_want {
	struct str field;
	enum jfr_slot slot;
};

/*
 * What was read: numbers as they stood there (not sign-extended), strings and arrays as the
 * places where they begin. Slots that the layout does not fill keep what they hold.
 */
struct jfr_record {
	uint64_t number[JFR_SLOTS + 1]; /* the last one is for what nobody wants: JFR_NO_SLOT */
	const uint8_t *at[JFR_SLOTS];
};

enum jfr_step_kind {
	JFR_SKIP_INTEGERS, /* count of them, compressed */
	JFR_SKIP_BYTES,	   /* count of them */
	JFR_SKIP_STRING,
	JFR_READ_INTEGER, /* compressed */
	JFR_READ_FIXED,	  /* big-endian, of count bytes */
	JFR_READ_STRING,
	JFR_ARRAY, /* a count, and so often the next `count` steps */
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
 * Compile the fields of `class`. 0, -ENOMEM, or -EBADMSG when a type is unknown, contains itself,
 * or is larger than any real one.
 */
MUST_USE int jfr_layout_compile(struct jfr_layout *layout, struct arena *arena,
				const struct jfr_metadata *m, const struct jfr_class *class,
				const struct jfr_want *wants, bool compressed, struct err *e);

/* Read one value of the class. An error is in the cursor. */
void jfr_layout_read(const struct jfr_layout *layout, struct jfr_cursor *c, struct jfr_record *out);

/*
 * The slots of a class of nothing but compressed integers, in order, JFR_NO_SLOT for those that
 * nobody wants; so that frames, of which there are millions, are read without the steps. How many,
 * or 0 when the class is another or has more than `max`.
 */
unsigned jfr_layout_integers(const struct jfr_layout *layout, uint8_t *slots, unsigned max);

#endif
