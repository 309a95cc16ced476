/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VARVE_STORE_SQLITE_WRITER_IDS_H
#define VARVE_STORE_SQLITE_WRITER_IDS_H

#include "store/sqlite/writer.h"

/*
 * Which profiles with an id are kept already. A sender that got no answer sends again, and the retry must not be kept
 * twice; but an id that is used for another profile must not drop that one. So a retry is the same id, time
 * and content of the same series. A profile without a time of its own counts when it arrives: a retry of it has
 * another time, and is known by id and content.
 *
 * Profiles are known by hashes in a set. The exact one has the samples in it, and settles it. It is known of
 * what was written since the partition is open, and of level 0. Of chunks the samples are not read to make the set: they have a
 * rough hash, of what the points tell, and where only that is found the samples of the chunk are compared.
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

/* Read the hashes of all profiles of the partition, if that was not done. map_mu is held. */
MUST_USE int writer_load_ids(struct partition *p, struct err *e);

struct profile_asked {
	const uint8_t *id;
	bool timed, may_read;
};

/*
 * Is profile i of the pending rows kept in the partition, on the disk or in a commit that is being made or written?
 * The ids are loaded, unless `may_read` is false: then -EINPROGRESS where the disk has to be read. 0 or -errno.
 */
MUST_USE int writer_knows(struct partition *p, uint32_t i, uint32_t at,
			  const struct profile_asked *asked, bool *yes, struct err *e);

#endif
