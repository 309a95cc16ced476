/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VARVE_FORMAT_OTLP_DECODE_LAYOUT_H
#define VARVE_FORMAT_OTLP_DECODE_LAYOUT_H

#include "base/base.h"
#include "base/str.h"

/*
 * OTLP profiles renumbered its fields three times without changing its name (v1development). For
 * each layout, tables map a tag (field number and wire type) to the role of the field, so that one
 * decoder reads all layouts. The layout of a message is detected from its tags.
 */
enum otlp_layout {
	OTLP_1_7,
	OTLP_1_8,
	OTLP_1_9,
	OTLP_1_11, /* and 1.10 */
	OTLP_LAYOUTS,
};

/* Sizes of the tables. Fields with larger tags are unknown. */
enum {
	OTLP_SAMPLE_TAGS = 8 << 3,
	OTLP_PROFILE_TAGS = 16 << 3,
	OTLP_ROW_TAGS = 16 << 3,
};

enum sample_role {
	SAMPLE_UNKNOWN,
	SAMPLE_STACK,
	SAMPLE_ATTRIBUTES, /* packed; SAMPLE_ATTRIBUTE is one unpacked element, etc. */
	SAMPLE_ATTRIBUTE,
	SAMPLE_LINK,
	SAMPLE_VALUES,
	SAMPLE_VALUE,
	SAMPLE_TIMES, /* fixed64 */
	SAMPLE_TIME,
	SAMPLE_VARINT_TIMES, /* 1.7 */
	SAMPLE_VARINT_TIME,
	SAMPLE_START,
	SAMPLE_LENGTH,
};

enum profile_role {
	PROFILE_UNKNOWN,
	PROFILE_SAMPLE_TYPE,
	PROFILE_SAMPLE,
	PROFILE_TIME,
	PROFILE_TIME_VARINT, /* 1.7 */
	PROFILE_DURATION,
	PROFILE_PERIOD_TYPE,
	PROFILE_PERIOD,
	PROFILE_PROFILE_ID,
	PROFILE_DROPPED,
	PROFILE_PAYLOAD_FORMAT,
	PROFILE_PAYLOAD,
	PROFILE_ATTRIBUTES,
	PROFILE_ATTRIBUTE,
	PROFILE_COMMENTS, /* 1.7, 1.8 */
	PROFILE_COMMENT,
	PROFILE_LOCATIONS, /* 1.7 */
	PROFILE_LOCATION,
	PROFILE_DEFAULT_TYPE, /* 1.7 */
};

/* Mapping and Location. Their flags in 1.7 are attributes in later layouts. */
enum row_role {
	ROW_UNKNOWN,
	ROW_ATTRIBUTES,
	ROW_ATTRIBUTE,
	ROW_START,
	ROW_LIMIT,
	ROW_OFFSET,
	ROW_FILENAME,
	ROW_MAPPING,
	ROW_ADDRESS,
	ROW_LINE,
	ROW_FLAG_FIRST, /* + one of enum row_flag */
};

enum row_flag {
	FLAG_HAS_FUNCTIONS,
	FLAG_HAS_FILENAMES,
	FLAG_HAS_LINE_NUMBERS,
	FLAG_HAS_INLINE_FRAMES,
	FLAG_IS_FOLDED,
	ROW_FLAGS,
};

struct otlp_roles {
	const char *name; /* "1.9" */
	uint8_t sample[OTLP_SAMPLE_TAGS];
	uint8_t profile[OTLP_PROFILE_TAGS];
	uint8_t mapping[OTLP_ROW_TAGS];
	uint8_t location[OTLP_ROW_TAGS];
};

extern const struct otlp_roles otlp_roles[OTLP_LAYOUTS];

/*
 * Return the layout that fits the message best. *ambiguous is set if 1.9 and 1.11 fit equally well
 * (all samples have only fields 1, 2 and 5); the caller must then decide by the values of field 2.
 * Malformed protobuf is not reported here.
 */
enum otlp_layout otlp_find_layout(struct str message, bool *ambiguous);

#endif
