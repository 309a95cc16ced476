/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VARVE_STORE_SQLITE_TIME_LIMITS_H
#define VARVE_STORE_SQLITE_TIME_LIMITS_H

#include "store/store.h"

/*
 * Which times are accepted. A sender with a wrong clock must not fill days to come, which would take the room of real
 * ones, and what is older than the retention would be dropped at once. Profiles and spans without a time of
 * their own count when they arrive and are always accepted.
 */
struct sqlite_store;

/* Set the limits of the write, and note in it what lies outside of them. Any thread. */
void time_limits_check(struct sqlite_store *s, struct store_write *w);

/* Is something with that time of its own (0: none) accepted? */
static inline bool time_limits_accept(const struct store_write *w, uint64_t own_time)
{
	return !own_time || (own_time >= w->oldest && own_time <= w->newest);
}

/* How many profiles or spans a write has, and the own time of number i; 0: none. */
static inline uint32_t write_count(const struct store_write *w)
{
	return w->spans ? w->spans->spans.n : w->batch->profiles.n;
}

static inline uint64_t write_own_time(const struct store_write *w, uint32_t i)
{
	return w->spans ? w->spans->spans.at[i].start : w->batch->profiles.at[i].time_unix_nano;
}

#endif
