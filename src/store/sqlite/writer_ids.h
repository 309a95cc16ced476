/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VARVE_STORE_SQLITE_WRITER_IDS_H
#define VARVE_STORE_SQLITE_WRITER_IDS_H

#include "store/sqlite/idhash.h"
#include "store/sqlite/partition.h"

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
 */
struct profile_key {
	/* of (id, series, duration, number of samples, total) and, with `timed`, time; `exact` also of the samples */
	uint64_t rough, exact;
};

/* The key of profile i of the rows, whose samples begin at row `at`. With `timed` its time is a part of it. */
struct profile_key profile_key_of(const struct rows *r, uint32_t i, uint32_t at, const uint8_t *id,
				  bool timed);

/* The same without the samples. */
uint64_t profile_key_rough(const struct rows *r, uint32_t i, uint32_t series, const uint8_t *id,
			   bool timed);

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
};

void known_ids_fini(struct known_ids *k);

/* What has to be read for an answer: the hashes of a group's chunks, or of level 0. */
enum { IDS_OF_LEVEL0 = -1 };

/* Read them. Writer thread only; map_mu is held, and released meanwhile. 0 or -errno. */
MUST_USE int writer_ids_load(struct partition *p, int64_t wanted, struct err *e);

struct profile_asked {
	const uint8_t *id;
	bool timed, may_read;
	int64_t wanted; /* with -EINPROGRESS */
};

/*
 * Is profile i of the pending rows kept in the partition, on the disk or in a commit that is being made or written? 0,
 * -EINPROGRESS: asked->wanted has to be loaded first, or -errno. Without `may_read` it is also -EINPROGRESS where samples have to be compared.
 */
MUST_USE int writer_knows(struct partition *p, uint32_t i, uint32_t at, struct profile_asked *asked,
			  bool *yes, struct err *e);

/* Has the partition a profile with that rough hash, of a profile without a time of its own? Reads what it needs with map_mu held. */
bool writer_knows_rough(struct partition *p, uint32_t group, uint64_t rough);

/* The sealed commit is on disk. */
void writer_ids_committed(struct partition *p);

/* Profiles were deleted: their ids are free again. Takes map_mu. */
void writer_forget_ids(struct partition *p);

#endif
