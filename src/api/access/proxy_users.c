/* SPDX-License-Identifier: Apache-2.0 */
/* Users that a reverse proxy names in headers. */
#include "api/access/proxy_users.h"

#include <arpa/inet.h>
#include <ctype.h>
#include <errno.h>
#include <netinet/in.h>

#include "api/access/token_file.h"
#include "net/http/header.h"

enum { USER_MAX = 128, GROUPS_MAX = 4096 };

/* ---- settings ---- */

/* Write an address as 16 bytes. Return the number of bits of its family, 0 if it is malformed. */
static unsigned parse_address(const char *text, uint8_t out[16])
{
	static const uint8_t mapped[12] = {[10] = 0xff, [11] = 0xff};

	if (inet_pton(AF_INET6, text, out) == 1)
		return 128;
	memcpy(out, mapped, sizeof(mapped));
	return inet_pton(AF_INET, text, out + sizeof(mapped)) == 1 ? 32 : 0;
}

static int add_peer(struct proxy_users *p, struct str text, struct err *e)
{
	struct proxy_peer *peer = &p->peers[p->peer_count];
	struct str rest = text, address = str_cut(&rest, '/');
	char copy[INET6_ADDRSTRLEN] = {0};
	uint64_t bits;
	unsigned most;

	if (p->peer_count == PROXY_PEERS_MAX)
		return err_set(e, -EINVAL, "service access proxy: more than %d peers",
			       PROXY_PEERS_MAX);
	if (address.n < sizeof(copy))
		memcpy(copy, address.p, address.n);
	most = parse_address(copy, peer->address);
	bits = most;
	if (!most || (rest.p && (str_to_u64(rest, 10, &bits) || bits > most)))
		return err_set(e, -EINVAL,
			       "service access proxy: \"peers\": expected an address or a network, "
			       "as 127.0.0.1 or 10.0.0.0/8, found \"%.*s\"",
			       STR_ARG(str_head(text, 64)));
	peer->bits = (unsigned)bits + (128 - most);
	p->peer_count++;
	return 0;
}

/* Parse "sre: read,control". */
static int add_grant(struct proxy_users *p, struct str text, struct arena *arena, struct err *e)
{
	struct proxy_grant *grant = &p->grants[p->grant_count++];
	struct str rest = text, group = str_trim(str_cut(&rest, ':'));
	struct err why = {0};

	if (!group.n || !rest.n || token_scopes_read(&grant->scopes, str_trim(rest), &why))
		return err_set(e, -EINVAL,
			       "service access proxy: \"grants\": expected GROUP:SCOPES, as "
			       "sre:read,control, found \"%.*s\"%s%s",
			       STR_ARG(str_head(text, 64)), why.text[0] ? ": " : "", why.text);
	return arena_copy_str(arena, group, &grant->group);
}

static int copy_lower(struct str *out, struct str from, struct arena *arena)
{
	char *p = arena_alloc(arena, from.n + 1, 1);

	if (!p)
		return -ENOMEM;
	for (size_t i = 0; i < from.n; i++)
		p[i] = (char)tolower((unsigned char)from.p[i]);
	*out = str_of(p, from.n);
	return 0;
}

int proxy_users_init(struct proxy_users *p, const struct proxy_settings *s, struct arena *arena,
		     struct err *e)
{
	int rc;

	*p = (struct proxy_users){0};
	if (!s->peers.n && s->grants.n)
		return err_set(e, -EINVAL, "service access proxy: \"grants\" need \"peers\"");
	if (s->peers.n && !s->grants.n)
		return err_set(e, -EINVAL,
			       "service access proxy: \"peers\" need \"grants\", as [\"*:read\"]");
	if (s->grants.n > PROXY_GRANTS_MAX)
		return err_set(e, -EINVAL, "service access proxy: more than %d grants",
			       PROXY_GRANTS_MAX);
	p->grants = arena_zalloc(arena, s->grants.n + 1, sizeof(*p->grants));
	rc = p->grants ? copy_lower(&p->user_header, s->user_header, arena) : -ENOMEM;
	rc = rc ? rc : copy_lower(&p->groups_header, s->groups_header, arena);
	for (uint32_t i = 0; i < s->peers.n && !rc; i++)
		rc = add_peer(p, s->peers.at[i], e);
	for (uint32_t i = 0; i < s->grants.n && !rc; i++)
		rc = add_grant(p, s->grants.at[i], arena, e);
	return rc;
}

/* ---- requests ---- */

static bool is_in_network(const uint8_t address[16], const struct proxy_peer *peer)
{
	unsigned whole = peer->bits / 8, left = peer->bits % 8;

	return !memcmp(address, peer->address, whole) &&
	       (!left || !((address[whole] ^ peer->address[whole]) >> (8 - left)));
}

static bool is_proxy(const struct proxy_users *p, const struct sockaddr_storage *from)
{
	uint8_t address[16] = {[10] = 0xff, [11] = 0xff};

	if (!from)
		return false;
	if (from->ss_family == AF_INET)
		memcpy(address + 12, &((const struct sockaddr_in *)from)->sin_addr, 4);
	else if (from->ss_family == AF_INET6)
		memcpy(address, &((const struct sockaddr_in6 *)from)->sin6_addr, 16);
	else
		return false;
	for (uint32_t i = 0; i < p->peer_count; i++)
		if (is_in_network(address, &p->peers[i]))
			return true;
	return false;
}

static unsigned granted_scopes(const struct proxy_users *p, struct str groups)
{
	unsigned scopes = 0;

	for (uint32_t i = 0; i < p->grant_count; i++) {
		struct str rest = groups;

		if (str_eq(p->grants[i].group, STR("*")))
			scopes |= p->grants[i].scopes;
		while (rest.n)
			if (str_eq(str_trim(str_cut(&rest, ',')), p->grants[i].group))
				scopes |= p->grants[i].scopes;
	}
	return scopes;
}

/* A second header with another value is a sign of a request that the proxy did not clean. */
static bool is_single(const struct http_exchange *x, struct str name)
{
	unsigned n = 0;

	for (size_t i = 0; i < x->header_count; i++)
		n += str_eq(x->headers[i].name, name);
	return n <= 1;
}

enum proxy_result proxy_users_find(const struct proxy_users *p, const struct http_exchange *x,
				   struct caller *out)
{
	struct str user, groups;

	if (!p->peer_count || !is_proxy(p, x->peer))
		return PROXY_NO_USER;
	user = str_trim(http_header(x, p->user_header));
	groups = http_header(x, p->groups_header);
	if (!user.n)
		return PROXY_NO_USER;
	if (!is_single(x, p->user_header) || !is_single(x, p->groups_header) || user.n > USER_MAX ||
	    groups.n > GROUPS_MAX || str_utf8_valid(user) < user.n)
		return PROXY_REFUSED;
	*out = (struct caller){.scopes = granted_scopes(p, groups)};
	if (!out->scopes || arena_printf(x->arena, &out->name, "user %.*s", STR_ARG(user)))
		return PROXY_REFUSED;
	return PROXY_USER;
}
