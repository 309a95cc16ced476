/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VARVE_STORE_QUOTA_H
#define VARVE_STORE_QUOTA_H

#include <stdatomic.h>

#include "base/err.h"
#include "base/str.h"

/*
 * How much that is new to its day a tenant, or a token, may still write: series, and names of functions and files. Shared by writes;
 * any thread. A write reserves before anything of it is kept, so that writes at the same time cannot pass the limit together, and one
 * that is refused leaves nothing behind.
 */
struct store_limit {
	_Atomic uint64_t used;
	uint64_t max;		   /* 0: no limit */
	const char *setting;	   /* for the refusal */
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

/* Reserve in all of `quotas` (NULL ones are passed over), or in none. *short_of, if not NULL: the limit that is reached. */
bool quota_reserve(struct store_quota *const quotas[STORE_QUOTAS], struct store_reserved n,
		   struct store_limit **short_of);

/* Give back. A limit that was set to zero meanwhile stays there. */
void quota_release(struct store_quota *const quotas[STORE_QUOTAS], struct store_reserved n);

/* Count what was added without being reserved. */
void quota_count(struct store_quota *const quotas[STORE_QUOTAS], struct store_reserved n);

/* Count the refusal and say which limit it is, in `e`: -EDQUOT. */
int quota_fail(struct store_limit *limit, uint32_t wanted, struct err *e);

#endif
