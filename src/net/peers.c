/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A hash table with open addressing and linear probing. Removing a row moves later rows of the
 * probe sequence back (backward shift), so that there are no tombstones.
 */
#include "net/peers.h"

#include <errno.h>
#include <netinet/in.h>
#include <stdlib.h>
#include <string.h>

#include "base/container/hash.h"

int peers_init(struct peers *p, uint64_t connections, uint64_t limit)
{
	*p = (struct peers){.limit = limit};
	pthread_mutex_init(&p->mu, NULL);
	if (!limit || limit >= connections)
		return 0; /* max_connections is reached first */
	p->size = 64;
	while (p->size < 2 * connections)
		p->size *= 2;
	p->at = calloc(p->size, sizeof(*p->at));
	return p->at ? 0 : -ENOMEM;
}

void peers_fini(struct peers *p)
{
	free(p->at);
	pthread_mutex_destroy(&p->mu);
	*p = (struct peers){0};
}

/* Make the key of an address: the IPv4 address, also of a mapped one, or the IPv6 /64. */
static void peer_key(const struct sockaddr_storage *from, uint64_t key[2])
{
	const struct in6_addr *v6 = &((const struct sockaddr_in6 *)from)->sin6_addr;
	uint32_t v4;

	key[0] = key[1] = 0;
	if (from->ss_family == AF_INET) {
		key[1] = ((const struct sockaddr_in *)from)->sin_addr.s_addr;
	} else if (from->ss_family == AF_INET6 && IN6_IS_ADDR_V4MAPPED(v6)) {
		memcpy(&v4, &v6->s6_addr[12], sizeof(v4));
		key[1] = v4;
	} else if (from->ss_family == AF_INET6) {
		memcpy(&key[0], v6->s6_addr, sizeof(key[0]));
		key[1] = UINT64_MAX;
	}
}

uint64_t peer_hash(const struct sockaddr_storage *from)
{
	uint64_t key[2];

	peer_key(from, key);
	return hash_bytes(key, sizeof(key));
}

static size_t home_row(const struct peers *p, const uint64_t key[2])
{
	return hash_bytes(key, 2 * sizeof(key[0])) & (p->size - 1);
}

/* Return the row of a key, or the free row where it belongs. mu is held. */
static size_t find_peer_row(const struct peers *p, const uint64_t key[2])
{
	size_t i = home_row(p, key);

	while (p->at[i].n && (p->at[i].key[0] != key[0] || p->at[i].key[1] != key[1]))
		i = (i + 1) & (p->size - 1);
	return i;
}

bool peers_add(struct peers *p, const struct sockaddr_storage *from)
{
	struct peer_count *row;
	uint64_t key[2];
	bool ok;

	if (!p->size)
		return true;
	peer_key(from, key);
	pthread_mutex_lock(&p->mu);
	row = &p->at[find_peer_row(p, key)];
	ok = row->n < p->limit;
	if (ok) {
		memcpy(row->key, key, sizeof(key));
		row->n++;
	}
	pthread_mutex_unlock(&p->mu);
	return ok;
}

/* Row `hole` has become free: move back rows that could not be found otherwise. mu is held. */
static void close_hole(struct peers *p, size_t hole)
{
	size_t mask = p->size - 1;

	for (size_t i = (hole + 1) & mask; p->at[i].n; i = (i + 1) & mask) {
		size_t home = home_row(p, p->at[i].key);

		if (((i - home) & mask) < ((i - hole) & mask))
			continue;
		p->at[hole] = p->at[i];
		p->at[i].n = 0;
		hole = i;
	}
}

void peers_remove(struct peers *p, const struct sockaddr_storage *from)
{
	uint64_t key[2];
	size_t i;

	if (!p->size)
		return;
	peer_key(from, key);
	pthread_mutex_lock(&p->mu);
	i = find_peer_row(p, key);
	if (p->at[i].n && !--p->at[i].n)
		close_hole(p, i);
	pthread_mutex_unlock(&p->mu);
}
