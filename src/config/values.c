/* SPDX-License-Identifier: Apache-2.0 */
/* Parse the text of settings: booleans, sizes and durations. */
#include "config/values.h"

#include <errno.h>

#include "base/clock.h"

struct unit {
	struct str name;
	uint64_t factor;
};

int setting_parse_bool(struct str text, bool *out)
{
	static const struct str yes[] = {STR_INIT("true"), STR_INIT("True"), STR_INIT("TRUE")};
	static const struct str no[] = {STR_INIT("false"), STR_INIT("False"), STR_INIT("FALSE")};

	for (size_t i = 0; i < countof(yes); i++) {
		if (str_eq(text, yes[i]) || str_eq(text, no[i])) {
			*out = str_eq(text, yes[i]);
			return 0;
		}
	}
	return -EINVAL;
}

/* Cut a decimal number off the beginning of *rest. */
static int cut_number(struct str *rest, double *out)
{
	size_t n = 0;
	int rc;

	while (n < rest->n && ((rest->p[n] >= '0' && rest->p[n] <= '9') || rest->p[n] == '.'))
		n++;
	rc = n ? str_to_double(str_head(*rest, n), out) : -EINVAL;
	*rest = str_from_at(*rest, n);
	return rc;
}

/* Cut the longest matching unit off the beginning of *rest. */
static const struct unit *cut_unit(struct str *rest, const struct unit *units, size_t count)
{
	const struct unit *best = NULL;

	for (size_t i = 0; i < count; i++)
		if (str_starts(*rest, units[i].name) && (!best || units[i].name.n > best->name.n))
			best = &units[i];
	if (best)
		*rest = str_from_at(*rest, best->name.n);
	return best;
}

/* Set *out to number * factor, rounded. Return -EINVAL if it is out of range. */
static int to_units(double number, uint64_t factor, uint64_t *out)
{
	double value = number * (double)factor;

	if (!(value >= 0 && value < 9e18))
		return -EINVAL;
	*out = (uint64_t)(value + 0.5);
	return 0;
}

int setting_parse_bytes(struct str text, uint64_t *out)
{
	static const struct unit units[] = {
		{STR_INIT("B"), 1},	{STR_INIT("KiB"), KIB},	      {STR_INIT("MiB"), MIB},
		{STR_INIT("GiB"), GIB}, {STR_INIT("TiB"), GIB << 10}, {STR_INIT("K"), KIB},
		{STR_INIT("M"), MIB},	{STR_INIT("G"), GIB},	      {STR_INIT("KB"), 1000},
		{STR_INIT("kB"), 1000}, {STR_INIT("MB"), 1000000},    {STR_INIT("GB"), 1000000000},
	};
	const struct unit *unit;
	double number;

	if (!str_to_u64(text, 10, out))
		return 0;
	if (cut_number(&text, &number))
		return -EINVAL;
	text = str_trim(text);
	unit = cut_unit(&text, units, countof(units));
	return unit && !text.n ? to_units(number, unit->factor, out) : -EINVAL;
}

int setting_parse_duration(struct str text, uint64_t *out)
{
	static const struct unit units[] = {
		{STR_INIT("ns"), 1},
		{STR_INIT("us"), 1000},
		{STR_INIT("\xc2\xb5s"), 1000}, /* µ */
		{STR_INIT("ms"), NS_PER_MS},
		{STR_INIT("s"), NS_PER_SECOND},
		{STR_INIT("m"), 60 * NS_PER_SECOND},
		{STR_INIT("h"), 3600 * NS_PER_SECOND},
		{STR_INIT("d"), 86400 * NS_PER_SECOND},
		{STR_INIT("w"), 7 * 86400 * NS_PER_SECOND},
	};
	uint64_t sum = 0, part;

	if (str_eq(text, STR("0"))) {
		*out = 0;
		return 0;
	}
	if (!text.n)
		return -EINVAL;
	while (text.n) {
		const struct unit *unit;
		double number;

		if (cut_number(&text, &number))
			return -EINVAL;
		unit = cut_unit(&text, units, countof(units));
		if (!unit || to_units(number, unit->factor, &part) ||
		    __builtin_add_overflow(sum, part, &sum))
			return -EINVAL;
	}
	*out = sum;
	return 0;
}
