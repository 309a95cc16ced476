/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The zpages extension: an address with pages about the service. Pages are read by browsers, so on
 * a loopback address only names of this machine are accepted as Host: otherwise any web page could
 * read them by making its own name resolve to this machine.
 */
#include "pipeline/extensions/zpages/zpages_extension.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#include "net/address.h"
#include "net/http/respond.h"
#include "pipeline/extensions/page_auth.h"
#include "pipeline/extensions/zpages/zpages_page.h"
#include "pipeline/receivers/receive.h"
#include "wire/origin.h"

static const struct {
	struct str path;
	zpages_page *write;
} zpages_pages[] = {
	{STR_INIT("/debug/servicez"), zpages_servicez},
	{STR_INIT("/debug/pipelinez"), zpages_pipelinez},
	{STR_INIT("/debug/extensionz"), zpages_extensionz},
	{STR_INIT("/debug/featurez"), zpages_featurez},
	{STR_INIT("/debug/tracez"), zpages_tracez},
};

struct zpages_settings {
	struct str endpoint;
	struct receive_tls tls;
	struct page_auth_settings auth;
};

struct zpages {
	struct zpages_state state;
	struct receive_tls tls;
	const struct extension *auth;
	bool any_host;
	struct http_route routes[countof(zpages_pages)];
};

static bool zpages_admit(void *owner, struct http_exchange *x, struct http_refusal *why)
{
	const struct zpages *z = owner;

	if (!z->any_host && !x->tls && x->host.n &&
	    !host_allowed(&(struct host_rules){0}, x->host)) {
		why->status = 403;
		snprintf(why->text, sizeof(why->text),
			 "Host \"%.*s\" is not a name of this machine: use localhost",
			 STR_ARG(str_head(x->host, 64)));
		return false;
	}
	return page_auth_admit(z->auth, x, why);
}

static void answer_zpage(void *owner, struct http_exchange *x)
{
	static const struct http_header headers[] = {
		{STR_INIT("content-security-policy"),
		 STR_INIT("default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; "
			  "form-action 'none'; frame-ancestors 'none'")},
		{STR_INIT("x-content-type-options"), STR_INIT("nosniff")},
		{STR_INIT("cache-control"), STR_INIT("no-store")},
	};
	const struct zpages *z = owner;
	struct http_response r = {.status = 200,
				  .compress = true,
				  .content_type = STR("text/html; charset=utf-8"),
				  .headers = headers,
				  .header_count = countof(headers)};

	for (size_t i = 0; i < countof(zpages_pages); i++)
		if (str_eq(zpages_pages[i].path, x->route->path))
			zpages_pages[i].write(&z->state, x, &r.body);
	http_respond(x, &r);
}

static void zpages_destroy(void *instance)
{
	struct zpages *z = instance;

	delivery_traces_watch(&z->state.host->traces, false);
	free(z);
}

static int zpages_create(void **instance, const struct component_env *env, const void *settings,
			 struct err *e)
{
	const struct zpages_settings *s = settings;
	struct zpages *z = calloc(1, sizeof(*z));
	struct listener_routes l = {.address = s->endpoint,
				    .routes = z ? z->routes : NULL,
				    .count = countof(zpages_pages),
				    .admit = zpages_admit,
				    .owner = z};
	bool loopback;
	int rc;

	if (!z)
		return err_errno(e, -ENOMEM, "zpages");
	z->state = (struct zpages_state){env->host, env->outline};
	delivery_traces_watch(&env->host->traces, true);
	for (size_t i = 0; i < countof(zpages_pages); i++)
		z->routes[i] = (struct http_route){.methods = METHOD_GET | METHOD_HEAD,
						   .flags = HTTP_OPERATOR,
						   .path = zpages_pages[i].path,
						   .handler = answer_zpage,
						   .owner = z};
	z->tls = s->tls;
	l.tls = receive_tls_files(&z->tls);
	rc = net_address_is_loopback(s->endpoint.p, &loopback, e);
	z->any_host = !rc && !loopback;
	if (!rc)
		rc = page_auth_find(&z->auth, &s->auth, env, e);
	if (!rc)
		rc = listeners_add(&env->host->listeners, &l, e);
	if (rc)
		zpages_destroy(z);
	else
		*instance = z;
	return rc;
}

static int zpages_check(const void *settings, struct err *e)
{
	return receive_tls_check(&((const struct zpages_settings *)settings)->tls, e);
}

static const struct setting zpages_table[] = {
	SET_STRING(struct zpages_settings, endpoint, "endpoint", "127.0.0.1:55679",
		   "Address to listen on."),
	SET_GROUP_ALWAYS(struct zpages_settings, tls, "tls", receive_tls_settings, "TLS."),
	SET_GROUP_ALWAYS(struct zpages_settings, auth, "auth", page_auth_settings,
			 "Authentication of requests."),
	SET_IGNORED("expvar", "there are no variables of Go"),
	PAGE_KEYS_IGNORED,
	SET_END,
};

const struct component zpages_extension = {
	.name = "zpages",
	.kind = COMPONENT_EXTENSION,
	.help = "Serves pages about the service at /debug/servicez and others.",
	.settings = zpages_table,
	.settings_size = sizeof(struct zpages_settings),
	.check = zpages_check,
	.create = zpages_create,
	.destroy = zpages_destroy,
};
