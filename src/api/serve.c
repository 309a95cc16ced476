/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Turns exchanges into queries and their results into responses. The loop's thread checks the
 * tenant and queues a job; a thread of the pool runs it. When the client disconnects, a flag that
 * the store checks cancels the query.
 */
#include "api/serve.h"

#include <malloc.h>
#include <stdio.h>
#include <stdlib.h>

#include "api/endpoint.h"
#include "base/clock.h"
#include "base/container/hash.h"
#include "net/http/header.h"
#include "net/http/respond.h"
#include "net/peers.h"
#include "net/rpc/rpc_reply.h"
#include "wire/json_write.h"

/*
 * The source of a query's memory. A query that does not fit is rerun in the next lane. Queries in
 * LANE_LARGE share its budget by their estimates; in LANE_ALONE no other large query runs.
 */
enum lane { LANE_SMALL, LANE_LARGE, LANE_ALONE };

struct api_job {
	struct query_job job; /* first */
	const struct bound *bound;
	struct http_exchange *x;
	struct rpc_call *call; /* RPCs; NULL: an endpoint */
	struct arena arena;
	struct request request;
	_Atomic bool cancelled;
	enum lane lane;
	uint64_t need;		      /* bytes, estimated by the store; 0: unknown */
	struct store_missing missing; /* data missing from the response */
	struct buf warning;	      /* text for `missing` */
};

enum {
	RETRY_AFTER_S = 1,
	SMALL_SHARE = 16, /* a small query may need 1/SMALL_SHARE of the memory of queries */
};

/* ---- tenants ---- */

/* Get the tenant that admission has set (api/access/access.h). */
static int get_tenant(const struct api *a, const struct http_exchange *x, struct str *tenant,
		      struct err *e)
{
	*tenant = x->tenant;
	if (!a->options.tenants || tenant->n || x->route->flags & (HTTP_OPEN | HTTP_OPERATOR))
		return 0;
	return err_set(e, -EACCES, "no org id");
}

static enum rpc_code error_code(int rc, struct err *e)
{
	return rc == -EACCES ? RPC_UNAUTHENTICATED : api_code(rc, e);
}

/* ---- errors ---- */

static void put_prometheus_error(struct json_writer *w, enum rpc_code code, struct str message)
{
	const char *type = code == RPC_INVALID_ARGUMENT	   ? "bad_data"
			   : code == RPC_NOT_FOUND	   ? "not_found"
			   : code == RPC_CANCELLED	   ? "canceled"
			   : code == RPC_DEADLINE_EXCEEDED ? "timeout"
			   : code == RPC_UNAVAILABLE	   ? "unavailable"
			   : code == RPC_INTERNAL	   ? "internal"
							   : "execution";

	json_open_object(w);
	json_put_key(w, STR("status"));
	json_put_string(w, STR("error"));
	json_put_key(w, STR("errorType"));
	json_put_string(w, str_from(type));
	json_put_key(w, STR("error"));
	json_put_string(w, message);
	json_close_object(w);
}

static void put_error(struct buf *out, enum endpoint_errors style, enum rpc_code code,
		      struct str message)
{
	struct json_writer w = json_writer_to(out, 0);

	if (style == ERRORS_PROMETHEUS) {
		put_prometheus_error(&w, code, message);
		return;
	}
	if (style == ERRORS_OURS) {
		json_open_object(&w);
		json_put_key(&w, STR("error"));
	}
	json_open_object(&w);
	json_put_key(&w, STR("code"));
	json_put_string(&w, str_from(rpc_code_name(code)));
	json_put_key(&w, STR("message"));
	json_put_string(&w, message);
	json_close_object(&w);
	if (style == ERRORS_OURS)
		json_close_object(&w);
}

static bool is_retryable(enum rpc_code code)
{
	return code == RPC_UNAVAILABLE || code == RPC_RESOURCE_EXHAUSTED;
}

/* Return the HTTP status of an error in the endpoint's format. */
static unsigned error_status(enum endpoint_errors style, enum rpc_code code)
{
	if (style == ERRORS_PROMETHEUS) {
		if (code == RPC_DEADLINE_EXCEEDED)
			return 503;
		if (code == RPC_FAILED_PRECONDITION || code == RPC_RESOURCE_EXHAUSTED)
			return 422;
	}
	return rpc_code_http(code);
}

static void fail_endpoint(const struct bound *b, struct http_exchange *x, enum rpc_code code,
			  const char *text)
{
	struct http_response r = {
		.status = error_status(b->endpoint->errors, code),
		.content_type = STR("application/json"),
		.retry_after_s = is_retryable(code) ? RETRY_AFTER_S : 0,
	};

	put_error(&r.body, b->endpoint->errors, code, str_from(text));
	endpoint_count(b->counters, r.status, x->started_ns, x->body.n, r.body.n);
	http_respond(x, &r);
}

static void fail_call(const struct bound *b, struct rpc_call *call, enum rpc_code code,
		      const char *text)
{
	struct rpc_error error = {
		.code = code,
		.message = str_from(text),
		.retry_after_ms = is_retryable(code) ? RETRY_AFTER_S * 1000 : 0,
	};

	endpoint_count(b->counters, rpc_code_http(code), call->x->started_ns, call->message.n, 0);
	rpc_fail(call, &error);
}

void refuse_endpoint(void *owner, struct http_exchange *x, const struct http_refusal *why)
{
	const struct bound *b = owner;
	struct http_response r = {
		.status = why->status,
		.content_type = STR("application/json"),
		.retry_after_s = why->retry_after_s,
		.headers = why->header.name.n ? &why->header : NULL,
		.header_count = why->header.name.n ? 1 : 0,
	};

	put_error(&r.body, b->endpoint->errors, rpc_code_of_http(why->status),
		  str_from(why->text[0] ? why->text : http_status_text(why->status)));
	endpoint_count(b->counters, r.status, x->started_ns, 0, r.body.n);
	http_respond(x, &r);
}

/* ---- on a thread of the pool ---- */

/*
 * Return freed memory to the system after a query that used much. The allocator keeps freed memory
 * per thread, and the next large query may run on another thread.
 */
static void trim_allocator(struct budget *b)
{
	size_t used = atomic_load(&b->used);

	if (atomic_exchange(&b->peak, used) > used + b->limit / 4)
		malloc_trim(0);
}

static void job_free(struct api_job *job)
{
	struct budget *budget = job->request.limits.budget;

	buf_fini(&job->warning);
	arena_fini(&job->arena);
	free(job);
	trim_allocator(budget);
}

/* Fail if the query was cancelled or timed out while it was queued. */
static int check_not_expired(const struct api_job *job, struct err *e)
{
	if (atomic_load(&job->cancelled))
		return err_set(e, -ECANCELED, "the query was cancelled before it began");
	if (clock_monotonic_ns() > job->request.limits.deadline_ns)
		return err_set(e, -ETIMEDOUT, "the deadline passed before the query began");
	return 0;
}

/* Return whether to rerun the query in the next lane. An upload may have delivered data already. */
static bool can_change_lane(const struct api_job *job, int rc)
{
	bool short_of_memory = rc == -ENOBUFS || (rc == -ENOMEM && !job->missing.smaller);
	const struct endpoint *endpoint = job->bound->endpoint;

	return short_of_memory && job->lane != LANE_ALONE &&
	       (job->call || job->x->method == METHOD_GET || endpoint->errors == ERRORS_PROMETHEUS);
}

/*
 * If a query failed for lack of memory, wait for memory in the next lane. Return true if the caller
 * has to rerun the query; else *rc is its result.
 */
static bool retry_in_next_lane(struct api_job *job, int *rc, struct err *e)
{
	struct store_limits *limits = &job->request.limits;
	struct budget *large = &job->bound->api->large;
	uint64_t bytes;

	if (!can_change_lane(job, *rc)) {
		if (*rc == -ENOMEM && job->need && !e->text[0])
			err_set(e, -ENOMEM, "out of memory, the stacks alone may take %llu MB",
				(unsigned long long)(job->need / MIB));
		return false;
	}
	job->lane++;
	bytes = job->lane == LANE_ALONE ? large->limit : job->need ? job->need : large->limit / 2;
	arena_fini(&job->arena);
	arena_init(&job->arena, large);
	job->request.query = job->x->query; /* a form in the body may have extended it */
	limits->budget = large;
	limits->most = 0;
	job->missing = (struct store_missing){0};
	*e = (struct err){0};
	*rc = query_pool_reserve(bytes, limits->deadline_ns, &job->cancelled);
	if (*rc)
		*rc = err_set(e, *rc, "%s",
			      *rc == -EAGAIN ? "too many large queries wait for memory: try again"
			      : *rc == -ECANCELED
				      ? "the query was cancelled while it waited for memory"
				      : "the deadline passed while the query waited for "
					"the memory of other large queries");
	return !*rc;
}

/*
 * Return the header for missing data; for an error, also append it to the text: it may be the
 * cause.
 */
static struct http_header set_warning(struct api_job *job, int rc, struct err *e)
{
	size_t n = strlen(e->text);

	job->missing.smaller &= !rc; /* an error has no frames */
	warning_text(&job->missing, &job->warning);
	if (rc && job->warning.n)
		snprintf(e->text + n, sizeof(e->text) - n, " (%.*s)",
			 STR_ARG(buf_str(&job->warning)));
	return (struct http_header){job->warning.n ? STR(WARNING_HEADER) : (struct str){0},
				    buf_str(&job->warning)};
}

enum { PACKED = 4 }; /* gzip compresses text at least by this factor */

/* Fail if a response is too large: the network would close the connection in the middle of it. */
static int check_size(const struct api_job *job, size_t size, bool compress, struct err *e)
{
	size_t most = job->bound->api->options.max_answer;
	bool packed = compress &&
		      http_header_lists(http_header(job->x, STR("accept-encoding")), STR("gzip"));

	if (!most || size / (packed ? PACKED : 1) <= most)
		return 0;
	return err_set(e, -EFBIG,
		       "the response would have %zu bytes, but the memory limit allows %zu: select "
		       "fewer services, a shorter time range or another format",
		       size, most);
}

static void run_endpoint(struct query_job *base)
{
	struct api_job *job = (struct api_job *)base;
	const struct bound *b = job->bound;
	struct reply reply = {0};
	struct err e = {0};
	int rc = check_not_expired(job, &e);
	enum rpc_code code;
	struct http_header headers[2];
	bool warned, compress;

	if (!rc)
		do {
			buf_fini(&reply.body);
			reply = (struct reply){0};
			rc = b->endpoint->answer(&job->request, &reply, &e);
		} while (retry_in_next_lane(job, &rc, &e));
	/* files are compressed already, or sent as they are */
	compress = !str_eq(reply.content_type, STR("application/octet-stream")) &&
		   !str_eq(reply.content_type, STR("application/x-protobuf"));
	if (!rc)
		rc = check_size(job, reply.body.n, compress, &e);
	code = rc ? error_code(rc, &e) : RPC_OK;
	headers[0] = set_warning(job, rc, &e);
	headers[1] = reply.header;
	warned = headers[0].name.n;
	if (rc) {
		buf_fini(&reply.body);
		fail_endpoint(b, job->x, code, e.text);
	} else {
		struct http_response r = {
			.status = reply.status ? reply.status : 200,
			.compress = compress,
			.content_type = reply.content_type,
			.headers = headers + !warned,
			.header_count = warned + (reply.header.name.n ? 1u : 0),
			.body = reply.body,
		};

		endpoint_count(b->counters, r.status, job->x->started_ns, job->x->body.n, r.body.n);
		http_respond(job->x, &r);
	}
	job_free(job);
}

static int answer_call(struct api_job *job, struct buf *out, struct err *e)
{
	const struct querier_rpc *rpc = job->bound->rpc;
	struct reply reply = {0};
	struct buf message;
	int rc = 0;

	buf_init(&message, job->request.limits.budget);
	job->request.body = job->call->message;
	if (job->call->json) {
		if (!str_trim(job->call->message).n)
			rc = err_set(e, -EINVAL, "expected a JSON object, found an empty body");
		if (!rc)
			rc = schema_json_to_proto(&message, rpc->request, job->call->message,
						  &job->arena, e);
		job->request.body = buf_str(&message);
	}
	if (!rc)
		rc = rpc->answer(&job->request, &reply, e);
	if (!rc && job->call->json) {
		rc = schema_to_json(out, rpc->response, buf_str(&reply.body), e);
		buf_fini(&reply.body);
	} else {
		*out = reply.body;
	}
	buf_fini(&message);
	return rc;
}

static void run_rpc(struct query_job *base)
{
	struct api_job *job = (struct api_job *)base;
	struct buf out = {0};
	struct err e = {0};
	int rc = check_not_expired(job, &e);
	enum rpc_code code;

	if (!rc)
		do {
			buf_fini(&out);
			out = (struct buf){0};
			rc = answer_call(job, &out, &e);
		} while (retry_in_next_lane(job, &rc, &e));
	if (!rc)
		rc = check_size(job, out.n, true, &e);
	code = rc ? error_code(rc, &e) : RPC_OK;
	job->call->header = set_warning(job, rc, &e);
	if (rc) {
		buf_fini(&out);
		fail_call(job->bound, job->call, code, e.text);
	} else {
		endpoint_count(job->bound->counters, 200, job->x->started_ns, job->call->message.n,
			       out.n);
		rpc_reply(job->call, &out);
	}
	job_free(job);
}

/* ---- on the loop's thread ---- */

static void sender_left(void *arg)
{
	atomic_store((_Atomic bool *)arg, true);
}

/* Return a hash that identifies a client by address, token and user agent. */
static uint64_t client_hash(const struct http_exchange *x)
{
	struct str token = http_header(x, STR("authorization"));
	struct str program = http_header(x, STR("user-agent"));

	return peer_hash(x->peer) ^ hash_bytes(token.p, token.n) ^
	       (hash_bytes(program.p, program.n) << 1);
}

static struct api_job *job_new(const struct bound *b, struct http_exchange *x, struct str tenant,
			       uint64_t deadline_ns)
{
	const struct api *a = b->api;
	struct api_job *job = calloc(1, sizeof(*job));
	uint64_t latest = clock_monotonic_ns() + a->options.timeout_ns;

	if (!job)
		return NULL;
	job->bound = b;
	job->x = x;
	job->job.client = client_hash(x);
	arena_init(&job->arena, &b->api->small);
	job->request = (struct request){
		.store = a->options.store,
		.tenant = tenant,
		.limits = {.deadline_ns = deadline_ns < latest ? deadline_ns : latest,
			   .cancelled = &job->cancelled,
			   .pause = query_pool_pause,
			   .budget = &b->api->small,
			   .most = a->options.max_memory / SMALL_SHARE,
			   .need = &job->need,
			   .missing = &job->missing},
		.arena = &job->arena,
		.now_ns = clock_realtime_ns(),
		.query = x->query,
		.body = x->body,
		.content_type = http_content_type(x),
		.utf8_labels = str_find_str(http_header(x, STR("accept")),
					    STR("allow-utf8-labelnames=true")) <
			       http_header(x, STR("accept")).n,
		.account = x->account,
		.api = b->api,
		.files = &b->api->files,
		.kept = &b->api->kept,
		.dashboards = &b->api->dashboards,
		.sender = x,
	};
	return job;
}

/* Queue the job. If the queue is full, free the job and return false. */
static bool submit_job(struct api_job *job)
{
	const struct bound *b = job->bound;
	unsigned flags = b->endpoint ? b->endpoint->flags : 0;
	struct query_pool *pool = flags & ENDPOINT_MONITORING ? b->api->monitoring
				  : flags & ENDPOINT_DEBUG    ? b->api->debug
							      : b->api->pool;

	http_on_gone(job->x, sender_left, (void *)&job->cancelled);
	if (!query_pool_submit(pool, &job->job))
		return true;
	http_on_gone(job->x, NULL, NULL);
	job_free(job);
	return false;
}

#define TOO_BUSY "too many queries are waiting: try again"

void serve_endpoint(void *owner, struct http_exchange *x)
{
	const struct bound *b = owner;
	struct str tenant = {0};
	struct err e = {0};
	int rc = get_tenant(b->api, x, &tenant, &e);
	struct api_job *job;

	if (rc) {
		fail_endpoint(b, x, error_code(rc, &e), e.text);
		return;
	}
	job = job_new(b, x, tenant, x->deadline_ns);
	if (!job) {
		fail_endpoint(b, x, RPC_RESOURCE_EXHAUSTED, "out of memory");
		return;
	}
	job->job.run = run_endpoint;
	if (b->endpoint->flags & ENDPOINT_INLINE)
		run_endpoint(&job->job);
	else if (!submit_job(job))
		fail_endpoint(b, x, RPC_UNAVAILABLE, TOO_BUSY);
}

void serve_rpc(void *owner, struct http_exchange *x)
{
	const struct bound *b = owner;
	struct rpc_call *call = rpc_begin(x);
	struct str tenant;
	struct err e = {0};
	struct api_job *job;

	if (!call)
		return; /* rpc_begin() has responded */
	if (get_tenant(b->api, x, &tenant, &e)) {
		fail_call(b, call, RPC_UNAUTHENTICATED, e.text);
		return;
	}
	job = job_new(b, x, tenant, call->deadline_ns);
	if (!job) {
		fail_call(b, call, RPC_RESOURCE_EXHAUSTED, "out of memory");
		return;
	}
	job->job.run = run_rpc;
	job->call = call;
	if (!submit_job(job))
		fail_call(b, call, RPC_UNAVAILABLE, TOO_BUSY);
}

void serve_unimplemented(void *owner, struct http_exchange *x)
{
	struct rpc_call *call = rpc_begin(x);

	if (call)
		fail_call(owner, call, RPC_UNIMPLEMENTED, "this service is not part of varve");
}
