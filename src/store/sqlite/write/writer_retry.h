/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VARVE_STORE_SQLITE_WRITER_RETRY_H
#define VARVE_STORE_SQLITE_WRITER_RETRY_H

#include "store/sqlite/write/writer_side.h"

/*
 * Recognize a retry: a profile with an id that is stored already, in the same book, in an older
 * book of its service, or, if it has no time of its own, in another day.
 */
struct retry_query {
	const struct store_write *write;
	const struct profile *profile;
	/* Row of the pending samples where the samples of the profile begin. */
	uint32_t samples_at;
	struct writer_need *need;
};

/*
 * Set *yes to whether the last profile of the pending rows is stored already; remember it if not.
 * Return 0, -EINPROGRESS if q->need has to be loaded first, or -ENOMEM. map_mu is held.
 */
MUST_USE int writer_is_retry(struct partition *p, const struct retry_query *q, bool *yes);

#endif
