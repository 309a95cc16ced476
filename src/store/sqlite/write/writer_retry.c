/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Recognize retries. Within its book a profile is compared by its exact key (writer_ids.h). Full
 * books of the same service and other days have other stack numbers, so there the rough key
 * decides: id, series, duration, total, number of samples and, within the day, time.
 */
#include "store/sqlite/write/writer_retry.h"

#include "store/sqlite/catalog/day.h"
#include "store/sqlite/catalog/directory.h"
#include "store/sqlite/catalog/partitions.h"

/* In the first hour of a day the day before is searched for profiles without a time. */
#define LATE_RETRY_NS (3600 * NS_PER_SECOND)

/*
 * Search the groups of `search` in the partition for the last pending profile of `r`. With `timed`
 * its time is a part of the key.
 */
static int groups_have(struct partition *p, const struct rows *r, const struct retry_query *q,
		       struct group_search search, uint32_t number, bool timed, bool *yes)
{
	uint32_t i = r->series.n - 1, group;
	int rc = 0;

	while (!rc && !*yes && writer_next_group(p->writer, &search, &group)) {
		struct profile_source source = {number, p->writer->series->groups.at[group].book};
		uint64_t rough = profile_key_rough(r, i, source, q->profile->id, timed);

		rc = writer_has_rough_key(p, group, rough, timed ? &r->time.at[i] : NULL, q->need,
					  yes);
	}
	return rc;
}

/* Search the older books of the service. */
static int in_older_books(struct partition *p, const struct retry_query *q, bool *yes)
{
	const struct writer_side *side = p->writer;
	const struct rows *r = &side->pending.rows;
	struct series_entry entry = side->series->series.at[r->series.at[r->series.n - 1]];
	struct group_search search =
		writer_find_groups(side, &side->series->groups.at[entry.group], entry.group);

	return groups_have(p, r, q, search, entry.number, q->profile->time_unix_nano, yes);
}

static int in_other_day(struct partition *p, struct partition *other, const struct retry_query *q,
			bool *yes)
{
	const struct writer_side *side = p->writer;
	const struct rows *r = &side->pending.rows;
	struct series_entry entry = side->series->series.at[r->series.at[r->series.n - 1]];
	struct group_search search;

	if (!other->writer || !other->writer->ready) {
		q->need->kind = NEED_DAY;
		q->need->day = other->day;
		return -EINPROGRESS;
	}
	search = writer_find_groups(other->writer, &side->series->groups.at[entry.group],
				    UINT32_MAX);
	return groups_have(other, r, q, search, entry.number, false, yes);
}

/*
 * A profile without a time of its own counts at its time of arrival, so that a retry can belong to
 * another day than the original: after midnight, or after the clock was set. Search all days that
 * are open for writing and, in the first hour of a day, the day before. Only the writer thread maps
 * such writes, since it may have to open and close days.
 */
static int in_other_days(struct partition *p, const struct retry_query *q, bool *yes)
{
	bool late = q->write->received % NS_PER_DAY < LATE_RETRY_NS;
	uint32_t n;
	struct partition **list = partitions_between(p->store, 0, UINT64_MAX, &n);
	int rc = list ? 0 : -ENOMEM;

	for (uint32_t i = 0; !rc && !*yes && i < n; i++)
		if (list[i] != p && (list[i]->writer || (late && list[i]->day + 1 == p->day)))
			rc = in_other_day(p, list[i], q, yes);
	partitions_release(list, n);
	return rc;
}

int writer_is_retry(struct partition *p, const struct retry_query *q, bool *yes)
{
	const struct rows *r = &p->writer->pending.rows;
	uint32_t last = r->series.n - 1;
	struct profile_lookup lookup = {q->profile->id, q->profile->time_unix_nano, q->need};
	int rc;

	*yes = false;
	rc = in_older_books(p, q, yes);
	if (!rc && !*yes && !lookup.timed && !q->need->not_elsewhere)
		rc = in_other_days(p, q, yes);
	return rc || *yes ? rc : writer_has_profile(p, last, q->samples_at, &lookup, yes);
}
