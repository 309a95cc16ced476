/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VARVE_NET_TLS_H
#define VARVE_NET_TLS_H

#include <openssl/types.h>
#include <sys/types.h>

#include "net/server.h"

/* Private to src/net: what we use of OpenSSL, with our errors. */

/* The context of a listener: certificate, key, client CA, ALPN. 0, or an error that names the file. */
MUST_USE int tls_server_context(SSL_CTX **out, const struct net_tls_files *files, struct err *e);

/* The context of a client: whom it trusts, who it is. ALPN is h2. */
MUST_USE int tls_client_context(SSL_CTX **out, const char *ca_file, const char *certificate,
				const char *key, bool skip_verify, struct err *e);
void tls_context_free(SSL_CTX *context);

/* The server's side of a connection on an accepted socket; NULL: out of memory. */
SSL *tls_accept(SSL_CTX *context, int fd);

/* The client's side; the certificate must be for `host`, a name or an address. NULL: out of memory. */
SSL *tls_connect(SSL_CTX *context, int fd, const char *host);
void tls_free(SSL *ssl);

/* Why the last call on this thread failed, in OpenSSL's words. */
const char *tls_reason(SSL *ssl);

/* Go on with the handshake: 0 when done (*h2: the sender chose HTTP/2), -EAGAIN, -EPROTOTYPE for
 * plain HTTP, or -EPROTO. */
MUST_USE int tls_handshake(SSL *ssl, bool *h2);

/* As read and write: a count, 0 at the end, -EAGAIN, or a negative errno. */
ssize_t tls_read(SSL *ssl, char *p, size_t n);
ssize_t tls_write(SSL *ssl, const char *p, size_t n);

/* Say good-bye, without waiting. Takes NULL. */
void tls_shutdown(SSL *ssl);

#endif
