/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VARVE_PIPELINE_RECEIVE_H
#define VARVE_PIPELINE_RECEIVE_H

#include "net/rpc/rpc.h"
#include "pipeline/component.h"

/* What receivers on the network share: where to work, how to answer, the settings of a port. */

/* Bodies up to this size are worked on where they came in, larger and compressed ones by the workers: a loop serves
 * many connections and must not wait for what a few bytes may grow to. */
#define RECEIVE_INLINE (16 * KIB)

struct receive_tls {
	struct str certificate, key, client_ca;
	struct net_tls_files files; /* made by receive_tls_files() */
};

extern const struct setting receive_tls_settings[]; /* cert_file, key_file, client_ca_file */

/* NULL when there is none; else t->files. */
const struct net_tls_files *receive_tls_files(struct receive_tls *t);

/* A request that is worked on, now or by a worker. Lives in the exchange's arena. */
struct receive_job {
	struct work work;
	struct host *host;
	void *receiver;
	struct http_exchange *x; /* x->user is this job */
	void (*run)(struct receive_job *job);
	enum receive_protocol protocol;
	uint64_t bytes; /* of the body, as it came */
};

/*
 * Run `run` with the exchange, on this thread or on a worker's. When nothing is free the exchange is
 * refused.
 */
void receive_run(struct host *host, void *receiver, struct http_exchange *x,
		 enum receive_protocol protocol, void (*run)(struct receive_job *job));

/* An admit hook's answer: does the pipeline take a body of this length? `status` is for "later". */
bool receive_admit(struct host *host, struct consumer *next, const struct http_exchange *x,
		   enum receive_protocol protocol, unsigned status, struct http_refusal *why);

/* Add what became of an intake to the receipt of its request. The intake's words are borrowed until receive_note(). */
void receipt_add(struct receipt *r, const struct intake *in, const struct delivery_result *result);

/* The same for what was never delivered. */
void receipt_refuse(struct receipt *r, int rc, const char *reason);

/* Enter the request into the books, before it is answered. */
void receive_note(struct host *host, struct http_exchange *x, struct receipt *r);

/* Count what could not be read, or kept. */
void receive_count(struct host *host, int rc);

/* What became of data, as google.rpc.Code. */
enum rpc_code receive_code(int rc);

/* The seconds of a Retry-After. */
static inline unsigned receive_seconds(uint32_t ms)
{
	return (ms + 999) / 1000;
}

#endif
