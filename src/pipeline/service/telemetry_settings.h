/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VARVE_PIPELINE_SERVICE_TELEMETRY_SETTINGS_H
#define VARVE_PIPELINE_SERVICE_TELEMETRY_SETTINGS_H

#include "base/log.h"
#include "config/settings.h"

/* service.telemetry: what the program tells about itself. */
enum { METRICS_READERS_MAX = 4 };

/* An address that serves the metrics of the program. */
struct metrics_reader {
	struct str address; /* "host:port" */
	bool suffixes;	    /* counters are called ..._total */
	bool optional;	    /* by default: left out if the address is in use */
};

struct metrics_readers {
	const struct metrics_reader *at;
	uint32_t n;
};

struct telemetry_metrics_settings {
	struct str level;		/* "none": no metrics are served */
	struct str address;		/* before readers existed */
	struct metrics_readers readers; /* after reading: where metrics are served */
};

struct telemetry_logs_settings {
	struct str level;    /* empty: that of the command line */
	struct str encoding; /* "console" or "json" */
	struct setting_list output_paths;
};

struct telemetry_settings {
	struct telemetry_metrics_settings metrics;
	struct telemetry_logs_settings logs;
	bool profiles;
};

extern const struct setting telemetry_settings_table[];

/*
 * Read the section of the configuration. `fallback` is the address of the metrics if none is
 * configured; NULL: they are not served then. Return 0, -ENOMEM, or -EINVAL with the place in `e`.
 */
MUST_USE int telemetry_settings_read(struct telemetry_settings *out, const struct config_node *root,
				     const char *fallback, struct arena *arena, struct err *e);

/*
 * Return the log that a configuration describes; `level` is used if it sets none. Errors are found
 * by telemetry_settings_read().
 */
struct log telemetry_log(const struct config_node *root, enum log_level level);

#endif
