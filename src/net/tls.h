/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VARVE_NET_TLS_H
#define VARVE_NET_TLS_H

#include <openssl/types.h>
#include <sys/types.h>

#include "net/server.h"

/* Private to src/net: the part of OpenSSL that we use, with our error reporting. */

/*
 * Make the context of a listener: certificate, key, client CA, ALPN. Return 0, or an error that
 * names the file.
 */
MUST_USE int tls_server_context(SSL_CTX **out, const struct net_tls_files *files, struct err *e);

void tls_context_free(SSL_CTX *context);

/* Make the server side of an accepted connection. Return NULL when out of memory. */
SSL *tls_accept(SSL_CTX *context, int fd);

/*
 * Make the client side of a connection; the certificate must be for `host`, a name or an address.
 * Return NULL when out of memory.
 */
SSL *tls_connect(SSL_CTX *context, int fd, const char *host);
void tls_free(SSL *ssl);

/* Return OpenSSL's text for a failed verification, or a text for any other failed handshake. */
const char *tls_reason(SSL *ssl);

/*
 * Continue the handshake. Return 0 when it is complete (*h2: the peer chose HTTP/2), -EAGAIN,
 * -EPROTOTYPE if the peer speaks plaintext HTTP, or -EPROTO.
 */
MUST_USE int tls_handshake(SSL *ssl, bool *h2);

/* Like read() and write(): return a count, 0 at the end, -EAGAIN, or another negative errno. */
ssize_t tls_read(SSL *ssl, char *p, size_t n);
ssize_t tls_write(SSL *ssl, const char *p, size_t n);

/* Send close_notify, without waiting for the peer's. Takes NULL. */
void tls_shutdown(SSL *ssl);

#endif
