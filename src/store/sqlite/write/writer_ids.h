/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VARVE_STORE_SQLITE_WRITER_IDS_H
#define VARVE_STORE_SQLITE_WRITER_IDS_H

#include "store/sqlite/catalog/partition.h"
#include "store/sqlite/write/idhash.h"

/*
 * Which profiles with an id are kept already. A sender that got no answer sends again, and the retry must not be kept
 * twice; but an id that is used for another profile must not drop that one. So a retry is the same id, time
 * and content of the same series. A profile without a time of its own counts when it arrives: a retry of it has
 * another time, and is known by id and content.
 *
 * Profiles are known by hashes in sets. The exact one has the samples in it, and settles it: it is known of level 0 and of
 * what was written lately. Of chunks there is a rough one, of what their points tell, in a set for each group, which is made when a
 * profile comes that a chunk of its group may have; where only that is found the samples of the chunk are compared. So what is
 * in memory follows what is written now, and not what the day has.
 *
 * Stacks have other numbers in another book, so samples of two books cannot be compared. Where a service has got a
 * new book, or another day is searched, the rough key alone settles it.
 */
struct profile_key {
	/* of (id, source, duration, number of samples, total) and, with `timed`, time; `exact` also of the samples */
	uint64_t rough, exact;
};

/* Where a profile is from: the number of its series in the registry, and its book. */
struct profile_source {
	uint32_t number, book;
};

static inline struct profile_source profile_source_of(const struct series_list *l, uint32_t series)
{
	struct series_entry entry = l->series.at[series];

	return (struct profile_source){entry.number, l->groups.at[entry.group].book};
}

/* Compute the rough key of profile i of the rows. With `timed` its time is a part of the key. */
uint64_t profile_key_rough(const struct rows *r, uint32_t i, struct profile_source source,
			   const uint8_t *id, bool timed);

/* Hashes of the profiles of a partition that is written. Guarded by map_mu. */
struct known_ids {
	struct budget *budget;
	bool loaded; /* level 0 is in it */
	struct id_set recent,
		before;	       /* of level 0 and of what was written since; `before` is full */
	uint64_t before_last;  /* the last level-0 block that `before` has profiles of */
	struct id_set *groups; /* of chunks; without slots: not made */
	uint32_t groups_n;
	uint64_t in_groups; /* hashes in all of them */
	/* Counts how often the sets of groups were emptied: a set that was read before that is outdated. */
	uint64_t emptied;
};

void known_ids_fini(struct known_ids *k);

/* A profile whose samples have to be compared with those of chunks. */
struct sought_profile {
	uint8_t id[PROFILE_ID_SIZE];
	uint64_t time;
	bool timed;
	struct profile_key key;
};

/* What has to be read before a write can be mapped. */
enum writer_need_kind {
	NEED_NOTHING,
	NEED_BOOK,
	NEED_LEVEL0_IDS,
	NEED_GROUP_IDS,
	NEED_COMPARISON, /* of `sought` with the chunks of a group */
	NEED_DAY,	 /* another partition, which is not open */
};

enum { ABSENT_MAX = 16 };

struct writer_need {
	enum writer_need_kind kind;
	uint32_t day;	 /* of the partition */
	uint32_t number; /* of the book or group */
	struct sought_profile sought;
	/* Exact keys that were compared, and found to be of no kept profile. */
	uint64_t absent[ABSENT_MAX];
	uint32_t absent_n;
	/* Other days could not be read: their profiles count as not kept. */
	bool not_elsewhere;
};

/* Read hashes of level 0 (writer thread only) or of a group. map_mu is held, and released meanwhile. 0 or -errno. */
MUST_USE int writer_ids_load(struct partition *p, const struct writer_need *need, struct err *e);

/* Compare need->sought with chunks, and note the result. map_mu is held, and released meanwhile. 0 or -errno. */
MUST_USE int writer_ids_compare(struct partition *p, struct writer_need *need, struct err *e);

struct profile_asked {
	const uint8_t *id;
	bool timed;
	struct writer_need *need;
};

/*
 * Find out whether profile i of the pending rows is kept in the partition in the same book, on the disk or in a commit
 * that is being made or written; remember it if not. Return 0, -EINPROGRESS: asked->need has to be loaded first, or
 * -ENOMEM.
 */
MUST_USE int writer_knows(struct partition *p, uint32_t i, uint32_t at,
			  const struct profile_asked *asked, bool *yes);

/*
 * Find out whether the group has a profile with that rough key; `time` is NULL for a key without a time. Return 0, or
 * -EINPROGRESS: *need has to be loaded first.
 */
MUST_USE int writer_knows_rough(struct partition *p, uint32_t group, uint64_t rough,
				const uint64_t *time, struct writer_need *need, bool *yes);

/* The sealed commit is on disk. */
void writer_ids_committed(struct partition *p);

/* Profiles were deleted: their ids are free again. Takes map_mu. */
void writer_forget_ids(struct partition *p);

#endif
