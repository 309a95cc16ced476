/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VARVE_STORE_SQLITE_WRITER_SEEN_H
#define VARVE_STORE_SQLITE_WRITER_SEEN_H

#include "store/sqlite/write/writer.h"

/*
 * Recognize a retry: a profile with an id that is kept already, in the same book, in an older book of its service, or, if
 * it has no time of its own, in another day.
 */
struct seen_query {
	const struct store_write *write;
	const struct profile *profile;
	/* The row of the pending samples at which the samples of the profile begin. */
	uint32_t samples_at;
	struct writer_need *need;
};

/*
 * Set *yes to whether the last profile of the pending rows is kept already; remember the profile if not. Return 0,
 * -EINPROGRESS: q->need has to be loaded first, or -ENOMEM. map_mu is held.
 */
MUST_USE int writer_seen(struct partition *p, const struct seen_query *q, bool *yes);

#endif
