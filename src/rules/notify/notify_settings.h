/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VARVE_RULES_NOTIFY_NOTIFY_SETTINGS_H
#define VARVE_RULES_NOTIFY_NOTIFY_SETTINGS_H

#include "pipeline/receivers/prometheus/scrape_config.h"

/*
 * Who is notified of alerts. A table of settings includes these rows:
 *
 *	struct rules_settings { ...; struct notify_settings notify; };
 *	static const struct setting table[] = { ..., NOTIFY_SETTINGS(struct rules_settings, notify),
 *
 *	alertmanagers:
 *	  - http://127.0.0.1:9093             # a URL, with a path prefix if there is one
 *	  - url: https://alerts.example.com/prefix
 *	    timeout: 10s
 *	    basic_auth: {username: varve, password_file: /etc/varve/password}
 *	    alert_relabel_configs: [...]
 *	webhooks:
 *	  - url: https://chat.example.com/hook
 *	    headers: {X-Team: infra}
 *	    max_alerts: 50
 *	    send_resolved: true
 *	    repeat_interval: 4h
 *	external_labels: {cluster: west}
 *	alert_relabel_configs: [...]          # before those of a receiver
 *
 * Authentication and TLS have the names of Prometheus: basic_auth, authorization, bearer_token,
 * bearer_token_file, tls_config, proxy_url.
 */
enum { NOTIFY_RECEIVERS_MAX = 32, NOTIFY_HEADERS_MAX = 48 };

struct notify_receiver {
	struct scrape_config request; /* authentication, TLS, proxy, timeout */
	struct str url;	 /* NUL-terminated; an Alertmanager's has no slash at its end */
	struct str name; /* in logs and metrics: without secrets */
	struct setting_map headers;
	struct relabel_rules relabel;
	/* Only of webhooks. */
	uint64_t repeat_interval_ns;
	int64_t max_alerts; /* in a message; 0: all */
	bool send_resolved;
};

struct notify_receivers {
	const struct notify_receiver *at;
	uint32_t n;
};

struct notify_settings {
	struct notify_receivers alertmanagers, webhooks;
	struct setting_map external_labels; /* added to alerts that do not have them */
	struct relabel_rules relabel;
};

setting_reader notify_alertmanagers_read, notify_webhooks_read, notify_external_labels_read;

#define NOTIFY_SETTINGS(struct_, field_)                                                           \
	SET_CUSTOM(struct_, field_.alertmanagers, "alertmanagers", notify_alertmanagers_read,      \
		   "list", "Alertmanagers: URLs, or maps with url, timeout, basic_auth, ..."),     \
		SET_CUSTOM(struct_, field_.webhooks, "webhooks", notify_webhooks_read, "list",     \
			   "Webhooks: URLs, or maps with url, headers, max_alerts, ..."),          \
		SET_CUSTOM(struct_, field_.external_labels, "external_labels",                     \
			   notify_external_labels_read, "map",                                     \
			   "Labels of every alert, and $externalLabels of templates."),            \
		SET_CUSTOM(struct_, field_.relabel, "alert_relabel_configs", relabel_rules_read,   \
			   "list", "Rules that change or drop alerts before they are sent.")

#endif
