/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VARVE_NET_LISTENER_H
#define VARVE_NET_LISTENER_H

#include <openssl/types.h>

#include "net/loop.h"

/* Private to src/net: a listening socket. It is accepted from by the first loop, for all loops. */
struct listener {
	enum source source; /* first */
	int fd;
	uint16_t port;
	struct net_server *server;
	const struct http_app *app;
	struct net_tls_files tls_files; /* own copies of the names; certificate NULL: plain */
	pthread_mutex_t tls_mu;		/* guards `tls`: replaced by a reload */
	SSL_CTX *tls;
};

/* Bind and listen as told. 0 or an error that says the address or the file; listener_fini() is due in every case. */
MUST_USE int listener_open(struct listener *l, struct net_server *server,
			   const struct net_listener *from, struct err *e);

/* Stop listening; accepted connections live on. */
void listener_stop(struct listener *l);
void listener_fini(struct listener *l);

/* Accept what waits. Thread of the first loop. */
void listener_accept(struct listener *l);

/* Take these certificates from now on. */
void listener_replace_tls(struct listener *l, SSL_CTX *context);

#endif
