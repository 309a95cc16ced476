/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VARVE_WIRE_ORIGIN_H
#define VARVE_WIRE_ORIGIN_H

#include "base/str.h"

/*
 * Protection of a server against web pages in a browser that can reach it.
 *
 * A page can reach a server in two ways. It can make its own name resolve to the server's address
 * (DNS rebinding): the browser then treats both as the same origin, and only the Host header
 * differs. Or it can send cross-origin requests, to read the response or only for their effect: the
 * browser then adds Origin or Sec-Fetch-Site, which no page can set or remove. Other clients send
 * neither of the two.
 */

/* "host", "host:port", "[v6]:port": a Host header, :authority, or an origin after the scheme. */
struct authority {
	/*
	 * Without brackets and the trailing dot, in the client's spelling: compare by host_equal().
	 */
	struct str host;
	/* 0: none */
	unsigned port;
};

/*
 * Parse `text`, which is borrowed. Return false for user names, zones, escapes and invalid ports.
 */
bool authority_parse(struct str text, struct authority *out);

/* Return whether it is an IPv4 or IPv6 address. Names such as "127.1" are not. */
bool host_is_address(struct str host);

/* Return whether it is localhost, *.localhost, in 127.0.0.0/8, or ::1. */
bool host_is_loopback(struct str host);

/* Return whether both are the same name, or the same address in any notation. */
bool host_equal(struct str a, struct str b);

/* The names of a server besides those of the loopback interface. The zero value has none. */
struct host_rules {
	/*
	 * A name, an address, "*.example.com" for all names below it, or "*" for every name; see
	 * host_rule_valid().
	 */
	const struct str *names;
	uint32_t count;
	/*
	 * Accept every address: the server listens on all interfaces. An address cannot be rebound.
	 */
	bool any_address;
};

/* Return whether `name` is valid in host_rules.names. */
bool host_rule_valid(struct str name);

/* Return whether the host of this Host header is one of the server's. The port does not matter. */
bool host_allowed(const struct host_rules *rules, struct str authority);

/* The headers that tell where a request comes from; a missing header is empty. */
struct origin_request {
	struct str host, origin, fetch_site, fetch_mode, fetch_dest;
	/* The server itself ended the TLS connection. */
	bool tls;
};

/*
 * Return whether the request comes from a page of another origin. An Origin is the server's own if
 * it equals Host, or matches one of `rules` except "*" with Host's port or the scheme's default
 * port. The origin "null" and every site except "same-origin" and "none" are foreign.
 */
bool origin_is_foreign(const struct host_rules *rules, const struct origin_request *r);

/*
 * Return whether a user followed a link or entered the address, so that the response is a new page.
 */
bool origin_is_navigation(const struct origin_request *r);

#endif
