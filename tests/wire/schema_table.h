/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VARVE_TEST_SCHEMA_TABLE_H
#define VARVE_TEST_SCHEMA_TABLE_H

/* A message with a field of every kind, for the test and the fuzzer. */
#include "wire/schema.h"

static const struct schema_enum_name color_names[] = {
	{STR_INIT("COLOR_NONE"), 0}, {STR_INIT("COLOR_RED"), 1}, {STR_INIT("COLOR_BLUE"), 7}};
static const struct schema_enum colors = {color_names, countof(color_names), false};
static const struct schema_enum open_colors = {color_names, countof(color_names), true};

SCHEMA_MESSAGE(pair, "Pair", SCHEMA_FIELD(1, "name", "name", STRING),
	       SCHEMA_FIELD(2, "value", "value", STRING));
SCHEMA_MESSAGE(text_entry, "TextEntry", SCHEMA_FIELD(1, "key", "key", STRING),
	       SCHEMA_FIELD(2, "value", "value", INT64));
SCHEMA_MESSAGE(number_entry, "NumberEntry", SCHEMA_FIELD(1, "key", "key", INT64),
	       SCHEMA_NESTED(2, "value", "value", pair));

static const struct schema_message everything;
static const struct schema_field everything_fields[] = {
	SCHEMA_FIELD(1, "label_selector", "labelSelector", STRING),
	SCHEMA_FIELD(2, "raw_profile", "rawProfile", BYTES),
	SCHEMA_FIELD(3, "trace_id", "traceId", ID, .id_size = 4),
	SCHEMA_FIELD(4, "yes", "yes", BOOL),
	SCHEMA_FIELD(5, "small", "small", INT32),
	SCHEMA_FIELD(6, "small_positive", "smallPositive", UINT32),
	SCHEMA_FIELD(7, "color", "color", ENUM, .names = &colors),
	SCHEMA_FIELD(8, "start", "start", INT64),
	SCHEMA_FIELD(9, "size", "size", UINT64),
	SCHEMA_FIELD(10, "time", "time", FIXED64),
	SCHEMA_FIELD(11, "step", "step", DOUBLE),
	SCHEMA_FIELD(12, "names", "names", STRING, SCHEMA_MANY),
	SCHEMA_FIELD(13, "values", "values", INT64, SCHEMA_MANY),
	SCHEMA_NESTED(14, "labels", "labels", pair, SCHEMA_MANY),
	SCHEMA_NESTED(15, "inner", "inner", everything),
	SCHEMA_FIELD(40, "limit", "limit", INT64, SCHEMA_ONE_OF),
	SCHEMA_NESTED(41, "counts", "counts", text_entry, SCHEMA_MAPPED),
	SCHEMA_NESTED(42, "by_id", "byId", number_entry, SCHEMA_MAPPED),
	SCHEMA_FIELD(43, "hue", "hue", ENUM, .names = &open_colors),
};
static const struct schema_message everything = {"Everything", everything_fields,
						 countof(everything_fields)};

#endif
