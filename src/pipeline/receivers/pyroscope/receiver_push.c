/* SPDX-License-Identifier: Apache-2.0 */
/*
 * push.v1: each profile of a request is decoded and delivered separately. The call is answered when
 * the last of them is done, with the reasons of all that failed.
 */
#include <errno.h>
#include <stdatomic.h>
#include <stdio.h>

#include "net/http/admission.h"
#include "net/http/respond.h"
#include "net/rpc/rpc_reply.h"
#include "pipeline/receivers/pyroscope/push.h"
#include "pipeline/receivers/pyroscope/receiver.h"
#include "pipeline/receivers/receive_sealed.h"

enum { REASON_MAX = 232, REASONS_MAX = 20 };

/* The result of one profile. Written by the thread that finishes it, read by the last one. */
struct outcome {
	struct push_call *call;
	int rc;
	bool rejected; /* refused individually: labels, type */
	uint32_t retry_after_ms;
	uint32_t profiles, samples, duplicates; /* stored; stored before */
	char reason[REASON_MAX], service[SENDER_SERVICE];
};

/* In the exchange's arena. */
struct push_call {
	struct pyroscope_receiver *receiver;
	struct rpc_call *rpc;
	struct push_request request;
	struct outcome *outcomes; /* one per profile */
	_Atomic uint32_t pending; /* undelivered profiles, plus one until all are submitted */
};

/*
 * Append "push series with index 0 and id x failed: reason" lines, then the number of further
 * failures.
 */
static void put_failures(struct buf *out, const struct push_call *c)
{
	uint32_t listed = 0, failed = 0;

	for (uint32_t i = 0; i < c->request.profiles.n; i++) {
		const struct push_profile *p = &c->request.profiles.at[i];

		if (!c->outcomes[i].rc)
			continue;
		failed++;
		if (listed == REASONS_MAX)
			continue;
		buf_printf(out, "%spush series with index %u and id %.*s failed: %s",
			   listed++ ? "\n" : "", p->series, STR_ARG(str_head(p->id, 64)),
			   c->outcomes[i].reason);
	}
	if (failed > listed)
		buf_printf(out, "\nand %u more", failed - listed);
}

/* Record the call with one receipt for all its profiles. */
static void record_call(const struct push_call *c)
{
	struct service_names services = {0};
	struct receipt r = {.services = &services};

	for (uint32_t i = 0; i < c->request.profiles.n; i++) {
		const struct outcome *o = &c->outcomes[i];

		service_names_add(&services, str_from(o->service));
		r.profiles += o->profiles;
		r.samples += o->samples;
		r.duplicates += o->duplicates;
		if (o->rejected) {
			r.refused[REFUSED_REJECTED]++;
			r.reason = o->reason;
		} else if (o->rc) {
			receipt_refuse(&r, o->rc, o->reason);
		}
	}
	receive_note(c->receiver->host, c->rpc->x, &r);
}

static void reply_push(struct push_call *c)
{
	struct rpc_error error = {.code = RPC_OK};
	struct buf text = {0}, reply = {0};

	record_call(c);
	for (uint32_t i = 0; i < c->request.profiles.n; i++) {
		const struct outcome *o = &c->outcomes[i];
		enum rpc_code code = receive_code(o->rc);

		if (!o->rc)
			continue;
		if (o->rc == -EFBIG)
			code = RPC_INVALID_ARGUMENT;
		/* a retryable error takes precedence: a retry does no harm to the other profiles */
		if (error.code == RPC_OK || delivery_may_retry(o->rc))
			error.code = code;
		if (o->retry_after_ms > error.retry_after_ms)
			error.retry_after_ms = o->retry_after_ms;
	}
	if (error.code == RPC_OK) {
		if (c->rpc->json)
			buf_put_str(&reply, STR("{}"));
		rpc_reply(c->rpc, &reply);
		return;
	}
	put_failures(&text, c);
	error.message = buf_str(&text);
	rpc_fail(c->rpc, &error);
	buf_fini(&text);
}

static void finish_one(struct push_call *c)
{
	if (atomic_fetch_sub(&c->pending, 1) == 1)
		reply_push(c);
}

static void set_outcome(struct outcome *o, int rc, uint32_t retry_after_ms, const char *reason)
{
	o->rc = rc;
	o->retry_after_ms = retry_after_ms;
	snprintf(o->reason, sizeof(o->reason), "%.*s", REASON_MAX - 1, reason);
}

static void profile_done(struct intake *in, const struct delivery_result *result)
{
	struct outcome *o = in->owner;
	struct push_call *c = o->call;

	if (in->services.n)
		memcpy(o->service, in->services.at[0], sizeof(o->service));
	o->rejected = !result->rc && result->rejected;
	if (result->rc) {
		set_outcome(o, result->rc, result->retry_after_ms, result->reason);
	} else if (result->rejected) {
		set_outcome(o, -EBADMSG, 0, result->reason);
	} else {
		o->profiles = in->profiles;
		o->samples = in->samples;
		o->duplicates = result->duplicates;
	}
	intake_put(&c->receiver->host->intakes, in);
	finish_one(c);
}

static void push_one(struct push_call *c, uint32_t i)
{
	struct pyroscope_receiver *p = c->receiver;
	struct outcome *o = &c->outcomes[i];
	struct intake *in = intake_get(&p->host->intakes);
	struct err e = {0};
	int rc = in ? push_decode(&in->work->batch, &in->work->arena, &c->request, i, p->max_bytes,
				  &e)
		    : -ENOMEM;

	o->call = c;
	if (!rc) {
		in->done = profile_done;
		in->owner = o;
		in->account = c->rpc->x->account;
		in->transport = c->rpc->protocol == RPC_GRPC ? "grpc" : "http";
		atomic_fetch_add(&c->pending, 1);
		rc = intake_deliver(in, p->next, c->rpc->x->tenant, &p->limits);
		if (!rc)
			return;
		atomic_fetch_sub(&c->pending, 1);
	}
	rc = intake_explain(in, rc, &e);
	intake_put(&p->host->intakes, in);
	receive_count(p->host, rc);
	set_outcome(o, rc, rc == -ENOMEM ? 1000 : 0, e.text);
}

/* Parse the message; JSON is converted to protobuf in the exchange's arena. */
static int read_push_message(struct push_call *c, struct err *e)
{
	struct arena *arena = c->rpc->x->arena;
	struct str message = c->rpc->message;
	struct buf proto;
	int rc = 0;

	buf_init(&proto, arena->budget);
	if (c->rpc->json) {
		rc = schema_json_to_proto(&proto, &push_request_schema, message, arena, e);
		if (!rc)
			rc = arena_copy_str(arena, buf_str(&proto), &message);
	}
	buf_fini(&proto);
	if (!rc)
		rc = push_read(&c->request, message, arena, e);
	if (!rc && !c->request.profiles.n)
		rc = err_set(e, -EBADMSG, "no profiles received");
	if (rc)
		return rc;
	c->outcomes = arena_zalloc(arena, c->request.profiles.n, sizeof(*c->outcomes));
	return c->outcomes ? 0 : -ENOMEM;
}

void pyroscope_push(struct receive_job *job)
{
	struct http_exchange *x = job->x;
	struct push_call *c = arena_zalloc(x->arena, 1, sizeof(*c));
	struct http_refusal why = {.status = 503, .retry_after_s = 1};
	struct receipt receipt = {0};
	struct err e = {0};
	int rc = c ? receive_unseal(job->host, x, &e) : -ENOMEM;

	if (!rc)
		rc = http_decode_body(x, &e);
	if (rc) {
		why.status = rc == -EFBIG ? 413 : rc == -ENOMEM ? 503 : rc == -ENOTSUP ? 415 : 400;
		why.retry_after_s = rc == -ENOMEM;
		snprintf(why.text, sizeof(why.text), "%.*s", (int)sizeof(why.text) - 1, e.text);
		receipt_refuse(&receipt, rc, e.text);
		receive_note(job->host, x, &receipt);
		http_refuse(x, &why);
		return;
	}
	c->receiver = job->receiver;
	c->rpc = rpc_begin(x);
	if (!c->rpc)
		return;
	rc = receive_unseal_call(job->host, c->rpc, &e);
	rc = rc ? rc : read_push_message(c, &e);
	if (rc == -ENOMEM)
		rc = err_set(&e, rc, "out of memory for the message; try again");
	if (rc) {
		receipt_refuse(&receipt, rc, e.text);
		receive_note(job->host, x, &receipt);
		rpc_fail(c->rpc, &(struct rpc_error){.code = receive_code(rc),
						     .message = str_from(e.text),
						     .retry_after_ms = rc == -ENOMEM ? 1000 : 0});
		return;
	}
	atomic_init(&c->pending, 1);
	for (uint32_t i = 0; i < c->request.profiles.n; i++)
		push_one(c, i);
	finish_one(c);
}
