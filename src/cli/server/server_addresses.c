/* SPDX-License-Identifier: Apache-2.0 */
/* Checks of the addresses that the server listens on. */
#include "cli/server/server_addresses.h"

#include <errno.h>

#include "net/address.h"

/*
 * Without addresses to accept and without the API, from which a page could read, a collector
 * accepts any Host.
 */
int server_addresses_allow(struct server_process *p, const struct server_settings *s, struct err *e)
{
	const struct setting_list *hosts = &s->access.allowed_hosts;
	int rc;

	access_clear_hosts(&p->access);
	rc = access_set_proxy(&p->access, &s->access.proxy, e);
	if (!rc && p->options->collector && !p->api && !hosts->n)
		return access_allow_host(&p->access, STR("*"));
	for (uint32_t i = 0; i < hosts->n && !rc; i++)
		rc = access_allow_host(&p->access, hosts->at[i]);
	for (uint32_t i = 0; i < listeners_count(&p->host.listeners) && !rc; i++)
		rc = access_allow_address(&p->access, listeners_address(&p->host.listeners, i));
	return rc;
}

int server_addresses_check_proxy(const struct server_settings *s, struct err *e)
{
	struct proxy_users proxy;
	struct arena arena;
	int rc;

	arena_init(&arena, NULL);
	rc = proxy_users_init(&proxy, &s->access.proxy, &arena, e);
	arena_fini(&arena);
	return rc;
}

/* Return whether an address needs tokens if other machines can reach it. */
static bool needs_tokens(const struct server_process *p, const struct server_settings *s,
			 struct str address)
{
	if (p->options->collector)
		return p->api && (str_eq(address, s->api.endpoint) ||
				  str_eq(address, s->api.tempo_endpoint) ||
				  str_eq(address, s->api.prometheus_endpoint));
	return !p->options->token_file && !p->options->insecure && !s->access.proxy.peers.n;
}

int server_addresses_check(struct server_process *p, const struct server_settings *s, struct err *e)
{
	for (uint32_t i = 0; i < listeners_count(&p->host.listeners); i++) {
		struct str address = listeners_address(&p->host.listeners, i);
		bool loopback;
		int rc = net_address_is_loopback(address.p, &loopback, e);

		if (rc)
			return rc;
		if (!loopback && needs_tokens(p, s, address))
			return err_set(
				e, -EPERM,
				"%s can be reached from other machines: give --token-file, or "
				"--insecure if everybody there may read and write%s",
				address.p, p->options->collector ? " (options of varve up)" : "");
	}
	return 0;
}
