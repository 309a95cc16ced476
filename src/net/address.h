/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VARVE_NET_ADDRESS_H
#define VARVE_NET_ADDRESS_H

#include <sys/socket.h>

#include "base/err.h"

/* Parse, resolve and format network addresses. */
struct addrinfo;

enum { ADDRESS_HOST_MAX = 256, NET_ADDRESS_TEXT = 64 };

/*
 * Resolve "host:port", to listen on it (`passive`: an empty host is all interfaces) or to connect
 * to it; store the host part in `host`. Return 0 with *out for freeaddrinfo(), or a negative errno
 * with an error that names the address.
 */
MUST_USE int address_resolve(const char *address, bool passive, struct addrinfo **out,
			     char host[ADDRESS_HOST_MAX], struct err *e);

/* Format as "203.0.113.5:4711" or "[::1]:4711". Return `out`. */
const char *net_address_format(const struct sockaddr_storage *address, char out[NET_ADDRESS_TEXT]);

/* Set *loopback to whether `address` resolves to loopback addresses only. Return 0 or a negative
 * errno for a bad address. */
MUST_USE int net_address_is_loopback(const char *address, bool *loopback, struct err *e);

#endif
