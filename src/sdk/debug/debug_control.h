/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VARVE_SDK_DEBUG_DEBUG_CONTROL_H
#define VARVE_SDK_DEBUG_DEBUG_CONTROL_H

#include "sdk/options.h"

/*
 * The settings of POST /debug/profiling: kinds, rates and thresholds. Their names are a table; each
 * has the syntax and the range of its option.
 */
enum { DEBUG_ENABLED_UNCHANGED, DEBUG_ENABLE, DEBUG_DISABLE };

struct debug_control {
	struct sdk_options wanted; /* `given` says which options are in the request */
	unsigned enabled;	   /* DEBUG_... */
};

/*
 * Parse a form (profiles=cpu,heap&cpu_hz=50) or a JSON object ({"profiles": ["cpu", "heap"],
 * "cpu_hz": 50, "enabled": true}). Return 0, or -EINVAL with the reason for any unknown or
 * malformed setting. Call debug_control_fini() in either case.
 */
MUST_USE int debug_control_read(struct debug_control *out, struct str text, struct err *e);
void debug_control_fini(struct debug_control *c);

/* Return whether the request gives the option with this path. */
bool debug_control_gives(const struct debug_control *c, const char *path);

/* Copy the numbers that the request gives to `to`. */
void debug_control_copy(const struct debug_control *c, struct varve_options *to);

#endif
