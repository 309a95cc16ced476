/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A profile is compared by its exact key within its book (writer_ids.h). Books of the same service that are full, and
 * other days, have other stack numbers: there the rough key decides, which is id, series, duration, total, number of
 * samples and, within the day, time.
 */
#include "store/sqlite/write/writer_seen.h"

/* In the first hour of a day the day before is searched for profiles without a time. */
#define LATE_RETRY_NS (3600 * NS_PER_SECOND)

/*
 * Search all groups like `group` of a partition, but for `except`, for the last pending profile of `r`. With `timed` its
 * time is a part of the key.
 */
static int groups_have(struct partition *p, const struct rows *r, const struct seen_query *q,
		       struct group_search search, uint32_t number, bool timed, bool *yes)
{
	uint32_t i = r->series.n - 1, group;
	int rc = 0;

	while (!rc && !*yes && writer_next_group(p->writer, &search, &group)) {
		struct profile_source source = {number, p->writer->series->groups.at[group].book};
		uint64_t rough = profile_key_rough(r, i, source, q->profile->id, timed);

		rc = writer_knows_rough(p, group, rough, timed ? &r->time.at[i] : NULL, q->need,
					yes);
	}
	return rc;
}

/* Search the older books of the service. */
static int in_older_books(struct partition *p, const struct seen_query *q, bool *yes)
{
	const struct writer_side *side = p->writer;
	const struct rows *r = &side->pending.rows;
	struct series_entry entry = side->series->series.at[r->series.at[r->series.n - 1]];
	struct group_search search =
		writer_find_groups(side, &side->series->groups.at[entry.group], entry.group);

	return groups_have(p, r, q, search, entry.number, q->profile->time_unix_nano, yes);
}

static int in_other_day(struct partition *p, struct partition *other, const struct seen_query *q,
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
 * A profile without a time of its own counts when it arrives, so that a retry can be of another day than what it
 * repeats: after midnight, or when the clock was set. Search all days that are being written and, in the first hour of
 * a day, the day before. Such writes are mapped by the writer thread alone, which opens and closes days.
 */
static int in_other_days(struct partition *p, const struct seen_query *q, bool *yes)
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

int writer_seen(struct partition *p, const struct seen_query *q, bool *yes)
{
	const struct rows *r = &p->writer->pending.rows;
	uint32_t last = r->series.n - 1;
	struct profile_asked asked = {q->profile->id, q->profile->time_unix_nano, q->need};
	int rc;

	*yes = false;
	rc = in_older_books(p, q, yes);
	if (!rc && !*yes && !asked.timed && !q->need->not_elsewhere)
		rc = in_other_days(p, q, yes);
	return rc || *yes ? rc : writer_knows(p, last, q->samples_at, &asked, yes);
}
