/* SPDX-License-Identifier: Apache-2.0 */
/* Tables of units: each unit of a profile maps to a scale, from which the text takes one step. */
#include "cli/terminal/units.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>

struct step {
	const char *name;
	double size; /* in the smallest unit */
};

static const struct step times[] = {{"ns", 1},	   {"us", 1e3},	  {"ms", 1e6},	 {"s", 1e9},
				    {"min", 60e9}, {"h", 3600e9}, {"d", 86400e9}};
static const struct step sizes[] = {{"B", 1},
				    {"KiB", 1024.0},
				    {"MiB", 1048576.0},
				    {"GiB", 1073741824.0},
				    {"TiB", 1099511627776.0},
				    {"PiB", 1125899906842624.0}};

struct scale {
	const struct step *steps;
	size_t n;
	double factor; /* of the profile's unit, in the smallest step */
};

/* Find the scale of a unit of pprof (words) or OTLP (UCUM codes). */
static bool find_scale(struct str unit, struct scale *out)
{
	static const struct {
		struct str name;
		bool time;
		double factor;
	} rows[] = {
		{STR_INIT("nanoseconds"), true, 1},
		{STR_INIT("ns"), true, 1},
		{STR_INIT("nanosecond"), true, 1},
		{STR_INIT("microseconds"), true, 1e3},
		{STR_INIT("microsecond"), true, 1e3},
		{STR_INIT("us"), true, 1e3},
		{STR_INIT("milliseconds"), true, 1e6},
		{STR_INIT("millisecond"), true, 1e6},
		{STR_INIT("ms"), true, 1e6},
		{STR_INIT("seconds"), true, 1e9},
		{STR_INIT("second"), true, 1e9},
		{STR_INIT("s"), true, 1e9},
		{STR_INIT("bytes"), false, 1},
		{STR_INIT("byte"), false, 1},
		{STR_INIT("By"), false, 1},
		{STR_INIT("B"), false, 1},
		{STR_INIT("kilobytes"), false, 1024},
		{STR_INIT("KiBy"), false, 1024},
		{STR_INIT("megabytes"), false, 1048576},
		{STR_INIT("MiBy"), false, 1048576},
	};

	for (size_t i = 0; i < countof(rows); i++) {
		if (!str_eq(rows[i].name, unit))
			continue;
		*out = rows[i].time ? (struct scale){times, countof(times), rows[i].factor}
				    : (struct scale){sizes, countof(sizes), rows[i].factor};
		return true;
	}
	return false;
}

/* Format 12345678 as 12,345,678. */
static void format_grouped(char *out, size_t size, int64_t value)
{
	char digits[24];
	int n = snprintf(digits, sizeof(digits), "%" PRId64, value), at = 0;
	size_t used = 0;

	if (digits[0] == '-')
		out[used++] = digits[at++];
	for (; at < n && used + 2 < size; at++) {
		out[used++] = digits[at];
		if ((n - at - 1) % 3 == 0 && at + 1 < n)
			out[used++] = ',';
	}
	out[used] = 0;
}

/* Return the decimals for three significant digits. */
static int decimals(double value)
{
	double size = fabs(value);

	return size < 9.995 ? 2 : size < 99.95 ? 1 : 0;
}

struct unit_text unit_value(int64_t value, struct str unit, bool exact)
{
	struct unit_text out;
	struct scale scale;

	if (exact) {
		snprintf(out.text, sizeof(out.text), "%" PRId64, value);
		return out;
	}
	if (!find_scale(unit, &scale)) {
		format_grouped(out.text, sizeof(out.text), value);
		return out;
	}

	double base = (double)value * scale.factor;
	size_t i = scale.n - 1;

	/* 999.6 ms would be rounded to 1000 ms, so it becomes 1.00 s. */
	while (i > 0 && fabs(base) < scale.steps[i].size * 0.9995)
		i--;

	double shown = base / scale.steps[i].size;

	snprintf(out.text, sizeof(out.text), "%.*f %s", i ? decimals(shown) : 0, shown,
		 scale.steps[i].name);
	return out;
}

struct unit_text unit_change(int64_t value, struct str unit, bool exact)
{
	struct unit_text out, plain = unit_value(value, unit, exact);

	snprintf(out.text, sizeof(out.text), "%s%.*s", value > 0 ? "+" : "", UNIT_TEXT_MAX - 2,
		 plain.text);
	return out;
}

struct unit_text unit_share(double part, double whole, int digits)
{
	struct unit_text out;

	snprintf(out.text, sizeof(out.text), "%.*f%%", digits, whole != 0 ? 100 * part / whole : 0);
	return out;
}
