/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VARVE_SDK_PROFILE_SCHEDULE_H
#define VARVE_SDK_PROFILE_SCHEDULE_H

#include "base/err.h"
#include "base/str.h"
#include "sdk/collect/collect.h"

/*
 * Intervals of single kinds of profiles (option schedule): "cpu=10s/60s,heap=30s". A kind with a
 * part, such as 10 s of every 60 s, is recorded only meanwhile and exported at the end of the part;
 * one without is recorded always and exported at the end of each interval. Each is a window of its
 * own. Collector's thread only, except for schedule_read() and the two functions after it.
 */
enum { SCHEDULE_ROWS = 8 };

struct schedule_row {
	enum varve_profile kind;
	uint64_t part_ns, every_ns; /* part 0: all of it */
	/* the open window, and when it ends or the next one begins */
	struct window *window;
	uint64_t next_ns;
};

struct schedule {
	struct schedule_row rows[SCHEDULE_ROWS];
	uint32_t count;
};

/* Parse the option; NULL or "" is no schedule. 0, or -EINVAL with the reason. */
MUST_USE int schedule_read(struct schedule *out, const char *text, struct err *e);

/* Return the kinds with an interval of their own, and those of them that are recorded in parts. */
unsigned schedule_kinds(const struct schedule *s);
unsigned schedule_part_kinds(const struct schedule *s);

/*
 * Begin and end windows as it is time for, of kinds that are in `enabled`. `done` gets each window
 * that has ended, and does not free it.
 */
typedef void schedule_done(void *arg, struct window *w, enum varve_profile kind);
void schedule_tick(struct schedule *s, struct collector *c, unsigned enabled, uint64_t now_ns,
		   schedule_done *done, void *arg);

/* End all open windows early, for a flush or the last export. */
void schedule_flush(struct schedule *s, struct collector *c, schedule_done *done, void *arg);

#endif
