/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VARVE_SDK_EXPORT_HTTP_CONNECT_H
#define VARVE_SDK_EXPORT_HTTP_CONNECT_H

#include "sdk/export/http_client.h"

/* The connection of a post_client; private to the clients of HTTP/1.1 and gRPC. */

/* The limits of an operation that waits. */
struct post_deadline {
	uint64_t at_ns;
	/* cancels the operation when true; may be NULL */
	const _Atomic bool *stop;
};

/* Wait until the socket is ready (poll()'s `events`). Return 0, -ETIMEDOUT or -ECANCELED. */
MUST_USE int post_wait(int fd, short events, const struct post_deadline *d);

/* Resolve the host and connect c->fd. Return 0, -EHOSTUNREACH, -ECONNREFUSED, -ETIMEDOUT ... */
MUST_USE int post_connect(struct post_client *c, const struct post_deadline *d);
/* Close the connection, with its gRPC state. */
void post_disconnect(struct post_client *c);

/* Return whether the peer has closed an idle connection or sent unexpected bytes. */
bool post_is_stale(int fd);

/* Drop a reference. Takes NULL. */
void post_lookup_unref(struct post_lookup *l);

/* Drop the lookup in a forked child, where its thread does not exist. */
void post_lookup_forked(struct post_client *c);

#endif
