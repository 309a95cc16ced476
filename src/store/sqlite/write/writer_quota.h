/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VARVE_STORE_SQLITE_WRITER_QUOTA_H
#define VARVE_STORE_SQLITE_WRITER_QUOTA_H

#include "base/err.h"
#include "store/store.h"

struct partition;

/*
 * Reserve what the write may add in its quotas. `p` is the partition that it will be mapped to, or
 * NULL if that is not ready: then all series and names count as new. Return 0, -ENOMEM or -EDQUOT.
 * map_mu is held.
 */
MUST_USE int writer_reserve(struct partition *p, struct store_write *w, struct err *e);

/* Release what was reserved and not added, once the write is mapped or has failed. */
void writer_settle(struct store_write *w);

#endif
