/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Sends payloads as OTLP/HTTP. The slices of a payload in protobuf are sent without joining them;
 * they are joined to be compressed, because not every server accepts several gzip members.
 */
#include "pipeline/exporters/otlphttp/otlp_http_target.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#include "format/otlp/schema.h"
#include "net/client/http_client.h"
#include "pipeline/exporters/otlphttp/otlp_reply.h"

enum { FAST_LEVEL = 1, URL_TEXT_MAX = 256 };
#define MAX_RESPONSE (4 * MIB)
#define KEPT_MAX (4 * MIB)

static const char *const signal_paths[SIGNALS] = {"v1development/profiles", "v1/traces",
						  "v1/metrics", "v1/logs"};
static const char *const signal_keys[SIGNALS] = {"profiles_endpoint", "traces_endpoint",
						 "metrics_endpoint", "logs_endpoint"};

struct otlp_http_target {
	struct client_access access;
	struct {
		const char *url; /* NULL: neither endpoint nor that of the signal is set */
		char text[URL_TEXT_MAX];
	} signals[SIGNALS];
	char text[URL_TEXT_MAX];
	struct str coding; /* Content-Encoding; empty: none */
	enum compress_kind compression;
	int level;
	bool json;
};

struct otlp_http_worker {
	const struct otlp_http_target *target;
	struct http_client *client;
	struct buf joined, text, compressed; /* kept between requests up to KEPT_MAX */
	struct arena arena;
};

bool otlp_http_is_url(struct str url)
{
	struct str rest;

	if (!str_starts(url, STR("http://")) && !str_starts(url, STR("https://")))
		return false;
	rest = str_from_at(url, str_find(url, ':') + 3);
	return rest.n && !memchr("/?#:", rest.p[0], 4) && str_find(url, ' ') == url.n;
}

/* ---- the target ---- */

static int set_signal_url(struct otlp_http_target *t, unsigned signal,
			  const struct otlp_http_options *o)
{
	struct arena *a = &t->access.arena;
	struct str url, base = o->client->endpoint;
	int rc = 0;

	if (o->urls[signal].n)
		rc = arena_copy_str(a, o->urls[signal], &url);
	else if (base.n)
		rc = arena_printf(a, &url, "%.*s%s%s", STR_ARG(base),
				  str_ends(base, STR("/")) ? "" : "/", signal_paths[signal]);
	else
		return 0;
	if (rc)
		return rc;
	t->signals[signal].url = url.p;
	url_without_credentials(url.p, t->signals[signal].text, URL_TEXT_MAX);
	return 0;
}

/* Set the text of the endpoint; without one, that of the first signal. */
static int set_target_text(struct otlp_http_target *t, struct str endpoint)
{
	struct str copy;

	for (unsigned i = 0; i < SIGNALS && !t->text[0]; i++)
		memcpy(t->text, t->signals[i].text, sizeof(t->text));
	if (!endpoint.n)
		return 0;
	if (arena_copy_str(&t->access.arena, endpoint, &copy))
		return -ENOMEM;
	url_without_credentials(copy.p, t->text, sizeof(t->text));
	return 0;
}

static int set_target(struct otlp_http_target *t, const struct otlp_http_options *o)
{
	struct str proxy;
	int rc = 0;

	t->compression = client_compression(o->client);
	if (t->compression != COMPRESS_NONE)
		t->coding = o->client->compression;
	t->json = o->json;
	t->level = o->level ? (int)o->level : FAST_LEVEL;
	for (unsigned i = 0; i < SIGNALS && !rc; i++)
		rc = set_signal_url(t, i, o);
	if (!rc)
		rc = set_target_text(t, o->client->endpoint);
	if (!rc && o->proxy.n) {
		rc = arena_copy_str(&t->access.arena, o->proxy, &proxy);
		t->access.options.proxy = rc ? NULL : proxy.p;
	}
	return rc;
}

int otlp_http_target_new(struct otlp_http_target **out, const struct component_env *env,
			 const struct otlp_http_options *o, struct err *e)
{
	struct otlp_http_target *t = calloc(1, sizeof(*t));
	int rc;

	if (!t)
		return err_set(e, -ENOMEM, "out of memory");
	rc = client_access_init(&t->access, env, o->client, e);
	if (!rc && set_target(t, o))
		rc = err_set(e, -ENOMEM, "out of memory");
	if (rc) {
		otlp_http_target_free(t);
		return rc;
	}
	*out = t;
	return 0;
}

void otlp_http_target_free(struct otlp_http_target *t)
{
	if (!t)
		return;
	client_access_fini(&t->access);
	free(t);
}

const char *otlp_http_target_text(const struct otlp_http_target *t)
{
	return t->text;
}

/* ---- workers ---- */

static void otlp_http_worker_free(void *worker)
{
	struct otlp_http_worker *w = worker;

	http_client_free(w->client);
	buf_fini(&w->joined);
	buf_fini(&w->text);
	buf_fini(&w->compressed);
	arena_fini(&w->arena);
	free(w);
}

static int otlp_http_worker_new(void *exporter, void **worker, struct err *e)
{
	struct otlp_http_worker *w = calloc(1, sizeof(*w));
	int rc;

	if (!w)
		return err_set(e, -ENOMEM, "out of memory");
	w->target = exporter;
	arena_init(&w->arena, NULL);
	rc = http_client_new(&w->client, &w->target->access.options, e);
	if (rc) {
		otlp_http_worker_free(w);
		return rc;
	}
	*worker = w;
	return 0;
}

/* Set the body to the slices of the payload. Return 0 or -ENOMEM. */
static int set_otlp_slices(struct otlp_http_worker *w, const struct payload *p,
			   struct http_client_request *request)
{
	struct str *parts = arena_alloc(&w->arena, p->slice_count + 1, sizeof(*parts));

	if (!parts)
		return -ENOMEM;
	for (uint32_t i = 0; i < p->slice_count; i++)
		parts[i] = p->slices[i].bytes;
	request->parts = parts;
	request->part_count = p->slice_count;
	return 0;
}

static int set_otlp_body(struct otlp_http_worker *w, const struct payload *p,
			 struct http_client_request *request, struct err *e)
{
	const struct otlp_http_target *t = w->target;
	struct str message;
	int rc = 0;

	if (t->compression == COMPRESS_NONE && !t->json)
		return set_otlp_slices(w, p, request);
	buf_clear(&w->joined);
	buf_clear(&w->text);
	buf_clear(&w->compressed);
	message = payload_str(p, &w->joined);
	if (message.n != p->bytes)
		return -ENOMEM;
	if (t->json) {
		rc = schema_to_json(&w->text, otlp_request_schema(p->signal), message, e);
		message = buf_str(&w->text);
	}
	if (!rc && t->compression != COMPRESS_NONE) {
		rc = compress_bytes(&w->compressed, t->compression, t->level, message, e);
		message = buf_str(&w->compressed);
	}
	request->body = message;
	return rc;
}

static void drop_large_bodies(struct otlp_http_worker *w)
{
	if (w->joined.cap > KEPT_MAX)
		buf_fini(&w->joined);
	if (w->text.cap > KEPT_MAX)
		buf_fini(&w->text);
	if (w->compressed.cap > KEPT_MAX)
		buf_fini(&w->compressed);
	arena_reset(&w->arena);
}

static int set_otlp_headers(struct client_headers *h, const struct otlp_http_target *t,
			    struct err *e)
{
	int rc = client_headers_make(h, &t->access, e);

	if (rc)
		return rc;
	h->at[h->n++] =
		(struct http_header){STR("content-type"), t->json ? STR("application/json")
								  : STR("application/x-protobuf")};
	if (t->coding.n)
		h->at[h->n++] = (struct http_header){STR("content-encoding"), t->coding};
	return 0;
}

static void read_http_answer(struct send_result *result, const char *url,
			     const struct http_client_answer *a)
{
	struct str type = str_from(a->content_type), body = buf_str(&a->body);

	if (a->status / 100 != 2)
		otlp_http_failure_read(
			result, &(struct otlp_http_failure){.status = a->status,
							    .retry_after_s = a->retry_after_s,
							    .url = url,
							    .type = type,
							    .body = body});
	else if (str_starts(type, STR("application/x-protobuf")))
		otlp_reply_read(result, body);
	else if (str_starts(type, STR("application/json")))
		otlp_reply_read_json(result, body);
}

/* There was no response, or the request could not be made. */
static void set_no_answer(struct send_result *result, int rc, const struct err *e)
{
	const char *why = e->text[0] ? e->text : strerror(-rc);
	bool permanent = rc == -EFBIG || rc == -EINVAL || rc == -EBADMSG;

	otlp_result_set(result, permanent ? SEND_PERMANENT : SEND_RETRY, "%s", why);
	result->unreachable = !permanent && rc != -ENOMEM;
}

static void otlp_http_send(void *worker, const struct send_request *r, struct send_result *result)
{
	struct otlp_http_worker *w = worker;
	const struct otlp_http_target *t = w->target;
	unsigned signal = signal_index(r->payload->signal);
	struct http_client_request request = {.method = "POST",
					      .url = t->signals[signal].url,
					      .timeout_ms = r->timeout_ms,
					      .max_response = MAX_RESPONSE};
	struct http_client_answer answer = {0};
	struct client_headers headers = {0};
	struct err e = {0};
	int rc;

	if (!request.url) {
		otlp_result_set(result, SEND_PERMANENT, "either endpoint or %s must be specified",
				signal_keys[signal]);
		return;
	}
	rc = set_otlp_headers(&headers, t, &e);
	if (!rc)
		rc = set_otlp_body(w, r->payload, &request, &e);
	request.headers = headers.at;
	request.header_count = headers.n;
	if (!rc)
		rc = http_client_request(w->client, &request, &answer, &e);
	if (rc)
		set_no_answer(result, rc, &e);
	else
		read_http_answer(result, t->signals[signal].text, &answer);
	http_client_answer_fini(&answer);
	client_headers_fini(&headers);
	drop_large_bodies(w);
}

const struct sender_ops otlp_http_ops = {otlp_http_worker_new, otlp_http_worker_free,
					 otlp_http_send};
