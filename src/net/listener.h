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
	char *address; /* a copy, as configured */
	/* Changed while all loops are paused (change.h). */
	const struct http_app *app;
	bool removed;
	struct listener *next;		/* of the server's removed listeners */
	struct net_tls_files tls_files; /* copies of the names; certificate NULL: plaintext */
	pthread_mutex_t tls_mu;		/* guards `tls`, which a reload replaces */
	SSL_CTX *tls;			/* NULL: plaintext */
	_Atomic uint64_t connections;	/* that refer to it */
};

/* Bind and listen. Return 0 and *out, or an error that names the address or the file. */
MUST_USE int listener_new(struct listener **out, struct net_server *server,
			  const struct net_listener *from, struct err *e);

/* Return whether it is bound to what `address` resolves to. */
bool listener_is_at(const struct listener *l, const char *address);

/* Stop listening; accepted connections stay open. */
void listener_stop(struct listener *l);
void listener_free(struct listener *l); /* takes NULL */

/* Accept waiting connections. Thread of the first loop. */
void listener_accept(struct listener *l);

/* Use these certificates for new connections; NULL: plaintext. Takes ownership of the context. */
void listener_replace_tls(struct listener *l, SSL_CTX *context);

/* Copy the names of the files; `from` may be NULL. Return 0 or -ENOMEM, with *to unchanged. */
MUST_USE int tls_files_copy(struct net_tls_files *to, const struct net_tls_files *from);
void tls_files_fini(struct net_tls_files *files);

#endif
