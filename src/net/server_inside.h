/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VARVE_NET_SERVER_INSIDE_H
#define VARVE_NET_SERVER_INSIDE_H

#include "net/listener.h"
#include "net/peers.h"

/* Private to src/net: the server. Immutable while it runs, but for what its members say. */
struct net_server {
	struct net_options options;
	struct budget memory;
	struct peers peers; /* open connections by address */
	struct loop *loops;
	size_t loop_count;
	struct listener *listeners;
	size_t listener_count;
	int spare_fd;	       /* see listener.c; thread of the first loop */
	_Atomic uint64_t over; /* connections beyond max_connections; see room.c */
};

/* The first loop is told to drain: close the listening sockets. Thread of that loop. */
void server_stop_listening(struct loop *l);

#endif
