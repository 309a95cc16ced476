/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VARVE_NET_PEERS_H
#define VARVE_NET_PEERS_H

#include <pthread.h>
#include <sys/socket.h>

#include "base/base.h"

/*
 * Private to src/net, except peer_hash(): the number of open connections by remote address, an IPv4
 * address or an IPv6 /64. Updated when a connection is accepted and closed, under a lock that is
 * held for one table lookup. Any thread.
 */
struct peer_count {
	uint64_t key[2];
	uint32_t n; /* 0: free */
};

struct peers {
	pthread_mutex_t mu; /* guards what follows */
	struct peer_count *at;
	size_t size; /* a power of two, at least twice max_connections; 0: nothing is counted */
	uint64_t limit;
};

/*
 * Make a table for `connections` connections, at most `limit` (0: any number) of one address.
 * Return 0 or -ENOMEM. Call peers_fini() in every case.
 */
MUST_USE int peers_init(struct peers *p, uint64_t connections, uint64_t limit);
void peers_fini(struct peers *p);

/* Hash the address without its port; equal for connections that are counted together. */
uint64_t peer_hash(const struct sockaddr_storage *from);

/* Count a connection. Return false, without counting it, if the address is at its limit. */
bool peers_add(struct peers *p, const struct sockaddr_storage *from);
void peers_remove(struct peers *p, const struct sockaddr_storage *from);

#endif
