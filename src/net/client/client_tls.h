/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VARVE_NET_CLIENT_TLS_H
#define VARVE_NET_CLIENT_TLS_H

#include <openssl/types.h>

#include "net/client/client.h"

/*
 * Private to src/net: make the TLS context of a client from its options: trusted CAs, client
 * certificate, versions. ALPN is h2. Return 0, or an error that names the file; free it with
 * tls_context_free() (net/tls.h).
 */
MUST_USE int client_tls_context(SSL_CTX **out, const struct net_client_options *o, struct err *e);

#endif
