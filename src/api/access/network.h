/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VARVE_API_ACCESS_NETWORK_H
#define VARVE_API_ACCESS_NETWORK_H

#include <sys/socket.h>

#include "base/str.h"

/* Addresses and networks of IPv4 and IPv6, as 10.0.0.0/8, 127.0.0.1 or 2001:db8::/32. */
struct network {
	uint8_t address[16]; /* IPv4 as ::ffff:a.b.c.d */
	unsigned bits;
};

/* Parse a network; an address is one of all its bits. Return 0 or -EINVAL. */
MUST_USE int network_read(struct network *out, struct str text);

/* Return whether an address, NULL for none, is in the network. */
bool network_has(const struct network *n, const struct sockaddr_storage *address);

/* Return whether all of a list are networks, separated by commas, and at most `most`. */
bool network_list_valid(struct str list, unsigned most);

/* Return whether an address is in a network of a valid list. */
bool network_list_has(struct str list, const struct sockaddr_storage *address);

#endif
