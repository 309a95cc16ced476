/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VARVE_STORE_SQLITE_RETENTION_H
#define VARVE_STORE_SQLITE_RETENTION_H

#include "base/base.h"

/*
 * Retention, and the time it uses. The clock may be wrong (set by hand, battery, bad time server),
 * and that must delete nothing: a jump of more than a day, ahead or back, is trusted after it has
 * lasted for a day of running. Until then time continues as if the clock had not jumped. The last
 * trusted time is stored in the catalogue, so that a restart does not hide a jump; after a longer
 * downtime that means one more day of waiting.
 */
enum { RETENTION_JUMP_SECONDS = 86400, RETENTION_PATIENCE_SECONDS = 86400 };

struct retention_clock {
	uint64_t trusted;   /* the trusted time, in seconds since 1970; 0: none yet */
	uint64_t jumped_ns; /* when a jump was seen, on the monotonic clock; 0: no jump */
	uint64_t saved;	    /* the time that the catalogue has */
};

/*
 * Return the time to use when the clock is at `now` (seconds since 1970) and the monotonic clock at
 * `running_ns`.
 */
uint64_t retention_now(struct retention_clock *c, uint64_t now, uint64_t running_ns);

struct sqlite_store;

/* Read the last trusted time. Call this before the threads start. */
void retention_begin(struct sqlite_store *s);

/*
 * Drop partitions that are too old, or exceed the size limit. For size, days in the future go
 * first, the furthest first, since no correct clock has written them; then the oldest. The last
 * partition is never dropped for size. Return 0 or -errno. Worker thread, or a test's.
 */
MUST_USE int retention_apply(struct sqlite_store *s, uint64_t now);

#endif
