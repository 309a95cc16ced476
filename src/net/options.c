/* SPDX-License-Identifier: Apache-2.0 */
/* The table of net_options: defaults and help texts. */
#include "net/options.h"

#define OPTION(field, unit_, value, help_)                                                         \
	{                                                                                          \
		.name = #field, .unit = unit_, .offset = offsetof(struct net_options, field),      \
		.default_value = (value), .help = (help_)                                          \
	}

const struct net_option net_option_table[] = {
	OPTION(threads, NET_COUNT, 2, "Network threads; 0: one for each processor."),
	OPTION(max_connections, NET_COUNT, 10000,
	       "Open connections. If another one arrives, the one that has been idle longest is "
	       "closed; without an idle one the new one is refused (503)."),
	OPTION(max_connections_per_address, NET_COUNT, 5000,
	       "Open connections from an IPv4 address or an IPv6 /64 (429); 0: no limit."),
	OPTION(max_header_bytes, NET_BYTES, 64 * KIB,
	       "Request line and headers of a request together (431)."),
	OPTION(max_headers, NET_COUNT, 256, "Headers of a request (431)."),
	OPTION(max_body_bytes, NET_BYTES, 64 * MIB,
	       "The body of a request, as sent and decompressed (413); a route may have its own "
	       "limit."),
	OPTION(max_connection_memory, NET_BYTES, 128 * MIB,
	       "Memory of a connection: requests, as sent and decompressed, and unsent responses "
	       "(503)."),
	OPTION(max_memory, NET_BYTES, 512 * MIB,
	       "Memory of all connections (503). Above three quarters, the connections that have "
	       "held the most memory for longest are closed. One body may use half of it (413)."),
	OPTION(max_concurrent_streams, NET_COUNT, 256,
	       "Concurrent HTTP/2 requests of a connection."),
	OPTION(max_resets_per_second, NET_COUNT, 100,
	       "HTTP/2 streams that a client may cancel on average; a burst may have ten times as "
	       "many."),
	OPTION(max_control_frames_per_second, NET_COUNT, 1000,
	       "HTTP/2 frames without data (PING, SETTINGS, PRIORITY, WINDOW_UPDATE, empty DATA, "
	       "unknown types) on average; a burst may have ten times as many."),
	OPTION(max_requests_per_connection, NET_COUNT, 0,
	       "Close a connection after this many requests; 0: no limit."),
	OPTION(handshake_timeout_ms, NET_MILLISECONDS, 10000, "For the TLS handshake."),
	OPTION(header_timeout_ms, NET_MILLISECONDS, 10000,
	       "From the first byte of a request to the end of its headers (408)."),
	OPTION(body_timeout_ms, NET_MILLISECONDS, 20000,
	       "For a body, in addition to the time that min_body_rate allows (408); 0: no limit."),
	OPTION(min_body_rate, NET_BYTES_PER_SECOND, 4096,
	       "A body may take one more second for each of these bytes; 0: body_timeout_ms only."),
	OPTION(write_timeout_ms, NET_MILLISECONDS, 30000,
	       "While the client accepts no byte of the response."),
	OPTION(idle_timeout_ms, NET_MILLISECONDS, 180000, "For a connection without a request."),
	OPTION(request_timeout_ms, NET_MILLISECONDS, 0,
	       "The deadline that handlers see; 0: only the client's."),
};

const size_t net_option_count = countof(net_option_table);

void net_options_init(struct net_options *options)
{
	*options = (struct net_options){0};
	for (size_t i = 0; i < net_option_count; i++) {
		const struct net_option *o = &net_option_table[i];

		*(uint64_t *)((char *)options + o->offset) = o->default_value;
	}
}
