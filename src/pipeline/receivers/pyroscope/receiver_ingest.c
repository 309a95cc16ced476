/* SPDX-License-Identifier: Apache-2.0 */
/* /ingest: turns an exchange into a delivery, and its result into a response. */
#include <errno.h>

#include "base/clock.h"
#include "net/http/header.h"
#include "net/http/respond.h"
#include "net/rpc/rpc_reply.h"
#include "pipeline/receivers/pyroscope/ingest.h"
#include "pipeline/receivers/pyroscope/receiver.h"
#include "pipeline/receivers/receive_sealed.h"
#include "wire/json_write.h"

void pyroscope_fail(struct http_exchange *x, unsigned status, enum rpc_code code,
		    unsigned retry_after_s, struct str message)
{
	struct http_response r = {.status = status,
				  .retry_after_s = retry_after_s,
				  .content_type = STR("application/json")};
	struct json_writer w = json_writer_to(&r.body, 0);

	json_open_object(&w);
	json_put_key(&w, STR("code"));
	json_put_string(&w, str_from(rpc_code_name(code)));
	json_put_key(&w, STR("message"));
	json_put_string(&w, message);
	json_close_object(&w);
	http_respond(x, &r);
}

/* Respond with an error. Clients retry only after 429 and 5xx. */
static void ingest_fail(struct http_exchange *x, int rc, uint32_t retry_ms, const char *text)
{
	struct str message = str_from(text[0] ? text : "the profile could not be stored");

	if (rc == -EINVAL)
		pyroscope_fail(x, 400, RPC_INVALID_ARGUMENT, 0, message);
	else if (rc == -EFBIG)
		pyroscope_fail(x, 413, RPC_INVALID_ARGUMENT, 0, message);
	else if (rc == -EPERM)
		pyroscope_fail(x, 403, RPC_PERMISSION_DENIED, 0, message);
	else if (rc == -EDQUOT)
		pyroscope_fail(x, 422, RPC_FAILED_PRECONDITION, 0, message);
	else if (rc == -EAGAIN)
		pyroscope_fail(x, 429, RPC_RESOURCE_EXHAUSTED, receive_seconds(retry_ms), message);
	else if (delivery_may_retry(rc))
		pyroscope_fail(x, 503, RPC_UNAVAILABLE, receive_seconds(retry_ms), message);
	else
		pyroscope_fail(x, 422, RPC_UNKNOWN, 0, message);
}

static void ingest_done(struct intake *in, const struct delivery_result *result)
{
	struct receive_job *job = in->owner;
	struct pyroscope_receiver *p = job->receiver;
	struct receipt receipt = {0};

	receipt_add(&receipt, in, result);
	receive_note(p->host, job->x, &receipt);
	intake_put(&p->host->intakes, in);
	if (result->rc)
		ingest_fail(job->x, result->rc, result->retry_after_ms, result->reason);
	else if (result->rejected)
		ingest_fail(job->x, -EBADMSG, 0, result->reason);
	else
		http_respond(job->x, &(struct http_response){.status = 200});
}

void pyroscope_ingest(struct receive_job *job)
{
	struct pyroscope_receiver *p = job->receiver;
	struct http_exchange *x = job->x;
	struct ingest_request request = {
		.query = x->query,
		.content_type = http_header(x, STR("content-type")),
		.key = http_header(x, STR("idempotency-key")),
		.headers = {.service = http_header(x, STR("x-service-name")),
			    .type = http_header(x, STR("x-profile-type")),
			    .time = http_header(x, STR("x-profile-timestamp")),
			    .trace = http_header(x, STR("x-trace-id"))},
		.now = clock_realtime_ns(),
		.max_bytes = p->max_bytes,
	};
	struct intake *in = intake_get(&p->host->intakes);
	struct receipt receipt = {0};
	struct err e = {0};
	int rc = in ? receive_unseal(p->host, x, &e) : -ENOMEM;

	request.body = x->body;
	if (!rc)
		rc = ingest_decode(&in->work->batch, &in->work->arena, &request, &e);
	if (!rc) {
		in->done = ingest_done;
		in->owner = job;
		in->account = x->account;
		in->transport = "http";
		rc = intake_deliver(in, p->next, x->tenant, &p->limits);
		if (!rc)
			return;
	}
	rc = intake_explain(in, rc, &e);
	intake_put(&p->host->intakes, in);
	receive_count(p->host, rc);
	receipt_refuse(&receipt, rc, e.text);
	receive_note(p->host, x, &receipt);
	ingest_fail(x, rc, rc == -ENOMEM ? 1000 : 0, e.text);
}
