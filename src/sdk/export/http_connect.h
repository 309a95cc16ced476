/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VARVE_SDK_EXPORT_HTTP_CONNECT_H
#define VARVE_SDK_EXPORT_HTTP_CONNECT_H

#include "sdk/export/http_client.h"

/* Private to the clients of HTTP/1.1 and gRPC: the connection of a post_client. */

/* How long something may still take. */
struct post_deadline {
	uint64_t at_ns;
	/* give up when it becomes true; may be NULL */
	const _Atomic bool *stop;
};

/* Wait until the socket is ready (poll()'s `events`). 0, -ETIMEDOUT or -ECANCELED. */
MUST_USE int post_wait(int fd, short events, const struct post_deadline *d);

/* Look the name up and connect: c->fd. 0, -EHOSTUNREACH, -ECONNREFUSED, -ETIMEDOUT, -ECANCELED ... */
MUST_USE int post_connect(struct post_client *c, const struct post_deadline *d);
void post_disconnect(struct post_client *c);

/* Has the other side closed a connection that lay idle, or said something? */
bool post_is_stale(int fd);

/* Takes NULL. */
void post_lookup_unref(struct post_lookup *l);

/* In a forked child, which does not have the thread of the lookup. */
void post_lookup_forked(struct post_client *c);

/* sdk/grpc/grpc_client.c: what the connection has beside its socket. */
void post_grpc_disconnect(struct post_client *c);
void post_grpc_forget(struct post_client *c);

#endif
