/* SPDX-License-Identifier: Apache-2.0 */
/* The tables of Prometheus' keys. Keys that are not supported are errors that say so. */
#include "pipeline/receivers/prometheus/scrape_settings.h"

#include <errno.h>

#include "base/clock.h"

#define INTERVAL_MIN_NS NS_PER_MS

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

static const struct setting job_table[] = {
	SET_STRING(struct scrape_config, job_name, "job_name", NULL, "The label job."),
	SET_DURATION(struct scrape_config, interval_ns, "scrape_interval", NULL,
		     "Time between two scrapes; default: that of global."),
	SET_DURATION(struct scrape_config, timeout_ns, "scrape_timeout", NULL,
		     "Time limit of a scrape; default: that of global."),
	SET_STRING(struct scrape_config, metrics_path, "metrics_path", "/metrics", "The path."),
	SCRAPE_REQUEST_SETTINGS,
	SET_BOOL(struct scrape_config, honor_labels, "honor_labels", "false",
		 "Labels of samples win over those of the target."),
	SET_BOOL(struct scrape_config, honor_timestamps, "honor_timestamps", "true",
		 "Use the times of samples."),
	SET_BOOL(struct scrape_config, track_timestamps_staleness, "track_timestamps_staleness",
		 "false", "Staleness markers for series with times of their own, too."),
	SET_LIMITS(struct scrape_config, limits),
	SCRAPE_DISCOVERY_SETTINGS,
	SET_CUSTOM(struct scrape_config, metric_relabel, "metric_relabel_configs",
		   relabel_rules_read, "list", "Rules for samples."),
	SET_IGNORED("scrape_protocols", "text formats are requested"),
	SET_IGNORED("fallback_scrape_protocol", "it is always PrometheusText0.0.4"),
	SET_IGNORED("scrape_classic_histograms", "protobuf is not requested"),
	SET_IGNORED("always_scrape_classic_histograms", "protobuf is not requested"),
	SET_IGNORED("convert_classic_histograms_to_nhcb", "histograms keep their buckets"),
	SET_IGNORED("native_histogram_bucket_limit", "protobuf is not requested"),
	SET_IGNORED("native_histogram_min_bucket_factor", "protobuf is not requested"),
	SET_IGNORED("metric_name_validation_scheme", "it is always utf8"),
	SET_IGNORED("metric_name_escaping_scheme", "it is always allow-utf-8"),
	SET_IGNORED("keep_dropped_targets", "they are not shown"),
	SET_IGNORED("enable_http2", "scrapes use HTTP/1.1"),
	SET_IGNORED("scrape_failure_log_file", "failures are in the log"),
	SET_IGNORED("scrape_native_histograms", "protobuf is not requested"),
	SET_IGNORED("extra_scrape_metrics", "they are not made"),
	SET_IGNORED("proxy_connect_header", "proxies get no additional headers"),
	SET_IGNORED("proxy_from_environment", "it is always so without proxy_url"),
	SET_IGNORED("no_proxy", "set the variable no_proxy"),
	SET_REFUSED("http_headers", scrape_unsupported_read),
	SET_END,
};

static int jobs_read(const struct config_node *n, const char *what, void *to, struct arena *arena,
		     struct err *e)
{
	struct scrape_configs *out = to;
	void *at;
	int rc = scrape_array_read(n, what, sizeof(*out->at), arena, &at, &out->n, e);
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
	SET_IGNORED("scrape_native_histograms", "protobuf is not requested"),
	SET_IGNORED("always_scrape_classic_histograms", "protobuf is not requested"),
	SET_IGNORED("convert_classic_histograms_to_nhcb", "histograms keep their buckets"),
	SET_IGNORED("query_log_file", "there are no queries"),
	SET_IGNORED("scrape_protocols", "text formats are requested"),
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
	SET_REFUSED("scrape_config_files", scrape_unsupported_read),
	SET_REFUSED("rule_files", scrape_unsupported_read),
	SET_REFUSED("remote_write", scrape_unsupported_read),
	SET_REFUSED("remote_read", scrape_unsupported_read),
	SET_REFUSED("alerting", scrape_unsupported_read),
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
	SET_REFUSED("target_allocator", scrape_unsupported_read),
	SET_REFUSED("api_server", scrape_unsupported_read),
	SET_END,
};

/* ---- checks ---- */

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

	for (uint32_t k = 0; k < i; k++)
		if (c->job_name.n && str_eq(jobs->at[k].job_name, c->job_name))
			return err_set(e, -EINVAL,
				       "found multiple scrape configs with job name \"%.*s\"",
				       STR_ARG(str_head(c->job_name, 80)));
	return scrape_config_check(c, e);
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
