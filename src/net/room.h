/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VARVE_NET_ROOM_H
#define VARVE_NET_ROOM_H

#include "net/conn.h"

/*
 * Private to src/net: room for new connections when max_connections is reached or descriptors have
 * run out. Loop thread only, unless a function says otherwise.
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
	ROOM_MADE,	/* an idle connection was closed */
	ROOM_PASSED_ON, /* the new connection is another loop's now: it may be freed already */
	ROOM_NONE,	/* all loops were asked: turn the new connection away */
};

/* Make room for a new connection that is over the limit and not in the lists of its loop yet. */
enum room room_make(struct conn *c);

/* Answer, unless TLS is expected, that the connection is over a limit; count and log it. */
void room_refuse(struct loop *l, int fd, bool tls, enum net_refused reason);

/* Take a connection that is being freed out of the server's `over`, if it is counted there. */
void room_leave(const struct conn *c);

#endif
