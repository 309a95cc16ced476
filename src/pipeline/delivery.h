/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VARVE_PIPELINE_DELIVERY_H
#define VARVE_PIPELINE_DELIVERY_H

#include "base/err.h"
#include "signal/series.h"
#include "signal/span_batch.h"

/*
 * A piece of data on its way through a pipeline, and the promise to say what became of it.
 *
 * consumer_consume() takes a delivery; from then on it belongs to the chain, which calls
 * delivery_done() once, from any thread, when the data is where it has to be (the store: on disk)
 * or was refused. What the delivery points to is borrowed until then and never changed; batch, series and spans
 * only until consumer_consume() returns when they were taken by then (*tell_taken).
 */
enum signal_kind {
	SIGNAL_PROFILES = 1 << 0,
	SIGNAL_TRACES = 1 << 1,
	SIGNAL_METRICS = 1 << 2,
	SIGNAL_LOGS = 1 << 3,
};

struct delivery_result {
	/*
	 * 0; -EAGAIN: try again later; -ENOMEM, -ENOSPC, -EROFS, -EIO: the same, for that reason;
	 * -EBADMSG, -EINVAL: never good; -EDQUOT: not today (limits.h); -ENOTSUP; else a fault of ours.
	 */
	int rc;
	uint32_t retry_after_ms; /* for those that may be tried again; 0: unsaid */
	uint32_t rejected; /* with rc 0: profiles or spans that were refused, the others are kept */
	uint32_t duplicates;	   /* with rc 0: profiles that had been kept before */
	char reason[ERR_TEXT_MAX]; /* one line; empty: none */
};

struct account;

struct delivery {
	enum signal_kind signal;
	struct str tenant; /* empty: the one there is */
	uint64_t received; /* nanoseconds since 1970 */
	/* Whose limits count (pipeline/limits.h); NULL: nobody's */
	const struct account *account;

	/* profiles */
	const struct profile_batch *batch;
	const struct series_map *series;

	/* traces */
	const struct span_batch *spans;

	/* of both */
	bool *tell_taken; /* set when they are not needed any more; NULL: it does not matter */
	bool taken;	  /* the same for done() */

	/* all other signals: the OTLP message as it came, protobuf */
	struct str message;

	/* The owner's: called once, from any thread; must not block. */
	void (*done)(struct delivery *d, const struct delivery_result *result);
	void *owner;

	struct delivery *below; /* of whoever passes it on as another one: the one it came as */
};

static inline void delivery_done(struct delivery *d, const struct delivery_result *result)
{
	d->done(d, result);
}

/* Refuse, with a reason. */
void delivery_fail(struct delivery *d, int rc, uint32_t retry_after_ms, const char *fmt, ...)
	PRINTF_LIKE(4, 5);

/* May another try help? */
static inline bool delivery_may_retry(int rc)
{
	return rc == -EAGAIN || rc == -ENOMEM || rc == -ENOSPC || rc == -EROFS || rc == -EIO;
}

/*
 * Where deliveries go. Any thread.
 */
struct consumer {
	void *state;
	void (*consume)(void *state, struct delivery *d);
	/*
	 * May `bytes` of data come, which have not been read yet? true, or false with *why (rc, reason,
	 * retry_after_ms). NULL: always.
	 */
	bool (*admit)(void *state, uint64_t bytes, struct delivery_result *why);
	struct consumer *next; /* of processors: asked for admission too */
};

static inline void consumer_consume(struct consumer *c, struct delivery *d)
{
	c->consume(c->state, d);
}

static inline bool consumer_admit(struct consumer *c, uint64_t bytes, struct delivery_result *why)
{
	for (; c; c = c->next)
		if (c->admit && !c->admit(c->state, bytes, why))
			return false;
	return true;
}

/*
 * One delivery to several consumers: done when all are, with the worst result. It makes no
 * decision of its own.
 */
struct fanout {
	struct consumer consumer; /* give this one the deliveries */
	struct consumer *const *to;
	uint32_t count;
};
void fanout_init(struct fanout *f, struct consumer *const *to, uint32_t count);

#endif
