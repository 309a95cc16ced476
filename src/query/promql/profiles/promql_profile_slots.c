/* SPDX-License-Identifier: Apache-2.0 */
#include "query/promql/profiles/promql_profile_slots.h"

static bool is_one_of(struct str function, const struct str *names, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (str_eq(function, names[i]))
			return true;
	return false;
}

/* Functions that need only the first and the last value of a window. */
static bool is_rate(struct str function)
{
	static const struct str names[] = {STR_INIT("rate"), STR_INIT("increase"),
					   STR_INIT("delta")};

	return is_one_of(function, names, countof(names));
}

/* Functions whose result does not depend on where a counter begins. */
static bool is_difference(struct str function)
{
	static const struct str names[] = {STR_INIT("irate"), STR_INIT("idelta"), STR_INIT("deriv"),
					   STR_INIT("changes"), STR_INIT("resets")};

	return is_rate(function) || is_one_of(function, names, countof(names));
}

struct profile_slots profile_slots_of(const struct promql_select *s, bool gauge)
{
	struct profile_slots slots = {.from = s->from_ms,
				      .to = s->to_ms,
				      .edge = s->last_ms,
				      .step = s->step_ms,
				      .range = s->range_ms};
	int64_t span = s->to_ms - s->from_ms;
	bool newest = !s->range_ms && !s->smoothed; /* an instant selector */

	slots.exact = !gauge && !s->smoothed && is_rate(s->function);
	slots.continuous = gauge || is_difference(s->function);
	if (!slots.exact && !newest)
		slots.fine = span / PROFILE_SLOTS_FINE + 1;
	else if (gauge)
		slots.fine = 1; /* a slot would have the mean, not the newest value */
	if (!slots.continuous)
		slots.from = profile_day_of(s->from_ms) * PROFILE_DAY_MS;
	return slots;
}

/* Return the first time at or after `time` that is `phase` and a multiple of the step. */
static int64_t next_edge(int64_t time, int64_t phase, int64_t step)
{
	int64_t rest = (phase - time) % step;

	return time + (rest < 0 ? rest + step : rest);
}

static int64_t min_time(int64_t a, int64_t b)
{
	return a < b ? a : b;
}

int64_t profile_slot_end(const struct profile_slots *s, int64_t time)
{
	int64_t end = s->to;

	if (s->step) {
		end = min_time(end, next_edge(time, s->edge, s->step));
		if (s->range)
			end = min_time(end, next_edge(time, s->edge - s->range, s->step));
	} else {
		if (time <= s->edge)
			end = min_time(end, s->edge);
		if (s->range && time <= s->edge - s->range)
			end = min_time(end, s->edge - s->range);
	}
	if (s->fine)
		end = min_time(end, next_edge(time, 0, s->fine));
	if (!s->continuous)
		end = min_time(end, (profile_day_of(time) + 1) * PROFILE_DAY_MS - 1);
	return end;
}
