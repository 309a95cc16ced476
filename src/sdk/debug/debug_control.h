/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VARVE_SDK_DEBUG_DEBUG_CONTROL_H
#define VARVE_SDK_DEBUG_DEBUG_CONTROL_H

#include "base/err.h"
#include "base/str.h"

/* What POST /debug/profiling sets. */
struct debug_control {
	/* bits of enum varve_profile */
	unsigned profiles;
	/* 0: as it is */
	unsigned cpu_hz;
};

/*
 * Read a form (profiles=cpu,heap&cpu_hz=50) or a JSON object ({"profiles": ["cpu", "heap"], "cpu_hz": 50, "enabled": true}) into *out, whose
 * fields stay where the text does not name them. -EINVAL with the reason for everything that is not understood.
 */
MUST_USE int debug_control_read(struct debug_control *out, struct str text, struct err *e);

#endif
