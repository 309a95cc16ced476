/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VARVE_PIPELINE_EXPORTERS_SENDER_CLIENT_SETTINGS_H
#define VARVE_PIPELINE_EXPORTERS_SENDER_CLIENT_SETTINGS_H

#include "net/client/client.h"
#include "pipeline/component.h"
#include "wire/compress/compress.h"

/*
 * The settings of exporters that are clients of a server: endpoint, headers, compression, tls and
 * auth, with the names of the OpenTelemetry Collector. An exporter embeds struct client_settings
 * and puts CLIENT_SETTINGS() into its table.
 */
struct client_tls_settings {
	bool insecure; /* gRPC: plaintext */
	bool insecure_skip_verify;
	struct str ca_file, ca_pem, cert_file, cert_pem, key_file, key_pem;
	struct str server_name_override, min_version, max_version;
	bool include_system_ca_certs_pool;
};

struct client_auth_settings {
	struct str authenticator; /* the id of an extension; empty: none */
};

struct client_settings {
	struct str endpoint;
	struct setting_map headers; /* a map, or a list of {name, value}; names in lower case */
	struct str compression;
	struct client_tls_settings tls;
	struct client_auth_settings auth;
};

extern const struct setting client_tls_table[], client_auth_table[];
setting_reader client_headers_read;

/* Rows of a table. `compression_` is the default. */
#define CLIENT_SETTINGS(struct_, field_, compression_)                                             \
	SET_STRING(struct_, field_.endpoint, "endpoint", NULL, "Where to send."),                  \
		SET_CUSTOM(struct_, field_.headers, "headers", client_headers_read, "map",         \
			   "Headers of each request; a map, or a list of name and value."),        \
		SET_STRING(struct_, field_.compression, "compression", compression_,               \
			   "gzip, zstd or none."),                                                 \
		SET_GROUP_ALWAYS(struct_, field_.tls, "tls", client_tls_table,                     \
				 "Transport security."),                                           \
		SET_GROUP_ALWAYS(struct_, field_.auth, "auth", client_auth_table,                  \
				 "The extension that adds credentials.")

/* Rows of a table: keys of the collector's HTTP clients without effect here. */
#define KEPT_CONNECTIONS "connections are kept as long as they are used"
#define HTTP_CLIENT_KEYS_IGNORED                                                                   \
	SET_IGNORED("read_buffer_size", "buffers grow as needed"),                                 \
		SET_IGNORED("write_buffer_size", "data is sent without a buffer"),                 \
		SET_IGNORED("max_idle_conns", KEPT_CONNECTIONS),                                   \
		SET_IGNORED("max_idle_conns_per_host", KEPT_CONNECTIONS),                          \
		SET_IGNORED("max_conns_per_host", KEPT_CONNECTIONS),                               \
		SET_IGNORED("idle_conn_timeout", KEPT_CONNECTIONS),                                \
		SET_IGNORED("disable_keep_alives", KEPT_CONNECTIONS),                              \
		SET_IGNORED("http2_read_idle_timeout", "requests are sent as HTTP/1.1"),           \
		SET_IGNORED("http2_ping_timeout", "requests are sent as HTTP/1.1"),                \
		SET_IGNORED("force_attempt_http2", "requests are sent as HTTP/1.1"),               \
		SET_IGNORED("cookies", "cookies are not kept"),                                    \
		SET_IGNORED("middlewares", "there are no middleware extensions")

/* Check the settings against each other. Return 0, or -EINVAL with text in `e`. */
MUST_USE int client_settings_check(const struct client_settings *s, struct err *e);

/* Return the compression of checked settings. */
enum compress_kind client_compression(const struct client_settings *s);

/*
 * What a client needs of the settings, in NUL-terminated copies. Immutable once made; it may be
 * used by several threads.
 */
struct client_access {
	struct net_client_options options; /* for net/client/http_client.h, net/rpc/grpc_client.h */
	struct http_header *headers;	   /* borrowed from the settings */
	size_t header_count;
	const struct extension *auth; /* NULL: none */
	struct arena arena;
};

/* Return 0, or a negative errno with text in `e`. Call client_access_fini() in every case. */
MUST_USE int client_access_init(struct client_access *a, const struct component_env *env,
				const struct client_settings *s, struct err *e);
void client_access_fini(struct client_access *a);

enum { CLIENT_HEADERS_MAX = 48 };

/*
 * The headers of one request: those of the settings, and that of the authenticator.
 *
 *	struct client_headers h = {0};
 *	rc = client_headers_make(&h, access, e);
 *	... h.at, h.n ...
 *	client_headers_fini(&h);
 */
struct client_headers {
	struct http_header at[CLIENT_HEADERS_MAX + 8]; /* the exporter may append a few */
	size_t n;
	struct buf credentials;
};

MUST_USE int client_headers_make(struct client_headers *h, const struct client_access *a,
				 struct err *e);
void client_headers_fini(struct client_headers *h);

#endif
