/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VARVE_STORE_SQLITE_RETENTION_H
#define VARVE_STORE_SQLITE_RETENTION_H

#include "base/base.h"

/*
 * The time that retention goes by. The clock may be set wrong (by hand, by a battery, by a bad time server), and that
 * must delete nothing: a leap of more than a day, ahead or back, is believed after it has stood for a day of
 * running. Until then time goes on as if the leap had not happened. The time that was believed last is kept in the
 * catalogue, so that a restart does not hide a leap; after a longer pause that means a day more of patience.
 */
enum { RETENTION_LEAP_SECONDS = 86400, RETENTION_PATIENCE_SECONDS = 86400 };

struct retention_clock {
	uint64_t believed; /* seconds since 1970; 0: nothing yet */
	uint64_t leapt_ns; /* of the monotonic clock: a leap was seen then; 0: none */
	uint64_t saved;	   /* what the catalogue has */
};

/* The time to go by, when the clock says `now` (seconds since 1970) and the monotonic one `running_ns`. */
uint64_t retention_now(struct retention_clock *c, uint64_t now, uint64_t running_ns);

struct sqlite_store;

/* Read the clock that was believed last. Before the threads start. */
void retention_begin(struct sqlite_store *s);

/*
 * Drop what is too old or too much. Where there is too much, days in the future go first, the furthest before the
 * others: no clock that is right has written them. Then the oldest. The last partition never goes by size.
 * Worker thread, or a test's. 0 or -errno.
 */
MUST_USE int retention_apply(struct sqlite_store *s, uint64_t now);

#endif
