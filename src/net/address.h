/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VARVE_NET_ADDRESS_H
#define VARVE_NET_ADDRESS_H

#include "base/err.h"

/* Private to src/net: addresses by name. */
struct addrinfo;

enum { ADDRESS_HOST_MAX = 256 };

/*
 * The addresses of "host:port", to listen on (`passive`: an empty host is every interface) or to connect to; and the
 * host alone. 0 with *out for freeaddrinfo(), or a negative errno with a text that says the address.
 */
MUST_USE int address_resolve(const char *address, bool passive, struct addrinfo **out,
			     char host[ADDRESS_HOST_MAX], struct err *e);

#endif
