/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VARVE_CLI_TERMINAL_UNITS_H
#define VARVE_CLI_TERMINAL_UNITS_H

#include "base/str.h"

/*
 * Human-readable values: 1234567 nanoseconds is "1.23 ms", 1536 bytes "1.50 KiB", 12345 of any
 * other unit "12,345". With `exact` the text is the plain number.
 */
enum { UNIT_TEXT_MAX = 48 };

struct unit_text {
	char text[UNIT_TEXT_MAX];
};

/* Format a value in a unit of pprof or OTLP ("nanoseconds", "By", "ms", ...). */
struct unit_text unit_value(int64_t value, struct str unit, bool exact);

/* Format a difference, with its sign: "+1.23 ms". */
struct unit_text unit_change(int64_t value, struct str unit, bool exact);

/* Format a share as "12.3%"; 0 if `whole` is 0. */
struct unit_text unit_share(double part, double whole, int digits);

#endif
