/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VARVE_NET_CLIENT_H
#define VARVE_NET_CLIENT_H

#include "base/err.h"

/*
 * Options of the blocking clients for commands and exporters (net/http_client.h,
 * net/rpc/grpc_client.h). A client keeps its connection between calls and is used by one thread at
 * a time. Error texts never contain credentials.
 *
 * All members may be NULL, false or 0. Strings are copied.
 */
struct net_client_options {
	const char *token;	       /* Authorization: Bearer */
	const char *user, *password;   /* Authorization: Basic; HTTP only */
	const char *ca_file;	       /* instead of the system's CAs */
	const char *certificate, *key; /* for servers that request a client certificate */
	bool skip_verify;	       /* accept any server certificate */
	uint64_t connect_timeout_ms;   /* 0: 5 s */
};

#endif
