/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VARVE_SDK_DEBUG_DEBUG_CONTROL_H
#define VARVE_SDK_DEBUG_DEBUG_CONTROL_H

#include "base/err.h"
#include "base/str.h"

/* The settings of POST /debug/profiling. */
struct debug_control {
	/* bits of enum varve_profile */
	unsigned profiles;
	/* 0: unchanged */
	unsigned cpu_hz;
};

/*
 * Parse a form (profiles=cpu,heap&cpu_hz=50) or a JSON object ({"profiles": ["cpu", "heap"],
 * "cpu_hz": 50, "enabled": true}) into *out; fields that are not named stay unchanged. Return 0, or
 * -EINVAL with the reason for any unknown or malformed setting.
 */
MUST_USE int debug_control_read(struct debug_control *out, struct str text, struct err *e);

#endif
