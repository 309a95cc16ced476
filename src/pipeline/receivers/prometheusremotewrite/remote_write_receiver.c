/* SPDX-License-Identifier: Apache-2.0 */
/* Requests of remote write: their version, decoding, and the answer. */
#include "pipeline/receivers/prometheusremotewrite/remote_write_receiver.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#include "format/prometheus/remote_write.h"
#include "net/http/admission.h"
#include "net/http/header.h"
#include "net/http/respond.h"
#include "net/http/uri.h"
#include "pipeline/receivers/receive.h"

/* The second one is that of Prometheus' whole API in `varve up` (docs/promql.md). */
static const struct str paths[] = {STR_INIT("/api/v1/write"), STR_INIT("/prometheus/api/v1/write")};

struct write_settings {
	struct str endpoint;
	uint64_t max_bytes;
	struct receive_tls tls;
};

struct write_receiver {
	struct host *host;
	struct consumer *next;
	struct receive_tls tls;
	struct http_route routes[2];
};

/* What a request has; its memory is the exchange's. */
struct write_request {
	struct write_receiver *receiver;
	struct http_exchange *x;
	enum remote_write_version version;
	uint32_t samples, histograms, exemplars;
};

/* ---- answers ---- */

static unsigned status_of(int rc)
{
	switch (rc) {
	case -EBADMSG:
	case -EINVAL:
	case -EOVERFLOW:
		return 400;
	case -EPERM:
		return 403;
	case -EFBIG:
		return 413;
	case -ENOTSUP:
		return 415;
	case -EDQUOT:
		return 429;
	default:
		return delivery_may_retry(rc) ? 503 : 500;
	}
}

/* Answer with the numbers of what was stored. `text` is the reason of an error, or empty. */
static void answer(const struct write_request *w, unsigned status, uint32_t retry_ms,
		   const char *text)
{
	static const struct str names[] = {STR_INIT("X-Prometheus-Remote-Write-Samples-Written"),
					   STR_INIT("X-Prometheus-Remote-Write-Histograms-Written"),
					   STR_INIT("X-Prometheus-Remote-Write-Exemplars-Written")};
	const uint32_t counts[] = {w->samples, w->histograms, w->exemplars};
	struct http_header headers[countof(names)];
	char digits[countof(names)][16];
	struct http_response r = {.status = status,
				  .retry_after_s = receive_seconds(retry_ms),
				  .headers = headers,
				  .header_count =
					  w->version == REMOTE_WRITE_2 ? countof(names) : 0};

	for (size_t i = 0; i < countof(names); i++) {
		int n = snprintf(digits[i], sizeof(digits[i]), "%u", counts[i]);

		headers[i] = (struct http_header){names[i], str_of(digits[i], (size_t)n)};
	}
	if (text[0]) {
		r.content_type = STR("text/plain; charset=utf-8");
		buf_printf(&r.body, "%s\n", text);
	}
	http_respond(w->x, &r);
}

static void refuse_request(struct write_request *w, struct intake *in, int rc, struct err *e)
{
	struct host *host = w->receiver->host;
	struct receipt receipt = {0};

	rc = intake_explain(in, rc, e);
	intake_put(&host->intakes, in);
	receive_count(host, rc);
	receipt_refuse(&receipt, rc, e->text);
	receive_note(host, w->x, &receipt);
	answer(w, status_of(rc), delivery_may_retry(rc) ? 1000 : 0, e->text);
}

static void write_delivered(struct intake *in, const struct delivery_result *result)
{
	struct write_request *w = in->owner;
	struct host *host = w->receiver->host;
	uint32_t refused =
		result->rejected - (uint32_t)min_size(in->refused.rejected, result->rejected);
	struct receipt receipt = {0};

	receipt_add(&receipt, in, result);
	receive_note(host, w->x, &receipt);
	intake_put(&host->intakes, in);
	if (result->rc) {
		w->samples = w->histograms = w->exemplars = 0;
		answer(w, status_of(result->rc), result->retry_after_ms,
		       result->reason[0] ? result->reason : "the samples could not be stored");
		return;
	}
	/* what the store has refused: floats first */
	if (refused > w->samples) {
		w->histograms -= (uint32_t)min_size(refused - w->samples, w->histograms);
		w->samples = 0;
	} else {
		w->samples -= refused;
	}
	if (result->rejected)
		answer(w, 400, 0, result->reason);
	else
		answer(w, 204, 0, "");
}

/* ---- requests ---- */

/* Set the version by the content type. Return false for another type. */
static bool find_version(struct http_exchange *x, enum remote_write_version *version)
{
	struct str type = http_header(x, STR("content-type")), name = str_cut(&type, ';');
	struct str parameter;

	*version = REMOTE_WRITE_1;
	if (!str_eq_ignoring_case(str_trim(name), STR("application/x-protobuf")))
		return false;
	while (type.n) {
		parameter = str_trim(str_cut(&type, ';'));
		if (str_eq(parameter, STR("proto=io.prometheus.write.v2.Request")))
			*version = REMOTE_WRITE_2;
		else if (str_starts(parameter, STR("proto=")) &&
			 !str_eq(parameter, STR("proto=prometheus.WriteRequest")))
			return false;
	}
	return true;
}

static void handle_write(struct receive_job *job)
{
	struct write_receiver *p = job->receiver;
	struct http_exchange *x = job->x;
	struct write_request *w = arena_zalloc(x->arena, 1, sizeof(*w));
	struct intake *in = NULL;
	struct err e = {0};
	int rc = 0;

	if (!w) {
		http_respond_text(x, 503, "out of memory");
		return;
	}
	*w = (struct write_request){.receiver = p, .x = x};
	if (!find_version(x, &w->version))
		rc = err_set(&e, -ENOTSUP,
			     "expected the content type application/x-protobuf, with proto="
			     "prometheus.WriteRequest or io.prometheus.write.v2.Request");
	if (!rc)
		rc = http_decode_body(x, &e);
	if (!rc) {
		in = intake_get(&p->host->intakes);
		rc = in ? remote_write_decode(&in->work->metrics, w->version, x->body, &e)
			: -ENOMEM;
	}
	if (rc) {
		refuse_request(w, in, rc, &e);
		return;
	}
	w->samples = in->work->metrics.samples.n;
	w->histograms = in->work->metrics.histograms.n;
	w->exemplars = in->work->metrics.exemplars.n;
	in->done = write_delivered;
	in->owner = w;
	in->account = x->account;
	in->transport = "http";
	intake_deliver_metrics(in, p->next, x->tenant);
}

static void begin_write(void *owner, struct http_exchange *x)
{
	struct write_receiver *p = owner;

	receive_run(p->host, p, x, RECEIVE_REMOTE_WRITE, handle_write);
}

static bool admit_write(void *owner, struct http_exchange *x, struct http_refusal *why)
{
	struct write_receiver *p = owner;

	return receive_admit(p->host, p->next, x, RECEIVE_REMOTE_WRITE, 503, why);
}

/* ---- component ---- */

static int write_create(void **instance, const struct component_env *env, const void *settings,
			struct err *e)
{
	const struct write_settings *s = settings;
	struct write_receiver *p = calloc(1, sizeof(*p));
	struct listener_routes l;
	int rc;

	if (!p)
		return -ENOMEM;
	p->host = env->host;
	p->next = env->next[signal_index(SIGNAL_METRICS)];
	p->tls = s->tls;
	for (size_t i = 0; i < countof(paths); i++)
		p->routes[i] = (struct http_route){.methods = METHOD_POST,
						   .path = paths[i],
						   .flags = HTTP_RAW_BODY,
						   .handler = begin_write,
						   .owner = p,
						   .max_body = s->max_bytes};
	l = (struct listener_routes){.address = s->endpoint,
				     .tls = receive_tls_files(&p->tls),
				     .routes = p->routes,
				     .count = countof(paths),
				     .admit = admit_write,
				     .owner = p};
	rc = listeners_add(&p->host->listeners, &l, e);
	if (rc)
		free(p);
	else
		*instance = p;
	return rc;
}

static int write_check(const void *settings, struct err *e)
{
	return receive_tls_check(&((const struct write_settings *)settings)->tls, e);
}

static const struct setting settings[] = {
	SET_STRING(struct write_settings, endpoint, "endpoint", "127.0.0.1:9090",
		   "Address to listen on."),
	SET_BYTES(struct write_settings, max_bytes, "max_request_body_size", "32MiB",
		  "Maximum size of a body, as sent and uncompressed; larger bodies are refused."),
	SET_GROUP_ALWAYS(struct write_settings, tls, "tls", receive_tls_settings, "TLS."),
	SET_END,
};

const struct component prometheusremotewrite_receiver = {
	.name = "prometheusremotewrite",
	.kind = COMPONENT_RECEIVER,
	.signals = SIGNAL_METRICS,
	.form = FORM_DECODED,
	.help = "Receives Prometheus' remote write, versions 1.0 and 2.0, at /api/v1/write.",
	.settings = settings,
	.settings_size = sizeof(struct write_settings),
	.check = write_check,
	.create = write_create,
	.destroy = free,
};
