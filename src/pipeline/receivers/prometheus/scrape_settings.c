/* SPDX-License-Identifier: Apache-2.0 */
/* The tables of Prometheus' keys. Keys that are not supported are errors that say so. */
#include "pipeline/receivers/prometheus/scrape_settings.h"

#include <errno.h>

#include "base/clock.h"

#define INTERVAL_MIN_NS NS_PER_MS

enum { LIST_MAX = 10000 };

/* ---- readers of lists ---- */

/* Allocate an array for the elements of a list. Return 0, -ENOMEM or the result of config_fail(). */
static int read_array(const struct config_node *n, const char *what, size_t size,
		      struct arena *arena, void **at, uint32_t *count, struct err *e)
{
	*count = 0;
	if (n->kind != CONFIG_LIST)
		return config_fail(n, e, "%s: \"%.*s\" has to be a list", what, STR_ARG(n->key));
	for (const struct config_node *child = n->first; child; child = child->next)
		++*count;
	if (*count > LIST_MAX)
		return config_fail(n, e, "%s: \"%.*s\" has more than %d elements", what,
				   STR_ARG(n->key), LIST_MAX);
	*at = arena_zalloc(arena, *count + 1, size);
	return *at ? 0 : -ENOMEM;
}

static const struct setting target_group_table[] = {
	SET_LIST(struct target_group, targets, "targets", NULL, "Addresses, as host:port."),
	SET_MAP(struct target_group, labels, "labels", "Labels of these targets."),
	SET_END,
};

int target_groups_read(const struct config_node *n, const char *what, void *to, struct arena *arena,
		       struct err *e)
{
	struct target_groups *out = to;
	struct target_group *groups;
	void *at;
	int rc = read_array(n, what, sizeof(*groups), arena, &at, &out->n, e);

	if (rc)
		return rc;
	out->at = groups = at;
	for (const struct config_node *child = n->first; child && !rc; child = child->next)
		rc = settings_read(target_group_table, child, what, groups++, arena, e);
	return rc;
}

static const struct setting file_sd_table[] = {
	SET_LIST(struct file_sd, files, "files", NULL,
		 "Files in JSON or YAML; the last part of a path can have a *."),
	SET_DURATION(struct file_sd, refresh_interval_ns, "refresh_interval", "5m",
		     "How often they are read again."),
	SET_END,
};

static int file_sds_read(const struct config_node *n, const char *what, void *to,
			 struct arena *arena, struct err *e)
{
	struct file_sds *out = to;
	struct file_sd *list;
	void *at;
	int rc = read_array(n, what, sizeof(*list), arena, &at, &out->n, e);

	if (rc)
		return rc;
	out->at = list = at;
	for (const struct config_node *child = n->first; child && !rc;
	     child = child->next, list++) {
		rc = settings_read(file_sd_table, child, what, list, arena, e);
		if (!rc && (!list->files.n || list->refresh_interval_ns < INTERVAL_MIN_NS))
			rc = config_fail(child, e,
					 "%s: \"file_sd_configs\" needs \"files\" and a "
					 "refresh_interval above 0",
					 what);
	}
	return rc;
}

/* A map from names to lists of values. */
static int params_read(const struct config_node *n, const char *what, void *to, struct arena *arena,
		       struct err *e)
{
	static const struct setting table[] = {
		SET_LIST(struct scrape_param, values, "values", NULL, "Values."),
		SET_END,
	};
	struct scrape_params *out = to;
	struct scrape_param *list;
	uint32_t count = 0;
	int rc = 0;

	if (n->kind != CONFIG_MAP)
		return config_fail(n, e, "%s: \"params\" has to be a map of lists", what);
	for (const struct config_node *child = n->first; child; child = child->next)
		count++;
	list = arena_zalloc(arena, count + 1, sizeof(*list));
	if (!list)
		return -ENOMEM;
	*out = (struct scrape_params){list, count};
	for (const struct config_node *child = n->first; child && !rc;
	     child = child->next, list++) {
		struct config_node values = *child, map = {.kind = CONFIG_MAP,
							   .source = child->source,
							   .line = child->line,
							   .column = child->column,
							   .first = &values};

		values.key = STR("values");
		values.next = NULL;
		list->name = child->key;
		rc = settings_read(table, &map, what, list, arena, e);
	}
	return rc;
}

static int unsupported_read(const struct config_node *n, const char *what, void *to,
			    struct arena *arena, struct err *e)
{
	(void)to;
	(void)arena;
	return config_fail(n, e, "%s: unsupported features: %.*s", what, STR_ARG(n->key));
}

static int discovery_read(const struct config_node *n, const char *what, void *to,
			  struct arena *arena, struct err *e)
{
	(void)to;
	(void)arena;
	return config_fail(n, e,
			   "%s: \"%.*s\" is not supported: use static_configs, or file_sd_configs "
			   "with files that another program writes",
			   what, STR_ARG(n->key));
}

/* ---- tables ---- */

#define SET_LIMITS(struct_, field_)                                                                \
	SET_BYTES(struct_, field_.body_size, "body_size_limit", "0",                               \
		  "Largest exposition after decompression; 0: 512 MiB."),                          \
		SET_INT(struct_, field_.samples, "sample_limit", "0", 0, INT64_MAX, NULL,          \
			"Most samples of a scrape; 0: no limit."),                                 \
		SET_INT(struct_, field_.labels, "label_limit", "0", 0, INT64_MAX, NULL,            \
			"Most labels of a sample; 0: no limit."),                                  \
		SET_INT(struct_, field_.label_name_length, "label_name_length_limit", "0", 0,      \
			INT64_MAX, NULL, "Longest name of a label; 0: no limit."),                 \
		SET_INT(struct_, field_.label_value_length, "label_value_length_limit", "0", 0,    \
			INT64_MAX, NULL, "Longest value of a label; 0: no limit."),                \
		SET_INT(struct_, field_.targets, "target_limit", "0", 0, INT64_MAX, NULL,          \
			"Most targets of a job; 0: no limit.")

static const struct setting basic_auth_table[] = {
	SET_STRING(struct scrape_basic_auth, username, "username", NULL, "The name."),
	SET_STRING(struct scrape_basic_auth, username_file, "username_file", NULL,
		   "A file with it."),
	SET_STRING(struct scrape_basic_auth, password, "password", NULL, "The password."),
	SET_STRING(struct scrape_basic_auth, password_file, "password_file", NULL,
		   "A file with it."),
	SET_REFUSED("username_ref", unsupported_read),
	SET_REFUSED("password_ref", unsupported_read),
	SET_END,
};

static const struct setting authorization_table[] = {
	SET_STRING(struct scrape_authorization, type, "type", "Bearer", "The scheme."),
	SET_STRING(struct scrape_authorization, credentials, "credentials", NULL, "The token."),
	SET_STRING(struct scrape_authorization, credentials_file, "credentials_file", NULL,
		   "A file with it."),
	SET_REFUSED("credentials_ref", unsupported_read),
	SET_END,
};

static const struct setting tls_table[] = {
	SET_STRING(struct scrape_tls_settings, ca, "ca", NULL, "Trusted certificates, PEM."),
	SET_STRING(struct scrape_tls_settings, ca_file, "ca_file", NULL, "A file with them."),
	SET_STRING(struct scrape_tls_settings, cert, "cert", NULL, "The client's certificate."),
	SET_STRING(struct scrape_tls_settings, cert_file, "cert_file", NULL, "A file with it."),
	SET_STRING(struct scrape_tls_settings, key, "key", NULL, "The client's key."),
	SET_STRING(struct scrape_tls_settings, key_file, "key_file", NULL, "A file with it."),
	SET_STRING(struct scrape_tls_settings, server_name, "server_name", NULL,
		   "The name in the server's certificate."),
	SET_STRING(struct scrape_tls_settings, min_version, "min_version", "TLS12",
		   "TLS10 to TLS13."),
	SET_STRING(struct scrape_tls_settings, max_version, "max_version", NULL, "TLS10 to TLS13."),
	SET_REFUSED("ca_ref", unsupported_read),
	SET_REFUSED("cert_ref", unsupported_read),
	SET_REFUSED("key_ref", unsupported_read),
	SET_BOOL(struct scrape_tls_settings, insecure_skip_verify, "insecure_skip_verify", "false",
		 "Accept any certificate."),
	SET_END,
};

static const struct setting job_table[] = {
	SET_STRING(struct scrape_config, job_name, "job_name", NULL, "The label job."),
	SET_DURATION(struct scrape_config, interval_ns, "scrape_interval", NULL,
		     "Time between two scrapes; default: that of global."),
	SET_DURATION(struct scrape_config, timeout_ns, "scrape_timeout", NULL,
		     "Time limit of a scrape; default: that of global."),
	SET_STRING(struct scrape_config, metrics_path, "metrics_path", "/metrics", "The path."),
	SET_STRING(struct scrape_config, scheme, "scheme", "http", "http or https."),
	SET_CUSTOM(struct scrape_config, params, "params", params_read, "map of lists",
		   "Parameters of the URL."),
	SET_BOOL(struct scrape_config, honor_labels, "honor_labels", "false",
		 "Labels of samples win over those of the target."),
	SET_BOOL(struct scrape_config, honor_timestamps, "honor_timestamps", "true",
		 "Use the times of samples."),
	SET_BOOL(struct scrape_config, track_timestamps_staleness, "track_timestamps_staleness",
		 "false", "Staleness markers for series with times of their own, too."),
	SET_BOOL(struct scrape_config, follow_redirects, "follow_redirects", "true",
		 "Follow redirects."),
	SET_BOOL(struct scrape_config, enable_compression, "enable_compression", "true",
		 "Ask for compressed responses."),
	SET_LIMITS(struct scrape_config, limits),
	SET_GROUP(struct scrape_config, basic_auth, "basic_auth", basic_auth_table, has_basic_auth,
		  "HTTP Basic authentication."),
	SET_GROUP(struct scrape_config, authorization, "authorization", authorization_table,
		  has_authorization, "The Authorization header."),
	SET_STRING(struct scrape_config, bearer_token, "bearer_token", NULL, "A bearer token."),
	SET_STRING(struct scrape_config, bearer_token_file, "bearer_token_file", NULL,
		   "A file with it."),
	SET_GROUP_ALWAYS(struct scrape_config, tls, "tls_config", tls_table, "TLS."),
	SET_STRING(struct scrape_config, proxy_url, "proxy_url", NULL, "An HTTP proxy."),
	SET_CUSTOM(struct scrape_config, static_groups, "static_configs", target_groups_read,
		   "list", "Lists of {targets, labels}."),
	SET_CUSTOM(struct scrape_config, file_sd, "file_sd_configs", file_sds_read, "list",
		   "Lists of {files, refresh_interval}."),
	SET_CUSTOM(struct scrape_config, relabel, "relabel_configs", relabel_rules_read, "list",
		   "Rules for targets."),
	SET_CUSTOM(struct scrape_config, metric_relabel, "metric_relabel_configs",
		   relabel_rules_read, "list", "Rules for samples."),
	SET_IGNORED("scrape_protocols", "the formats of text are asked for"),
	SET_IGNORED("fallback_scrape_protocol", "it is always PrometheusText0.0.4"),
	SET_IGNORED("scrape_classic_histograms", "protobuf is not asked for"),
	SET_IGNORED("always_scrape_classic_histograms", "protobuf is not asked for"),
	SET_IGNORED("convert_classic_histograms_to_nhcb", "histograms keep their buckets"),
	SET_IGNORED("native_histogram_bucket_limit", "protobuf is not asked for"),
	SET_IGNORED("native_histogram_min_bucket_factor", "protobuf is not asked for"),
	SET_IGNORED("metric_name_validation_scheme", "it is always utf8"),
	SET_IGNORED("metric_name_escaping_scheme", "it is always allow-utf-8"),
	SET_IGNORED("keep_dropped_targets", "they are not shown"),
	SET_IGNORED("enable_http2", "scrapes use HTTP/1.1"),
	SET_IGNORED("scrape_failure_log_file", "failures are in the log"),
	SET_IGNORED("scrape_native_histograms", "protobuf is not asked for"),
	SET_IGNORED("extra_scrape_metrics", "they are not made"),
	SET_IGNORED("proxy_connect_header", "proxies get no additional headers"),
	SET_IGNORED("proxy_from_environment", "it is always so without proxy_url"),
	SET_IGNORED("no_proxy", "set the variable no_proxy"),
	SET_REFUSED("http_headers", unsupported_read),
	SET_REFUSED("oauth2", unsupported_read),
	SET_REFUSED("http_sd_configs", discovery_read),
	SET_REFUSED("dns_sd_configs", discovery_read),
	SET_REFUSED("kubernetes_sd_configs", discovery_read),
	SET_REFUSED("consul_sd_configs", discovery_read),
	SET_REFUSED("docker_sd_configs", discovery_read),
	SET_REFUSED("ec2_sd_configs", discovery_read),
	SET_REFUSED("azure_sd_configs", discovery_read),
	SET_REFUSED("digitalocean_sd_configs", discovery_read),
	SET_REFUSED("dockerswarm_sd_configs", discovery_read),
	SET_REFUSED("eureka_sd_configs", discovery_read),
	SET_REFUSED("gce_sd_configs", discovery_read),
	SET_REFUSED("hetzner_sd_configs", discovery_read),
	SET_REFUSED("ionos_sd_configs", discovery_read),
	SET_REFUSED("kuma_sd_configs", discovery_read),
	SET_REFUSED("lightsail_sd_configs", discovery_read),
	SET_REFUSED("linode_sd_configs", discovery_read),
	SET_REFUSED("marathon_sd_configs", discovery_read),
	SET_REFUSED("moby_sd_configs", discovery_read),
	SET_REFUSED("nerve_sd_configs", discovery_read),
	SET_REFUSED("nomad_sd_configs", discovery_read),
	SET_REFUSED("openstack_sd_configs", discovery_read),
	SET_REFUSED("outscale_sd_configs", discovery_read),
	SET_REFUSED("ovhcloud_sd_configs", discovery_read),
	SET_REFUSED("puppetdb_sd_configs", discovery_read),
	SET_REFUSED("scaleway_sd_configs", discovery_read),
	SET_REFUSED("serverset_sd_configs", discovery_read),
	SET_REFUSED("stackit_sd_configs", discovery_read),
	SET_REFUSED("triton_sd_configs", discovery_read),
	SET_REFUSED("uyuni_sd_configs", discovery_read),
	SET_REFUSED("vultr_sd_configs", discovery_read),
	SET_REFUSED("xds_sd_configs", discovery_read),
	SET_REFUSED("zookeeper_sd_configs", discovery_read),
	SET_END,
};

static int jobs_read(const struct config_node *n, const char *what, void *to, struct arena *arena,
		     struct err *e)
{
	struct scrape_configs *out = to;
	void *at;
	int rc = read_array(n, what, sizeof(*out->at), arena, &at, &out->n, e);
	uint32_t i = 0;

	if (rc)
		return rc;
	out->at = at;
	for (const struct config_node *child = n->first; child && !rc; child = child->next)
		rc = settings_read(job_table, child, what, &out->at[i++], arena, e);
	return rc;
}

static const struct setting global_table[] = {
	SET_DURATION(struct prometheus_global, interval_ns, "scrape_interval", "1m",
		     "Time between two scrapes."),
	SET_DURATION(struct prometheus_global, timeout_ns, "scrape_timeout", "10s",
		     "Time limit of a scrape."),
	SET_MAP(struct prometheus_global, external_labels, "external_labels",
		"Attributes of all data points."),
	SET_LIMITS(struct prometheus_global, limits),
	SET_IGNORED("evaluation_interval", "there are no rules"),
	SET_IGNORED("rule_query_offset", "there are no rules"),
	SET_IGNORED("scrape_failure_log_file", "failures are in the log"),
	SET_IGNORED("extra_scrape_metrics", "they are not made"),
	SET_IGNORED("scrape_native_histograms", "protobuf is not asked for"),
	SET_IGNORED("always_scrape_classic_histograms", "protobuf is not asked for"),
	SET_IGNORED("convert_classic_histograms_to_nhcb", "histograms keep their buckets"),
	SET_IGNORED("query_log_file", "there are no queries"),
	SET_IGNORED("scrape_protocols", "the formats of text are asked for"),
	SET_IGNORED("keep_dropped_targets", "they are not shown"),
	SET_IGNORED("metric_name_validation_scheme", "it is always utf8"),
	SET_IGNORED("metric_name_escaping_scheme", "it is always allow-utf-8"),
	SET_END,
};

static const struct setting config_table[] = {
	SET_GROUP_ALWAYS(struct prometheus_config, global, "global", global_table,
			 "Defaults of all jobs."),
	SET_CUSTOM(struct prometheus_config, jobs, "scrape_configs", jobs_read, "list",
		   "The jobs; docs/collector/prometheus.md lists their keys."),
	SET_IGNORED("otlp", "OTLP is received by the receiver otlp"),
	SET_IGNORED("storage", "nothing is stored"),
	SET_IGNORED("runtime", "there is no garbage collector"),
	SET_IGNORED("tracing", "scrapes are not traced"),
	SET_REFUSED("scrape_config_files", unsupported_read),
	SET_REFUSED("rule_files", unsupported_read),
	SET_REFUSED("remote_write", unsupported_read),
	SET_REFUSED("remote_read", unsupported_read),
	SET_REFUSED("alerting", unsupported_read),
	SET_END,
};

const struct setting prometheus_receiver_table[] = {
	SET_GROUP_ALWAYS(struct prometheus_receiver_settings, config, "config", config_table,
			 "As Prometheus' configuration file."),
	SET_BOOL(struct prometheus_receiver_settings, trim_metric_suffixes, "trim_metric_suffixes",
		 "false", "Remove _total and the unit from names."),
	SET_DURATION(struct prometheus_receiver_settings, initial_scrape_offset_ns,
		     "initial_scrape_offset", "0", "Time before the first scrapes."),
	SET_IGNORED("scrape_on_shutdown", "the last scrape is the one before"),
	SET_IGNORED("discovery_reload_on_startup", "targets are discovered at start"),
	SET_REFUSED("target_allocator", unsupported_read),
	SET_REFUSED("api_server", unsupported_read),
	SET_END,
};

/* ---- checks ---- */

static int check_tls_version(const struct scrape_config *c, struct str version, struct err *e)
{
	static const struct str known[] = {STR_INIT(""), STR_INIT("TLS10"), STR_INIT("TLS11"),
					   STR_INIT("TLS12"), STR_INIT("TLS13")};

	for (size_t i = 0; i < countof(known); i++)
		if (str_eq(version, known[i]))
			return 0;
	return err_set(e, -EINVAL,
		       "job \"%.*s\": unknown TLS version \"%.*s\": use TLS10, TLS11, TLS12 or "
		       "TLS13",
		       STR_ARG(str_head(c->job_name, 80)), STR_ARG(str_head(version, 20)));
}

static int check_job_auth(const struct scrape_config *c, struct err *e)
{
	unsigned ways = (unsigned)c->has_basic_auth + c->has_authorization +
			(c->bearer_token.n || c->bearer_token_file.n);

	if (ways > 1)
		return err_set(e, -EINVAL,
			       "job \"%.*s\": at most one of basic_auth, authorization & "
			       "bearer_token must be configured",
			       STR_ARG(str_head(c->job_name, 80)));
	if (c->basic_auth.password.n && c->basic_auth.password_file.n)
		return err_set(e, -EINVAL,
			       "job \"%.*s\": at most one of basic_auth password & "
			       "password_file must be configured",
			       STR_ARG(str_head(c->job_name, 80)));
	return 0;
}

/* The times of a job: its own, else the global ones; the timeout is cut to the interval then. */
static int complete_job(const struct prometheus_global *g, struct scrape_config *c, struct err *e)
{
	c->interval_ns = c->interval_ns ? c->interval_ns : g->interval_ns;
	if (c->timeout_ns > c->interval_ns)
		return err_set(e, -EINVAL,
			       "scrape timeout greater than scrape interval for scrape config with "
			       "job name \"%.*s\"",
			       STR_ARG(str_head(c->job_name, 80)));
	if (!c->timeout_ns)
		c->timeout_ns = g->timeout_ns < c->interval_ns ? g->timeout_ns : c->interval_ns;
	if (!c->limits.body_size)
		c->limits.body_size = g->limits.body_size;
	if (!c->limits.samples)
		c->limits.samples = g->limits.samples;
	if (!c->limits.labels)
		c->limits.labels = g->limits.labels;
	if (!c->limits.label_name_length)
		c->limits.label_name_length = g->limits.label_name_length;
	if (!c->limits.label_value_length)
		c->limits.label_value_length = g->limits.label_value_length;
	if (!c->limits.targets)
		c->limits.targets = g->limits.targets;
	return 0;
}

static int check_job(const struct scrape_configs *jobs, uint32_t i, struct err *e)
{
	const struct scrape_config *c = &jobs->at[i];
	int rc;

	if (!c->job_name.n)
		return err_set(e, -EINVAL, "\"scrape_configs\": job_name is empty");
	for (uint32_t k = 0; k < i; k++)
		if (str_eq(jobs->at[k].job_name, c->job_name))
			return err_set(e, -EINVAL,
				       "found multiple scrape configs with job name \"%.*s\"",
				       STR_ARG(str_head(c->job_name, 80)));
	if (!str_eq(c->scheme, STR("http")) && !str_eq(c->scheme, STR("https")))
		return err_set(e, -EINVAL, "job \"%.*s\": scheme has to be http or https",
			       STR_ARG(str_head(c->job_name, 80)));
	rc = check_tls_version(c, c->tls.min_version, e);
	if (!rc)
		rc = check_tls_version(c, c->tls.max_version, e);
	return rc ? rc : check_job_auth(c, e);
}

int prometheus_receiver_check(const struct prometheus_receiver_settings *s, struct err *e)
{
	const struct scrape_configs *jobs = &s->config.jobs;
	int rc = 0;

	if (!jobs->n)
		return err_set(e, -EINVAL, "no Prometheus scrape_configs or target_allocator set");
	if (s->config.global.interval_ns < INTERVAL_MIN_NS ||
	    s->config.global.timeout_ns < INTERVAL_MIN_NS)
		return err_set(e, -EINVAL,
			       "\"global\": scrape_interval and scrape_timeout have to "
			       "be above 0");
	for (uint32_t i = 0; i < jobs->n && !rc; i++) {
		rc = check_job(jobs, i, e);
		if (!rc)
			rc = complete_job(&s->config.global, &jobs->at[i], e);
	}
	return rc;
}
