/* SPDX-License-Identifier: Apache-2.0 */
/* Reload: what the server has besides the pipelines follows them to the new configuration. */
#include "cli/server/server_reload.h"

#include <errno.h>

#include "base/clock.h"
#include "cli/server/connection_limits.h"
#include "cli/server/server_addresses.h"
#include "cli/server/server_api.h"
#include "cli/server/server_rules.h"
#include "pipeline/service/telemetry_settings.h"
#include "rules/rules.h"

/* How long a reload waits for requests in flight before it closes their connections. */
enum { RELOAD_WAIT_MS = 10000 };

struct reload {
	struct server_process *p;
	struct server_config *next;
	unsigned store_users; /* before */
	/* Of the service that was created last: the new one, or the old one again. */
	struct server_settings *settings;
	struct consumer *profiles, *metrics;
};

/* The API exists for as long as the process. */
static int check_api(const struct reload *r, const struct config *c, struct err *e)
{
	bool store = r->p->host.store_users > r->store_users;
	bool api = store && server_api_wanted(r->p, c);

	if (api == (r->p->api != NULL))
		return 0;
	return err_set(e, -ENOTSUP,
		       "a reload cannot %s the exporter store or the API: restart the program",
		       api ? "add" : "remove");
}

static int on_created(void *owner, struct service *next, const struct config *c, struct err *e)
{
	struct reload *r = owner;
	bool back = c != &r->next->config;
	int rc = back ? 0 : check_api(r, c, e);

	r->settings = back ? &r->p->current->settings : &r->next->settings;
	if (!rc && r->p->api)
		rc = server_api_register(r->p, r->settings, e);
	if (!rc)
		rc = server_addresses_check(r->p, r->settings, e);
	if (!rc && !back)
		rc = server_addresses_check_proxy(r->settings, e);
	r->profiles = service_head(next, SIGNAL_PROFILES);
	r->metrics = service_head(next, SIGNAL_METRICS);
	return rc;
}

static void on_swapped(void *owner, struct service *now)
{
	struct reload *r = owner;
	struct err e = {0};

	(void)now;
	if (server_addresses_allow(r->p, r->settings, &e))
		log_error(&r->p->log, "some hosts or proxies are refused", LOG_ERR(&e));
	if (r->p->api)
		api_set_uploads(r->p->api, r->profiles);
	r->p->self_profile_target.to = r->p->self_profile ? r->profiles : NULL;
	r->p->self_metrics_target.to = r->metrics;
}

/* Replace the pipelines. On success, or if nothing runs any more, r->next is taken over. */
static int replace_service(struct reload *r, struct err *e)
{
	struct server_process *p = r->p;
	struct net_options options;
	struct service_reload reload = {.config = &r->next->config,
					.options = &options,
					.timeout_ms = RELOAD_WAIT_MS,
					.created = on_created,
					.swapped = on_swapped,
					.owner = r};
	int rc;

	connection_limits_init(&options, &p->current->settings.limits, &p->memory);
	r->store_users = p->host.store_users;
	pthread_mutex_lock(&p->self_profile_target.mu);
	pthread_mutex_lock(&p->self_metrics_target.mu);
	rc = service_reload(&p->service, &reload, e);
	pthread_mutex_unlock(&p->self_metrics_target.mu);
	pthread_mutex_unlock(&p->self_profile_target.mu);
	return rc;
}

static bool same_files(const struct config *a, const struct config *b)
{
	for (uint32_t i = 0; i < a->files.n && i < b->files.n; i++)
		if (!str_eq(a->files.at[i], b->files.at[i]))
			return false;
	return a->files.n == b->files.n;
}

/* Other threads log meanwhile: the level and the form are atomic, the destination stays. */
static void set_log_form(struct server_process *p)
{
	struct log log =
		telemetry_log(p->current->config.root, (enum log_level)p->options->log_level);

	p->log.level = log.level;
	p->log.json = log.json;
}

static int reload_config(struct server_process *p, struct err *e)
{
	struct reload r = {.p = p};
	struct server_config *old;
	int rc = server_config_load(&r.next, &p->options->service, "", e);

	if (rc)
		return rc;
	if (p->rules)
		rules_hold(p->rules);
	rc = replace_service(&r, e);
	if (p->rules && p->service)
		rules_release(p->rules);
	server_config_log_warnings(r.next, &p->log);
	if (rc) {
		server_config_free(r.next);
		return rc;
	}
	old = p->current;
	p->current = r.next;
	set_log_form(p);
	if (!same_files(&old->config, &r.next->config))
		config_watch_begin(&p->watch, &r.next->config);
	server_config_free(old);
	return 0;
}

static void log_reload(const struct server_process *p, int rc, const struct err *e, uint64_t began)
{
	if (rc)
		log_error(&p->log,
			  p->service ? "reload failed, the old configuration goes on"
				     : "reload failed, nothing runs any more",
			  LOG_ERR(e));
	else
		log_info(&p->log, "configuration reloaded",
			 LOG_U64("ms", (clock_monotonic_ns() - began) / NS_PER_MS));
}

static void note_reload(const struct server_process *p, const char *action, int rc,
			const struct err *e)
{
	struct audit_entry entry = {.actor = STR("server"),
				    .action = str_from(action),
				    .result = rc ? STR("failed") : STR("done"),
				    .detail = str_from(e->text)};

	audit_note(p->audit, &entry);
}

/* Read tokens and certificates again. After an error, which is logged, the old ones stay valid. */
static void reload_files(struct server_process *p)
{
	struct err e = {0};
	int rc = access_reload(&p->access, &e);

	if (!rc && p->host.listeners.server)
		rc = net_server_reload_tls(p->host.listeners.server, &e);
	if (rc)
		log_error(&p->log, "reload failed, tokens and certificates are unchanged",
			  LOG_ERR(&e));
	else
		log_info(&p->log, "tokens and certificates reloaded");
	note_reload(p, "access.reload", rc, &e);
}

/* Return the fingerprint of the token file and of all certificates and keys. */
static uint64_t look_at_secrets(const struct server_process *p)
{
	const struct listeners *l = &p->host.listeners;
	uint64_t sum = p->access.token_file ? file_watch_add(0, p->access.token_file) : 0;

	for (uint32_t i = 0; i < listeners_count(l); i++) {
		const struct net_tls_files *files = listeners_tls(l, listeners_address(l, i));

		if (!files || !files->certificate)
			continue;
		sum = file_watch_add(sum, files->certificate);
		sum = file_watch_add(sum, files->key);
		sum = files->client_ca ? file_watch_add(sum, files->client_ca) : sum;
	}
	return sum;
}

void server_reload_watch(struct server_process *p)
{
	file_watch_begin(&p->secrets, look_at_secrets(p));
}

void server_reload_changed(struct server_process *p)
{
	if (file_watch_changed(&p->secrets, look_at_secrets(p)))
		reload_files(p);
}

int server_reload(struct server_process *p)
{
	uint64_t began = clock_monotonic_ns();
	struct err e = {0};
	int rc;

	server_reload_watch(p); /* before the files are read */
	reload_files(p);
	if (!p->options->service.config.n) {
		server_rules_reload(p);
		return 0;
	}
	config_watch_begin(&p->watch, &p->current->config); /* before the files are read */
	rc = reload_config(p, &e);
	log_reload(p, rc, &e, began);
	note_reload(p, "config.reload", rc, &e);
	server_reload_watch(p);
	if (p->service) {
		server_rules_reload(p);
		return 0;
	}
	listeners_stop(&p->host.listeners);
	return rc;
}
