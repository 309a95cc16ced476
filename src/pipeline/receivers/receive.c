/* SPDX-License-Identifier: Apache-2.0 */
/* Shared by network receivers: admission, scheduling and results. */
#include "pipeline/receivers/receive.h"

#include <errno.h>
#include <stdio.h>
#include <unistd.h>

#include "net/http/header.h"
#include "net/http/respond.h"
#include "pipeline/admission/limits.h"
#include "pipeline/service/item_counters.h"

enum { UNKNOWN_LENGTH = 64 * 1024, ROOM_WAIT_US = 500, ROOM_WAITS = 4000 /* two seconds */ };

static int inline_pem_read(const struct config_node *n, const char *what, void *to,
			   struct arena *arena, struct err *e)
{
	(void)to;
	(void)arena;
	return config_fail(n, e,
			   "%s: \"%.*s\" is not supported: write the text to a file, and set "
			   "cert_file and key_file",
			   what, STR_ARG(n->key));
}

const struct setting receive_tls_settings[] = {
	SET_STRING(struct receive_tls, certificate, "cert_file", NULL,
		   "Certificate chain of the server, PEM; with key_file it enables TLS."),
	SET_STRING(struct receive_tls, key, "key_file", NULL, "Private key of the server, PEM."),
	SET_STRING(
		struct receive_tls, client_ca, "client_ca_file", NULL,
		"CA certificates, PEM; senders must present a certificate signed by one of them."),
	SET_REFUSED("cert_pem", inline_pem_read),
	SET_REFUSED("key_pem", inline_pem_read),
	SET_IGNORED("ca_file", "senders are checked with client_ca_file"),
	SET_IGNORED("ca_pem", "senders are checked with client_ca_file"),
	SET_IGNORED("include_system_ca_certs_pool", "senders are checked with client_ca_file"),
	SET_IGNORED("tpm", "keys are read from key_file"),
	SET_IGNORED("min_version", "TLS 1.2 and 1.3 are served"),
	SET_IGNORED("max_version", "TLS 1.2 and 1.3 are served"),
	SET_IGNORED("cipher_suites", "those of the TLS library are used"),
	SET_IGNORED("curve_preferences", "those of the TLS library are used"),
	SET_IGNORED("client_ca_file_reload", "a reload (SIGHUP) reads the files again"),
	SET_IGNORED("reload_interval", "a reload (SIGHUP) reads the files again"),
	SET_END,
};

int receive_tls_check(const struct receive_tls *t, struct err *e)
{
	if (!t->certificate.n && (t->key.n || t->client_ca.n))
		return err_set(e, -EINVAL,
			       "\"tls\": TLS configuration must include both certificate and key: "
			       "cert_file is missing");
	return 0;
}

const struct net_tls_files *receive_tls_files(struct receive_tls *t)
{
	if (!t->certificate.n)
		return NULL;
	t->files = (struct net_tls_files){.certificate = t->certificate.p,
					  .key = t->key.n ? t->key.p : NULL,
					  .client_ca = t->client_ca.n ? t->client_ca.p : NULL};
	return &t->files;
}

/* Return whether there is enough memory for data in transit. */
static bool has_room(struct host *host)
{
	if (atomic_load(&host->memory.used) > host->memory.limit / 4 * 3)
		return false;
	if (atomic_load(&host->memory_held))
		atomic_store(&host->memory_held, false);
	return true;
}

/*
 * Wait while the memory for data in transit is nearly used up. The store holds data for
 * milliseconds, so waiting is better than making the sender repeat a body already received. Where
 * waiting was in vain, queues of exporters hold the memory, and receive_admit() refuses data until
 * there is room again. Free pooled memory first.
 */
static void wait_for_room(struct host *host)
{
	unsigned waited = 0;

	while (!has_room(host) && !atomic_load(&host->memory_held)) {
		if (intake_pool_trim(&host->intakes))
			continue;
		if (waited++ == ROOM_WAITS)
			atomic_store(&host->memory_held, true);
		else
			usleep(ROOM_WAIT_US);
	}
}

static void run_job(struct work *work)
{
	struct receive_job *job = (void *)((char *)work - offsetof(struct receive_job, work));

	wait_for_room(job->host);
	job->run(job);
}

/* Record a request that was not admitted. */
static void record_overload(struct host *host, const struct http_exchange *x,
			    enum receive_protocol protocol, const char *reason)
{
	struct receipt r = {
		.protocol = protocol, .x = x, .refused[REFUSED_OVERLOAD] = 1, .reason = reason};

	senders_note(&host->senders, &r);
}

/* Return whether the loop may handle the body itself: it is small and not compressed. */
static bool is_quick(const struct http_exchange *x, enum receive_protocol protocol)
{
	struct str coding = http_header(x, STR("content-encoding"));
	bool framed = protocol == RECEIVE_OTLP_GRPC && x->body.n && x->body.p[0]; /* compressed */

	return x->body.n <= RECEIVE_INLINE && !framed &&
	       (!coding.n || str_eq(coding, STR("identity")));
}

void receive_run(struct host *host, void *receiver, struct http_exchange *x,
		 enum receive_protocol protocol, void (*run)(struct receive_job *job))
{
	struct receive_job *job = arena_alloc(x->arena, 1, sizeof(*job));
	struct http_refusal why = {.status = 503, .retry_after_s = 1};

	count_add(&host->intakes.counters, COUNT_BYTES, x->body.n);
	limits_charge(x->account, x->body.n, 0);
	if (job) {
		*job = (struct receive_job){{run_job}, host, receiver, x, run, protocol, x->body.n};
		x->user = job;
		if (is_quick(x, protocol)) {
			run(job);
			return;
		}
		if (!workers_submit(&host->workers, &job->work, x->body.n))
			return;
	}
	snprintf(why.text, sizeof(why.text), "%s",
		 job ? "too much data is waiting to be decoded" : "out of memory");
	record_overload(host, x, protocol, why.text);
	http_refuse(x, &why);
}

bool receive_admit(struct host *host, struct consumer *next, const struct http_exchange *x,
		   enum receive_protocol protocol, unsigned status, struct http_refusal *why)
{
	struct delivery_result result = {0};
	uint64_t bytes;
	size_t waiting;

	if (str_to_u64(http_header(x, STR("content-length")), 10, &bytes))
		bytes = UNKNOWN_LENGTH;
	(void)workers_waiting(&host->workers, &waiting);
	if (!limits_admit(x->account, &result)) {
		status = 429; /* not the receiver's overload status: the sender exceeds its rate */
	} else if (waiting > host->memory.limit / 4) {
		result.retry_after_ms = 1000;
		snprintf(result.reason, sizeof(result.reason),
			 "too much data is waiting to be decoded");
	} else if (atomic_load(&host->memory_held) && !has_room(host)) {
		result.retry_after_ms = 1000;
		snprintf(result.reason, sizeof(result.reason),
			 "the memory for data in transit is used up: exporters hold it");
	} else if (consumer_admit(next, bytes, &result)) {
		return true;
	}
	count_add(&host->intakes.counters, COUNT_REFUSED, 1);
	receiver_counter_refuse(next, protocol == RECEIVE_OTLP_GRPC ? "grpc" : "http");
	why->status = status;
	why->retry_after_s = receive_seconds(result.retry_after_ms);
	snprintf(why->text, sizeof(why->text), "%.*s", (int)sizeof(why->text) - 1, result.reason);
	record_overload(host, x, protocol, why->text);
	return false;
}

void receipt_refuse(struct receipt *r, int rc, const char *reason)
{
	r->refused[delivery_may_retry(rc) ? REFUSED_FAILED
		   : rc == -EDQUOT	  ? REFUSED_REJECTED
					  : REFUSED_BAD]++;
	r->reason = reason;
}

void receipt_add(struct receipt *r, const struct intake *in, const struct delivery_result *result)
{
	r->services = &in->services;
	if (result->rc) {
		receipt_refuse(r, result->rc, result->reason);
		return;
	}
	if (in->delivery.signal == SIGNAL_METRICS)
		r->samples += in->points + in->refused.rejected -
			      min_size(result->rejected, in->points + in->refused.rejected);
	else if (in->delivery.signal == SIGNAL_TRACES)
		r->spans += in->spans + in->refused.rejected - result->rejected;
	else
		r->profiles += in->profiles - result->rejected;
	r->samples += in->samples;
	r->duplicates += result->duplicates;
	r->refused[REFUSED_REJECTED] += result->rejected;
	if (result->rejected)
		r->reason = result->reason;
}

void receive_note(struct host *host, struct http_exchange *x, struct receipt *r)
{
	const struct receive_job *job = x->user;

	r->x = x;
	r->protocol = job->protocol;
	r->bytes = job->bytes;
	senders_note(&host->senders, r);
}

void receive_count(struct host *host, int rc)
{
	count_add(&host->intakes.counters, delivery_may_retry(rc) ? COUNT_FAILED : COUNT_BAD, 1);
}

enum rpc_code receive_code(int rc)
{
	switch (rc) {
	case 0:
		return RPC_OK;
	case -EBADMSG:
	case -EINVAL:
		return RPC_INVALID_ARGUMENT;
	case -EFBIG:
		return RPC_RESOURCE_EXHAUSTED;
	case -EDQUOT: /* a code after which senders do not retry */
		return RPC_FAILED_PRECONDITION;
	case -ENOTSUP:
		return RPC_UNIMPLEMENTED;
	case -EPERM:
		return RPC_PERMISSION_DENIED;
	default:
		return delivery_may_retry(rc) ? RPC_UNAVAILABLE : RPC_INTERNAL;
	}
}
