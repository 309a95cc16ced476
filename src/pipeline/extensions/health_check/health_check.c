/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The health_check extension: an address that answers 200 while the pipelines run. Before
 * they run and when they stop, nothing listens. The body is that of the OpenTelemetry Collector, or
 * the one that is configured.
 */
#include "pipeline/extensions/health_check/health_check.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>

#include "base/clock.h"
#include "net/http/respond.h"
#include "pipeline/extensions/page_auth.h"
#include "pipeline/receivers/receive.h"

struct body_settings {
	struct str healthy;
};

struct health_settings {
	struct str endpoint, path;
	struct receive_tls tls;
	struct page_auth_settings auth;
	struct body_settings body;
	bool has_body;
};

struct health_check {
	const struct health_settings *settings;
	struct receive_tls tls;
	const struct extension *auth;
	struct http_route route;
	uint64_t since; /* nanoseconds since 1970 */
};

/* Append a duration as Go writes it: 1h2m3.456s. */
static void put_uptime(struct buf *out, uint64_t ns)
{
	uint64_t seconds = ns / NS_PER_SECOND;

	if (seconds >= 3600)
		buf_printf(out, "%" PRIu64 "h", seconds / 3600);
	if (seconds >= 60)
		buf_printf(out, "%" PRIu64 "m", seconds / 60 % 60);
	buf_printf(out, "%" PRIu64 ".%03" PRIu64 "s", seconds % 60, ns / NS_PER_MS % 1000);
}

static void answer_health(void *owner, struct http_exchange *x)
{
	const struct health_check *h = owner;
	struct http_response r = {.status = 200, .content_type = STR("application/json")};
	uint64_t now = clock_realtime_ns();
	char since[CLOCK_TEXT_SIZE];

	if (h->settings->has_body) {
		r.content_type = STR("text/plain; charset=utf-8");
		buf_put_str(&r.body, h->settings->body.healthy);
	} else {
		buf_printf(&r.body,
			   "{\"status\":\"Server available\",\"upSince\":\"%s\",\"uptime\":\"",
			   clock_format(h->since, since));
		put_uptime(&r.body, now > h->since ? now - h->since : 0);
		buf_put_str(&r.body, STR("\"}"));
	}
	http_respond(x, &r);
}

static bool admit_probe(void *owner, struct http_exchange *x, struct http_refusal *why)
{
	const struct health_check *h = owner;

	return page_auth_admit(h->auth, x, why);
}

static int health_create(void **instance, const struct component_env *env, const void *settings,
			 struct err *e)
{
	const struct health_settings *s = settings;
	struct health_check *h = calloc(1, sizeof(*h));
	struct listener_routes l = {.address = s->endpoint,
				    .routes = h ? &h->route : NULL,
				    .count = 1,
				    .admit = admit_probe,
				    .owner = h};
	int rc;

	if (!h)
		return err_errno(e, -ENOMEM, "health_check");
	h->settings = s;
	h->tls = s->tls;
	h->since = clock_realtime_ns();
	h->route = (struct http_route){.methods = METHOD_GET | METHOD_HEAD,
				       .flags = HTTP_OPEN,
				       .path = s->path,
				       .handler = answer_health,
				       .owner = h};
	l.tls = receive_tls_files(&h->tls);
	rc = page_auth_find(&h->auth, &s->auth, env, e);
	if (!rc)
		rc = listeners_add(&env->host->listeners, &l, e);
	if (rc)
		free(h);
	else
		*instance = h;
	return rc;
}

static int health_check_settings(const void *settings, struct err *e)
{
	const struct health_settings *s = settings;

	if (!str_starts(s->path, STR("/")))
		return err_set(e, -EINVAL, "\"path\" must start with /");
	return receive_tls_check(&s->tls, e);
}

static const struct setting body_table[] = {
	SET_STRING(struct body_settings, healthy, "healthy", NULL, "The body."),
	SET_IGNORED("unhealthy", "while the pipelines do not run, nothing listens"),
	SET_END,
};

static const struct setting settings_table[] = {
	SET_STRING(struct health_settings, endpoint, "endpoint", "127.0.0.1:13133",
		   "Address to listen on."),
	SET_STRING(struct health_settings, path, "path", "/", "The path to be asked for."),
	SET_GROUP_ALWAYS(struct health_settings, tls, "tls", receive_tls_settings, "TLS."),
	SET_GROUP_ALWAYS(struct health_settings, auth, "auth", page_auth_settings,
			 "Authentication of probes."),
	SET_GROUP(struct health_settings, body, "response_body", body_table, has_body,
		  "The body to send instead of JSON with the status and the time since the start."),
	SET_IGNORED("use_v2", "one status for the whole program is served"),
	SET_IGNORED("http", "use `endpoint`"),
	SET_IGNORED("grpc", "only HTTP is served"),
	SET_IGNORED("component_health", "one status for the whole program is served"),
	SET_IGNORED("check_collector_pipeline", "it has no effect in the collector either"),
	PAGE_KEYS_IGNORED,
	SET_END,
};

const struct component health_check_extension = {
	.name = "health_check",
	.aliases = (const char *const[]){"healthcheck", "healthcheckv2", NULL},
	.kind = COMPONENT_EXTENSION,
	.help = "Answers probes: whether the pipelines run.",
	.settings = settings_table,
	.settings_size = sizeof(struct health_settings),
	.check = health_check_settings,
	.create = health_create,
	.destroy = free,
};
