/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VARVE_SDK_GRPC_TLS_CLIENT_H
#define VARVE_SDK_GRPC_TLS_CLIENT_H

#include "base/buf.h"
#include "base/err.h"

/*
 * TLS for gRPC by OpenSSL's libssl, which is loaded on first use: programs that do not use it get
 * no TLS library. Works without sockets, as OpenSSL's own writes to a socket would raise SIGPIPE in
 * the host program. One thread.
 */
struct tls_client;

/*
 * Begin a connection to `host`, whose certificate must be for that name or address and signed by
 * `ca_file` ("": the system's), with HTTP/2 by ALPN. tls_client_out() has the first bytes to send.
 * Return 0; -ENOSYS without libssl; -EINVAL for an invalid file; -ENOMEM.
 */
MUST_USE int tls_client_new(struct tls_client **out, const char *host, const char *ca_file,
			    struct err *e);
void tls_client_free(struct tls_client *t);

/* Return the bytes to send to the server; the caller removes what it has sent. */
struct buf *tls_client_out(struct tls_client *t);

/* Return whether the handshake is complete. */
bool tls_client_is_ready(const struct tls_client *t);

/*
 * Process received bytes and append the decrypted ones to `plain`. Return 0; -EACCES with the
 * reason when the certificate is rejected or the handshake fails; -EPROTO when the server does not
 * speak HTTP/2; -ECONNRESET at the end of the connection; -ENOMEM.
 */
MUST_USE int tls_client_feed(struct tls_client *t, struct str bytes, struct buf *plain,
			     struct err *e);

/* Encrypt `plain` into tls_client_out(), after the handshake. 0, -ECONNRESET or -ENOMEM. */
MUST_USE int tls_client_write(struct tls_client *t, struct str plain);

#endif
