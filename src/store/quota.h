/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VARVE_STORE_QUOTA_H
#define VARVE_STORE_QUOTA_H

#include <stdatomic.h>

#include "base/err.h"
#include "base/str.h"

/*
 * Limits of how many new series, and new names of functions and files, a tenant or a token may add
 * per day. Shared by writes; any thread. A write reserves before it stores anything, so that
 * concurrent writes together cannot exceed the limit, and a write that is refused stores nothing.
 */
struct store_limit {
	_Atomic uint64_t used;
	uint64_t max;		   /* 0: no limit */
	const char *setting;	   /* its name, for the error */
	_Atomic uint64_t *refused; /* counts refusals; may be NULL */
};

struct store_quota {
	struct store_limit series, names;
};

/* What a write has reserved in each of its quotas. */
struct store_reserved {
	uint32_t series, names;
};

enum { STORE_QUOTAS = 2 };

/*
 * Reserve in all of `quotas` (NULL ones are skipped) and return true, or reserve in none, set
 * *short_of (unless NULL) to the limit that is reached, and return false.
 */
bool quota_reserve(struct store_quota *const quotas[STORE_QUOTAS], struct store_reserved n,
		   struct store_limit **short_of);

/* Release a reservation. `used` does not go below 0 if it was reset meanwhile. */
void quota_release(struct store_quota *const quotas[STORE_QUOTAS], struct store_reserved n);

/* Count what was added without a reservation. */
void quota_count(struct store_quota *const quotas[STORE_QUOTAS], struct store_reserved n);

/* Count a refusal, describe the limit in `e` and return -EDQUOT. */
int quota_fail(struct store_limit *limit, uint32_t wanted, struct err *e);

#endif
