/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VARVE_RULES_NOTIFY_NOTIFY_LANE_H
#define VARVE_RULES_NOTIFY_NOTIFY_LANE_H

#include "base/thread.h"
#include "pipeline/receivers/prometheus/scrape_fetch.h"
#include "rules/notify/notify_known.h"

/*
 * The way to one receiver: its queue, its thread and its connection. A request that fails is
 * repeated after a pause that doubles, from NOTIFY_PAUSE_MS to NOTIFY_PAUSE_MAX_MS or what the
 * receiver asks for by Retry-After.
 */
enum {
	NOTIFY_PAUSE_MS = 500,
	NOTIFY_PAUSE_MAX_MS = 30000,
	NOTIFY_RETRY_AFTER_MAX_S = 300,
	NOTIFY_URL_MAX = 2048,
};

/* Counters since the start. Any thread. */
struct notify_counts {
	_Atomic uint64_t sent, errors, dropped; /* alerts */
	_Atomic uint64_t requests, latency_ns;
};

struct notify_lane {
	const struct notify_receiver *settings;
	bool webhook;
	struct str external_url; /* borrowed from the notifier */
	const struct log *log;
	char url[NOTIFY_URL_MAX + 32]; /* of requests */
	/* Guarded by the notifier's lock. */
	struct relabel *relabel;
	struct notify_item *pending, **pending_end; /* of the call of notifier_send() */
	uint32_t lost;				    /* alerts of it without memory */
	struct notify_counts counts;

	pthread_mutex_t mu; /* guards what follows up to `inherited` */
	pthread_cond_t wake;
	struct notify_queue queue;
	uint64_t stop_ns;	       /* monotonic, 0: not stopping */
	bool finished;		       /* the thread is about to end */
	struct notify_known inherited; /* of an earlier lane; the thread adopts it */
	_Atomic bool cancelled;

	/* Of the thread. */
	struct thread thread;
	struct scrape_fetch fetch;
	struct notify_known known;
	struct buf body;
	unsigned failures; /* in a row */
	bool started;
};

/* Return 0, or a negative errno with text in `e`. Call notify_lane_fini() in every case. */
MUST_USE int notify_lane_init(struct notify_lane *l, const struct notify_receiver *settings,
			      bool webhook, struct err *e);
MUST_USE int notify_lane_start(struct notify_lane *l, struct err *e);

/*
 * Add an alert to `pending`, or count it as lost if it is NULL; the lane owns it. With the
 * notifier's lock.
 */
void notify_lane_add(struct notify_lane *l, struct notify_item *item);

/* Put what is pending into the queue at once, so that it is sent together. With that lock. */
void notify_lane_flush(struct notify_lane *l);

/* Ask the thread to end at this time at the latest. Any thread. */
void notify_lane_stop(struct notify_lane *l, uint64_t stop_ns);

/* Wait for the end of the thread: until the stop time, then cancel its request. */
void notify_lane_join(struct notify_lane *l);

/* Continue the work of a lane to the same receiver, whose thread has ended. */
void notify_lane_inherit(struct notify_lane *l, struct notify_lane *old);
void notify_lane_fini(struct notify_lane *l);

#endif
