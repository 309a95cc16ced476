/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Each payload becomes one or more requests, which are sent one after the other by one thread: a
 * receiver of remote write refuses samples that are older than the last one of their series.
 */
#include "pipeline/exporters/prometheusremotewrite/remote_write_exporter.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#include "net/client/http_client.h"
#include "net/http/header.h"
#include "pipeline/exporters/otlphttp/otlp_http_target.h"
#include "pipeline/exporters/otlphttp/otlp_reply.h"
#include "pipeline/exporters/prometheusremotewrite/write_encode.h"
#include "wire/compress/compress.h"

enum { DESTINATION_MAX = 256, KEPT_MAX = 8 << 20, TEXT_MAX = 300 };
#define MAX_RESPONSE (1 * MIB)

static const struct str written_header = STR_INIT("x-prometheus-remote-write-samples-written");

struct write_queue_settings {
	bool enabled;
	int64_t queue_size, num_consumers;
	struct str storage;
};

struct write_flag {
	bool enabled;
};

struct write_resource_labels {
	bool enabled, exclude_service_attributes;
};

struct remote_write_settings {
	struct client_settings client;
	struct write_http {
		struct client_settings client;
		uint64_t timeout_ns;
		struct str proxy_url;
	} http; /* the same in a group of its own */
	bool has_http;
	uint64_t timeout_ns;
	struct sender_retry_settings retry;
	struct write_queue_settings queue;
	struct str prefix, strategy, message, proxy_url;
	struct setting_map external_labels;
	struct write_flag target_info;
	struct write_resource_labels resource_labels;
	bool disable_scope_info, suffixes, send_metadata;
	int64_t max_batch_bytes;
};

struct remote_write {
	const struct remote_write_settings *settings;
	const struct client_settings *client; /* of the settings */
	struct sender_settings sender_settings;
	struct host *host;
	struct client_access access;
	struct prom_options options; /* in the arena of `access` */
	struct write_encoding encoding;
	const char *url;
	char destination[DESTINATION_MAX]; /* the URL without credentials */
	struct sender *sender;
};

struct remote_write_worker {
	struct remote_write *exporter;
	struct http_client *client;
	struct proto_writer message;
	struct buf compressed;
};

/* ---- requests ---- */

static int post_write(struct remote_write_worker *w, uint64_t timeout_ms,
		      struct http_client_answer *answer, struct err *e)
{
	const struct remote_write *x = w->exporter;
	struct http_client_request request = {.method = "POST",
					      .url = x->url,
					      .body = buf_str(&w->compressed),
					      .timeout_ms = timeout_ms,
					      .max_response = MAX_RESPONSE,
					      .want = written_header};
	struct client_headers h = {0};
	int rc = client_headers_make(&h, &x->access, e);

	if (!rc) {
		h.at[h.n++] = (struct http_header){
			STR("content-type"),
			x->encoding.version2
				? STR("application/x-protobuf;proto=io.prometheus.write.v2.Request")
				: STR("application/x-protobuf")};
		h.at[h.n++] = (struct http_header){STR("content-encoding"), STR("snappy")};
		h.at[h.n++] =
			(struct http_header){STR("x-prometheus-remote-write-version"),
					     x->encoding.version2 ? STR("2.0.0") : STR("0.1.0")};
		request.headers = h.at;
		request.header_count = h.n;
		rc = http_client_request(w->client, &request, answer, e);
	}
	client_headers_fini(&h);
	return rc;
}

/* What became of the requests of one payload. */
struct write_progress {
	uint32_t sent, refused; /* samples */
	bool stopped;		/* the result is set: to be sent again, or out of memory */
	char reason[ERR_TEXT_MAX];
};

static void note_refusal(struct write_progress *p, uint32_t items, const char *why)
{
	if (!p->refused)
		snprintf(p->reason, sizeof(p->reason), "%s", why);
	p->refused += items;
}

static void read_write_answer(struct remote_write_worker *w, const struct http_client_answer *a,
			      uint32_t items, struct write_progress *p, struct send_result *result)
{
	struct str body = str_head(str_trim(buf_str(&a->body)), TEXT_MAX);
	bool retry = a->status == 429 || a->status / 100 == 5;
	char text[ERR_TEXT_MAX];

	if (a->status / 100 == 2 && w->exporter->encoding.version2 && !a->wanted.n) {
		note_refusal(p, items,
			     "the server does not support remote write 2.0: use "
			     "protobuf_message prometheus.WriteRequest");
		return;
	}
	if (a->status / 100 == 2) {
		p->sent += items;
		return;
	}
	snprintf(text, sizeof(text), "remote write returned HTTP status %u %s%s%.*s", a->status,
		 http_status_text(a->status), body.n ? ": " : "", STR_ARG(body));
	if (!retry) {
		note_refusal(p, items, text);
		return;
	}
	otlp_result_set(result, SEND_RETRY, "%s", text);
	result->retry_after_ms =
		(uint32_t)(min_size((size_t)a->retry_after_s, UINT32_MAX / 1000) * 1000);
	p->stopped = true;
}

static void set_write_failure(struct send_result *result, int rc, const struct err *e)
{
	bool permanent = rc == -EBADMSG || rc == -EFBIG || rc == -EINVAL;

	otlp_result_set(result, permanent ? SEND_PERMANENT : SEND_RETRY, "%s",
			e->text[0] ? e->text : strerror(-rc));
	result->unreachable = !permanent && rc != -ENOMEM;
}

/* Send the request that was written. */
static int send_write(struct remote_write_worker *w, const struct send_request *r, uint32_t items,
		      struct write_progress *p, struct send_result *result, struct err *e)
{
	struct http_client_answer answer = {0};
	int rc = proto_writer_error(&w->message);

	buf_clear(&w->compressed);
	if (!rc)
		rc = compress_bytes(&w->compressed, COMPRESS_SNAPPY, 0,
				    proto_writer_str(&w->message), e);
	if (!rc)
		rc = post_write(w, r->timeout_ms, &answer, e);
	if (!rc)
		read_write_answer(w, &answer, items, p, result);
	http_client_answer_fini(&answer);
	return rc;
}

/* Send all series. Return 0, or an error of the last request. */
static int send_table(struct remote_write_worker *w, const struct write_table *t,
		      const struct send_request *r, struct write_progress *p,
		      struct send_result *result, struct err *e)
{
	uint32_t from = 0, items;
	int rc = 0;

	while (from < t->series.n && !rc && !p->stopped) {
		proto_writer_clear(&w->message);
		from = write_encode(&w->message, t, from, &w->exporter->encoding, &items);
		rc = send_write(w, r, items, p, result, e);
	}
	return rc;
}

/* Samples and data points that were refused, when all requests got a response. */
static void set_write_result(struct send_result *result, const struct write_table *t,
			     const struct write_progress *p, uint32_t points)
{
	uint64_t rejected = (uint64_t)t->refused + p->refused;

	if (!rejected)
		return;
	otlp_result_set(result, p->sent ? SEND_PARTIAL : SEND_PERMANENT, "%s",
			p->refused ? p->reason : t->reason);
	result->rejected = rejected < points ? rejected : points;
}

static void drop_large_buffers(struct remote_write_worker *w)
{
	if (w->message.cap > KEPT_MAX) {
		proto_writer_fini(&w->message);
		proto_writer_init(&w->message, &w->exporter->host->memory);
	}
	if (w->compressed.cap > KEPT_MAX) {
		buf_fini(&w->compressed);
		buf_init(&w->compressed, &w->exporter->host->memory);
	}
}

static void remote_write_send(void *worker, const struct send_request *r,
			      struct send_result *result)
{
	struct remote_write_worker *w = worker;
	struct write_progress progress = {0};
	struct write_table table;
	struct arena arena;
	struct err e = {0};
	int rc;

	arena_init(&arena, &w->exporter->host->memory);
	rc = write_table_read(&table, r->payload, &w->exporter->options, &arena, &e);
	if (!rc)
		rc = send_table(w, &table, r, &progress, result, &e);
	if (rc)
		set_write_failure(result, rc, &e);
	else if (!progress.stopped)
		set_write_result(result, &table, &progress, r->payload->items);
	arena_fini(&arena);
	drop_large_buffers(w);
}

/* ---- workers ---- */

static void remote_write_worker_free(void *worker)
{
	struct remote_write_worker *w = worker;

	http_client_free(w->client);
	proto_writer_fini(&w->message);
	buf_fini(&w->compressed);
	free(w);
}

static int remote_write_worker_new(void *exporter, void **worker, struct err *e)
{
	struct remote_write_worker *w = calloc(1, sizeof(*w));
	int rc;

	if (!w)
		return err_set(e, -ENOMEM, "out of memory");
	w->exporter = exporter;
	proto_writer_init(&w->message, &w->exporter->host->memory);
	buf_init(&w->compressed, &w->exporter->host->memory);
	rc = http_client_new(&w->client, &w->exporter->access.options, e);
	if (rc) {
		remote_write_worker_free(w);
		return rc;
	}
	*worker = w;
	return 0;
}

static const struct sender_ops remote_write_ops = {remote_write_worker_new,
						   remote_write_worker_free, remote_write_send};

/* ---- the component ---- */

static const struct client_settings *client_of(const struct remote_write_settings *s)
{
	return s->has_http ? &s->http.client : &s->client;
}

static bool is_version2(struct str message)
{
	return str_eq(message, STR("io.prometheus.write.v2.Request"));
}

static void remote_write_destroy(void *instance)
{
	struct remote_write *x = instance;

	sender_free(x->sender);
	client_access_fini(&x->access);
	free(x);
}

/* One consumer: requests of a series stay in order. */
static void set_sender_settings(struct remote_write *x)
{
	const struct remote_write_settings *s = x->settings;

	x->sender_settings = (struct sender_settings){.queue = {.enabled = s->queue.enabled,
								.num_consumers = 1,
								.queue_size = s->queue.queue_size,
								.sizer = STR("requests"),
								.storage = s->queue.storage},
						      .retry = s->retry,
						      .timeout_ns = s->has_http ? s->http.timeout_ns
										: s->timeout_ns};
}

static int set_external_labels(struct remote_write *x)
{
	const struct setting_map *m = &x->settings->external_labels;
	struct arena *a = &x->access.arena;
	int rc = 0;

	for (uint32_t i = 0; i < m->n && !rc; i++) {
		struct str name;

		rc = prom_label_name(&name, x->options.strategy, m->at[i].name, a);
		if (!rc)
			rc = prom_labels_set(&x->options.labels, a, name, m->at[i].value);
	}
	return rc;
}

static int set_write_options(struct remote_write *x)
{
	const struct remote_write_settings *s = x->settings;
	struct str url, proxy;

	x->options = (struct prom_options){.prefix = s->prefix,
					   .resource_labels = s->resource_labels.enabled,
					   .exclude_service_attributes =
						   s->resource_labels.exclude_service_attributes,
					   .scope_labels = !s->disable_scope_info,
					   .target_info = s->target_info.enabled};
	(void)prom_strategy_find(s->strategy, s->suffixes, &x->options.strategy);
	x->encoding = (struct write_encoding){.version2 = is_version2(s->message),
					      .metadata = s->send_metadata,
					      .max_bytes = (size_t)s->max_batch_bytes};
	if (arena_copy_str(&x->access.arena, x->client->endpoint, &url) || set_external_labels(x))
		return -ENOMEM;
	x->url = url.p;
	url_without_credentials(x->url, x->destination, sizeof(x->destination));
	proxy = s->has_http ? s->http.proxy_url : s->proxy_url;
	if (!proxy.n)
		return 0;
	if (arena_copy_str(&x->access.arena, proxy, &proxy))
		return -ENOMEM;
	x->access.options.proxy = proxy.p;
	return 0;
}

static int remote_write_create(void **instance, const struct component_env *env,
			       const void *settings, struct err *e)
{
	struct remote_write *x = calloc(1, sizeof(*x));
	int rc;

	if (!x)
		return err_set(e, -ENOMEM, "out of memory");
	x->settings = settings;
	x->client = client_of(x->settings);
	x->host = env->host;
	set_sender_settings(x);
	rc = client_access_init(&x->access, env, x->client, e);
	if (!rc && set_write_options(x))
		rc = err_set(e, -ENOMEM, "out of memory");
	if (!rc)
		rc = sender_new(&x->sender,
				&(struct sender_options){env, &remote_write_ops, x,
							 &x->sender_settings, x->destination},
				e);
	if (rc) {
		remote_write_destroy(x);
		return rc;
	}
	*instance = x;
	return 0;
}

static int remote_write_start(void *instance, struct err *e)
{
	struct remote_write *x = instance;

	return sender_start(x->sender, e);
}

static bool remote_write_consume(void *instance, struct delivery *d)
{
	struct remote_write *x = instance;

	return sender_consume(x->sender, d);
}

static void remote_write_stop(void *instance)
{
	struct remote_write *x = instance;

	sender_stop(x->sender);
}

static struct str remote_write_storage(const void *settings)
{
	const struct remote_write_settings *s = settings;

	return s->queue.storage;
}

/* Check what all clients have; the compression is always snappy. */
static int check_write_client(const struct client_settings *client, struct err *e)
{
	struct client_settings others = *client;

	if (client->compression.n && !str_eq(client->compression, STR("snappy")))
		return err_set(e, -EINVAL, "\"compression\": compression type must be snappy");
	if (!otlp_http_is_url(client->endpoint))
		return err_set(e, -EINVAL,
			       "\"endpoint\": expected a URL such as "
			       "http://prometheus:9090/api/v1/write, found \"%.*s\"",
			       STR_ARG(str_head(client->endpoint, 200)));
	others.compression = (struct str){0};
	return client_settings_check(&others, e);
}

static int remote_write_check(const void *settings, struct err *e)
{
	const struct remote_write_settings *s = settings;
	enum prom_strategy strategy;
	int rc = check_write_client(client_of(s), e);

	if (rc)
		return rc;
	if (!prom_strategy_find(s->strategy, s->suffixes, &strategy))
		return err_set(e, -EINVAL,
			       "\"translation_strategy\": expected UnderscoreEscapingWithSuffixes, "
			       "UnderscoreEscapingWithoutSuffixes, NoUTF8EscapingWithSuffixes or "
			       "NoTranslation, found \"%.*s\"",
			       STR_ARG(str_head(s->strategy, 60)));
	if (!is_version2(s->message) && !str_eq(s->message, STR("prometheus.WriteRequest")))
		return err_set(e, -EINVAL,
			       "\"protobuf_message\": expected prometheus.WriteRequest or "
			       "io.prometheus.write.v2.Request, found \"%.*s\"",
			       STR_ARG(str_head(s->message, 60)));
	return 0;
}

static const struct setting write_queue_table[] = {
	SET_BOOL(struct write_queue_settings, enabled, "enabled", "true",
		 "Queue data before it is sent."),
	SET_INT(struct write_queue_settings, queue_size, "queue_size", "10000", 1, INT64_MAX,
		"requests", "Refuse data when this much is queued."),
	SET_INT(struct write_queue_settings, num_consumers, "num_consumers", "5", 1, 1024, NULL,
		"Has no effect: one request at a time keeps the samples in order."),
	SET_STRING(struct write_queue_settings, storage, "storage", NULL,
		   "The file_storage extension that holds the queue; default: memory."),
	SET_END,
};

static const struct setting write_retry_table[] = {
	SET_BOOL(struct sender_retry_settings, enabled, "enabled", "true",
		 "Repeat requests that failed and may be repeated."),
	SET_DURATION(struct sender_retry_settings, initial_interval_ns, "initial_interval", "50ms",
		     "Time before the first repetition."),
	SET_CUSTOM(struct sender_retry_settings, randomization_factor, "randomization_factor",
		   sender_number_read, "number", "Share of the interval that is random (0.5)."),
	SET_CUSTOM(struct sender_retry_settings, multiplier, "multiplier", sender_number_read,
		   "number", "Factor of each interval to the one before (1.5)."),
	SET_DURATION(struct sender_retry_settings, max_interval_ns, "max_interval", "30s",
		     "Upper limit of the interval."),
	SET_DURATION(struct sender_retry_settings, max_elapsed_time_ns, "max_elapsed_time", "300s",
		     "Give a request up after this time; 0: never."),
	SET_END,
};

static const struct setting write_flag_table[] = {
	SET_BOOL(struct write_flag, enabled, "enabled", "true", "Send target_info."),
	SET_END,
};

static const struct setting write_resource_table[] = {
	SET_BOOL(struct write_resource_labels, enabled, "enabled", "false",
		 "Make labels of the attributes of resources."),
	SET_BOOL(struct write_resource_labels, exclude_service_attributes,
		 "exclude_service_attributes", "false",
		 "But not of service.name, service.namespace and service.instance.id."),
	SET_END,
};

static const struct setting write_http_table[] = {
	CLIENT_SETTINGS(struct write_http, client, NULL),
	SET_DURATION(struct write_http, timeout_ns, "timeout", "5s", "Time limit of each attempt."),
	SET_STRING(struct write_http, proxy_url, "proxy_url", NULL,
		   "Send through this proxy; default: as http_proxy and https_proxy say."),
	SET_IGNORED("compression_params", "snappy has no levels"),
	HTTP_CLIENT_KEYS_IGNORED,
	SET_END,
};

static const struct setting remote_write_table[] = {
	CLIENT_SETTINGS(struct remote_write_settings, client, NULL),
	SET_GROUP(struct remote_write_settings, http, "http", write_http_table, has_http,
		  "The keys above and timeout, in a group."),
	SET_DURATION(struct remote_write_settings, timeout_ns, "timeout", "5s",
		     "Time limit of each attempt."),
	SET_GROUP_ALWAYS(struct remote_write_settings, retry, "retry_on_failure", write_retry_table,
			 "How failed requests are repeated."),
	SET_GROUP_ALWAYS(struct remote_write_settings, queue, "remote_write_queue",
			 write_queue_table, "The queue of data that waits to be sent."),
	SET_STRING(struct remote_write_settings, prefix, "namespace", NULL,
		   "What names of metrics begin with."),
	SET_MAP(struct remote_write_settings, external_labels, "external_labels",
		"Labels of all series, unless they have them."),
	SET_GROUP_ALWAYS(struct remote_write_settings, target_info, "target_info", write_flag_table,
			 "The metric with the attributes of resources."),
	SET_GROUP_ALWAYS(struct remote_write_settings, resource_labels,
			 "resource_to_telemetry_conversion", write_resource_table,
			 "Attributes of resources."),
	SET_BOOL(struct remote_write_settings, disable_scope_info, "disable_scope_info", "false",
		 "Leave out the labels otel_scope_*."),
	SET_BOOL(struct remote_write_settings, suffixes, "add_metric_suffixes", "true",
		 "Add unit and type to names."),
	SET_STRING(struct remote_write_settings, strategy, "translation_strategy", NULL,
		   "How names are translated; default: by add_metric_suffixes."),
	SET_BOOL(struct remote_write_settings, send_metadata, "send_metadata", "false",
		 "Send types, help and units (version 2 always does)."),
	SET_STRING(struct remote_write_settings, message, "protobuf_message",
		   "prometheus.WriteRequest",
		   "Version 1; io.prometheus.write.v2.Request: version 2."),
	SET_INT(struct remote_write_settings, max_batch_bytes, "max_batch_size_bytes", "3000000", 1,
		1 << 30, "bytes", "Size of a request before compression."),
	SET_STRING(struct remote_write_settings, proxy_url, "proxy_url", NULL,
		   "Send through this proxy; default: as http_proxy and https_proxy say."),
	SET_IGNORED("compression_params", "snappy has no levels"),
	HTTP_CLIENT_KEYS_IGNORED,
	SET_IGNORED("max_batch_request_parallelism",
		    "one request at a time keeps samples in order"),
	SET_IGNORED("wal", "use remote_write_queue.storage"),
	SET_IGNORED("include_metadata_keys", "metadata of requests is not sent"),
	SET_IGNORED("convert_explicit_histograms_to_nhcb", "histograms keep their buckets"),
	SET_IGNORED("keep_classic_histograms", "histograms keep their buckets"),
	SET_IGNORED("export_created_metric", "version 2 has start times"),
	SET_END,
};

static const char *const remote_write_aliases[] = {"prometheus_remote_write", NULL};

const struct component prometheusremotewrite_exporter = {
	.name = "prometheusremotewrite",
	.aliases = remote_write_aliases,
	.kind = COMPONENT_EXPORTER,
	.signals = SIGNAL_METRICS,
	.form = FORM_PAYLOAD,
	.help = "Sends metrics by Prometheus remote write.",
	.settings = remote_write_table,
	.settings_size = sizeof(struct remote_write_settings),
	.check = remote_write_check,
	.create = remote_write_create,
	.start = remote_write_start,
	.storage = remote_write_storage,
	.consume = remote_write_consume,
	.stop = remote_write_stop,
	.destroy = remote_write_destroy,
};
