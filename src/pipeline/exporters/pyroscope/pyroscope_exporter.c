/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The exporter pyroscope: each payload is decoded, and sent as one call of push.v1 in the Connect
 * protocol.
 */
#include "pipeline/exporters/pyroscope/pyroscope_exporter.h"

#include <errno.h>
#include <stdlib.h>

#include "format/otlp/otlp.h"
#include "net/client/http_client.h"
#include "pipeline/exporters/otlphttp/otlp_http_target.h"
#include "pipeline/exporters/otlphttp/otlp_reply.h"
#include "pipeline/exporters/pyroscope/push_encode.h"

enum { DESTINATION_MAX = 256 };
#define MAX_RESPONSE (1 * MIB)
#define PUSH_PATH "push.v1.PusherService/Push"

struct pyroscope_settings {
	struct sender_settings sender;
	struct client_settings client;
	struct setting_map external_labels;
	struct str proxy_url;
};

struct pyroscope_target {
	const struct pyroscope_settings *settings;
	struct host *host;
	struct client_access access;
	const char *url;
	char destination[DESTINATION_MAX]; /* the URL without credentials */
	struct sender *sender;
};

struct pyroscope_worker {
	struct pyroscope_target *target;
	struct http_client *client;
	struct buf joined; /* the slices of a payload */
};

/* ---- workers ---- */

static void pyroscope_worker_free(void *worker)
{
	struct pyroscope_worker *w = worker;

	http_client_free(w->client);
	buf_fini(&w->joined);
	free(w);
}

static int pyroscope_worker_new(void *exporter, void **worker, struct err *e)
{
	struct pyroscope_worker *w = calloc(1, sizeof(*w));
	int rc;

	if (!w)
		return err_set(e, -ENOMEM, "out of memory");
	w->target = exporter;
	rc = http_client_new(&w->client, &w->target->access.options, e);
	if (rc) {
		pyroscope_worker_free(w);
		return rc;
	}
	*worker = w;
	return 0;
}

/* Decode the payload into `in` and write the request. */
static int make_push(struct pyroscope_worker *w, struct intake *in, const struct payload *p,
		     struct push_encoding *x, struct proto_writer *out, struct err *e)
{
	struct intake_work *work = in->work;
	struct str message;
	int rc;

	buf_clear(&w->joined);
	message = payload_str(p, &w->joined);
	if (message.n != p->bytes)
		return -ENOMEM;
	rc = otlp_decode(&work->batch, message, NULL, e);
	if (!rc)
		rc = series_map_init(&work->series, &work->batch, NULL, &work->arena);
	if (rc)
		return rc;
	*x = (struct push_encoding){.batch = &work->batch,
				    .series = &work->series,
				    .external = &w->target->settings->external_labels,
				    .gzip = client_compression(&w->target->settings->client) ==
					    COMPRESS_GZIP,
				    .arena = &work->arena};
	return push_encode(x, out, e);
}

static int post_push(struct pyroscope_worker *w, const struct send_request *r, struct str body,
		     struct http_client_answer *answer, struct err *e)
{
	struct http_client_request request = {.method = "POST",
					      .url = w->target->url,
					      .body = body,
					      .timeout_ms = r->timeout_ms,
					      .max_response = MAX_RESPONSE};
	struct client_headers h = {0};
	int rc = client_headers_make(&h, &w->target->access, e);

	if (!rc) {
		h.at[h.n++] = (struct http_header){STR("content-type"), STR("application/proto")};
		h.at[h.n++] = (struct http_header){STR("connect-protocol-version"), STR("1")};
		request.headers = h.at;
		request.header_count = h.n;
		rc = http_client_request(w->client, &request, answer, e);
	}
	client_headers_fini(&h);
	return rc;
}

static void set_push_result(struct send_result *result, const struct pyroscope_target *t,
			    const struct http_client_answer *a, const struct push_encoding *x)
{
	struct otlp_http_failure failure = {.status = a->status,
					    .retry_after_s = a->retry_after_s,
					    .any_server_error = true,
					    .url = t->destination,
					    .type = str_from(a->content_type),
					    .body = buf_str(&a->body)};

	if (x->files && a->status / 100 != 2) {
		otlp_http_failure_read(result, &failure);
	} else if (x->refused) {
		otlp_result_set(result, SEND_PARTIAL, "%.*s", STR_ARG(x->reason));
		result->rejected = x->refused;
	}
}

static void set_push_failure(struct send_result *result, const struct intake *in, int rc,
			     struct err *e)
{
	bool permanent;

	rc = in ? intake_explain(in, rc, e) : rc;
	permanent = rc == -EBADMSG || rc == -EFBIG || rc == -EOVERFLOW || rc == -EINVAL;
	otlp_result_set(result, permanent ? SEND_PERMANENT : SEND_RETRY, "%s",
			e->text[0] ? e->text : strerror(-rc));
	result->unreachable = !permanent && rc != -ENOMEM;
}

static void pyroscope_send(void *worker, const struct send_request *r, struct send_result *result)
{
	struct pyroscope_worker *w = worker;
	struct intake *in = intake_get(&w->target->host->intakes);
	struct http_client_answer answer = {0};
	struct push_encoding x = {0};
	struct proto_writer body;
	struct err e = {0};
	int rc = -ENOMEM;

	proto_writer_init(&body, &w->target->host->memory);
	if (in)
		rc = make_push(w, in, r->payload, &x, &body, &e);
	if (!rc && x.files)
		rc = post_push(w, r, proto_writer_str(&body), &answer, &e);
	if (rc)
		set_push_failure(result, in, rc, &e);
	else
		set_push_result(result, w->target, &answer, &x);
	proto_writer_fini(&body);
	http_client_answer_fini(&answer);
	intake_put(&w->target->host->intakes, in);
}

static const struct sender_ops pyroscope_ops = {pyroscope_worker_new, pyroscope_worker_free,
						pyroscope_send};

/* ---- the component ---- */

static void pyroscope_exporter_destroy(void *instance)
{
	struct pyroscope_target *t = instance;

	sender_free(t->sender);
	client_access_fini(&t->access);
	free(t);
}

static int set_push_url(struct pyroscope_target *t)
{
	const struct pyroscope_settings *s = t->settings;
	struct str base = s->client.endpoint, url, proxy;
	struct arena *a = &t->access.arena;

	if (arena_printf(a, &url, "%.*s%s" PUSH_PATH, STR_ARG(base),
			 str_ends(base, STR("/")) ? "" : "/"))
		return -ENOMEM;
	t->url = url.p;
	url_without_credentials(t->url, t->destination, sizeof(t->destination));
	if (!s->proxy_url.n)
		return 0;
	if (arena_copy_str(a, s->proxy_url, &proxy))
		return -ENOMEM;
	t->access.options.proxy = proxy.p;
	return 0;
}

static int pyroscope_exporter_create(void **instance, const struct component_env *env,
				     const void *settings, struct err *e)
{
	const struct pyroscope_settings *s = settings;
	struct pyroscope_target *t = calloc(1, sizeof(*t));
	int rc;

	if (!t)
		return err_set(e, -ENOMEM, "out of memory");
	t->settings = s;
	t->host = env->host;
	rc = client_access_init(&t->access, env, &s->client, e);
	if (!rc && set_push_url(t))
		rc = err_set(e, -ENOMEM, "out of memory");
	if (!rc)
		rc = sender_new(&t->sender,
				&(struct sender_options){env, &pyroscope_ops, t, &s->sender,
							 t->destination},
				e);
	if (rc) {
		pyroscope_exporter_destroy(t);
		return rc;
	}
	*instance = t;
	return 0;
}

static int pyroscope_exporter_start(void *instance, struct err *e)
{
	struct pyroscope_target *t = instance;

	return sender_start(t->sender, e);
}

static bool pyroscope_exporter_consume(void *instance, struct delivery *d)
{
	struct pyroscope_target *t = instance;

	return sender_consume(t->sender, d);
}

static void pyroscope_exporter_stop(void *instance)
{
	struct pyroscope_target *t = instance;

	sender_stop(t->sender);
}

static struct str pyroscope_exporter_storage(const void *settings)
{
	const struct pyroscope_settings *s = settings;

	return s->sender.queue.storage;
}

static int pyroscope_exporter_check(const void *settings, struct err *e)
{
	const struct pyroscope_settings *s = settings;
	enum compress_kind kind = client_compression(&s->client);
	int rc = sender_settings_check(&s->sender, e);

	if (!rc)
		rc = client_settings_check(&s->client, e);
	if (rc)
		return rc;
	if (!otlp_http_is_url(s->client.endpoint))
		return err_set(e, -EINVAL,
			       "\"endpoint\": expected a URL such as http://pyroscope:4040, found "
			       "\"%.*s\"",
			       STR_ARG(str_head(s->client.endpoint, 200)));
	if (kind != COMPRESS_GZIP && kind != COMPRESS_NONE)
		return err_set(e, -EINVAL, "\"compression\": expected gzip or none");
	return 0;
}

static const struct setting pyroscope_table[] = {
	CLIENT_SETTINGS(struct pyroscope_settings, client, "gzip"),
	SET_MAP(struct pyroscope_settings, external_labels, "external_labels",
		"Labels of all profiles; they replace those of the profiles."),
	SET_STRING(struct pyroscope_settings, proxy_url, "proxy_url", NULL,
		   "Send through this proxy; default: as http_proxy and https_proxy say."),
	SENDER_SETTINGS(struct pyroscope_settings, sender, "10s"),
	HTTP_CLIENT_KEYS_IGNORED,
	SET_END,
};

const struct component pyroscope_exporter = {
	.name = "pyroscope",
	.kind = COMPONENT_EXPORTER,
	.signals = SIGNAL_PROFILES,
	.form = FORM_PAYLOAD,
	.help = "Sends profiles to a server of Pyroscope.",
	.settings = pyroscope_table,
	.settings_size = sizeof(struct pyroscope_settings),
	.check = pyroscope_exporter_check,
	.create = pyroscope_exporter_create,
	.start = pyroscope_exporter_start,
	.storage = pyroscope_exporter_storage,
	.consume = pyroscope_exporter_consume,
	.stop = pyroscope_exporter_stop,
	.destroy = pyroscope_exporter_destroy,
};
