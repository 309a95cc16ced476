/* SPDX-License-Identifier: Apache-2.0 */
/* The status of the server: stored data, memory, ingest by protocol and sender, listeners. */
#include <stdio.h>
#include <stdlib.h>

#include "api/drift/drift_answers.h"
#include "api/endpoint.h"
#include "api/metrics.h"
#include "api/varve/json_fields.h"
#include "api/varve/lists.h"
#include "api/varve/varve.h"
#include "base/clock.h"
#include "pipeline/exporters/sender/sender_report.h"
#include "pipeline/telemetry/process_metrics.h"

/* ---- sizes ---- */

static void put_store_stats(struct json_writer *w, const struct store_stats *s)
{
	put_u64(w, "profiles", s->profiles);
	put_u64(w, "samples", s->samples);
	put_u64(w, "series", s->series);
	put_ms(w, "oldest", s->oldest);
	put_ms(w, "newest", s->newest);
	put_u64(w, "live_bytes", s->bytes_live);
	put_u64(w, "disk_bytes", s->bytes_disk);
	put_u64(w, "ingested_bytes", s->bytes_ingested);
	put_u64(w, "spans", s->spans);
	put_u64(w, "span_bytes", s->bytes_spans);
	put_u64(w, "logs", s->logs);
	put_u64(w, "log_bytes", s->bytes_logs);
	put_u64(w, "metric_series", s->metric_series);
	put_u64(w, "metric_samples", s->metric_samples);
	put_u64(w, "metric_bytes", s->bytes_metrics);
	put_u64(w, "partitions", s->partitions);
	put_u64(w, "partitions_damaged", s->partitions_damaged);
}

/* Return whether the request is about all tenants together. */
static bool is_operator(const struct request *r)
{
	return r->api && r->api->options.tenants && !r->tenant.n;
}

/* Return whether the request is restricted to a tenant: it must not see others or the machine. */
static bool is_tenant(const struct request *r)
{
	return r->tenant.n;
}

int varve_stats(struct request *r, struct reply *out, struct err *e)
{
	struct store_stats stats;
	struct json_writer w;
	bool others = false;
	int rc = r->store->ops->stats(r->store, r->tenant, &stats, e);

	if (!rc && is_operator(r))
		others = stats.profiles || stats.spans;
	else if (!rc)
		rc = has_other_services(r, &others, e);
	if (rc)
		return rc;
	w = answer_open(out, r->limits.missing);
	put_store_stats(&w, &stats);
	put_flag(&w, "others", others);
	return view_close(&w);
}

static void put_use(struct json_writer *w, const char *key, uint64_t used, uint64_t limit)
{
	json_put_key(w, str_from(key));
	json_open_object(w);
	put_u64(w, "used", used);
	put_u64(w, "limit", limit);
	json_close_object(w);
}

static void put_store_memory(struct json_writer *w, const struct store_stats *s)
{
	json_put_key(w, STR("memory"));
	json_open_object(w);
	for (unsigned i = 0; i < STORE_MEMORIES; i++)
		put_use(w, store_memory_names[i], s->memory[i].used, s->memory[i].limit);
	json_close_object(w);
}

/* Append the status of the store. If the store fails, append the reason as store_error. */
static void put_store_status(struct json_writer *w, struct request *r)
{
	struct store_stats stats = {0};
	struct err e = {0};
	int rc = r->store->ops->stats(r->store, r->tenant, &stats, &e);

	if (!rc) {
		json_put_key(w, STR("store"));
		json_open_object(w);
		put_store_stats(w, &stats);
		put_u64(w, "retention_seconds", stats.retention_seconds);
		put_u64(w, "retention_bytes", stats.retention_bytes);
		if (!r->tenant.n)
			put_store_memory(w, &stats);
		json_close_object(w);
	}
	if (rc) {
		(void)api_code(rc, &e); /* sets the text if it is empty */
		put_text(w, "store_error", str_from(e.text));
	}
	json_put_key(w, STR("damaged"));
	json_open_array(w);
	for (uint32_t i = 0; i < stats.damaged.n; i++) {
		char day[CLOCK_TEXT_SIZE];

		json_put_string(w, str_head(str_from(clock_format(stats.damaged.days[i], day)),
					    strlen("YYYY-MM-DD")));
	}
	json_close_array(w);
}

static void put_budget(struct json_writer *w, const char *key, struct budget *b)
{
	put_use(w, key, atomic_load(&b->used), b->limit);
}

static void put_memory_status(struct json_writer *w, struct api *a)
{
	struct budget none = {0};
	struct host *host = a ? a->options.host : NULL;

	json_put_key(w, STR("memory"));
	json_open_object(w);
	put_u64(w, "limit", a ? a->options.memory_limit : 0);
	put_u64(w, "resident", process_resident_bytes());
	put_budget(w, "receiving", host ? &host->memory : &none);
	put_use(w, "asking", a ? query_memory_used(a) : 0, a ? a->options.max_memory : 0);
	json_close_object(w);
}

/* ---- the network ---- */

/* Append the addresses with their actual ports; none until all of them listen. */
static void put_listen(struct json_writer *w, const struct host *host,
		       const struct net_server *server)
{
	json_put_key(w, STR("listen"));
	json_open_array(w);
	for (uint32_t i = 0; host && server && i < listeners_count(&host->listeners); i++) {
		struct str address = listeners_address(&host->listeners, i);
		struct buf text = {0};

		buf_put_str(&text, str_head(address, str_find_last(address, ':')));
		buf_printf(&text, ":%u", net_server_port(server, i));
		json_put_string(w, buf_str(&text));
		buf_fini(&text);
	}
	json_close_array(w);
}

static void put_network_status(struct json_writer *w, const struct net_server *server)
{
	struct net_stats stats = {0};

	if (server)
		net_server_stats(server, &stats);
	json_put_key(w, STR("network"));
	json_open_object(w);
	put_u64(w, "connections", stats.connections_open);
	json_put_key(w, STR("refused"));
	json_open_object(w);
	for (unsigned i = 0; i < NET_REFUSED_COUNT; i++)
		put_u64(w, net_refused_names[i], stats.refused[i]);
	json_close_object(w);
	json_close_object(w);
}

/* ---- ingest ---- */

static void put_receive_sums(struct json_writer *w, const struct receive_sums *s)
{
	put_u64(w, "requests", s->requests);
	put_u64(w, "profiles", s->profiles);
	put_u64(w, "samples", s->samples);
	put_u64(w, "spans", s->spans);
	put_u64(w, "bytes", s->bytes);
}

static void put_receivers(struct json_writer *w, const struct receive_sums sums[RECEIVE_PROTOCOLS])
{
	json_put_key(w, STR("receivers"));
	json_open_array(w);
	for (unsigned i = 0; i < RECEIVE_PROTOCOLS; i++) {
		json_open_object(w);
		put_text(w, "protocol", str_from(receive_protocol_names[i]));
		put_receive_sums(w, &sums[i]);
		put_u64(w, "duplicates", sums[i].duplicates);
		json_put_key(w, STR("refused"));
		json_open_object(w);
		for (unsigned k = 0; k < REFUSED_REASONS; k++)
			put_u64(w, receive_refused_names[k], sums[i].refused[k]);
		json_close_object(w);
		json_close_object(w);
	}
	json_close_array(w);
}

static void put_sender(struct json_writer *w, const struct known_sender *s)
{
	uint64_t refused = 0;

	for (unsigned i = 0; i < REFUSED_REASONS; i++)
		refused += s->sums.refused[i];
	json_open_object(w);
	put_text(w, "peer", str_from(s->peer));
	put_text(w, "agent", str_from(s->agent));
	put_text(w, "protocol", str_from(receive_protocol_names[s->protocol]));
	json_put_key(w, STR("services"));
	json_open_array(w);
	for (unsigned i = 0; i < s->services.n; i++)
		json_put_string(w, str_from(s->services.at[i]));
	json_close_array(w);
	put_receive_sums(w, &s->sums);
	put_ms(w, "last", s->last);
	put_u64(w, "refused", refused);
	put_text(w, "refusal", str_from(s->refusal));
	put_ms(w, "refusal_time", s->refusal_time);
	if (s->profiler.reported) {
		json_put_key(w, STR("profiler"));
		json_open_object(w);
		put_u64(w, "samples", s->profiler.samples);
		put_u64(w, "lost", s->profiler.lost);
		put_u64(w, "cpu_ns", s->profiler.cpu_ns);
		json_close_object(w);
	}
	json_close_object(w);
}

static int put_ingest_status(struct json_writer *w, struct host *host, struct request *r)
{
	struct receive_sums sums[RECEIVE_PROTOCOLS] = {0};
	struct known_sender *at = arena_alloc(r->arena, SENDERS_MAX, sizeof(*at));
	unsigned n = 0;

	if (!at)
		return -ENOMEM;
	if (host)
		n = senders_copy(&host->senders, r->tenant, sums, at);
	put_receivers(w, sums);
	json_put_key(w, STR("senders"));
	json_open_array(w);
	for (unsigned i = 0; i < n; i++)
		put_sender(w, &at[i]);
	json_close_array(w);
	put_u64(w, "senders_forgotten",
		host && !r->tenant.n ? senders_forgotten(&host->senders) : 0);
	return 0;
}

/* The exporters that send, as a list. */
static void put_exporters(struct json_writer *w, struct host *host)
{
	static struct sender_list none = {.mu = PTHREAD_MUTEX_INITIALIZER};

	sender_report_json(host ? &host->exporters : &none, w);
}

int varve_status(struct request *r, struct reply *out, struct err *e)
{
	struct json_writer w = answer_open(out, r->limits.missing);
	struct api *a = r->api;
	struct host *host = a ? a->options.host : NULL;
	const struct net_server *server = a ? atomic_load(&a->server) : NULL;
	int rc;

	(void)e;
	put_text(&w, "name", STR("varve"));
	put_text(&w, "version", str_from(a ? a->options.version : ""));
	put_ms(&w, "now", r->now_ns);
	put_ms(&w, "started", a ? a->started_ns : r->now_ns);
	put_flag(&w, "tenants", a && a->options.tenants);
	if (!is_tenant(r)) {
		put_listen(&w, host, server);
		put_memory_status(&w, a);
	}
	put_store_status(&w, r);
	rc = put_ingest_status(&w, host, r);
	if (!is_tenant(r)) {
		put_network_status(&w, server);
		json_put_key(&w, STR("exporters"));
		put_exporters(&w, host);
		drift_put_status(a ? a->options.drift : NULL, &w);
	}
	return rc ? rc : view_close(&w);
}
