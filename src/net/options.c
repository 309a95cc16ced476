/* SPDX-License-Identifier: Apache-2.0 */
#include "net/server.h"

#define OPTION(field, unit_, value, help_)                                                         \
	{                                                                                          \
		.name = #field, .unit = unit_, .offset = offsetof(struct net_options, field),      \
		.default_value = (value), .help = (help_)                                          \
	}

const struct net_option net_option_table[] = {
	OPTION(threads, NET_COUNT, 2, "Network loops, one thread each; 0: one for each processor."),
	OPTION(max_connections, NET_COUNT, 10000,
	       "Connections at a time; for one more the one that has been idle longest is closed, "
	       "and without an idle one it is turned away (503)."),
	OPTION(max_connections_per_address, NET_COUNT, 5000,
	       "Of those from one IPv4 address or IPv6 /64 (429); 0: all."),
	OPTION(max_header_bytes, NET_BYTES, 64 * KIB,
	       "Request line and headers of a request together (431)."),
	OPTION(max_headers, NET_COUNT, 256, "Headers of a request (431)."),
	OPTION(max_body_bytes, NET_BYTES, 64 * MIB,
	       "A request's body, as sent and decompressed (413); a route may set its own."),
	OPTION(max_connection_memory, NET_BYTES, 128 * MIB,
	       "Memory of one connection: its requests, as sent and decompressed, and its unsent "
	       "answers (503)."),
	OPTION(max_memory, NET_BYTES, 512 * MIB,
	       "The same of all connections (503); over three quarters of it those that hold most "
	       "for longest are closed. One body may have half of it (413)."),
	OPTION(max_concurrent_streams, NET_COUNT, 256,
	       "HTTP/2 requests at a time on a connection."),
	OPTION(max_resets_per_second, NET_COUNT, 100,
	       "HTTP/2 streams a sender may cancel, in the long run; ten times that at once."),
	OPTION(max_control_frames_per_second, NET_COUNT, 1000,
	       "HTTP/2 frames that carry nothing (PING, SETTINGS, WINDOW_UPDATE, empty DATA, "
	       "unknown types), in the long run; ten times that at once."),
	OPTION(max_requests_per_connection, NET_COUNT, 0,
	       "Close a connection after this many; 0: never."),
	OPTION(handshake_timeout_ms, NET_MILLISECONDS, 10000, "The TLS handshake."),
	OPTION(header_timeout_ms, NET_MILLISECONDS, 10000,
	       "From the first byte of a request to the end of its headers (408)."),
	OPTION(body_timeout_ms, NET_MILLISECONDS, 20000,
	       "For a body, on top of what min_body_rate gives it (408); 0: any time."),
	OPTION(min_body_rate, NET_BYTES_PER_SECOND, 4096,
	       "Each this many bytes of a body give it another second; 0: body_timeout_ms is all."),
	OPTION(write_timeout_ms, NET_MILLISECONDS, 30000,
	       "Without a byte of the answer being taken."),
	OPTION(idle_timeout_ms, NET_MILLISECONDS, 180000, "A connection without a request."),
	OPTION(request_timeout_ms, NET_MILLISECONDS, 0,
	       "The deadline that handlers see; 0: none but the sender's."),
};

const size_t net_option_count = countof(net_option_table);

const char *const net_refused_names[NET_REFUSED_COUNT] = {
	[NET_REFUSED_BAD_REQUEST] = "bad_request",
	[NET_REFUSED_NO_ROUTE] = "no_route",
	[NET_REFUSED_ADMIT] = "admit",
	[NET_REFUSED_TOO_LARGE] = "too_large",
	[NET_REFUSED_BUDGET] = "budget",
	[NET_REFUSED_SLOW] = "slow",
	[NET_REFUSED_FLOOD] = "flood",
	[NET_REFUSED_CONNECTIONS] = "connections",
	[NET_REFUSED_ADDRESS] = "connections_per_address",
	[NET_REFUSED_TLS] = "tls",
};

void net_options_init(struct net_options *options)
{
	*options = (struct net_options){0};
	for (size_t i = 0; i < net_option_count; i++) {
		const struct net_option *o = &net_option_table[i];

		*(uint64_t *)((char *)options + o->offset) = o->default_value;
	}
}
