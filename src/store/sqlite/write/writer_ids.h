/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VARVE_STORE_SQLITE_WRITER_IDS_H
#define VARVE_STORE_SQLITE_WRITER_IDS_H

#include "store/sqlite/catalog/directory.h"
#include "store/sqlite/catalog/partitions.h"
#include "store/sqlite/write/idhash.h"

/*
 * The profiles with an id that are stored already. A sender that got no answer sends again, and the
 * retry must not be stored twice; but an id that is reused for another profile must not drop that
 * profile. So a retry has the same id, time and content, and is of the same series. A profile
 * without a time of its own counts at its time of arrival: a retry of it has another time, and is
 * recognized by id and content.
 *
 * Sets hold hashes (keys) of profiles. The exact key covers the samples, and decides alone; exact
 * keys are known for level 0 and for recent writes. For chunks only rough keys are known, computed
 * from the chunks' points. Each group has a set of rough keys, which is built when a profile
 * arrives that a chunk of the group may contain; on a match the samples of the chunk are compared.
 * So memory use follows the current writes, not the size of the day.
 *
 * Stacks have different numbers in different books, so samples of two books cannot be compared. If
 * a service has got a new book, or another day is searched, the rough key decides alone.
 */
struct profile_id_key {
	/*
	 * rough: of (id, source, duration, number of samples, total) and, if timed, the time.
	 * exact: also of the samples.
	 */
	uint64_t rough, exact;
};

/* The origin of a profile: the registry number of its series, and its book. */
struct profile_source {
	uint32_t number, book;
};

static inline struct profile_source profile_source_of(const struct series_list *l, uint32_t series)
{
	struct series_entry entry = l->series.at[series];

	return (struct profile_source){entry.number, l->groups.at[entry.group].book};
}

/* Return the rough key of profile i of the rows. With `timed` the key covers its time. */
uint64_t profile_key_rough(const struct rows *r, uint32_t i, struct profile_source source,
			   const uint8_t *id, bool timed);

/* Keys of the profiles of a partition that is open for writing. Guarded by map_mu. */
struct known_ids {
	struct budget *budget;
	bool loaded; /* level 0 was added */
	/* Keys of level 0 and of what was written since. `before` is the previous set, now full. */
	struct id_set recent, before;
	uint64_t before_last;  /* the last level-0 block with profiles in `before` */
	struct id_set *groups; /* of chunks, by group; no slots: not built */
	uint32_t groups_n;
	uint64_t in_groups; /* keys in all of these sets */
	/*
	 * Counts how often the sets of groups were cleared: a set read before the last time is
	 * outdated.
	 */
	uint64_t emptied;
};

void known_ids_fini(struct known_ids *k);

/* A profile whose samples have to be compared with those of chunks. */
struct sought_profile {
	uint8_t id[PROFILE_ID_SIZE];
	uint64_t time;
	bool timed;
	struct profile_id_key key;
};

/* What has to be read before a write can be mapped. */
enum writer_need_kind {
	NEED_NOTHING,
	NEED_BOOK,
	NEED_LEVEL0_IDS,
	NEED_GROUP_IDS,
	NEED_COMPARISON, /* compare `sought` with the chunks of a group */
	NEED_DAY,	 /* open another partition */
};

enum { ABSENT_MAX = 16 };

struct writer_need {
	enum writer_need_kind kind;
	uint32_t day;	 /* of the partition */
	uint32_t number; /* of the book or group */
	struct sought_profile sought;
	/* Exact keys that were compared, and match no stored profile. */
	uint64_t absent[ABSENT_MAX];
	uint32_t absent_n;
	/* Other days could not be read: their profiles count as not stored. */
	bool not_elsewhere;
};

/*
 * Read the keys of level 0 (writer thread only) or of a group. map_mu is held, and released while
 * reading. Return 0 or -errno.
 */
MUST_USE int writer_ids_load(struct partition *p, const struct writer_need *need, struct err *e);

/*
 * Compare need->sought with chunks, and record the result. map_mu is held, and released while
 * reading. Return 0 or -errno.
 */
MUST_USE int writer_ids_compare(struct partition *p, struct writer_need *need, struct err *e);

struct profile_lookup {
	const uint8_t *id;
	bool timed;
	struct writer_need *need;
};

/*
 * Set *yes to whether profile i of the pending rows, whose samples begin at row `at`, is stored in
 * the same book of the partition, on disk or in a commit in progress. Remember the profile if it is
 * not. Return 0, -EINPROGRESS if lookup->need has to be loaded first, or -ENOMEM.
 */
MUST_USE int writer_has_profile(struct partition *p, uint32_t i, uint32_t at,
				const struct profile_lookup *lookup, bool *yes);

/*
 * Set *yes to whether the group has a profile with that rough key; `time` is NULL for a key without
 * a time. Return 0, or -EINPROGRESS if *need has to be loaded first.
 */
MUST_USE int writer_has_rough_key(struct partition *p, uint32_t group, uint64_t rough,
				  const uint64_t *time, struct writer_need *need, bool *yes);

/* Add the keys of the sealed commit, which is on disk now. map_mu is held. */
void writer_ids_committed(struct partition *p);

/* Forget all keys after profiles were deleted: their ids are free again. Takes map_mu. */
void writer_forget_ids(struct partition *p);

#endif
