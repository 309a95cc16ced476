/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VARVE_NET_PEERS_H
#define VARVE_NET_PEERS_H

#include <pthread.h>
#include <sys/socket.h>

#include "base/base.h"

/*
 * Private to src/net: open connections by the address they come from, an IPv4 address or an IPv6 /64. Touched when a connection is
 * accepted and closed, under a lock that is held for a look into a table. Any thread.
 */
struct peer_count {
	uint64_t key[2];
	uint32_t n; /* 0: free */
};

struct peers {
	pthread_mutex_t mu; /* guards what follows */
	struct peer_count *at;
	size_t size; /* a power of two, more than twice the connections; 0: nothing is counted */
	uint64_t limit;
};

/* For up to so many connections; `limit` of an address, 0: none. 0 or -ENOMEM; fini in every case. */
MUST_USE int peers_init(struct peers *p, uint64_t connections, uint64_t limit);
void peers_fini(struct peers *p);

/* Of the address without its port; equal for what counts as one address. */
uint64_t peer_hash(const struct sockaddr_storage *from);

/* One more from there; false: that would be over the limit. */
bool peers_add(struct peers *p, const struct sockaddr_storage *from);
void peers_remove(struct peers *p, const struct sockaddr_storage *from);

#endif
