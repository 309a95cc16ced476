/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VARVE_WIRE_ORIGIN_H
#define VARVE_WIRE_ORIGIN_H

#include "base/str.h"

/*
 * Protection of a server against the web pages in a browser that can reach it.
 *
 * A page can reach a server in two ways. It can have its own name resolve to the server's address (DNS
 * rebinding): the browser then takes both for the same origin, and only the Host header shows the difference. Or it
 * can send requests across origins, to read an answer or only for their effect: the browser then marks them with
 * Origin or Sec-Fetch-Site, which no page can set or remove. Senders that are not browsers send neither of the two.
 */

/* "host", "host:port", "[v6]:port": the Host header, :authority, the part of an origin after the scheme. */
struct authority {
	/* Without brackets and without the trailing dot; as sent, so compare it with host_equal(). */
	struct str host;
	/* 0: none was given */
	unsigned port;
};

/* false: malformed (user names, zones, escapes and bad ports are). Borrows `text`. */
bool authority_parse(struct str text, struct authority *out);

/* Is it an IPv4 or IPv6 address? Names such as "127.1" are not. */
bool host_is_address(struct str host);

/* localhost, *.localhost, 127.0.0.0/8, ::1. */
bool host_is_loopback(struct str host);

/* Are they the same name, or the same address however it is written? */
bool host_equal(struct str a, struct str b);

/* The names that a server is known by, beside those of the loopback interface. Zero is none. */
struct host_rules {
	/* A name, an address, "*.example.com" for all names below that one, or "*" for every name; see host_rule_valid(). */
	const struct str *names;
	uint32_t count;
	/* Every address literal is ours: the server listens on all interfaces. No page can have one as its name. */
	bool any_address;
};

/* Can it stand in `names`? */
bool host_rule_valid(struct str name);

/* Is the host of this Host header one of the server's? The port does not matter. */
bool host_allowed(const struct host_rules *rules, struct str authority);

/* What a request says of where it comes from; a header that was not sent is empty. */
struct origin_request {
	struct str host, origin, fetch_site, fetch_mode, fetch_dest;
	/* The server itself ended the TLS connection. */
	bool tls;
};

/*
 * Does the request come from a page of another origin? An Origin is the server's own when it is the Host that was
 * asked, or one of `rules` ("*" is not looked at) with that port or the scheme's own. "null", and every site but "same-origin" and "none", is foreign.
 */
bool origin_is_foreign(const struct host_rules *rules, const struct origin_request *r);

/* Did a user follow a link or enter the address, so that the answer becomes a page of its own? */
bool origin_is_navigation(const struct origin_request *r);

#endif
