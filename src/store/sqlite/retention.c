/* SPDX-License-Identifier: Apache-2.0 */
/* Dropping whole partitions, by age and by bytes, the oldest first. */
#include "store/sqlite/retention.h"

#include "store/sqlite/internal.h"

enum { SAVE_SECONDS = 3600 };

uint64_t retention_now(struct retention_clock *c, uint64_t now, uint64_t running_ns)
{
	uint64_t since;

	if (!c->believed || now <= c->believed + RETENTION_LEAP_SECONDS) {
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

static uint64_t trusted_now(struct sqlite_store *s, uint64_t now)
{
	struct retention_clock *c = &s->retention;
	bool before = c->leapt_ns, first = !c->believed;
	uint64_t trusted;

	if (first)
		c->believed = c->saved = catalog_clock(s);
	trusted = retention_now(c, now, clock_monotonic_ns());
	if (c->leapt_ns && !before)
		log_warn(s->log,
			 "the clock is more than a day ahead of what it was: retention by age "
			 "waits for a day",
			 LOG_U64("ahead_s", now - c->believed));
	if (c->believed >= c->saved + SAVE_SECONDS || c->believed < c->saved) {
		catalog_save_clock(s, c->believed);
		c->saved = c->believed;
	}
	return trusted;
}

struct drop_job {
	struct job job;
	struct partition *partition;
};

static void run_drop(struct job *job)
{
	partition_drop(((struct drop_job *)job)->partition);
}

static int drop(struct partition *p, const char *why)
{
	struct drop_job d = {{run_drop, NULL}, p};
	int rc = writer_do(p->store, &d.job);

	if (!rc) {
		log_info(p->store->log, "a partition was dropped",
			 LOG_STR("partition", str_from(p->name)), LOG_STR("reason", str_from(why)));
		catalog_event(p->store, "dropped", p->name, why);
	}
	return rc;
}

/* The last one never goes by size. */
int retention_apply(struct sqlite_store *s, uint64_t now)
{
	const struct sqlite_store_options *o = &s->options;
	uint64_t bytes = 0;
	uint32_t n;
	struct partition **list = partitions_between(s, 0, UINT64_MAX, &n);
	int rc = 0;

	if (o->retention_seconds)
		now = trusted_now(s, now);
	for (uint32_t i = 0; list && i < n; i++)
		bytes += partition_file_bytes(list[i]);
	for (uint32_t i = 0; list && !rc && i < n; i++) {
		uint64_t end = (list[i]->day + 1) * SECONDS_PER_DAY;

		if (o->retention_seconds && now > end + o->retention_seconds) {
			bytes -= partition_file_bytes(list[i]);
			rc = drop(list[i], "it is older than the retention");
		} else if (o->retention_bytes && bytes > o->retention_bytes && i + 1 < n) {
			bytes -= partition_file_bytes(list[i]);
			rc = drop(list[i], "all together are larger than the retention");
		}
	}
	partitions_release(list, n);
	return rc;
}
