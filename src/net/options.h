/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VARVE_NET_OPTIONS_H
#define VARVE_NET_OPTIONS_H

#include "base/base.h"

/* Limits of a server. net_option_table and docs/net.md describe each one. */
struct net_options {
	uint64_t threads;
	uint64_t max_connections;
	uint64_t max_connections_per_address;
	uint64_t max_header_bytes;
	uint64_t max_headers;
	uint64_t max_body_bytes;
	uint64_t max_connection_memory;
	uint64_t max_memory;
	uint64_t max_concurrent_streams;
	uint64_t max_resets_per_second;
	uint64_t max_control_frames_per_second;
	uint64_t max_requests_per_connection;
	uint64_t handshake_timeout_ms;
	uint64_t header_timeout_ms;
	uint64_t body_timeout_ms;
	uint64_t min_body_rate;
	uint64_t write_timeout_ms;
	uint64_t idle_timeout_ms;
	uint64_t request_timeout_ms;
	/*
	 * A shared budget that is charged for memory beyond half of max_memory, too; may be NULL.
	 */
	struct budget *rest;
};

enum net_unit { NET_COUNT, NET_BYTES, NET_MILLISECONDS, NET_BYTES_PER_SECOND };

/* One of the options: its name for configuration and refusals, its default and help text. */
struct net_option {
	const char *name;
	enum net_unit unit;
	size_t offset; /* in struct net_options, of a uint64_t */
	uint64_t default_value;
	const char *help;
};

extern const struct net_option net_option_table[];
extern const size_t net_option_count;

/* Set all options to their defaults. */
void net_options_init(struct net_options *options);

#endif
