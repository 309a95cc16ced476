/* SPDX-License-Identifier: Apache-2.0 */
/* Parse, resolve and format addresses of the form "host:port". */
#include "net/address.h"

#include <arpa/inet.h>
#include <errno.h>
#include <netdb.h>
#include <netinet/in.h>
#include <stdio.h>

#include "base/str.h"

/* Split "host:port" into NUL-terminated halves; a host in brackets may contain colons. */
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
	/*
	 * To listen on all interfaces, use one socket for both families. Listen on the IPv4 address
	 * of "localhost", because clients use that one.
	 */
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

const char *net_address_format(const struct sockaddr_storage *address, char out[NET_ADDRESS_TEXT])
{
	char text[INET6_ADDRSTRLEN] = "?";

	if (address->ss_family == AF_INET) {
		const struct sockaddr_in *in = (const struct sockaddr_in *)address;

		inet_ntop(AF_INET, &in->sin_addr, text, sizeof(text));
		snprintf(out, NET_ADDRESS_TEXT, "%s:%u", text, ntohs(in->sin_port));
	} else if (address->ss_family == AF_INET6) {
		const struct sockaddr_in6 *in6 = (const struct sockaddr_in6 *)address;

		inet_ntop(AF_INET6, &in6->sin6_addr, text, sizeof(text));
		snprintf(out, NET_ADDRESS_TEXT, "[%s]:%u", text, ntohs(in6->sin6_port));
	} else {
		snprintf(out, NET_ADDRESS_TEXT, "?");
	}
	return out;
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
