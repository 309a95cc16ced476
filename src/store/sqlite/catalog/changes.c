/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The version of a time range identifies the data that queries over it see. The store counts
 * changes. Each minute of a day stores the count of its last change, and so does the list of
 * partitions as a whole. The version of a range is the maximum of these: every change makes it
 * larger, so two states of a range never have the same version.
 *
 * The time range of the block that a commit adds tells which minutes it changes. A merge or a
 * roll-up does not change query results. Any other change (a deletion, a directory that is loaded
 * anew) changes the whole day.
 */
#include "store/sqlite/catalog/changes.h"

#include <stdlib.h>

#include "store/sqlite/catalog/day.h"
#include "store/sqlite/catalog/directory.h"
#include "store/sqlite/catalog/partitions.h"
#include "store/sqlite/store_state.h"

enum { MINUTES = 24 * 60 };
#define NS_PER_MINUTE (60 * NS_PER_SECOND)

void changes_init(struct sqlite_store *s)
{
	atomic_store(&s->changes, clock_realtime_ns());
	atomic_store(&s->changed_list, atomic_load(&s->changes));
}

static uint64_t next_change(struct sqlite_store *s)
{
	return atomic_fetch_add(&s->changes, 1) + 1;
}

void changes_of_list(struct sqlite_store *s)
{
	uint64_t now = next_change(s), old = atomic_load(&s->changed_list);

	while (old < now && !atomic_compare_exchange_weak(&s->changed_list, &old, now))
		;
}

/* ---- changes of a partition; its mu is held ---- */

/* Return the minute of the day with this time; the first or the last for times of other days. */
static uint32_t minute_of(const struct partition *p, uint64_t time)
{
	uint64_t day = p->day * NS_PER_DAY;

	if (time <= day)
		return 0;
	return time - day >= NS_PER_DAY ? MINUTES - 1 : (uint32_t)((time - day) / NS_PER_MINUTE);
}

static void touch(struct partition *p, uint64_t first, uint64_t last)
{
	uint64_t now = next_change(p->store);

	if (!p->changed)
		p->changed = calloc(MINUTES, sizeof(*p->changed));
	if (!p->changed || last < first) {
		p->changed_all = now;
		return;
	}
	for (uint32_t i = minute_of(p, first), end = minute_of(p, last); i <= end; i++)
		p->changed[i] = now;
}

/* Set the time range of the blocks that `next` adds to `old`; first > last if more has changed. */
static void find_added(const struct directory *old, const struct directory *next, uint64_t *first,
		       uint64_t *last)
{
	uint64_t newest = 0;

	*first = UINT64_MAX;
	*last = 0;
	if (!old || old->chunks != next->chunks || next->level0_n <= old->level0_n ||
	    next->state.profiles <= old->state.profiles)
		return;
	for (uint32_t i = 0; i < old->level0_n; i++)
		newest = old->level0[i].id > newest ? old->level0[i].id : newest;
	for (uint32_t i = 0; i < next->level0_n; i++) {
		const struct level0_entry *l = &next->level0[i];

		if (l->id <= newest)
			continue;
		*first = l->first < *first ? l->first : *first;
		*last = l->last > *last ? l->last : *last;
	}
}

void changes_of_partition(struct partition *p, const struct directory *next)
{
	const struct directory *old = p->directory;
	uint64_t first, last;

	if (old && (old->state.version == next->state.version ||
		    (old->state.profiles == next->state.profiles &&
		     old->state.samples == next->state.samples)))
		return;
	find_added(old, next, &first, &last);
	touch(p, first, last);
}

static uint64_t version_of(struct partition *p, uint64_t from, uint64_t to)
{
	uint64_t version;

	pthread_mutex_lock(&p->mu);
	version = p->changed_all;
	if (p->changed)
		for (uint32_t i = minute_of(p, from), end = minute_of(p, to - 1); i <= end; i++)
			version = p->changed[i] > version ? p->changed[i] : version;
	pthread_mutex_unlock(&p->mu);
	return version;
}

uint64_t changes_version(struct store *base, uint64_t from, uint64_t to)
{
	struct sqlite_store *s = store_of(base);
	uint64_t version = atomic_load(&s->changed_list);
	struct partition **list;
	uint32_t n;

	if (s->options.read_only) /* another process may change the files */
		return 0;
	if (from >= to)
		return version;
	list = partitions_between(s, from, to, &n);
	for (uint32_t i = 0; list && i < n; i++) {
		uint64_t own = version_of(list[i], from, to);

		version = own > version ? own : version;
	}
	if (!list)
		version = 0;
	partitions_release(list, n);
	return version;
}
