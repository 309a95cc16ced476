/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VARVE_PIPELINE_EXPORTERS_SENDER_SENDER_H
#define VARVE_PIPELINE_EXPORTERS_SENDER_SENDER_H

#include "pipeline/component.h"
#include "pipeline/exporters/sender/sender_list.h"
#include "pipeline/exporters/sender/sender_settings.h"

/*
 * The sending half of exporters: a queue in memory or on disk, consumer threads, retries, draining
 * at the end, and statistics. An exporter embeds the settings (sender_settings.h), makes a sender
 * with its callbacks, and forwards its own callbacks to it:
 *
 *	create:  sender_new(&x->sender, &(struct sender_options){...}, e)
 *	start:   sender_start(x->sender, e)
 *	consume: sender_consume(x->sender, d)
 *	stop:    sender_stop(x->sender)
 *	destroy: sender_free(x->sender), then free what the workers used
 *
 * Each signal has its own queue and threads, as in the OpenTelemetry Collector. Threads are started
 * when all others are busy, up to num_consumers. docs/collector/delivery.md describes what users
 * can rely on.
 */
struct sender;

/* What a worker sends. Everything is borrowed until send() returns. */
struct send_request {
	const struct payload *payload;
	struct str tenant;
	uint64_t received; /* nanoseconds since 1970 */
	const struct http_header *metadata;
	uint32_t metadata_count;
	uint64_t timeout_ms; /* for the whole attempt */
};

enum send_class {
	SEND_OK,
	SEND_PARTIAL,	/* accepted, but for `rejected` items; not sent again */
	SEND_RETRY,	/* may be sent again, not before `retry_after_ms` */
	SEND_PERMANENT, /* refused for good */
};

/* Filled with zeros (SEND_OK) before send() is called. */
struct send_result {
	enum send_class class;
	uint64_t rejected;	   /* SEND_PARTIAL: items that the destination refused */
	uint32_t retry_after_ms;   /* SEND_RETRY: as the destination asked; 0: it did not */
	bool unreachable;	   /* SEND_RETRY: there was no response */
	char reason[ERR_TEXT_MAX]; /* one line without credentials; may be empty for SEND_OK */
};

/* The callbacks of an exporter. A worker belongs to one thread. */
struct sender_ops {
	/*
	 * Make the state of a consumer thread: a connection. It should connect with the first
	 * send(). Return 0 or -errno. NULL: send() gets the exporter itself as worker.
	 */
	int (*worker_new)(void *exporter, void **worker, struct err *e);
	void (*worker_free)(void *worker); /* may be NULL */
	/* Make one attempt. Blocks, at most for request->timeout_ms. */
	void (*send)(void *worker, const struct send_request *request, struct send_result *result);
};

struct sender_options {
	const struct component_env *env;
	const struct sender_ops *ops;
	void *exporter;
	const struct sender_settings *settings;
	const char *destination; /* for logs and status: "host:port" or a URL; copied */
};

/* Return 0, or a negative errno with text in `e`. */
MUST_USE int sender_new(struct sender **out, const struct sender_options *options, struct err *e);
MUST_USE int sender_start(struct sender *s, struct err *e);
bool sender_consume(struct sender *s, struct delivery *d);

/*
 * Send what is queued in memory, for at most SENDER_DRAIN_SECONDS, and report what had to be
 * dropped. The queue goes to the sender of the same id instead if there is a new one, after a
 * reload of the configuration. What is queued on disk stays there.
 */
void sender_stop(struct sender *s);
void sender_free(struct sender *s); /* takes NULL */

enum { SENDER_DRAIN_SECONDS = 10 };

#endif
