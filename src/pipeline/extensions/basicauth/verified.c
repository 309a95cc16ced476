/* SPDX-License-Identifier: Apache-2.0 */
/* Verified credentials: a table of keyed digests, one slot for each digest. */
#include "pipeline/extensions/basicauth/verified.h"

#include <errno.h>
#include <openssl/crypto.h>
#include <openssl/evp.h>
#include <openssl/hmac.h>
#include <stdlib.h>
#include <sys/random.h>

#include "base/clock.h"

/* The burst of slow verifications, and which part of the time they may take. */
#define CREDIT_MAX ((int64_t)(2 * NS_PER_SECOND))
enum { CREDIT_PART = 10 };

int verified_init(struct verified *v)
{
	*v = (struct verified){.credit_ns = CREDIT_MAX, .credited_at_ns = clock_monotonic_ns()};
	pthread_mutex_init(&v->mu, NULL);
	v->slots = calloc(VERIFIED_SLOTS, sizeof(*v->slots));
	if (!v->slots)
		return -ENOMEM;
	return getrandom(v->key, sizeof(v->key), 0) == sizeof(v->key) ? 0 : -EIO;
}

void verified_fini(struct verified *v)
{
	if (v->slots)
		OPENSSL_cleanse(v->slots, VERIFIED_SLOTS * sizeof(*v->slots));
	free(v->slots);
	v->slots = NULL;
	OPENSSL_cleanse(v->key, sizeof(v->key));
	pthread_mutex_destroy(&v->mu);
}

/* Compute the digest; return its slot, or NULL after an error of the library. */
static uint8_t *digest_of(struct verified *v, struct str credentials,
			  uint8_t digest[VERIFIED_DIGEST])
{
	unsigned n = VERIFIED_DIGEST;

	if (!HMAC(EVP_sha256(), v->key, VERIFIED_DIGEST, (const unsigned char *)credentials.p,
		  credentials.n, digest, &n))
		return NULL;
	return v->slots[((unsigned)digest[0] << 8 | digest[1]) % VERIFIED_SLOTS];
}

bool verified_find(struct verified *v, struct str credentials, uint64_t *generation)
{
	uint8_t digest[VERIFIED_DIGEST], *slot = digest_of(v, credentials, digest);
	bool found;

	pthread_mutex_lock(&v->mu);
	found = slot && CRYPTO_memcmp(slot, digest, VERIFIED_DIGEST) == 0;
	*generation = v->generation;
	pthread_mutex_unlock(&v->mu);
	return found;
}

void verified_add(struct verified *v, struct str credentials, uint64_t generation)
{
	uint8_t digest[VERIFIED_DIGEST], *slot = digest_of(v, credentials, digest);

	pthread_mutex_lock(&v->mu);
	if (slot && generation == v->generation)
		memcpy(slot, digest, VERIFIED_DIGEST);
	pthread_mutex_unlock(&v->mu);
}

void verified_forget(struct verified *v)
{
	pthread_mutex_lock(&v->mu);
	memset(v->slots, 0, VERIFIED_SLOTS * sizeof(*v->slots));
	v->generation++;
	pthread_mutex_unlock(&v->mu);
}

bool verified_may_try(struct verified *v)
{
	uint64_t now = clock_monotonic_ns();
	bool may;

	pthread_mutex_lock(&v->mu);
	v->credit_ns += (int64_t)((now - v->credited_at_ns) / CREDIT_PART);
	if (v->credit_ns > CREDIT_MAX)
		v->credit_ns = CREDIT_MAX;
	v->credited_at_ns = now;
	may = v->credit_ns > 0;
	pthread_mutex_unlock(&v->mu);
	return may;
}

void verified_spent(struct verified *v, uint64_t ns)
{
	pthread_mutex_lock(&v->mu);
	v->credit_ns -= (int64_t)ns;
	pthread_mutex_unlock(&v->mu);
}
