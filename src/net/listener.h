/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VARVE_NET_LISTENER_H
#define VARVE_NET_LISTENER_H

#include <openssl/types.h>

#include "net/loop.h"

/* Private to src/net: a listening socket. The first loop accepts its connections for all loops. */
struct listener {
	enum source source; /* first */
	int fd;
	uint16_t port;
	struct net_server *server;
	const struct http_app *app;
	struct net_tls_files tls_files; /* copies of the names; certificate NULL: plaintext */
	pthread_mutex_t tls_mu;		/* guards `tls`, which a reload replaces */
	SSL_CTX *tls;
};

/*
 * Bind and listen. Return 0 or an error that names the address or the file. Call listener_fini() in
 * every case.
 */
MUST_USE int listener_open(struct listener *l, struct net_server *server,
			   const struct net_listener *from, struct err *e);

/* Stop listening; accepted connections stay open. */
void listener_stop(struct listener *l);
void listener_fini(struct listener *l);

/* Accept waiting connections. Thread of the first loop. */
void listener_accept(struct listener *l);

/* Use these certificates for new connections. Takes ownership of the context. */
void listener_replace_tls(struct listener *l, SSL_CTX *context);

#endif
