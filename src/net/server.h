/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VARVE_NET_SERVER_H
#define VARVE_NET_SERVER_H

#include "base/err.h"
#include "base/log.h"
#include "net/http/http.h"
#include "net/options.h"

/*
 * A server: listeners, and the loop threads that serve their connections.
 *
 * Each port accepts HTTP/1.1 and HTTP/2, in plaintext (detected by the preface) or over TLS
 * (negotiated by ALPN). A loop is one thread with one epoll; it owns its connections until they
 * are closed. A new connection goes to the loop with the fewest connections. Other threads reach a
 * loop only through its mailbox.
 */

/* The PEM files of a TLS listener. TLS 1.2 and later, ALPN h2 and http/1.1. */
struct net_tls_files {
	const char *certificate; /* the chain, leaf first */
	const char *key;
	/* NULL, or the CA that must have signed the certificate of each client. */
	const char *client_ca;
};

struct net_listener {
	/* "host:port", "[::1]:4040", ":4040" for all interfaces; port 0: any free one */
	const char *address;
	const struct http_app *app; /* borrowed until net_server_free(), or replaced (change.h) */
	/* NULL: plaintext. Read by net_server_start() and net_server_reload_tls(). */
	const struct net_tls_files *tls;
};

struct net_server;

/*
 * Listen and start the loops. On success the caller owns *out (net_server_free()). `options` and
 * `log` may be NULL; options are copied, log is borrowed. Errors name the address or file.
 */
MUST_USE int net_server_start(struct net_server **out, const struct net_listener *listeners,
			      size_t count, const struct net_options *options,
			      const struct log *log, struct err *e);

/* Return the port that the `nth` listener is bound to. */
uint16_t net_server_port(const struct net_server *s, size_t nth);

/*
 * Read certificates and keys again, for new connections. On an error all listeners keep what they
 * have. Any thread, but not during a change (change.h).
 */
MUST_USE int net_server_reload_tls(struct net_server *s, struct err *e);

/*
 * Shut down gracefully: stop accepting, ask clients to disconnect (GOAWAY, Connection: close), wait
 * at most `timeout_ms` for exchanges in flight, then close what is left. Return 0, or -ETIMEDOUT if
 * something was cut off. Call it once.
 */
MUST_USE int net_server_drain(struct net_server *s, uint64_t timeout_ms);

/*
 * Close all connections at once and end the loops. Waits until handlers have responded to all
 * exchanges that they own (http_gone() is true for those), so no response can be late. Takes NULL.
 */
void net_server_free(struct net_server *s);

/* Why requests and connections were refused. */
enum net_refused {
	NET_REFUSED_BAD_REQUEST, /* not HTTP, bad path, bad content coding */
	NET_REFUSED_NO_ROUTE,	 /* 404, 405, 415 */
	NET_REFUSED_ADMIT,	 /* by the admit hook */
	NET_REFUSED_TOO_LARGE,	 /* headers or body over their limit */
	NET_REFUSED_BUDGET,	 /* max_memory or max_connection_memory is used up */
	NET_REFUSED_SLOW,	 /* a timeout of the client */
	NET_REFUSED_FLOOD,	 /* HTTP/2 resets or control frames */
	NET_REFUSED_CONNECTIONS, /* over max_connections, or out of file descriptors */
	NET_REFUSED_ADDRESS,	 /* over max_connections_per_address */
	NET_REFUSED_TLS,	 /* the handshake failed */
	NET_REFUSED_COUNT,
};
extern const char *const net_refused_names[NET_REFUSED_COUNT];

struct net_stats {
	uint64_t connections_open, connections_total;
	uint64_t connections_idle; /* open connections without a request */
	uint64_t displaced;	   /* idle connections that were closed to make room for others */
	uint64_t requests[3][6];   /* responses by [enum http_protocol][status / 100] */
	uint64_t bytes_in, bytes_out;
	uint64_t refused[NET_REFUSED_COUNT];
	uint64_t exchanges_open; /* requests whose response is not completely sent */
	uint64_t memory_bytes;	 /* of max_memory: in use by connections, requests, responses */
};

/* Sum the counters of all loops; the result is approximate while they run. Any thread. */
void net_server_stats(const struct net_server *s, struct net_stats *out);

#endif
