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
	struct listener *listeners;
	size_t listener_count;
	int spare_fd;	       /* see listener.c; thread of the first loop */
	_Atomic uint64_t over; /* connections beyond max_connections; see room.c */
};

/* Close the listening sockets if `l` is the first loop. Called on the thread of `l`. */
void server_stop_listening(struct loop *l);

#endif
