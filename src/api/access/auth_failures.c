/* SPDX-License-Identifier: Apache-2.0 */
/* Counts failed authentication by address. */
#include "api/access/auth_failures.h"

#include "base/clock.h"
#include "base/container/hash.h"
#include "net/peers.h"

enum { WAYS = 4 };

#define COST_NS (AUTH_FAILURES_SECONDS * NS_PER_SECOND)

static uint64_t key_of(const struct sockaddr_storage *peer)
{
	return (peer ? peer_hash(peer) : 0) | 1; /* 0 is a free slot */
}

/* Return the slot of a key, or the one to replace; *known: it is that of the key. */
static uint32_t find_failure_slot(struct auth_failures *f, uint64_t key, bool *known)
{
	uint32_t first = (uint32_t)(key >> 32) % (AUTH_FAILURES_SLOTS / WAYS) * WAYS, best = first;

	for (uint32_t i = first; i < first + WAYS; i++) {
		*known = atomic_load(&f->slots[i].key) == key;
		if (*known)
			return i;
		if (atomic_load(&f->slots[i].paid_ns) < atomic_load(&f->slots[best].paid_ns))
			best = i;
	}
	return best;
}

static uint64_t pair_of(uint64_t key, const uint8_t digest[32])
{
	return hash_bytes((const char *)digest, 32) ^ key * 0x9e3779b97f4a7c15;
}

unsigned auth_failures_wait(struct auth_failures *f, const struct sockaddr_storage *peer,
			    const uint8_t digest[32], uint64_t now_ns)
{
	uint64_t key = key_of(peer), paid, pair = pair_of(key, digest);
	bool known;
	uint32_t slot = find_failure_slot(f, key, &known);

	if (!known)
		return 0;
	paid = atomic_load(&f->slots[slot].paid_ns);
	if (paid <= now_ns + (AUTH_FAILURES_BURST - 1) * COST_NS ||
	    atomic_load(&f->accepted[pair % AUTH_FAILURES_SLOTS]) == pair)
		return 0;
	atomic_fetch_add(&f->refused, 1);
	return (unsigned)((paid - now_ns - (AUTH_FAILURES_BURST - 1) * COST_NS) / NS_PER_SECOND) +
	       1;
}

void auth_failures_add(struct auth_failures *f, const struct sockaddr_storage *peer,
		       uint64_t now_ns)
{
	uint64_t key = key_of(peer), paid;
	bool known;
	uint32_t slot = find_failure_slot(f, key, &known);

	paid = known ? atomic_load(&f->slots[slot].paid_ns) : 0;
	atomic_store(&f->slots[slot].key, key);
	atomic_store(&f->slots[slot].paid_ns, (paid > now_ns ? paid : now_ns) + COST_NS);
	atomic_fetch_add(&f->failed, 1);
}

void auth_failures_accept(struct auth_failures *f, const struct sockaddr_storage *peer,
			  const uint8_t digest[32])
{
	uint64_t pair = pair_of(key_of(peer), digest);
	_Atomic uint64_t *slot = &f->accepted[pair % AUTH_FAILURES_SLOTS];

	/* most requests find it there: a cache line that is only read is not contended */
	if (atomic_load_explicit(slot, memory_order_relaxed) != pair)
		atomic_store(slot, pair);
}
