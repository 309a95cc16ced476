/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VARVE_SDK_OPTIONS_H
#define VARVE_SDK_OPTIONS_H

#include "base/arena.h"
#include "base/err.h"
#include "varve/varve.h"

/*
 * Options from code, environment and file, in this order of precedence, then defaults. All are
 * declared once, in sdk_option_table: key in a file, environment variables, type, range, default
 * and help.
 */
enum option_type {
	OPTION_TEXT,
	OPTION_FLAG,	 /* true, false, 1, 0, ... */
	OPTION_OFF_FLAG, /* a "no_..." field: the text is negated */
	OPTION_COUNT,
	OPTION_BYTES, /* 512KB, 10MB, 512 KiB */
	OPTION_MS,    /* 10s, 500ms; plain numbers are milliseconds */
	OPTION_NS,
	OPTION_SHARE,	 /* 0.8 or 80% */
	OPTION_PROFILES, /* cpu,heap,... */
	OPTION_PROTOCOL,
	OPTION_SAMPLER,
	OPTION_SEVERITY,
	OPTION_EXEMPLARS,
	OPTION_PROPAGATORS, /* tracecontext,baggage,... */
	OPTION_CONTROL,	    /* auto, on, off */
};

struct option_row {
	const char *path;	    /* key in a file: "profiling.cpu.sample_rate" */
	const char *env, *otel_env; /* either may be NULL */
	enum option_type type;
	size_t offset; /* in struct varve_options */
	/* of numbers, in the unit of the struct; low == high: any value */
	double low, high, fallback;
	const char *help;
};
extern const struct option_row sdk_option_table[];
extern const size_t sdk_option_count;

enum { SDK_OPTIONS_MAX = 96 };

struct sdk_options {
	/* complete: no zero that means "default" is left */
	struct varve_options o;
	struct arena arena; /* of the texts */
	/* [row]: the environment or a file gives a value, so that zero is a value too */
	bool given[SDK_OPTIONS_MAX];
	/* the program has set the endpoint: variables of single signals do not apply */
	bool endpoint_by_code;
};

/*
 * Fill *out from code alone, ignoring the environment. 0, -EINVAL with the option's name, or
 * -ENOMEM.
 */
MUST_USE int sdk_options_from_code(struct sdk_options *out, const struct varve_options *code,
				   struct err *e);

/*
 * Fill *out from code (may be NULL), environment and the text of a file (empty: none). 0, -EINVAL
 * with the option's name, or -ENOMEM.
 */
MUST_USE int sdk_options_load(struct sdk_options *out, const struct varve_options *code,
			      struct str file, const char *path, struct err *e);
void sdk_options_fini(struct sdk_options *s);

/* Parse one option's text into its field. 0, -EINVAL, -ERANGE or -ENOMEM. */
MUST_USE int sdk_option_read(struct sdk_options *out, const struct option_row *row,
			     struct str text);

/* Parse true, false, 1, 0, yes, no, on or off. 0 or -EINVAL. */
MUST_USE int sdk_flag_read(struct str text, unsigned *value);

/* Return the row of that path, or NULL. */
const struct option_row *sdk_option_named(const char *path);

/* Append the names of the bits of `profiles`: "cpu,heap". */
struct buf;
void sdk_profile_names(struct buf *out, unsigned profiles);

#endif
