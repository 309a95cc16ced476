/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Drop whole partitions, by age and by size. While the clock and the trusted time differ (after a
 * jump), nothing is dropped that one of the two counts as present: a day is old by the earlier
 * time, and in the future by the later one.
 */

#include "store/sqlite/compact/retention.h"

#include "store/sqlite/catalog/catalog.h"
#include "store/sqlite/catalog/day.h"
#include "store/sqlite/catalog/partitions.h"
#include "store/sqlite/read/stats.h"
#include "store/sqlite/store_state.h"
#include "store/sqlite/write/writer.h"

enum { SAVE_SECONDS = 3600 };

static bool is_jump(const struct retention_clock *c, uint64_t now)
{
	return now > c->trusted + RETENTION_JUMP_SECONDS ||
	       now + RETENTION_JUMP_SECONDS < c->trusted;
}

uint64_t retention_now(struct retention_clock *c, uint64_t now, uint64_t running_ns)
{
	uint64_t since;

	if (!c->trusted || !is_jump(c, now)) {
		c->trusted = now;
		c->jumped_ns = 0;
		return now;
	}
	if (!c->jumped_ns)
		c->jumped_ns = running_ns;
	since = (running_ns - c->jumped_ns) / NS_PER_SECOND;
	if (since < RETENTION_PATIENCE_SECONDS)
		return c->trusted + since;
	c->trusted = now;
	c->jumped_ns = 0;
	return now;
}

static void log_jump(const struct sqlite_store *s, uint64_t now)
{
	uint64_t trusted = s->retention.trusted;

	if (now > trusted)
		log_warn(s->log,
			 "the clock jumped ahead by more than a day: retention by age waits for "
			 "a day",
			 LOG_U64("ahead_s", now - trusted));
	else
		log_warn(s->log,
			 "the clock jumped back by more than a day: retention uses the previous "
			 "time for a day",
			 LOG_U64("behind_s", trusted - now));
}

static uint64_t trusted_now(struct sqlite_store *s, uint64_t now)
{
	struct retention_clock *c = &s->retention;
	bool before = c->jumped_ns;
	uint64_t trusted = retention_now(c, now, clock_monotonic_ns());

	if (c->jumped_ns && !before)
		log_jump(s, now);
	if (c->trusted >= c->saved + SAVE_SECONDS || c->trusted < c->saved) {
		catalog_save_clock(s, c->trusted);
		c->saved = c->trusted;
	}
	atomic_store(&s->trusted, trusted);
	return trusted;
}

/* Return whether any option depends on the clock. */
static bool needs_clock(const struct sqlite_store_options *o)
{
	for (unsigned i = 0; i < SIGNALS; i++)
		if (o->signal_retention_seconds[i])
			return true;
	return o->retention_seconds || o->retention_bytes || o->future_seconds;
}

void retention_begin(struct sqlite_store *s)
{
	if (!needs_clock(&s->options))
		return;
	s->retention.trusted = s->retention.saved = catalog_clock(s);
	(void)trusted_now(s, clock_realtime_ns() / NS_PER_SECOND);
}

struct drop_job {
	struct writer_job job;
	struct partition *partition;
};

static void run_drop(struct writer_job *job)
{
	partition_drop(((struct drop_job *)job)->partition);
}

/* The remaining partitions, and their bytes. */
struct retention_sweep {
	struct partition **first, **end;
	uint64_t bytes;
};

static int drop_with_reason(struct retention_sweep *w, struct partition *p, const char *why)
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

static int drop_old(struct retention_sweep *w, uint64_t seconds, uint64_t now)
{
	int rc = 0;

	while (!rc && w->first < w->end && now > ((*w->first)->day + 1) * SECONDS_PER_DAY + seconds)
		rc = drop_with_reason(w, *w->first++, "it is older than the retention");
	return rc;
}

/* Drop days that begin after `future`, then the oldest, until the rest fits. */
static int drop_large(struct retention_sweep *w, uint64_t bytes, uint64_t future)
{
	int rc = 0;

	while (!rc && w->bytes > bytes && w->end - w->first > 1 &&
	       w->end[-1]->day * SECONDS_PER_DAY > future)
		rc = drop_with_reason(
			w, *--w->end,
			"it is in the future, and the store exceeds the retention size");
	while (!rc && w->bytes > bytes && w->end - w->first > 1)
		rc = drop_with_reason(w, *w->first++, "the store exceeds the retention size");
	return rc;
}

int retention_apply(struct sqlite_store *s, uint64_t now)
{
	const struct sqlite_store_options *o = &s->options;
	uint64_t trusted, early, late, slack = RETENTION_JUMP_SECONDS;
	struct retention_sweep w = {0};
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
	/* a smaller change of the clock is trusted at once, so tomorrow is not in the future */
	slack = o->future_seconds > slack ? o->future_seconds : slack;
	w = (struct retention_sweep){list, list + n, 0};
	for (uint32_t i = 0; i < n; i++)
		w.bytes += partition_file_bytes(list[i]);
	if (o->retention_seconds)
		rc = drop_old(&w, o->retention_seconds, early);
	if (!rc && o->retention_bytes)
		rc = drop_large(&w, o->retention_bytes, late + slack);
	partitions_release(list, n);
	return rc;
}
