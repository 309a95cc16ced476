/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VARVE_NET_SERVER_H
#define VARVE_NET_SERVER_H

#include "base/log.h"
#include "net/http/http.h"

/*
 * Listeners, and the loop threads that serve them.
 *
 * Each port speaks HTTP/1.1 and HTTP/2, plain (by the preface) or under TLS (by ALPN). A loop is one
 * thread with one epoll; it owns its connections for their life. A connection is given at
 * accept to the loop with the fewest. Other threads reach a loop only through its mailbox.
 */

/* Every limit is a 64-bit number, 0 means what the table says. */
struct net_options {
	uint64_t threads;
	uint64_t max_connections;
	uint64_t max_connections_per_address;
	uint64_t max_header_bytes;
	uint64_t max_headers;
	uint64_t max_body_bytes;
	uint64_t max_connection_memory;
	uint64_t max_memory;
	uint64_t max_concurrent_streams;
	uint64_t max_resets_per_second;
	uint64_t max_control_frames_per_second;
	uint64_t max_requests_per_connection;
	uint64_t handshake_timeout_ms;
	uint64_t header_timeout_ms;
	uint64_t body_timeout_ms;
	uint64_t min_body_rate;
	uint64_t write_timeout_ms;
	uint64_t idle_timeout_ms;
	uint64_t request_timeout_ms;
	struct budget
		*rest; /* with which one half of max_memory is shared; borrowed, may be NULL */
};

enum net_unit { NET_COUNT, NET_BYTES, NET_MILLISECONDS, NET_BYTES_PER_SECOND };

/* The options as a table: names for configuration and refusals, defaults, help. */
struct net_option {
	const char *name;
	enum net_unit unit;
	size_t offset; /* in struct net_options, of a uint64_t */
	uint64_t default_value;
	const char *help;
};

extern const struct net_option net_option_table[];
extern const size_t net_option_count;

void net_options_init(struct net_options *options);

/* Files of a listener's TLS; all PEM. TLS 1.2 and up, ALPN h2 and http/1.1. */
struct net_tls_files {
	const char *certificate; /* the chain, leaf first */
	const char *key;
	const char *client_ca; /* may be NULL; else a sender must show a certificate signed by it */
};

struct net_listener {
	const char *address; /* "host:port", "[::1]:4040", ":4040" for all; port 0: any free one */
	const struct http_app *app; /* borrowed until net_server_free() */
	const struct net_tls_files
		*tls; /* NULL: plain. Read at start and at net_server_reload_tls() */
};

struct net_server;

/*
 * Listen and start the loops. On success *out is the caller's (net_server_free()). `options`
 * and `log` may be NULL; options are copied, log is borrowed. Errors say which address or file.
 */
MUST_USE int net_server_start(struct net_server **out, const struct net_listener *listeners,
			      size_t count, const struct net_options *options,
			      const struct log *log, struct err *e);

/* The port listener `nth` really has. */
uint16_t net_server_port(const struct net_server *s, size_t nth);

/*
 * Read certificates and keys again. On an error all listeners keep what they had. Connections
 * made before stay as they are. Any thread.
 */
MUST_USE int net_server_reload_tls(struct net_server *s, struct err *e);

/*
 * Stop accepting; tell senders to go (GOAWAY, Connection: close); wait for exchanges in flight, no longer
 * than the time-out; then close what is left. 0, or -ETIMEDOUT when something was cut off. Once.
 */
MUST_USE int net_server_drain(struct net_server *s, uint64_t timeout_ms);

/*
 * Close everything at once and end the loops. Waits until each exchange that a handler still holds has been
 * answered (http_gone() is true for all of them), so no answer can come too late. Takes NULL.
 */
void net_server_free(struct net_server *s);

/* Why requests and connections were refused. */
enum net_refused {
	NET_REFUSED_BAD_REQUEST, /* not HTTP, bad path, bad body coding */
	NET_REFUSED_NO_ROUTE,	 /* 404, 405, 415 */
	NET_REFUSED_ADMIT,	 /* by the caller's hook */
	NET_REFUSED_TOO_LARGE,	 /* headers or body over their limit */
	NET_REFUSED_BUDGET,	 /* no room for another body now */
	NET_REFUSED_SLOW,	 /* a time-out of the sender */
	NET_REFUSED_FLOOD,	 /* HTTP/2 resets or control frames */
	NET_REFUSED_CONNECTIONS, /* over max_connections, or out of descriptors */
	NET_REFUSED_ADDRESS,	 /* over max_connections_per_address */
	NET_REFUSED_TLS,	 /* the handshake failed */
	NET_REFUSED_COUNT,
};
extern const char *const net_refused_names[NET_REFUSED_COUNT];

struct net_stats {
	uint64_t connections_open, connections_total;
	uint64_t connections_idle; /* of the open ones: without a request */
	uint64_t displaced;	   /* idle ones that were closed to make room for others */
	uint64_t requests[3][6];   /* [enum http_protocol][status / 100] of the answers */
	uint64_t bytes_in, bytes_out;
	uint64_t refused[NET_REFUSED_COUNT];
	uint64_t exchanges_open; /* requests whose answer is not sent yet */
	uint64_t memory_bytes;	 /* held by connections, requests and answers now, of max_memory */
};

/* The sums of all loops at about this moment. Any thread. */
void net_server_stats(const struct net_server *s, struct net_stats *out);

/* Is every address this listens on a loopback one? 0 with *loopback, or a negative errno for a bad address. */
MUST_USE int net_address_is_loopback(const char *address, bool *loopback, struct err *e);

#endif
