/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VARVE_SDK_GRPC_TLS_CLIENT_H
#define VARVE_SDK_GRPC_TLS_CLIENT_H

#include "base/buf.h"
#include "base/err.h"

/*
 * TLS for gRPC, by OpenSSL's libssl, which is loaded when it is needed first: a guest brings no TLS library into programs that do not
 * ask for it. Apart from sockets: OpenSSL's own writes to a socket would raise SIGPIPE in the host. One thread.
 */
struct tls_client;

/*
 * For a connection to `host`, whose certificate must be for that name or address, signed by `ca_file` ("": the system's). HTTP/2 is asked
 * for. What is to be sent first is in tls_client_out() then. -ENOSYS: there is no libssl; -EINVAL: the file; -ENOMEM.
 */
MUST_USE int tls_client_new(struct tls_client **out, const char *host, const char *ca_file,
			    struct err *e);
void tls_client_free(struct tls_client *t);

/* Bytes that are to be sent to the server; whoever has sent them takes them out. */
struct buf *tls_client_out(struct tls_client *t);

/* The handshake is done. */
bool tls_client_is_ready(const struct tls_client *t);

/*
 * Take bytes of the server; what they say is appended to `plain`. 0, -EACCES with the reason when the certificate is refused or the handshake fails, -EPROTO when
 * the server does not speak HTTP/2, -ECONNRESET at the end of the connection, -ENOMEM.
 */
MUST_USE int tls_client_feed(struct tls_client *t, struct str bytes, struct buf *plain,
			     struct err *e);

/* Encrypt: goes to tls_client_out(). Only when ready. 0, -ECONNRESET or -ENOMEM. */
MUST_USE int tls_client_write(struct tls_client *t, struct str plain);

#endif
