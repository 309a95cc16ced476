/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VARVE_FORMAT_PPROF_SCHEMA_H
#define VARVE_FORMAT_PPROF_SCHEMA_H

/*
 * Field numbers of pprof's profile.proto, and the attributes that OpenTelemetry's semantic
 * conventions define for pprof fields that OTLP does not have.
 */
enum pprof_profile_field {
	PPROF_SAMPLE_TYPE = 1,
	PPROF_SAMPLE = 2,
	PPROF_MAPPING = 3,
	PPROF_LOCATION = 4,
	PPROF_FUNCTION = 5,
	PPROF_STRING_TABLE = 6,
	PPROF_DROP_FRAMES = 7,
	PPROF_KEEP_FRAMES = 8,
	PPROF_TIME_NANOS = 9,
	PPROF_DURATION_NANOS = 10,
	PPROF_PERIOD_TYPE = 11,
	PPROF_PERIOD = 12,
	PPROF_COMMENT = 13,
	PPROF_DEFAULT_SAMPLE_TYPE = 14,
	PPROF_DOC_URL = 15,
};

enum pprof_value_type_field { PPROF_TYPE_TYPE = 1, PPROF_TYPE_UNIT = 2 };

enum pprof_sample_field {
	PPROF_SAMPLE_LOCATION = 1,
	PPROF_SAMPLE_VALUE = 2,
	PPROF_SAMPLE_LABEL = 3
};

enum pprof_label_field {
	PPROF_LABEL_KEY = 1,
	PPROF_LABEL_STR = 2,
	PPROF_LABEL_NUM = 3,
	PPROF_LABEL_UNIT = 4,
};

enum pprof_mapping_field {
	PPROF_MAPPING_ID = 1,
	PPROF_MAPPING_START = 2,
	PPROF_MAPPING_LIMIT = 3,
	PPROF_MAPPING_OFFSET = 4,
	PPROF_MAPPING_FILENAME = 5,
	PPROF_MAPPING_BUILD_ID = 6,
	PPROF_MAPPING_HAS_FUNCTIONS = 7,
	PPROF_MAPPING_HAS_FILENAMES = 8,
	PPROF_MAPPING_HAS_LINE_NUMBERS = 9,
	PPROF_MAPPING_HAS_INLINE_FRAMES = 10,
};

enum pprof_location_field {
	PPROF_LOCATION_ID = 1,
	PPROF_LOCATION_MAPPING = 2,
	PPROF_LOCATION_ADDRESS = 3,
	PPROF_LOCATION_LINE = 4,
	PPROF_LOCATION_IS_FOLDED = 5,
};

enum pprof_line_field { PPROF_LINE_FUNCTION = 1, PPROF_LINE_LINE = 2, PPROF_LINE_COLUMN = 3 };

enum pprof_function_field {
	PPROF_FUNCTION_ID = 1,
	PPROF_FUNCTION_NAME = 2,
	PPROF_FUNCTION_SYSTEM_NAME = 3,
	PPROF_FUNCTION_FILENAME = 4,
	PPROF_FUNCTION_START_LINE = 5,
};

/* The four flags of a mapping, in the order of their fields. */
enum { PPROF_MAPPING_FLAGS = 4 };

#define PPROF_ATTR_BUILD_ID STR("process.executable.build_id.gnu")
#define PPROF_ATTR_BUILD_ID_GO STR("process.executable.build_id.go")
#define PPROF_ATTR_BUILD_ID_HTLHASH STR("process.executable.build_id.htlhash")
#define PPROF_ATTR_HAS_FUNCTIONS STR("pprof.mapping.has_functions")
#define PPROF_ATTR_HAS_FILENAMES STR("pprof.mapping.has_filenames")
#define PPROF_ATTR_HAS_LINE_NUMBERS STR("pprof.mapping.has_line_numbers")
#define PPROF_ATTR_HAS_INLINE_FRAMES STR("pprof.mapping.has_inline_frames")
#define PPROF_ATTR_IS_FOLDED STR("pprof.location.is_folded")
#define PPROF_ATTR_COMMENT STR("pprof.profile.comment")
#define PPROF_ATTR_DOC_URL STR("pprof.profile.doc_url")
#define PPROF_ATTR_DROP_FRAMES STR("pprof.profile.drop_frames")
#define PPROF_ATTR_KEEP_FRAMES STR("pprof.profile.keep_frames")
#define PPROF_ATTR_DEFAULT_SAMPLE_TYPE STR("pprof.scope.default_sample_type")
#define PPROF_ATTR_SAMPLE_TYPE_ORDER STR("pprof.scope.sample_type_order")

/* Labels that become a Link in OTLP. */
#define PPROF_LABEL_TRACE_ID STR("trace_id")
#define PPROF_LABEL_SPAN_ID STR("span_id")

#endif
