/* SPDX-License-Identifier: Apache-2.0 */
/* Reads the section of the receiver: targets with the settings of HTTP clients. */
#include "pipeline/receivers/httpcheck/httpcheck_settings.h"

#include <ctype.h>
#include <errno.h>

#include "base/clock.h"

static const struct setting target_table[] = {
	CLIENT_SETTINGS(struct httpcheck_target, client, "none"),
	SET_LIST(struct httpcheck_target, endpoints, "endpoints", NULL, "More addresses."),
	SET_STRING(struct httpcheck_target, method, "method", "GET", "The method of the request."),
	SET_STRING(struct httpcheck_target, body, "body", NULL, "The body of the request."),
	SET_BOOL(struct httpcheck_target, auto_content_type, "auto_content_type", "false",
		 "Set Content-Type by the beginning of the body: JSON or text."),
	SET_DURATION(struct httpcheck_target, timeout, "timeout", "30s",
		     "How long a response may take."),
	SET_CUSTOM(struct httpcheck_target, checks, "validations", response_checks_read, "list",
		   "What the body of the response has to be, for the metrics "
		   "httpcheck.validation.passed and .failed."),
	SET_IGNORED("proxy_url", "set the variables http_proxy and https_proxy"),
	SET_IGNORED("compression_params", "bodies are small"),
	HTTP_CLIENT_KEYS_IGNORED,
	SET_END,
};

static int read_target(struct httpcheck_target *t, const struct config_node *n, const char *what,
		       struct arena *arena, struct err *e)
{
	struct err why = {0};
	int rc;

	if (n->kind != CONFIG_MAP)
		return config_fail(n, e, "%s: a target has to be a map with an endpoint", what);
	rc = settings_read(target_table, n, what, t, arena, e);
	if (rc)
		return rc;
	if (!t->client.endpoint.n && !t->endpoints.n)
		return config_fail(n, e,
				   "%s: at least one of 'endpoint' or 'endpoints' must be "
				   "specified",
				   what);
	rc = client_settings_check(&t->client, &why);
	return rc ? config_fail(n, e, "%s: %s", what, why.text) : 0;
}

static bool is_http_url(struct str url)
{
	size_t scheme = str_starts(url, STR("http://"))	   ? 7
			: str_starts(url, STR("https://")) ? 8
							   : 0;

	return scheme && url.n > scheme && !memchr("/?#:", url.p[scheme], 4);
}

static int check_urls(const struct httpcheck_target *t, const struct config_node *n,
		      const char *what, struct err *e)
{
	for (uint32_t i = 0; i <= t->endpoints.n; i++) {
		struct str url = i ? t->endpoints.at[i - 1] : t->client.endpoint;

		if ((i || url.n) && !is_http_url(url))
			return config_fail(n, e,
					   "%s: \"endpoint\" must be in the form of "
					   "<scheme>://<hostname>[:<port>], found \"%.*s\"",
					   what, STR_ARG(str_head(url, 100)));
	}
	for (size_t i = 0; i < t->method.n; i++)
		if (!isalpha((unsigned char)t->method.p[i]))
			return config_fail(n, e, "%s: \"method\": \"%.*s\" is no method of HTTP",
					   what, STR_ARG(str_head(t->method, 32)));
	return 0;
}

static int read_targets(const struct config_node *n, const char *what, void *to,
			struct arena *arena, struct err *e)
{
	struct httpcheck_targets *out = to;
	struct httpcheck_target *at;
	uint32_t count = 0;
	int rc = 0;

	if (n->kind != CONFIG_LIST)
		return config_fail(n, e, "%s: \"targets\" has to be a list", what);
	for (const struct config_node *t = n->first; t; t = t->next)
		count++;
	if (count > HTTPCHECK_TARGETS_MAX)
		return config_fail(n, e, "%s: more than %d targets", what, HTTPCHECK_TARGETS_MAX);
	at = arena_zalloc(arena, count + 1, sizeof(*at));
	if (!at)
		return -ENOMEM;
	*out = (struct httpcheck_targets){at, count};
	for (const struct config_node *t = n->first; t && !rc; t = t->next, at++) {
		rc = read_target(at, t, what, arena, e);
		if (!rc)
			rc = check_urls(at, t, what, e);
	}
	return rc;
}

static const struct setting metric_table[] = {
	SET_BOOL(struct httpcheck_metric, enabled, "enabled", "true", "Write the metric."),
	SET_END,
};

static const struct setting off_metric_table[] = {
	SET_BOOL(struct httpcheck_metric, enabled, "enabled", "false", "Write the metric."),
	SET_END,
};

static const struct setting metrics_table[] = {
	SET_GROUP_ALWAYS(struct httpcheck_metrics, status, "httpcheck.status", metric_table,
			 "1 for the class of the response's status."),
	SET_GROUP_ALWAYS(struct httpcheck_metrics, duration, "httpcheck.duration", metric_table,
			 "How long the request took."),
	SET_GROUP_ALWAYS(struct httpcheck_metrics, error, "httpcheck.error", metric_table,
			 "Why there was no response."),
	SET_IGNORED("httpcheck.dns.lookup.duration", "only the whole duration is measured"),
	SET_IGNORED("httpcheck.client.connection.duration", "only the whole duration is measured"),
	SET_IGNORED("httpcheck.tls.handshake.duration", "only the whole duration is measured"),
	SET_IGNORED("httpcheck.client.request.duration", "only the whole duration is measured"),
	SET_IGNORED("httpcheck.response.duration", "only the whole duration is measured"),
	SET_GROUP_ALWAYS(struct httpcheck_metrics, size, "httpcheck.response.size",
			 off_metric_table, "The size of the body of the response."),
	SET_IGNORED("httpcheck.tls.cert_remaining", "it is not measured"),
	SET_GROUP_ALWAYS(struct httpcheck_metrics, passed, "httpcheck.validation.passed",
			 off_metric_table, "Validations that passed, by type."),
	SET_GROUP_ALWAYS(struct httpcheck_metrics, failed, "httpcheck.validation.failed",
			 off_metric_table, "Validations that failed, by type."),
	SET_END,
};

const struct setting httpcheck_table[] = {
	SET_DURATION(struct httpcheck_settings, interval, "collection_interval", "60s",
		     "How often each address is checked."),
	SET_DURATION(struct httpcheck_settings, initial_delay, "initial_delay", "1s",
		     "When the first check is, after the start."),
	SET_CUSTOM(struct httpcheck_settings, targets, "targets", read_targets, "list",
		   "What to check: a list of {endpoint, method, ...}."),
	SET_GROUP_ALWAYS(struct httpcheck_settings, metrics, "metrics", metrics_table,
			 "Which metrics to write."),
	SET_IGNORED("timeout", "each target has a timeout"),
	SET_END,
};

/* Warn of validations whose results are not written: these metrics are off by default. */
static void warn_of_checks(const struct httpcheck_settings *s, struct err *e)
{
	if (s->metrics.passed.enabled || s->metrics.failed.enabled)
		return;
	for (uint32_t i = 0; i < s->targets.n; i++)
		if (s->targets.at[i].checks.n)
			(void)err_set(e, 0,
				      "\"validations\" have no effect: enable the metrics "
				      "httpcheck.validation.passed or httpcheck.validation.failed");
}

int httpcheck_settings_check(const void *settings, struct err *e)
{
	const struct httpcheck_settings *s = settings;

	if (!s->targets.n)
		return err_set(e, -EINVAL, "no targets configured");
	if (s->interval < NS_PER_MS)
		return err_set(e, -EINVAL, "\"collection_interval\" has to be 1ms or more");
	warn_of_checks(s, e);
	return 0;
}
