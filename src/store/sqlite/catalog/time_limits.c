/* SPDX-License-Identifier: Apache-2.0 */
/* Checks the times of the profiles or spans of a write, and describes the first refused one. */
#include "store/sqlite/catalog/time_limits.h"

#include <stdio.h>

#include "store/sqlite/catalog/day.h"
#include "store/sqlite/compact/signal_drop.h"
#include "store/sqlite/store_state.h"

enum { DURATION_TEXT = 48 };

/* Format a duration in its two largest units: "63269d 2h", "1h", "5m 3s". */
static const char *duration_text(uint64_t seconds, char out[DURATION_TEXT])
{
	static const struct {
		uint64_t seconds;
		char unit;
	} units[] = {{SECONDS_PER_DAY, 'd'}, {3600, 'h'}, {60, 'm'}, {1, 's'}};
	size_t i = 0;
	int n;

	while (i + 1 < countof(units) && seconds < units[i].seconds)
		i++;
	n = snprintf(out, DURATION_TEXT, "%llu%c", (unsigned long long)(seconds / units[i].seconds),
		     units[i].unit);
	seconds %= units[i].seconds;
	if (i + 1 < countof(units) && seconds >= units[i + 1].seconds)
		snprintf(out + n, (size_t)(DURATION_TEXT - n), " %llu%c",
			 (unsigned long long)(seconds / units[i + 1].seconds), units[i + 1].unit);
	return out;
}

static enum signal_kind signal_of(const struct store_write *w)
{
	return w->metrics ? SIGNAL_METRICS
	       : w->logs  ? SIGNAL_LOGS
	       : w->spans ? SIGNAL_TRACES
			  : SIGNAL_PROFILES;
}

/* Set the limits. While the clock and the time that retention trusts disagree, accept both. */
static void set_limits(struct sqlite_store *s, struct store_write *w, uint64_t now)
{
	const struct sqlite_store_options *o = &s->options;
	uint64_t trusted = atomic_load(&s->trusted) * NS_PER_SECOND;
	uint64_t early = trusted < now ? trusted : now, late = trusted > now ? trusted : now;
	uint64_t age = retention_of(o, signal_of(w)) * NS_PER_SECOND;

	w->oldest = age && early > age ? early - age : 0;
	if (!o->future_seconds ||
	    __builtin_add_overflow(late, o->future_seconds * NS_PER_SECOND, &w->newest))
		w->newest = UINT64_MAX;
}

static void refuse_item(struct sqlite_store *s, struct store_write *w, uint32_t i, uint64_t now)
{
	static const char *const names[SIGNALS] = {"profile", "span", "sample", "log record"};
	unsigned signal = signal_index(signal_of(w));
	const char *what = names[signal];
	uint64_t age = retention_of(&s->options, signal_of(w));
	bool own = age != s->options.retention_seconds;
	char of[CLOCK_TEXT_SIZE], by[DURATION_TEXT], limit[DURATION_TEXT];
	uint64_t time = write_own_time(w, i);

	if (w->rejected++)
		return;
	clock_format(time, of);
	if (time > w->newest)
		snprintf(w->reason, sizeof(w->reason),
			 "%s %u is of %s: the sender's clock is ahead by %s; the limit is %s "
			 "(reject_newer_than)",
			 what, i, of,
			 duration_text((time - (now < time ? now : time)) / NS_PER_SECOND, by),
			 duration_text(s->options.future_seconds, limit));
	else
		snprintf(w->reason, sizeof(w->reason),
			 "%s %u is of %s: it is %s old; older than %s is not kept (retention%s%s)",
			 what, i, of,
			 duration_text((now > time ? now - time : 0) / NS_PER_SECOND, by),
			 duration_text(age, limit), own ? "_" : "",
			 own ? signal_names[signal] : "");
}

/*
 * Return whether profile i has a series; one without was refused elsewhere already. *at is a lower
 * bound of the index of its series, and advances.
 */
static bool has_series(const struct store_write *w, uint32_t i, uint32_t *at)
{
	const struct series_map *map = w->series;

	if (w->spans || w->logs || w->metrics)
		return true;
	while (*at < map->series.n && map->series.at[*at].profile < i)
		++*at;
	return *at < map->series.n && map->series.at[*at].profile == i;
}

void time_limits_check(struct sqlite_store *s, struct store_write *w)
{
	uint64_t now = clock_realtime_ns();
	uint32_t n = write_count(w), series = 0;

	w->rejected = 0;
	w->reason[0] = '\0';
	set_limits(s, w, now);
	for (uint32_t i = 0; i < n; i++)
		if (!time_limits_accept(w, write_own_time(w, i)) && has_series(w, i, &series))
			refuse_item(s, w, i, now);
}
