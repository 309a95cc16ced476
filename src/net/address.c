/* SPDX-License-Identifier: Apache-2.0 */
/* "host:port" to addresses. */
#include "net/address.h"

#include <arpa/inet.h>
#include <errno.h>
#include <netdb.h>
#include <netinet/in.h>
#include <stdio.h>

#include "net/server.h"

/* Cut "host:port" into NUL-terminated halves; a host in brackets may hold colons. */
static int cut_address(const char *address, char host[ADDRESS_HOST_MAX], char port[8],
		       struct err *e)
{
	struct str all = str_from(address), h, p;
	size_t colon = str_find_last(all, ':');
	uint64_t number;

	if (colon == all.n)
		return err_set(e, -EINVAL, "address \"%s\": expected host:port", address);
	h = str_head(all, colon);
	p = str_from_at(all, colon + 1);
	if (str_to_u64(p, 10, &number) || number > UINT16_MAX)
		return err_set(e, -EINVAL, "address \"%s\": expected a port from 0 to 65535",
			       address);
	if (h.n >= 2 && h.p[0] == '[' && h.p[h.n - 1] == ']')
		h = str_of(h.p + 1, h.n - 2);
	else if (str_find(h, ':') < h.n)
		return err_set(e, -EINVAL, "address \"%s\": write an IPv6 host in brackets",
			       address);
	if (h.n >= ADDRESS_HOST_MAX)
		return err_set(e, -EINVAL, "address: host is too long");
	snprintf(host, ADDRESS_HOST_MAX, "%.*s", STR_ARG(h));
	snprintf(port, 8, "%u", (unsigned)number);
	return 0;
}

int address_resolve(const char *address, bool passive, struct addrinfo **out,
		    char host[ADDRESS_HOST_MAX], struct err *e)
{
	struct addrinfo hints = {.ai_socktype = SOCK_STREAM,
				 .ai_flags = AI_NUMERICSERV | (passive ? AI_PASSIVE : 0)};
	char port[8];
	int rc = cut_address(address, host, port, e);

	if (rc)
		return rc;
	/* All interfaces: one socket for both families. "localhost" to listen on: IPv4, as senders use it. */
	if (passive && !host[0])
		hints.ai_family = AF_INET6;
	else if (passive && !strcmp(host, "localhost"))
		hints.ai_family = AF_INET;
	rc = getaddrinfo(host[0] ? host : NULL, port, &hints, out);
	if (rc)
		return err_set(e, -ENOENT, "address \"%s\": %s", address, gai_strerror(rc));
	return 0;
}

static bool is_loopback(const struct sockaddr *address)
{
	if (address->sa_family == AF_INET) {
		const struct sockaddr_in *in = (const struct sockaddr_in *)address;

		return ntohl(in->sin_addr.s_addr) >> 24 == 127;
	}
	if (address->sa_family == AF_INET6)
		return IN6_IS_ADDR_LOOPBACK(&((const struct sockaddr_in6 *)address)->sin6_addr);
	return false;
}

int net_address_is_loopback(const char *address, bool *loopback, struct err *e)
{
	char host[ADDRESS_HOST_MAX];
	struct addrinfo *found;
	int rc = address_resolve(address, true, &found, host, e);

	if (rc)
		return rc;
	*loopback = true;
	for (struct addrinfo *a = found; a; a = a->ai_next)
		*loopback &= is_loopback(a->ai_addr);
	freeaddrinfo(found);
	return 0;
}
