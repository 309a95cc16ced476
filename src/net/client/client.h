/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VARVE_NET_CLIENT_H
#define VARVE_NET_CLIENT_H

#include "base/err.h"

/*
 * Options of the blocking clients for commands and exporters (net/client/http_client.h,
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
	/* The same as PEM text, each instead of its file. */
	const char *ca_pem, *certificate_pem, *key_pem;
	bool system_cas;	     /* trust the system's CAs besides ca_file or ca_pem */
	bool skip_verify;	     /* accept any server certificate */
	const char *server_name;     /* in the server's certificate, if it is not the host */
	unsigned min_tls, max_tls;   /* 10 to 13; 0: 12, and no limit */
	uint64_t connect_timeout_ms; /* 0: 5 s */
	const char *proxy;	     /* URL; HTTP only. NULL: by the environment (http_proxy) */
	const char *user_agent;	     /* NULL: "varve" */
	const char *authority;	     /* gRPC: the :authority header instead of the address */
	/* gRPC: which address of the name is tried first; each connection takes the next one. */
	unsigned first_address;
	bool one_address; /* gRPC: always try the addresses in the same order */
};

#endif
