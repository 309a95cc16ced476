/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VARVE_NET_SERVER_INTERNAL_H
#define VARVE_NET_SERVER_INTERNAL_H

#include "net/listener.h"
#include "net/peers.h"

/* Private to src/net: the server of server.c. Immutable while it runs, except as noted. */
struct net_server {
	struct net_options options;
	struct budget memory; /* atomic */
	struct peers peers;   /* open connections by address; has its own lock */
	struct loop *loops;
	size_t loop_count;
	/* In the order of the caller's. Changed by change.c while all loops are paused. */
	struct listener **listeners;
	size_t listener_count;
	/* No longer served, in no particular order; freed when their connections are closed. */
	struct listener *removed;
	int spare_fd;	       /* see listener.c; thread of the first loop */
	_Atomic uint64_t over; /* connections beyond max_connections; see room.c */
};

/* Close the listening sockets if `l` is the first loop. Called on the thread of `l`. */
void server_stop_listening(struct loop *l);

/* The same for removed listeners. */
void server_stop_removed(struct loop *l);

#endif
