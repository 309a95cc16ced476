/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What Prometheus' API reports about the server. Names and forms are Prometheus'; values that this
 * server does not have, such as those of the Go runtime, are empty or 0.
 */
#include <errno.h>
#include <unistd.h>

#include "api/endpoint.h"
#include "api/prometheus/prometheus_request.h"
#include "base/clock.h"
#include "query/promql/syntax/promql_literal.h"

static void put_text(struct json_writer *w, const char *key, struct str value)
{
	json_put_key(w, str_from(key));
	json_put_string(w, value);
}

static void put_count(struct json_writer *w, const char *key, uint64_t n)
{
	json_put_key(w, str_from(key));
	json_put_u64(w, n);
}

/* A duration as Prometheus prints it: 30d, 1h30m. */
static void put_duration(struct json_writer *w, const char *key, uint64_t ns)
{
	struct buf text = {0};

	promql_put_duration(&text, (int64_t)ns);
	put_text(w, key, buf_str(&text));
	w->out->failed |= text.failed;
	buf_fini(&text);
}

int prometheus_build_info(struct request *r, struct reply *out, struct err *e)
{
	struct json_writer w = prometheus_open(out);

	(void)e;
	json_open_object(&w);
	/* clients choose what they ask by the version of Prometheus */
	put_text(&w, "version", STR("3.0.0"));
	put_text(&w, "revision", str_from(r->api ? r->api->options.version : ""));
	put_text(&w, "branch", STR("varve"));
	put_text(&w, "buildUser", STR(""));
	put_text(&w, "buildDate", STR(""));
	put_text(&w, "goVersion", STR(""));
	json_close_object(&w);
	return prometheus_close(&w, r, false);
}

int prometheus_wal_replay(struct request *r, struct reply *out, struct err *e)
{
	struct json_writer w = prometheus_open(out);

	(void)e;
	json_open_object(&w);
	put_count(&w, "min", 0);
	put_count(&w, "max", 0);
	put_count(&w, "current", 0);
	json_close_object(&w);
	return prometheus_close(&w, r, false);
}

/* ---- the process ---- */

static void put_time(struct json_writer *w, const char *key, uint64_t ns)
{
	char text[CLOCK_TEXT_SIZE];

	put_text(w, key, str_from(clock_format(ns, text)));
}

static int put_retention(struct json_writer *w, struct request *r, const char *key, struct err *e)
{
	struct store_stats stats = {0};
	int rc = r->store ? r->store->ops->stats(r->store, r->tenant, &stats, e) : 0;

	if (rc)
		return rc;
	if (stats.retention_seconds)
		put_duration(w, key, stats.retention_seconds * NS_PER_SECOND);
	else
		put_text(w, key, STR("0s"));
	return 0;
}

int prometheus_runtime_info(struct request *r, struct reply *out, struct err *e)
{
	const struct api *a = r->api;
	struct json_writer w = prometheus_open(out);
	char host[256] = "";
	int rc;

	(void)gethostname(host, sizeof(host) - 1);
	json_open_object(&w);
	put_time(&w, "startTime", a ? a->started_ns : r->now_ns);
	put_text(&w, "CWD", STR(""));
	put_text(&w, "hostname", r->tenant.n ? STR("") : str_from(host));
	put_time(&w, "serverTime", r->now_ns);
	json_put_key(&w, STR("reloadConfigSuccess"));
	json_put_bool(&w, true);
	put_time(&w, "lastConfigTime", a ? a->started_ns : r->now_ns);
	put_count(&w, "corruptionCount", 0);
	put_count(&w, "goroutineCount", 0);
	put_count(&w, "GOMAXPROCS", (uint64_t)max_size(1, (size_t)sysconf(_SC_NPROCESSORS_ONLN)));
	put_count(&w, "GOMEMLIMIT", a ? a->options.memory_limit : 0);
	put_text(&w, "GOGC", STR(""));
	put_text(&w, "GODEBUG", STR(""));
	rc = put_retention(&w, r, "storageRetention", e);
	json_close_object(&w);
	return rc ? rc : prometheus_close(&w, r, false);
}

int prometheus_flags(struct request *r, struct reply *out, struct err *e)
{
	const struct api *a = r->api;
	struct json_writer w = prometheus_open(out);
	struct buf threads = {0};
	int rc;

	json_open_object(&w);
	put_duration(&w, "query.lookback-delta", PROMQL_DEFAULT_LOOKBACK_MS * NS_PER_MS);
	buf_put_u64(&threads, a ? a->options.threads : 0);
	put_text(&w, "query.max-concurrency", buf_str(&threads));
	buf_clear(&threads);
	buf_put_u64(&threads, PROMQL_DEFAULT_SAMPLES);
	put_text(&w, "query.max-samples", buf_str(&threads));
	put_duration(&w, "query.timeout", a ? a->options.timeout_ns : 0);
	rc = put_retention(&w, r, "storage.tsdb.retention.time", e);
	put_text(&w, "web.enable-remote-write-receiver", STR("true"));
	put_text(&w, "web.enable-otlp-receiver", STR("true"));
	json_close_object(&w);
	if (!rc)
		rc = buf_error(&threads);
	buf_fini(&threads);
	return rc ? rc : prometheus_close(&w, r, false);
}

int prometheus_config(struct request *r, struct reply *out, struct err *e)
{
	struct json_writer w = prometheus_open(out);

	(void)e;
	json_open_object(&w);
	put_text(&w, "yaml",
		 STR("global:\n  scrape_interval: 1m\n  scrape_timeout: 10s\n"
		     "  evaluation_interval: 1m\n"));
	json_close_object(&w);
	return prometheus_close(&w, r, false);
}

/* ---- health ---- */

static int put_plain(struct reply *out, struct str text)
{
	out->content_type = STR("text/plain; charset=utf-8");
	buf_put_str(&out->body, text);
	return buf_error(&out->body);
}

int prometheus_healthy(struct request *r, struct reply *out, struct err *e)
{
	(void)r;
	(void)e;
	return put_plain(out, STR("Prometheus Server is Healthy.\n"));
}

int prometheus_ready(struct request *r, struct reply *out, struct err *e)
{
	(void)r;
	(void)e;
	return put_plain(out, STR("Prometheus Server is Ready.\n"));
}
