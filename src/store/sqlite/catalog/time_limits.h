/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VARVE_STORE_SQLITE_TIME_LIMITS_H
#define VARVE_STORE_SQLITE_TIME_LIMITS_H

#include "store/store.h"

/*
 * Limits of the times that are accepted. A sender with a wrong clock must not fill future days,
 * which would use up retention_bytes, and data older than the retention would be dropped at once.
 * Profiles and spans without a time of their own get the time of arrival and are always accepted.
 */
struct sqlite_store;

/* Set the limits of the write and count in it what is outside of them. Any thread. */
void time_limits_check(struct sqlite_store *s, struct store_write *w);

/* Return whether a profile or span with that time (0: none of its own) is accepted. */
static inline bool time_limits_accept(const struct store_write *w, uint64_t own_time)
{
	return !own_time || (own_time >= w->oldest && own_time <= w->newest);
}

/*
 * Return the number of profiles, spans, records or samples of a write, and the time of number i; 0: none of its own.
 */
static inline uint32_t write_count(const struct store_write *w)
{
	if (w->logs)
		return w->logs->logs.n;
	if (w->metrics) {
		uint32_t n = w->metrics->samples.n + w->metrics->histograms.n;

		return n ? n : 1; /* metadata alone belongs to the day of its arrival */
	}
	return w->spans ? w->spans->spans.n : w->batch->profiles.n;
}

static inline uint64_t write_own_time(const struct store_write *w, uint32_t i)
{
	if (w->logs)
		return w->logs->logs.at[i].time;
	if (w->metrics) {
		uint32_t floats = w->metrics->samples.n;

		if (i < floats)
			return (uint64_t)w->metrics->samples.at[i].time * 1000000;
		if (i - floats < w->metrics->histograms.n)
			return (uint64_t)w->metrics->histograms.at[i - floats].time * 1000000;
		return 0;
	}
	return w->spans ? w->spans->spans.at[i].start : w->batch->profiles.at[i].time_unix_nano;
}

#endif
