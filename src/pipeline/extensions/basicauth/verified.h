/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VARVE_PIPELINE_VERIFIED_H
#define VARVE_PIPELINE_VERIFIED_H

#include <pthread.h>

#include "base/str.h"

/*
 * Remembers credentials that were verified, so that a slow password hash is computed once for each
 * sender and not for each request. Only digests with a random key are kept. Any thread.
 *
 * It also limits the time that is spent on verifying unknown credentials, because that is done on
 * the network's loops: a tenth of the time, after a burst.
 */
enum { VERIFIED_SLOTS = 4096, VERIFIED_DIGEST = 32 };

struct verified {
	uint8_t key[VERIFIED_DIGEST];
	pthread_mutex_t mu;		   /* guards the following fields */
	uint8_t (*slots)[VERIFIED_DIGEST]; /* all zero: free */
	uint64_t generation;		   /* counts verified_forget() */
	int64_t credit_ns;		   /* negative: wait */
	uint64_t credited_at_ns;
};

/* Return 0 or -ENOMEM. */
MUST_USE int verified_init(struct verified *v);
void verified_fini(struct verified *v);

/*
 * Return whether these credentials were verified. If not, *generation is what verified_add()
 * expects.
 */
bool verified_find(struct verified *v, struct str credentials, uint64_t *generation);

/* Remember credentials, unless all were forgotten since verified_find(). */
void verified_add(struct verified *v, struct str credentials, uint64_t generation);

/* Forget all credentials: the passwords have changed. */
void verified_forget(struct verified *v);

/* Return whether there is time left for a slow verification; report how long it took. */
bool verified_may_try(struct verified *v);
void verified_spent(struct verified *v, uint64_t ns);

#endif
