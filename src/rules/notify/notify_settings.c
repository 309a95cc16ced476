/* SPDX-License-Identifier: Apache-2.0 */
/* Reads receivers of alerts and external labels. */
#include "rules/notify/notify_settings.h"

#include <errno.h>
#include <stdlib.h>

#include "base/clock.h"
#include "net/client/http_client.h"
#include "net/client/http_redirect.h"
#include "pipeline/exporters/sender/client_settings.h"
#include "rules/notify/notify_lane.h"

/* Rows of both kinds of receivers. */
#define RECEIVER_SETTINGS                                                                          \
	SET_STRING(struct notify_receiver, url, "url", NULL, "Where to send."),                    \
		SET_DURATION(struct notify_receiver, request.timeout_ns, "timeout", "10s",         \
			     "The longest time of a request."),                                    \
		SET_GROUP(struct notify_receiver, request.basic_auth, "basic_auth",                \
			  scrape_basic_auth_table, request.has_basic_auth,                         \
			  "HTTP Basic authentication."),                                           \
		SET_GROUP(struct notify_receiver, request.authorization, "authorization",          \
			  scrape_authorization_table, request.has_authorization,                   \
			  "The Authorization header."),                                            \
		SET_STRING(struct notify_receiver, request.bearer_token, "bearer_token", NULL,     \
			   "A bearer token."),                                                     \
		SET_STRING(struct notify_receiver, request.bearer_token_file, "bearer_token_file", \
			   NULL, "A file with it."),                                               \
		SET_GROUP_ALWAYS(struct notify_receiver, request.tls, "tls_config",                \
				 scrape_tls_table, "TLS."),                                        \
		SET_STRING(struct notify_receiver, request.proxy_url, "proxy_url", NULL,           \
			   "An HTTP proxy."),                                                      \
		SET_CUSTOM(struct notify_receiver, headers, "headers", client_headers_read, "map", \
			   "Headers of each request."),                                            \
		SET_CUSTOM(struct notify_receiver, relabel, "alert_relabel_configs",               \
			   relabel_rules_read, "list", "Rules for alerts to this receiver.")

static const struct setting alertmanager_table[] = {
	RECEIVER_SETTINGS,
	SET_END,
};

static const struct setting webhook_table[] = {
	RECEIVER_SETTINGS,
	SET_STRING(struct notify_receiver, name, "name", NULL,
		   "The name in logs and metrics; default: scheme and host of the URL."),
	SET_BOOL(struct notify_receiver, send_resolved, "send_resolved", "true",
		 "Also send alerts that are resolved."),
	SET_INT(struct notify_receiver, max_alerts, "max_alerts", "0", 0, 100000, "",
		"Alerts in a message, further ones are only counted; 0: all."),
	SET_DURATION(struct notify_receiver, repeat_interval_ns, "repeat_interval", "4h",
		     "Alerts that still fire are sent again after this time."),
	SET_END,
};

/* Check a URL. Return NULL or what is wrong with it. */
static const char *url_problem(struct str url)
{
	struct str origin = http_url_origin(url);

	if (url.n > NOTIFY_URL_MAX)
		return "is longer than 2048 bytes";
	for (size_t i = 0; i < url.n; i++)
		if ((unsigned char)url.p[i] <= ' ' || (unsigned char)url.p[i] == 0x7f)
			return "contains white space or a control character";
	if (!str_starts(url, STR("http://")) && !str_starts(url, STR("https://")))
		return "has to begin with http:// or https://";
	return origin.n && !str_ends(origin, STR("/")) ? NULL : "has no host";
}

/* Set url and name of a receiver. A webhook's path can be a secret: its name is only the origin. */
static int set_url(struct notify_receiver *r, const struct config_node *n, const char *what,
		   bool webhook, struct arena *arena, struct err *e)
{
	const char *problem = url_problem(r->url);
	char shown[NOTIFY_URL_MAX];
	struct str url = r->url;
	int rc;

	if (!r->url.n)
		return config_fail(n, e, "%s: a receiver has no \"url\"", what);
	if (problem)
		return config_fail(n, e, "%s: the \"url\" of a receiver %s", what, problem);
	while (!webhook && url.n && url.p[url.n - 1] == '/')
		url.n--;
	rc = arena_copy_str(arena, url, &r->url);
	if (rc || (webhook && r->name.n))
		return rc;
	url_without_credentials(r->url.p, shown, sizeof(shown));
	return arena_copy_str(arena, webhook ? http_url_origin(str_from(shown)) : str_from(shown),
			      &r->name);
}

static int read_receiver(struct notify_receiver *r, const struct config_node *n, const char *what,
			 bool webhook, struct arena *arena, struct err *e)
{
	struct config_node url = {.kind = CONFIG_SCALAR, .key = STR("url"), .source = n->source};
	struct config_node map = {.kind = CONFIG_MAP,
				  .source = n->source,
				  .line = n->line,
				  .column = n->column,
				  .first = &url,
				  .config = n->config};
	struct err why = {0};
	int rc;

	url.text = n->text;
	url.line = n->line;
	url.column = n->column;
	rc = settings_read(webhook ? webhook_table : alertmanager_table,
			   n->kind == CONFIG_SCALAR ? &map : n, what, r, arena, e);
	if (!rc)
		rc = set_url(r, n, what, webhook, arena, e);
	if (rc)
		return rc;
	r->request.job_name = r->name;
	r->request.scheme = STR("http");
	if (!r->request.timeout_ns)
		return config_fail(n, e, "%s: \"timeout\" has to be above 0", what);
	if (scrape_config_check(&r->request, &why))
		return config_fail(n, e, "%s: %s", what, why.text);
	return 0;
}

static int read_receivers(const struct config_node *n, const char *what, bool webhook,
			  struct notify_receivers *out, struct arena *arena, struct err *e)
{
	struct notify_receiver *list;
	void *at;
	int rc = scrape_array_read(n, what, sizeof(*list), arena, &at, &out->n, e);

	if (!rc && out->n > NOTIFY_RECEIVERS_MAX)
		return config_fail(n, e, "%s: \"%.*s\" has more than %d elements", what,
				   STR_ARG(n->key), NOTIFY_RECEIVERS_MAX);
	if (rc)
		return rc;
	out->at = list = at;
	for (const struct config_node *child = n->first; child && !rc; child = child->next)
		rc = read_receiver(list++, child, what, webhook, arena, e);
	return rc;
}

/* Append a number to the name of a receiver that an earlier one has. */
static int make_names_unique(struct notify_receivers *r, struct arena *arena)
{
	struct notify_receiver *list = (struct notify_receiver *)(uintptr_t)r->at;
	int rc = 0;

	for (uint32_t i = 1; i < r->n && !rc; i++) {
		uint32_t same = 1;

		for (uint32_t k = 0; k < i; k++)
			same += str_eq(list[k].request.job_name, list[i].name);
		if (same > 1)
			rc = arena_printf(arena, &list[i].name, "%.*s#%u", STR_ARG(list[i].name),
					  same);
	}
	return rc;
}

int notify_alertmanagers_read(const struct config_node *n, const char *what, void *to,
			      struct arena *arena, struct err *e)
{
	int rc = read_receivers(n, what, false, to, arena, e);

	return rc ? rc : make_names_unique(to, arena);
}

int notify_webhooks_read(const struct config_node *n, const char *what, void *to,
			 struct arena *arena, struct err *e)
{
	int rc = read_receivers(n, what, true, to, arena, e);

	return rc ? rc : make_names_unique(to, arena);
}

static bool is_label_name(struct str s)
{
	for (size_t i = 0; i < s.n; i++) {
		char c = s.p[i];

		if (c != '_' && !(c >= 'a' && c <= 'z') && !(c >= 'A' && c <= 'Z') &&
		    !(i && c >= '0' && c <= '9'))
			return false;
	}
	return s.n > 0 && !str_starts(s, STR("__"));
}

static int compare_pairs(const void *a, const void *b)
{
	const struct setting_pair *x = a, *y = b;

	return str_cmp(x->name, y->name);
}

int notify_external_labels_read(const struct config_node *n, const char *what, void *to,
				struct arena *arena, struct err *e)
{
	struct setting_map *out = to;
	struct setting_pair *pairs;
	uint32_t count = 0;

	if (n->kind != CONFIG_MAP)
		return config_fail(n, e, "%s: \"external_labels\" has to be a map", what);
	for (const struct config_node *child = n->first; child; child = child->next)
		count++;
	pairs = arena_zalloc(arena, count + 1, sizeof(*pairs));
	if (!pairs)
		return -ENOMEM;
	*out = (struct setting_map){pairs, 0};
	for (const struct config_node *child = n->first; child; child = child->next) {
		if (!is_label_name(child->key) || child->kind == CONFIG_LIST ||
		    child->kind == CONFIG_MAP)
			return config_fail(
				child, e,
				"%s: \"external_labels\": \"%.*s\" has to be the name of "
				"a label with a text",
				what, STR_ARG(str_head(child->key, 64)));
		if (child->text.n)
			pairs[out->n++] = (struct setting_pair){child->key, child->text};
	}
	qsort(pairs, out->n, sizeof(*pairs), compare_pairs);
	return 0;
}
