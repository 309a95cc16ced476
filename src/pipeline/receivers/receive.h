/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VARVE_PIPELINE_RECEIVE_H
#define VARVE_PIPELINE_RECEIVE_H

#include "net/rpc/rpc.h"
#include "pipeline/component.h"

/* Shared by network receivers: admission, scheduling, results and TLS settings of a port. */

/*
 * Uncompressed bodies up to this size are handled on the loop's thread, others by the workers: a
 * loop serves many connections and must not be blocked by a compressed body that expands a lot.
 */
#define RECEIVE_INLINE (16 * KIB)

struct receive_tls {
	struct str certificate, key, client_ca;
	struct net_tls_files files; /* set by receive_tls_files() */
};

extern const struct setting receive_tls_settings[]; /* cert_file, key_file, client_ca_file */

/* Fail with -EINVAL if settings for TLS lack the certificate, without which there is no TLS. */
MUST_USE int receive_tls_check(const struct receive_tls *t, struct err *e);

/* Fill and return t->files, or return NULL when TLS is not configured. */
const struct net_tls_files *receive_tls_files(struct receive_tls *t);

/* A request being handled, on the loop or by a worker. Lives in the exchange's arena. */
struct receive_job {
	struct work work;
	struct host *host;
	void *receiver;
	struct http_exchange *x; /* x->user is this job */
	void (*run)(struct receive_job *job);
	enum receive_protocol protocol;
	uint64_t bytes; /* of the body as received */
};

/*
 * Run `run` with the exchange, on this thread or a worker; refuse the exchange if the queue is
 * full.
 */
void receive_run(struct host *host, void *receiver, struct http_exchange *x,
		 enum receive_protocol protocol, void (*run)(struct receive_job *job));

/*
 * Return whether limits, queue and pipeline admit the body of this request; if not, fill *why.
 * `status` is the HTTP status of an overload; 429 is used for an exceeded rate limit.
 */
bool receive_admit(struct host *host, struct consumer *next, const struct http_exchange *x,
		   enum receive_protocol protocol, unsigned status, struct http_refusal *why);

/*
 * Add the result of an intake to the receipt of its request; borrows from both until
 * receive_note().
 */
void receipt_add(struct receipt *r, const struct intake *in, const struct delivery_result *result);

/* Add an error to the receipt, for data that was not delivered or failed. */
void receipt_refuse(struct receipt *r, int rc, const char *reason);

/* Record the request in the senders' statistics; call before it is answered. */
void receive_note(struct host *host, struct http_exchange *x, struct receipt *r);

/* Count a message that could not be decoded or delivered. */
void receive_count(struct host *host, int rc);

/* Return the google.rpc.Code for the result of a delivery. */
enum rpc_code receive_code(int rc);

/* Return the seconds of a Retry-After header. */
static inline unsigned receive_seconds(uint32_t ms)
{
	return (ms + 999) / 1000;
}

#endif
