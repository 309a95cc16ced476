/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VARVE_CLI_TERMINAL_UNITS_H
#define VARVE_CLI_TERMINAL_UNITS_H

#include "base/str.h"

/*
 * Values as people read them: 1234567 nanoseconds is "1.23 ms", 1536 bytes "1.50 KiB", 12345 of
 * anything else "12,345". Exact values are the plain number.
 */
enum { UNIT_TEXT_MAX = 48 };

/* The text of a value in `unit`, as pprof and OTLP write it ("nanoseconds", "By", "ms", ...). */
struct unit_text {
	char text[UNIT_TEXT_MAX];
};
struct unit_text unit_value(int64_t value, struct str unit, bool exact);

/* The same with a sign in front: "+1.23 ms". */
struct unit_text unit_change(int64_t value, struct str unit, bool exact);

/* "12.3%" of the whole, 0 of nothing. */
struct unit_text unit_share(double part, double whole, int digits);

#endif
