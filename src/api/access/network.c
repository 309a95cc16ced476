/* SPDX-License-Identifier: Apache-2.0 */
/* Both families are compared as 16 bytes. */
#include "api/access/network.h"

#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>

/* Write an address as 16 bytes. Return the number of bits of its family, 0 if it is malformed. */
static unsigned parse_address(const char *text, uint8_t out[16])
{
	static const uint8_t mapped[12] = {[10] = 0xff, [11] = 0xff};

	if (inet_pton(AF_INET6, text, out) == 1)
		return 128;
	memcpy(out, mapped, sizeof(mapped));
	return inet_pton(AF_INET, text, out + sizeof(mapped)) == 1 ? 32 : 0;
}

int network_read(struct network *out, struct str text)
{
	struct str rest = text, address = str_cut(&rest, '/');
	char copy[INET6_ADDRSTRLEN] = {0};
	uint64_t bits;
	unsigned most;

	if (address.n && address.n < sizeof(copy))
		memcpy(copy, address.p, address.n);
	most = parse_address(copy, out->address);
	bits = most;
	if (!most || (rest.p && (str_to_u64(rest, 10, &bits) || bits > most)))
		return -EINVAL;
	out->bits = (unsigned)bits + (128 - most);
	return 0;
}

bool network_has(const struct network *n, const struct sockaddr_storage *address)
{
	unsigned whole = n->bits / 8, left = n->bits % 8;
	uint8_t bytes[16] = {[10] = 0xff, [11] = 0xff};

	if (!address)
		return false;
	if (address->ss_family == AF_INET)
		memcpy(bytes + 12, &((const struct sockaddr_in *)address)->sin_addr, 4);
	else if (address->ss_family == AF_INET6)
		memcpy(bytes, &((const struct sockaddr_in6 *)address)->sin6_addr, 16);
	else
		return false;
	return !memcmp(bytes, n->address, whole) &&
	       (!left || !((bytes[whole] ^ n->address[whole]) >> (8 - left)));
}

bool network_list_valid(struct str list, unsigned most)
{
	struct network n;
	unsigned count = 0;

	do {
		if (++count > most || network_read(&n, str_cut(&list, ',')))
			return false;
	} while (list.p);
	return true;
}

bool network_list_has(struct str list, const struct sockaddr_storage *address)
{
	struct network n;

	do {
		if (!network_read(&n, str_cut(&list, ',')) && network_has(&n, address))
			return true;
	} while (list.p);
	return false;
}
