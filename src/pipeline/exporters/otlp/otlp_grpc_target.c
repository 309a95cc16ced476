/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Sends payloads as OTLP/gRPC. Uncompressed messages are written from the slices of the payload.
 *
 * The codes that the specification names are repeated, and RESOURCE_EXHAUSTED, with or without
 * RetryInfo: servers answer it when they are busy. A message that is larger than the server's limit
 * stays too large.
 */
#include "pipeline/exporters/otlp/otlp_grpc_target.h"

#include <errno.h>
#include <stdatomic.h>
#include <stdlib.h>

#include "net/rpc/grpc_client.h"
#include "pipeline/exporters/otlphttp/otlp_reply.h"

#define MAX_REPLY (4 * MIB)
#define PATH(service) STR_INIT("/opentelemetry.proto.collector." service "/Export")

static const struct str export_paths[SIGNALS] = {
	PATH("profiles.v1development.ProfilesService"),
	PATH("trace.v1.TraceService"),
	PATH("metrics.v1.MetricsService"),
	PATH("logs.v1.LogsService"),
};

/* How each code is called in errors of gRPC, and whether it is repeated. */
static const struct {
	const char *name;
	bool retry;
} grpc_codes[RPC_CODE_COUNT] = {
	[RPC_OK] = {"OK", false},
	[RPC_CANCELLED] = {"Canceled", true},
	[RPC_UNKNOWN] = {"Unknown", false},
	[RPC_INVALID_ARGUMENT] = {"InvalidArgument", false},
	[RPC_DEADLINE_EXCEEDED] = {"DeadlineExceeded", true},
	[RPC_NOT_FOUND] = {"NotFound", false},
	[RPC_ALREADY_EXISTS] = {"AlreadyExists", false},
	[RPC_PERMISSION_DENIED] = {"PermissionDenied", false},
	[RPC_RESOURCE_EXHAUSTED] = {"ResourceExhausted", true},
	[RPC_FAILED_PRECONDITION] = {"FailedPrecondition", false},
	[RPC_ABORTED] = {"Aborted", true},
	[RPC_OUT_OF_RANGE] = {"OutOfRange", true},
	[RPC_UNIMPLEMENTED] = {"Unimplemented", false},
	[RPC_INTERNAL] = {"Internal", false},
	[RPC_UNAVAILABLE] = {"Unavailable", true},
	[RPC_DATA_LOSS] = {"DataLoss", true},
	[RPC_UNAUTHENTICATED] = {"Unauthenticated", false},
};

struct otlp_grpc_target {
	struct client_access access;
	const char *address;
	bool tls;
	enum compress_kind compression;
	_Atomic unsigned workers; /* made so far */
};

struct otlp_grpc_worker {
	struct otlp_grpc_target *target;
	struct grpc_client *client;
	struct arena arena; /* of one request */
};

int otlp_grpc_target_new(struct otlp_grpc_target **out, const struct component_env *env,
			 const struct otlp_grpc_options *o, struct err *e)
{
	struct otlp_grpc_target *t = calloc(1, sizeof(*t));
	struct str authority = {0};
	int rc;

	if (!t)
		return err_set(e, -ENOMEM, "out of memory");
	rc = client_access_init(&t->access, env, o->client, e);
	if (!rc && o->authority.n && arena_copy_str(&t->access.arena, o->authority, &authority))
		rc = err_set(e, -ENOMEM, "out of memory");
	if (rc) {
		otlp_grpc_target_free(t);
		return rc;
	}
	t->address = o->address.p;
	t->tls = o->tls;
	t->compression = client_compression(o->client);
	if (t->compression == COMPRESS_SNAPPY) /* gRPC has the other format of that name */
		t->compression = COMPRESS_SNAPPY_FRAMED;
	t->access.options.authority = authority.p;
	t->access.options.one_address = o->pick_first;
	*out = t;
	return 0;
}

void otlp_grpc_target_free(struct otlp_grpc_target *t)
{
	if (!t)
		return;
	client_access_fini(&t->access);
	free(t);
}

/* Make a client; each begins with another address of the name. */
static int new_otlp_client(struct otlp_grpc_target *t, struct grpc_client **out, struct err *e)
{
	struct net_client_options options = t->access.options;

	options.first_address = atomic_fetch_add(&t->workers, 1);
	return grpc_client_new(out, t->address, t->tls, &options, e);
}

int otlp_grpc_target_check(struct otlp_grpc_target *t, struct err *e)
{
	struct grpc_client *c;
	int rc = new_otlp_client(t, &c, e);

	atomic_store(&t->workers, 0);
	if (!rc)
		grpc_client_free(c);
	return rc;
}

/* ---- workers ---- */

static void otlp_grpc_worker_free(void *worker)
{
	struct otlp_grpc_worker *w = worker;

	grpc_client_free(w->client);
	arena_fini(&w->arena);
	free(w);
}

static int otlp_grpc_worker_new(void *exporter, void **worker, struct err *e)
{
	struct otlp_grpc_worker *w = calloc(1, sizeof(*w));
	int rc;

	if (!w)
		return err_set(e, -ENOMEM, "out of memory");
	w->target = exporter;
	arena_init(&w->arena, NULL);
	rc = new_otlp_client(w->target, &w->client, e);
	if (rc) {
		otlp_grpc_worker_free(w);
		return rc;
	}
	*worker = w;
	return 0;
}

static void set_grpc_failure(struct send_result *result, const struct grpc_client_answer *a)
{
	struct str text = buf_str(&a->text);
	bool retry = grpc_codes[a->code].retry;

	if (a->code == RPC_RESOURCE_EXHAUSTED &&
	    str_find_str(text, STR("larger than max")) < text.n)
		retry = false;
	otlp_result_set(result, retry ? SEND_RETRY : SEND_PERMANENT,
			"rpc error: code = %s desc = %.*s", grpc_codes[a->code].name,
			STR_ARG(str_head(text, 300)));
	if (retry)
		result->retry_after_ms = (uint32_t)min_size(a->retry_after_ms, UINT32_MAX);
}

static void set_no_grpc_answer(struct send_result *result, int rc, const struct err *e)
{
	bool permanent = rc == -EFBIG;

	otlp_result_set(result, permanent ? SEND_PERMANENT : SEND_RETRY, "%s",
			e->text[0] ? e->text : strerror(-rc));
	result->unreachable = !permanent && rc != -ENOMEM;
}

static int call_export(struct otlp_grpc_worker *w, const struct send_request *r,
		       struct client_headers *headers, struct grpc_client_answer *answer,
		       struct err *e)
{
	const struct payload *p = r->payload;
	struct str *parts = arena_alloc(&w->arena, p->slice_count + 1, sizeof(*parts));
	struct grpc_client_request request = {.path = export_paths[signal_index(p->signal)],
					      .parts = parts,
					      .part_count = p->slice_count,
					      .compression = w->target->compression,
					      .timeout_ms = r->timeout_ms,
					      .max_reply = MAX_REPLY};
	int rc = client_headers_make(headers, &w->target->access, e);

	if (rc)
		return rc;
	if (!parts)
		return -ENOMEM;
	for (uint32_t i = 0; i < p->slice_count; i++)
		parts[i] = p->slices[i].bytes;
	request.headers = headers->at;
	request.header_count = headers->n;
	return grpc_client_call(w->client, &request, answer, e);
}

static void otlp_grpc_send(void *worker, const struct send_request *r, struct send_result *result)
{
	struct otlp_grpc_worker *w = worker;
	struct grpc_client_answer answer = {0};
	struct client_headers headers = {0};
	struct err e = {0};
	int rc = call_export(w, r, &headers, &answer, &e);

	if (rc && answer.accepted) /* repeating it would make duplicates */
		otlp_result_set(result, SEND_PARTIAL, "the response cannot be read: %s", e.text);
	else if (rc)
		set_no_grpc_answer(result, rc, &e);
	else if (answer.code != RPC_OK)
		set_grpc_failure(result, &answer);
	else
		otlp_reply_read(result, buf_str(&answer.message));
	grpc_client_answer_fini(&answer);
	client_headers_fini(&headers);
	arena_reset(&w->arena);
}

const struct sender_ops otlp_grpc_ops = {otlp_grpc_worker_new, otlp_grpc_worker_free,
					 otlp_grpc_send};
