/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VARVE_NET_ROOM_H
#define VARVE_NET_ROOM_H

#include "net/conn.h"

/*
 * Private to src/net: make room for new connections when max_connections is reached or file
 * descriptors have run out. Loop thread only, unless a function says otherwise.
 */

/* Connections that may be open beyond max_connections while idle ones are being closed for them. */
enum { ROOM_OVER_MAX = 2 };

/* Add the connection to the idle list of its loop, or remove it, according to its state. */
void room_update(struct conn *c);

/* Remove the connection from the idle list. */
void room_forget(struct conn *c);

/* Return the loop with the connection that has been idle longest, or NULL. Any thread. */
struct loop *room_find(struct net_server *s);

/* Close the connection of this loop that has been idle longest. Return false if none is idle. */
bool room_close_idle(struct loop *l);

enum room {
	ROOM_MADE, /* an idle connection was closed */
	/* The new connection belongs to another loop, which may have freed it already. */
	ROOM_PASSED_ON,
	ROOM_NONE, /* no loop has room: refuse the new connection */
};

/* Make room for a new connection that is over the limit and not in the lists of its loop yet. */
enum room room_make(struct conn *c);

/*
 * Send an HTTP/1.1 response, unless TLS is expected, that a limit on connections is reached; count
 * and log it. The caller closes fd.
 */
void room_refuse(struct loop *l, int fd, bool tls, enum net_refused reason);

/* Remove a connection that is being freed from the server's `over`, if it is counted there. */
void room_leave(const struct conn *c);

#endif
