/* SPDX-License-Identifier: Apache-2.0 */
/* The metrics of the program in Prometheus text format; docs/api.md lists them. */
#include "api/metrics.h"

#include <stdio.h>
#include <time.h>

#include "api/drift/drift_answers.h"
#include "api/endpoint.h"
#include "base/clock.h"
#include "pipeline/telemetry/process_metrics.h"

static void put_metric_head(struct buf *out, const char *name, const char *type, const char *help)
{
	buf_printf(out, "# HELP %s %s\n# TYPE %s %s\n", name, help, name, type);
}

static void put_metric(struct buf *out, const char *name, const char *type, const char *help,
		       uint64_t value)
{
	put_metric_head(out, name, type, help);
	buf_printf(out, "%s %llu\n", name, (unsigned long long)value);
}

static uint64_t load_counter(const _Atomic uint64_t *counter)
{
	return atomic_load_explicit((_Atomic uint64_t *)counter, memory_order_relaxed);
}

/* ---- queries ---- */

static bool was_used(const struct endpoint_counters *c)
{
	uint64_t sum = 0;

	for (unsigned i = 0; i < countof(c->answers); i++)
		sum += load_counter(&c->answers[i]);
	return sum > 0;
}

static void put_latency_histogram(struct buf *out, const struct bound *b)
{
	uint64_t sum = 0;

	for (unsigned i = 0; i <= LATENCY_BUCKETS; i++) {
		char bound[32] = "+Inf";

		if (i < LATENCY_BUCKETS)
			snprintf(bound, sizeof(bound), "%g", (double)latency_bounds_us[i] / 1e6);
		sum += load_counter(&b->counters->latency[i]);
		buf_printf(
			out,
			"varve_api_request_duration_seconds_bucket{path=\"%.*s\",le=\"%s\"} %llu\n",
			STR_ARG(b->path), bound, (unsigned long long)sum);
	}
	buf_printf(out, "varve_api_request_duration_seconds_sum{path=\"%.*s\"} %.6f\n",
		   STR_ARG(b->path), (double)load_counter(&b->counters->latency_us) / 1e6);
	buf_printf(out, "varve_api_request_duration_seconds_count{path=\"%.*s\"} %llu\n",
		   STR_ARG(b->path), (unsigned long long)sum);
}

/* Append the counters of paths that were requested; the others would be many lines of zeros. */
static void put_endpoint_metrics(struct buf *out, const struct api *a)
{
	put_metric_head(out, "varve_api_requests_total", "counter",
			"Requests to the query API that were answered, by path and status.");
	for (size_t i = 0; i < a->bound_n; i++)
		for (unsigned k = 1; k < 6; k++) {
			uint64_t n = load_counter(&a->bounds[i].counters->answers[k]);

			if (n)
				buf_printf(out,
					   "varve_api_requests_total{path=\"%.*s\",code=\"%uxx\"} "
					   "%llu\n",
					   STR_ARG(a->bounds[i].path), k, (unsigned long long)n);
		}
	put_metric_head(out, "varve_api_response_bytes_total", "counter",
			"Response bytes of the query API before compression.");
	for (size_t i = 0; i < a->bound_n; i++)
		if (was_used(a->bounds[i].counters))
			buf_printf(out, "varve_api_response_bytes_total{path=\"%.*s\"} %llu\n",
				   STR_ARG(a->bounds[i].path),
				   (unsigned long long)load_counter(
					   &a->bounds[i].counters->bytes_out));
	put_metric_head(out, "varve_api_request_duration_seconds", "histogram",
			"Time from the end of a request's headers to its response.");
	for (size_t i = 0; i < a->bound_n; i++)
		if (was_used(a->bounds[i].counters))
			put_latency_histogram(out, &a->bounds[i]);
}

static void put_pool_metrics(struct buf *out, struct api *a)
{
	struct query_pool_stats s;

	query_pool_stats(a->pool, &s);
	put_metric(out, "varve_query_done_total", "counter", "Queries that were executed.", s.done);
	put_metric(out, "varve_query_refused_total", "counter",
		   "Queries refused because too many were waiting.", s.refused);
	put_metric(out, "varve_query_waiting", "gauge", "Queries waiting for a thread.", s.waiting);
	put_metric(out, "varve_query_paused", "gauge", "Long queries waiting for their turn.",
		   s.paused);
	put_metric(out, "varve_query_memory_bytes", "gauge",
		   "Memory used by queries and cached results.", query_memory_used(a));
	put_metric(out, "varve_query_memory_limit_bytes", "gauge",
		   "Memory limit of queries and cached results.", a->options.max_memory);
	put_metric(out, "varve_query_reserving", "gauge", "Large queries waiting for memory.",
		   s.reserving);
	put_metric(out, "varve_query_running", "gauge", "Queries being executed.", s.running);
}

static void put_cache_metrics(struct buf *out, struct kept *k)
{
	static const char *const kinds[KEPT_KINDS] = {"stacks", "tree"};
	struct kept_stats s;

	kept_stats(k, &s);
	put_metric_head(out, "varve_query_kept_hits_total", "counter",
			"Cached results of earlier queries that were reused.");
	for (unsigned i = 0; i < KEPT_KINDS; i++)
		buf_printf(out, "varve_query_kept_hits_total{kind=\"%s\"} %llu\n", kinds[i],
			   (unsigned long long)s.hits[i]);
	put_metric_head(out, "varve_query_kept_misses_total", "counter",
			"Results that were not cached, or not of the current data.");
	for (unsigned i = 0; i < KEPT_KINDS; i++)
		buf_printf(out, "varve_query_kept_misses_total{kind=\"%s\"} %llu\n", kinds[i],
			   (unsigned long long)s.misses[i]);
	put_metric(
		out, "varve_query_kept_dropped_total", "counter",
		"Cached results dropped for space, for memory that a query needed, or as unused.",
		s.dropped);
	put_metric(out, "varve_query_kept_bytes", "gauge", "Memory used by cached results.",
		   s.bytes);
	put_metric(out, "varve_query_kept_entries", "gauge", "Cached results.", s.entries);
}

/* ---- network ---- */

static void put_network_metrics(struct buf *out, const struct net_server *server)
{
	static const char *const protocols[] = {"1.0", "1.1", "2"};
	struct net_stats s;

	if (!server)
		return;
	net_server_stats(server, &s);
	put_metric(out, "varve_net_connections", "gauge", "Open connections.", s.connections_open);
	put_metric(out, "varve_net_connections_idle", "gauge",
		   "Open connections without a request.", s.connections_idle);
	put_metric(out, "varve_net_connections_total", "counter", "Accepted connections.",
		   s.connections_total);
	put_metric(out, "varve_net_connections_displaced_total", "counter",
		   "Idle connections that were closed to make room for others.", s.displaced);
	put_metric(out, "varve_net_received_bytes_total", "counter",
		   "Bytes received from the network.", s.bytes_in);
	put_metric(out, "varve_net_sent_bytes_total", "counter", "Bytes sent to the network.",
		   s.bytes_out);
	put_metric(out, "varve_net_exchanges", "gauge",
		   "Requests whose response is not sent completely.", s.exchanges_open);
	put_metric(out, "varve_net_memory_bytes", "gauge",
		   "Memory used by connections, requests and unsent responses.", s.memory_bytes);
	put_metric_head(out, "varve_net_requests_total", "counter",
			"Responses by protocol and status.");
	for (unsigned p = 0; p < countof(protocols); p++)
		for (unsigned k = 1; k < 6; k++)
			if (s.requests[p][k])
				buf_printf(out,
					   "varve_net_requests_total{http=\"%s\",code=\"%uxx\"} "
					   "%llu\n",
					   protocols[p], k, (unsigned long long)s.requests[p][k]);
	put_metric_head(out, "varve_net_refused_total", "counter",
			"Requests and connections that were refused, by reason.");
	for (unsigned i = 0; i < NET_REFUSED_COUNT; i++)
		buf_printf(out, "varve_net_refused_total{reason=\"%s\"} %llu\n",
			   net_refused_names[i], (unsigned long long)s.refused[i]);
}

/* ---- store and process ---- */

const char *const store_memory_names[STORE_MEMORIES] = {
	[STORE_WRITING] = "writing", [STORE_READING] = "reading", [STORE_MERGING] = "merging"};

/* Append the statistics of a tenant, or of the whole store if `tenant` is empty. */
static void put_store_metrics(struct buf *out, struct store *store, struct str tenant)
{
	struct store_stats s;
	struct err e = {0};

	if (store->ops->stats(store, tenant, &s, &e))
		return;
	put_metric(out, "varve_store_profiles", "gauge", "Stored profiles.", s.profiles);
	put_metric(out, "varve_store_samples", "gauge", "Stored samples.", s.samples);
	put_metric(out, "varve_store_series", "gauge", "Stored series.", s.series);
	put_metric(out, "varve_store_live_bytes", "gauge",
		   "Bytes of stored data that queries read.", s.bytes_live);
	put_metric(out, "varve_store_oldest_profile_seconds", "gauge",
		   "Unix time of the oldest stored profile.", s.oldest / NS_PER_SECOND);
	put_metric(out, "varve_store_newest_profile_seconds", "gauge",
		   "Unix time of the newest stored profile.", s.newest / NS_PER_SECOND);
	if (tenant.n)
		return;
	put_metric(out, "varve_store_spans", "gauge", "Stored spans.", s.spans);
	put_metric(out, "varve_store_span_bytes", "gauge", "Bytes of stored spans.", s.bytes_spans);
	put_metric(out, "varve_store_disk_bytes", "gauge", "Size of all files.", s.bytes_disk);
	put_metric(out, "varve_store_ingested_bytes_total", "counter",
		   "Bytes of samples and dictionaries as received.", s.bytes_ingested);
	put_metric(out, "varve_store_partitions", "gauge", "Stored days.", s.partitions);
	put_metric(out, "varve_store_partitions_damaged", "gauge",
		   "Damaged days, excluded from queries.", s.partitions_damaged);
	put_metric_head(out, "varve_store_memory_bytes", "gauge", "Memory used by the store.");
	for (unsigned i = 0; i < STORE_MEMORIES; i++)
		buf_printf(out, "varve_store_memory_bytes{part=\"%s\"} %llu\n",
			   store_memory_names[i], (unsigned long long)s.memory[i].used);
	put_metric_head(out, "varve_store_memory_limit_bytes", "gauge",
			"Memory limit of the store.");
	for (unsigned i = 0; i < STORE_MEMORIES; i++)
		buf_printf(out, "varve_store_memory_limit_bytes{part=\"%s\"} %llu\n",
			   store_memory_names[i], (unsigned long long)s.memory[i].limit);
}

static void put_process_metrics(struct buf *out, const struct api *a)
{
	struct timespec cpu = {0};

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &cpu);
	put_metric_head(out, "varve_build_info", "gauge", "Version of this build.");
	buf_printf(out, "varve_build_info{version=\"%s\"} 1\n", a->options.version);
	put_metric_head(out, "process_cpu_seconds_total", "counter", "CPU time used.");
	buf_printf(out, "process_cpu_seconds_total %.3f\n",
		   (double)cpu.tv_sec + (double)cpu.tv_nsec / 1e9);
	put_metric(out, "process_resident_memory_bytes", "gauge", "Resident memory.",
		   process_resident_bytes());
	put_metric(out, "process_start_time_seconds", "gauge", "Unix time of the start.",
		   a->started_ns / NS_PER_SECOND);
}

/* ---- one tenant ---- */

static int put_tenant_metrics(struct buf *out, struct request *r)
{
	static const struct {
		const char *name, *help;
		size_t offset;
	} rows[] = {
		{"varve_tenant_requests_total", "Requests with data.",
		 offsetof(struct receive_sums, requests)},
		{"varve_tenant_profiles_total", "Stored profiles.",
		 offsetof(struct receive_sums, profiles)},
		{"varve_tenant_samples_total", "Samples of stored profiles.",
		 offsetof(struct receive_sums, samples)},
		{"varve_tenant_spans_total", "Stored spans.", offsetof(struct receive_sums, spans)},
		{"varve_tenant_bytes_total", "Bytes of request bodies as received.",
		 offsetof(struct receive_sums, bytes)},
	};
	struct host *host = r->api->options.host;
	struct receive_sums sums[RECEIVE_PROTOCOLS] = {0};

	if (host)
		(void)senders_copy(&host->senders, r->tenant, sums, NULL);
	for (size_t i = 0; i < countof(rows); i++) {
		put_metric_head(out, rows[i].name, "counter", rows[i].help);
		for (unsigned p = 0; p < RECEIVE_PROTOCOLS; p++)
			buf_printf(out, "%s{protocol=\"%s\"} %llu\n", rows[i].name,
				   receive_protocol_names[p],
				   (unsigned long long)*(const uint64_t *)((const char *)&sums[p] +
									   rows[i].offset));
	}
	put_store_metrics(out, r->api->options.store, r->tenant);
	return buf_error(out);
}

int metrics_write(struct api *a, struct buf *out)
{
	put_endpoint_metrics(out, a);
	put_pool_metrics(out, a);
	put_cache_metrics(out, &a->kept);
	put_network_metrics(out, atomic_load(&a->server));
	put_store_metrics(out, a->options.store, (struct str){0});
	put_process_metrics(out, a);
	control_metrics(a->control, control_now(), out);
	drift_metrics(a->options.drift, clock_realtime_ns(), out);
	if (a->options.metrics)
		a->options.metrics(a->options.owner, out);
	return buf_error(out);
}

int metrics_answer(struct request *r, struct reply *out, struct err *e)
{
	(void)e;
	out->content_type = STR("text/plain; version=0.0.4; charset=utf-8");
	return r->tenant.n ? put_tenant_metrics(&out->body, r) : metrics_write(r->api, &out->body);
}
