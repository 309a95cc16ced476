/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VARVE_PIPELINE_DELIVERY_H
#define VARVE_PIPELINE_DELIVERY_H

#include "base/err.h"
#include "signal/log_batch.h"
#include "signal/metric/metric_batch.h"
#include "signal/otlp/payload.h"
#include "signal/series.h"
#include "signal/span_batch.h"

/*
 * A delivery is data that passes through a pipeline, with a callback for its result.
 *
 * consumer_consume() transfers a delivery to the chain of consumers, which calls delivery_done()
 * once, from any thread, when the data has arrived (the store exporter: is on disk) or was refused.
 * The data of the delivery is borrowed until then and never modified. If consumer_consume() returns
 * true, the data is borrowed only until it returns. A consumer that needs a payload longer takes a
 * reference (payload_keep()).
 */
struct delivery_result {
	/*
	 * 0: success. The sender may retry after -EAGAIN, -ENOMEM, -ENOSPC, -EROFS and -EIO, and
	 * must not after -EBADMSG and -EINVAL (bad data), -EDQUOT (daily quota used up, limits.h)
	 * and -ENOTSUP. Any other value is an internal error.
	 */
	int rc;
	uint32_t retry_after_ms; /* for errors that may be retried; 0: unspecified */
	/* With rc 0: profiles or spans that were refused; the others are stored. */
	uint32_t rejected;
	uint32_t duplicates;	   /* with rc 0: profiles that were stored before */
	char reason[ERR_TEXT_MAX]; /* one line, or empty */
};

struct account;
struct delivery;
struct service_names;

/*
 * A counter that is called with the result of a delivery, before done(). Copies of the delivery are
 * not counted: `of` is another delivery then.
 */
struct delivery_watch {
	const struct delivery *of;
	void (*count)(void *arg, const struct delivery *d, uint64_t items,
		      const struct delivery_result *result);
	void *arg;
	uint64_t items; /* when the watch was set: the data may be gone when the delivery is done */
};

/* A receiver and an exporter can watch a delivery. */
enum delivery_watcher { WATCH_RECEIVER, WATCH_EXPORTER, WATCHES };

struct delivery {
	enum signal_kind signal;
	struct str tenant; /* empty: the server has a single tenant */
	uint64_t received; /* nanoseconds since 1970 */
	/* How it was received: "grpc", "http"; NULL: other. For the counters of receivers. */
	const char *transport;
	/* The account whose limits apply (pipeline/admission/limits.h); NULL: no limits */
	const struct account *account;

	/*
	 * The data, in one form: as OTLP message (all signals), or decoded (profiles: batch and
	 * series; traces: spans; logs: logs; metrics: metrics). A pipeline carries one form; see
	 * enum component_form.
	 */
	const struct payload *payload;
	const struct profile_batch *batch;
	const struct series_map *series;
	const struct span_batch *spans;
	const struct log_batch *logs;
	const struct metric_batch *metrics;
	/*
	 * The services in the data, for the statistics of senders: a processor that changes their
	 * names corrects them before it forwards the data. May be NULL.
	 */
	struct service_names *services;

	/* Headers of the request, if the receiver has include_metadata; borrowed like the data. */
	const struct http_header *metadata;
	uint32_t metadata_count;

	/* For done(): consumer_consume() returned or will return true. Set by the consumer. */
	bool copied;

	/* Set by the owner; called once, from any thread; must not block. */
	void (*done)(struct delivery *d, const struct delivery_result *result);
	void *owner;

	/* For a consumer that forwards a copy: the original delivery. */
	struct delivery *below;

	/* Set by the service. */
	struct delivery_watch watches[WATCHES];
};

static inline void delivery_done(struct delivery *d, const struct delivery_result *result)
{
	for (unsigned i = 0; i < WATCHES; i++) {
		struct delivery_watch *w = &d->watches[i];

		if (w->of != d)
			continue;
		w->of = NULL;
		w->count(w->arg, d, w->items, result);
	}
	d->done(d, result);
}

/* Return the number of spans, data points, log records or samples. */
uint64_t delivery_items(const struct delivery *d);

/* Finish a delivery with an error and its reason. */
void delivery_fail(struct delivery *d, int rc, uint32_t retry_after_ms, const char *fmt, ...)
	PRINTF_LIKE(4, 5);

/* Return whether the sender may retry after this error. */
static inline bool delivery_may_retry(int rc)
{
	return rc == -EAGAIN || rc == -ENOMEM || rc == -ENOSPC || rc == -EROFS || rc == -EIO;
}

/* A destination of deliveries. Any thread. */
struct consumer {
	void *state;
	/*
	 * Return true when the data is no longer needed: the caller may use its memory again.
	 * Return false when the data is borrowed until delivery_done(). The delivery may be done
	 * and freed by then.
	 */
	bool (*consume)(void *state, struct delivery *d);
	/*
	 * Return whether a body of `bytes`, not read yet, is accepted; if not, fill *why (rc,
	 * reason, retry_after_ms). NULL: always accepted.
	 */
	bool (*admit)(void *state, uint64_t bytes, struct delivery_result *why);
	struct consumer *next; /* of a processor; has to admit the data too */
};

static inline bool consumer_consume(struct consumer *c, struct delivery *d)
{
	return c->consume(c->state, d);
}

static inline bool consumer_admit(struct consumer *c, uint64_t bytes, struct delivery_result *why)
{
	for (; c; c = c->next)
		if (c->admit && !c->admit(c->state, bytes, why))
			return false;
	return true;
}

/* Forwards each delivery to several consumers; it is done when all are, with the worst result. */
struct fanout {
	struct consumer consumer; /* accepts the deliveries */
	struct consumer *const *to;
	uint32_t count;
};
void fanout_init(struct fanout *f, struct consumer *const *to, uint32_t count);

#endif
