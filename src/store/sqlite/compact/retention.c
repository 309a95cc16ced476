/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Dropping whole partitions, by age and by bytes. While the clock and the time that is believed disagree (a leap),
 * nothing is dropped that one of the two calls present: a day is old by the earlier of them, and in the future
 * by the later one.
 */
#include "store/sqlite/compact/retention.h"

#include "store/sqlite/internal.h"

enum { SAVE_SECONDS = 3600 };

static bool leaps(const struct retention_clock *c, uint64_t now)
{
	return now > c->believed + RETENTION_LEAP_SECONDS ||
	       now + RETENTION_LEAP_SECONDS < c->believed;
}

uint64_t retention_now(struct retention_clock *c, uint64_t now, uint64_t running_ns)
{
	uint64_t since;

	if (!c->believed || !leaps(c, now)) {
		c->believed = now;
		c->leapt_ns = 0;
		return now;
	}
	if (!c->leapt_ns)
		c->leapt_ns = running_ns;
	since = (running_ns - c->leapt_ns) / NS_PER_SECOND;
	if (since < RETENTION_PATIENCE_SECONDS)
		return c->believed + since;
	c->believed = now;
	c->leapt_ns = 0;
	return now;
}

static void log_leap(const struct sqlite_store *s, uint64_t now)
{
	uint64_t believed = s->retention.believed;

	if (now > believed)
		log_warn(s->log,
			 "the clock is more than a day ahead of what it was: retention by age "
			 "waits for a day",
			 LOG_U64("ahead_s", now - believed));
	else
		log_warn(s->log,
			 "the clock is more than a day behind what it was: retention goes by the "
			 "time before for a day",
			 LOG_U64("behind_s", believed - now));
}

static uint64_t trusted_now(struct sqlite_store *s, uint64_t now)
{
	struct retention_clock *c = &s->retention;
	bool before = c->leapt_ns;
	uint64_t trusted = retention_now(c, now, clock_monotonic_ns());

	if (c->leapt_ns && !before)
		log_leap(s, now);
	if (c->believed >= c->saved + SAVE_SECONDS || c->believed < c->saved) {
		catalog_save_clock(s, c->believed);
		c->saved = c->believed;
	}
	atomic_store(&s->trusted, trusted);
	return trusted;
}

/* Does anything go by the clock? */
static bool needs_clock(const struct sqlite_store_options *o)
{
	return o->retention_seconds || o->retention_bytes || o->future_seconds;
}

void retention_begin(struct sqlite_store *s)
{
	if (!needs_clock(&s->options))
		return;
	s->retention.believed = s->retention.saved = catalog_clock(s);
	(void)trusted_now(s, clock_realtime_ns() / NS_PER_SECOND);
}

struct drop_job {
	struct job job;
	struct partition *partition;
};

static void run_drop(struct job *job)
{
	partition_drop(((struct drop_job *)job)->partition);
}

/* The partitions that are left, and their bytes. */
struct sweep {
	struct partition **first, **end;
	uint64_t bytes;
};

static int drop(struct sweep *w, struct partition *p, const char *why)
{
	struct drop_job d = {{run_drop, NULL}, p};
	uint64_t bytes = partition_file_bytes(p);
	int rc = writer_do(p->store, &d.job);

	if (rc)
		return rc;
	w->bytes -= bytes < w->bytes ? bytes : w->bytes;
	log_info(p->store->log, "a partition was dropped", LOG_STR("partition", str_from(p->name)),
		 LOG_STR("reason", str_from(why)));
	catalog_event(p->store, "dropped", p->name, why);
	return 0;
}

static int drop_old(struct sweep *w, uint64_t seconds, uint64_t now)
{
	int rc = 0;

	while (!rc && w->first < w->end && now > ((*w->first)->day + 1) * SECONDS_PER_DAY + seconds)
		rc = drop(w, *w->first++, "it is older than the retention");
	return rc;
}

/* Days that begin after `future`, and then the oldest, until the others fit. */
static int drop_large(struct sweep *w, uint64_t bytes, uint64_t future)
{
	int rc = 0;

	while (!rc && w->bytes > bytes && w->end - w->first > 1 &&
	       w->end[-1]->day * SECONDS_PER_DAY > future)
		rc = drop(w, *--w->end,
			  "it is in the future, and all together are larger than the retention");
	while (!rc && w->bytes > bytes && w->end - w->first > 1)
		rc = drop(w, *w->first++, "all together are larger than the retention");
	return rc;
}

int retention_apply(struct sqlite_store *s, uint64_t now)
{
	const struct sqlite_store_options *o = &s->options;
	uint64_t trusted, early, late, slack = RETENTION_LEAP_SECONDS;
	struct sweep w = {0};
	struct partition **list;
	uint32_t n;
	int rc = 0;

	if (!needs_clock(o))
		return 0;
	list = partitions_between(s, 0, UINT64_MAX, &n);
	if (!list)
		return -ENOMEM;
	trusted = trusted_now(s, now);
	early = now < trusted ? now : trusted;
	late = now > trusted ? now : trusted;
	/* a clock that was set by less than a leap is believed at once, so tomorrow is not in the future */
	slack = o->future_seconds > slack ? o->future_seconds : slack;
	w = (struct sweep){list, list + n, 0};
	for (uint32_t i = 0; i < n; i++)
		w.bytes += partition_file_bytes(list[i]);
	if (o->retention_seconds)
		rc = drop_old(&w, o->retention_seconds, early);
	if (!rc && o->retention_bytes)
		rc = drop_large(&w, o->retention_bytes, late + slack);
	partitions_release(list, n);
	return rc;
}
