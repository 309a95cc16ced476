/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VARVE_API_ACCESS_PROXY_USERS_H
#define VARVE_API_ACCESS_PROXY_USERS_H

#include "api/access/network.h"
#include "base/arena.h"
#include "net/http/http.h"
#include "pipeline/caller.h"
#include "pipeline/server_settings.h"

/*
 * People who were authenticated by a reverse proxy, which passes their name and their groups in
 * headers (docs/adr/0018). The headers count only on connections of configured addresses, and are
 * ignored on all others. A user gets the scopes of all grants that match one of the groups;
 * without any, the request is refused. Immutable after proxy_users_init().
 */
enum { PROXY_PEERS_MAX = 64, PROXY_GRANTS_MAX = 256 };

struct proxy_grant {
	struct str group; /* "*": every user */
	unsigned scopes;
};

struct proxy_users {
	struct network peers[PROXY_PEERS_MAX];
	struct proxy_grant *grants;
	uint32_t peer_count, grant_count;
	struct str user_header, groups_header; /* lower case */
};

enum proxy_result { PROXY_NO_USER, PROXY_USER, PROXY_REFUSED };

/*
 * Parse the settings; texts are copied to the arena. Return 0, -ENOMEM, or -EINVAL with the setting
 * and what is expected.
 */
MUST_USE int proxy_users_init(struct proxy_users *p, const struct proxy_settings *s,
			      struct arena *arena, struct err *e);

/*
 * Find the user of a request. PROXY_USER: *out is set, its name in the request's arena.
 * PROXY_REFUSED: there is a user, but no grant for it, or its name is malformed.
 */
enum proxy_result proxy_users_find(const struct proxy_users *p, const struct http_exchange *x,
				   struct caller *out);

#endif
