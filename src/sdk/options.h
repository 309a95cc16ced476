/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VARVE_SDK_OPTIONS_H
#define VARVE_SDK_OPTIONS_H

#include "base/arena.h"
#include "base/err.h"
#include "varve/varve.h"

/*
 * Options from code, file and environment, by one table (sdk_option_table): name in a file, environment names, type, range,
 * default, help. What code says goes first, then the environment, then the file, then the default.
 */
enum option_type {
	OPTION_TEXT,
	OPTION_FLAG,	 /* true, false, 1, 0 */
	OPTION_OFF_FLAG, /* a "no_..." field: the text says whether it is on */
	OPTION_COUNT,
	OPTION_BYTES, /* 512KB, 10MB, 512 KiB */
	OPTION_MS,    /* 10s, 500ms; plain numbers are milliseconds */
	OPTION_NS,
	OPTION_SHARE,	 /* 0.8 or 80% */
	OPTION_PROFILES, /* cpu,heap,... */
	OPTION_PROTOCOL,
	OPTION_SAMPLER,
};

struct option_row {
	const char *path;	    /* in a file: "profiling.cpu.sample_rate" */
	const char *env, *otel_env; /* either may be NULL */
	enum option_type type;
	size_t offset;		    /* in struct varve_options */
	double low, high, fallback; /* of numbers, as in the struct; low == high: any */
	const char *help;
};
extern const struct option_row sdk_option_table[];
extern const size_t sdk_option_count;

enum { SDK_OPTIONS_MAX = 64 };

struct sdk_options {
	struct varve_options o; /* complete: no zero that means "default" is left */
	struct arena arena;	/* its texts */
	/* environment or file have a value for the row of that number: zero is a value then */
	bool said[SDK_OPTIONS_MAX];
};

/* Fill *out from code alone, whatever the environment says. -EINVAL with the option's name. */
MUST_USE int sdk_options_from_code(struct sdk_options *out, const struct varve_options *code,
				   struct err *e);

/* Fill *out from code (may be NULL), environment and the text of a file (empty: none). -EINVAL with the option's name. */
MUST_USE int sdk_options_load(struct sdk_options *out, const struct varve_options *code,
			      struct str file, const char *path, struct err *e);
void sdk_options_fini(struct sdk_options *s);

/* Read one option's text into its field. 0, -EINVAL, -ERANGE or -ENOMEM. */
MUST_USE int sdk_option_read(struct sdk_options *out, const struct option_row *row,
			     struct str text);

/* Read true, false, 1, 0, yes, no, on or off. 0 or -EINVAL. */
MUST_USE int sdk_flag_read(struct str text, unsigned *value);

/* The row with that path; there is one. */
const struct option_row *sdk_option_named(const char *path);

/* "cpu,heap": the names of the bits. */
struct buf;
void sdk_profile_names(struct buf *out, unsigned profiles);

/* The file's part (options_file.c): fields that are set already stay. -EINVAL with "path:line: ...". */
MUST_USE int sdk_options_from_file(struct sdk_options *out, struct str file, const char *path,
				   struct err *e);

#endif
