/* SPDX-License-Identifier: Apache-2.0 */
/* Users that a reverse proxy names in headers. */
#include "api/access/proxy_users.h"

#include <ctype.h>
#include <errno.h>

#include "api/access/token_file.h"
#include "net/http/header.h"

enum { USER_MAX = 128, GROUPS_MAX = 4096 };

/* ---- settings ---- */

static int add_peer(struct proxy_users *p, struct str text, struct err *e)
{
	if (p->peer_count == PROXY_PEERS_MAX)
		return err_set(e, -EINVAL, "service access proxy: more than %d peers",
			       PROXY_PEERS_MAX);
	if (network_read(&p->peers[p->peer_count], text))
		return err_set(e, -EINVAL,
			       "service access proxy: \"peers\": expected an address or a network, "
			       "as 127.0.0.1 or 10.0.0.0/8, found \"%.*s\"",
			       STR_ARG(str_head(text, 64)));
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

static bool is_proxy(const struct proxy_users *p, const struct sockaddr_storage *from)
{
	for (uint32_t i = 0; i < p->peer_count; i++)
		if (network_has(&p->peers[i], from))
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
