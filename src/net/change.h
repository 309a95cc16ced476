/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VARVE_NET_CHANGE_H
#define VARVE_NET_CHANGE_H

#include "net/server.h"

/*
 * Change what a running server serves. Listeners whose address stays keep their socket and their
 * connections; no connection is refused meanwhile.
 *
 *	prepare		opens new addresses and reads certificates; may fail, and changes nothing
 *	pause		afterwards no handler and no admit hook is called; what clients send waits
 *	wait, cut	until handlers have responded to the requests they own
 *	resume		serves the new listeners: everything of the old apps can be freed
 *
 * A request whose body is not complete at the pause is admitted again and handled by the new
 * routes. A listener that is not in the new list is closed; its connections are asked to leave, and
 * requests that they still send get 503. Routes with HTTP_PERMANENT are not waited for.
 *
 * All functions are for one thread, which must not be a loop of the server.
 */
struct net_change;

/*
 * Prepare the new list of listeners. A server that is being changed cannot be changed again before
 * net_server_resume() or net_change_free(). Errors name the address or the file.
 */
MUST_USE int net_server_prepare(struct net_server *s, struct net_change **out,
				const struct net_listener *listeners, size_t count, struct err *e);
void net_change_free(struct net_change *c); /* takes NULL */

/* Stop calling handlers. Return when all loops have. */
void net_server_pause(struct net_server *s);

/*
 * Wait until handlers have responded to all requests of routes without HTTP_PERMANENT. Return 0, or
 * -ETIMEDOUT. Only while the server is paused.
 */
MUST_USE int net_server_wait_answered(struct net_server *s, uint64_t timeout_ms);

/*
 * Close the connections of those requests (http_gone() is true for them) and wait until their
 * handlers have responded.
 */
void net_server_cut_off(struct net_server *s);

/* Return whether handlers own no request, of any route. Only while the server is paused. */
bool net_server_is_idle(const struct net_server *s);

/* Apply the change, unless it is NULL, and go on. Takes ownership of the change. */
void net_server_resume(struct net_server *s, struct net_change *c);

#endif
