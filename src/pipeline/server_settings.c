/* SPDX-License-Identifier: Apache-2.0 */
/* Server-wide settings. */
#include "pipeline/server_settings.h"

#include <errno.h>
#include <stdio.h>

#include "wire/origin.h"

static const struct setting proxy_table[] = {
	SET_LIST(struct proxy_settings, peers, "peers", NULL,
		 "Addresses and networks of proxies whose headers are trusted: 127.0.0.1, "
		 "10.0.0.0/8. Without any, the headers are ignored."),
	SET_LIST(struct proxy_settings, grants, "grants", NULL,
		 "What users may do, by group: sre:read,control. The group * has every user."),
	SET_STRING(struct proxy_settings, user_header, "user_header", "X-Forwarded-User",
		   "Header with the name of the user."),
	SET_STRING(struct proxy_settings, groups_header, "groups_header", "X-Forwarded-Groups",
		   "Header with the groups of the user, separated by commas."),
	SET_END,
};

static const struct setting access_table[] = {
	SET_LIST(struct access_settings, allowed_hosts, "allowed_hosts", NULL,
		 "Accepted names in the Host header besides localhost and the addresses listened "
		 "on: varve.example.com, *.example.com, * for all."),
	SET_GROUP_ALWAYS(struct access_settings, proxy, "proxy", proxy_table,
			 "People who a reverse proxy authenticates."),
	SET_STRING(struct access_settings, sender_key_file, "sender_key_file", "",
		   "File or directory of keys with which senders encrypt bodies (Varve-Sealed)."),
	SET_END,
};

static const struct setting api_table[] = {
	SET_STRING(struct api_settings, endpoint, "endpoint", "127.0.0.1:4040",
		   "Address of the query API and the web UI; may be the address of a receiver."),
	SET_STRING(struct api_settings, tempo_endpoint, "tempo_endpoint", "",
		   "Another address of the same, for clients of Tempo: 127.0.0.1:3200."),
	SET_STRING(struct api_settings, prometheus_endpoint, "prometheus_endpoint", "",
		   "Address of Prometheus' API with its own paths, without /prometheus: "
		   "127.0.0.1:9090."),
	SET_GROUP_ALWAYS(
		struct api_settings, tls, "tls", receive_tls_settings,
		"Certificate and key; optional on the address of a receiver that has them."),
	SET_END,
};

static const struct setting drift_table[] = {
	SET_BOOL(struct drift_settings, enabled, "enabled", "true",
		 "Look for functions whose cost changes."),
	SET_INT(struct drift_settings, cpu_percent, "cpu_percent", "10", 1, 100, "percent",
		"Part of one processor that it may use, mostly after the start."),
	SET_DURATION(struct drift_settings, delay_ns, "delay", "5m",
		     "Time to wait for late profiles before ten minutes are evaluated."),
	SET_END,
};

const struct server_section server_sections[] = {
	{"api", "The query API and the web UI.", api_table, offsetof(struct server_settings, api)},
	{"access", "Which requests are accepted.", access_table,
	 offsetof(struct server_settings, access)},
	{"limits", "How much each tenant, token and address may send.", limits_table,
	 offsetof(struct server_settings, limits)},
	{"drift", "Functions whose cost changes.", drift_table,
	 offsetof(struct server_settings, drift)},
	{0},
};

static int check_hosts(const struct config_node *service, const struct access_settings *s,
		       struct err *e)
{
	for (uint32_t i = 0; i < s->allowed_hosts.n; i++)
		if (!host_rule_valid(s->allowed_hosts.at[i]))
			return config_fail(config_find(service, "access.allowed_hosts"), e,
					   "service access: \"allowed_hosts\": expected a host "
					   "without scheme and port, *.example.com or *, found "
					   "\"%.*s\"",
					   STR_ARG(str_head(s->allowed_hosts.at[i], 64)));
	return 0;
}

int server_settings_read(struct server_settings *out, const struct config_node *service,
			 struct arena *arena, struct err *e)
{
	int rc = 0;

	*out = (struct server_settings){0};
	for (const struct server_section *s = server_sections; s->name && !rc; s++) {
		char what[32];

		snprintf(what, sizeof(what), "service %s", s->name);
		rc = settings_read(s->settings,
				   service ? config_get(service, str_from(s->name)) : NULL, what,
				   (char *)out + s->offset, arena, e);
	}
	return rc ? rc : check_hosts(service, &out->access, e);
}
