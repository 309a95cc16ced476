/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VARVE_PIPELINE_EXPORTERS_SENDER_SEND_LANE_H
#define VARVE_PIPELINE_EXPORTERS_SENDER_SEND_LANE_H

#include <pthread.h>
#include <stdatomic.h>

#include "base/thread.h"
#include "pipeline/exporters/sender/sender.h"
#include "pipeline/journal/disk_queue.h"

/*
 * A lane of a sender: the queue and the consumer threads of one signal. Private to sender.c and the
 * files beside it.
 *
 * An item is in exactly one place: in the queue, in the list of those that wait for room
 * (block_on_overflow), or with one consumer. Deliveries are completed without a lock held, because
 * their callbacks run code of receivers.
 */
struct send_item {
	struct send_item *next;
	const struct payload *payload;
	struct payload *kept; /* `payload` with a reference, or NULL: borrowed of `waits` */
	struct str tenant;
	uint64_t received;
	const struct http_header *metadata;
	uint32_t metadata_count;
	uint64_t size; /* in units of the sizer */
	/* The lane whose size includes it: from queueing until it is finished. NULL: none. */
	struct send_lane *counted;
	/* Of a queue on disk (send_disk.h): what it borrows; NULL: a queue in memory. */
	struct disk_record *record;
	struct disk_queue *disk;
	struct send_batch *batch; /* a piece of a batch (send_batch.h) */
	/* Completed with the result of the send; NULL: acknowledged when it was queued. */
	struct delivery *waits;
	/* Of the first attempt, monotonic; 0: none yet. */
	uint64_t began_ns;
	double interval_ns; /* before the next attempt, without jitter */
};

struct send_list {
	struct send_item *first, **end;
};

void send_list_init(struct send_list *l);
void send_list_append(struct send_list *l, struct send_item *item);

/* Remove and return the first item, or NULL. */
struct send_item *send_list_take(struct send_list *l);

struct send_lane;

struct send_consumer {
	struct send_lane *lane;
	struct thread thread;
	void *worker; /* made by the thread with its first attempt */
};

enum send_phase {
	SENDING,
	SEND_DRAINING, /* until `deadline_ns`: send what is queued, with short pauses */
	/* Another sender takes what is queued; or the queue is on disk, and remains there. */
	SEND_HANDING_OVER,
};

struct send_lane {
	struct sender *sender; /* immutable, like the next rows */
	enum signal_kind signal;
	bool waits;	   /* deliveries are completed when they have been sent */
	uint64_t capacity; /* in units of `sizer` */
	enum sender_sizer sizer;
	unsigned consumer_max;
	bool batches; /* consumers merge items: sending_queue.batch */
	enum sender_sizer batch_sizer;
	pthread_mutex_t collecting; /* held by the consumer that collects a batch */
	/* Set between start and stop; NULL: the queue is in memory. */
	struct disk_queue *disk;
	_Atomic bool ended; /* for disk_queue_take(): the phase is not SENDING */

	pthread_mutex_t mu; /* guards what follows, except metrics */
	pthread_cond_t work, pause;
	struct send_list queue, overflow;
	uint64_t size;	/* of what is queued or being sent, in units of the sizer */
	uint64_t count; /* of the items in `queue` */
	enum send_phase phase;
	uint64_t deadline_ns;
	struct send_consumer *consumers;
	unsigned started, idle;

	/* Made with the first delivery; see lane_metrics(). */
	bool has_metrics;
	struct telemetry_value *sent, *send_failed, *enqueue_failed, *queue_size, *in_flight;
	struct telemetry_value *sent_again;		      /* of a queue on disk */
	struct telemetry_histogram *batch_size, *batch_bytes; /* of sending_queue.batch */
};

struct sender {
	struct sender *next; /* guarded by the list's mutex */
	struct host *host;
	const struct log *log;
	const struct sender_ops *ops;
	void *exporter;
	struct sender_settings settings; /* texts are borrowed from the exporter's settings */
	char *id, *destination;
	const char *storage;   /* directory of the queues; NULL: they are in memory */
	struct key_ring *keys; /* of the storage; borrowed. NULL: the queues are in clear */
	bool stopping;	       /* guarded by the list's mutex */
	struct send_lane lanes[SIGNALS];

	/* Statistics in items; see struct sender_stats. */
	_Atomic uint64_t accepted, attempted, confirmed, failed, dropped, duplicates;
	_Atomic uint64_t pending; /* in memory */
	_Atomic uint64_t last_success, last_failure;
	_Atomic bool reachable;
	pthread_mutex_t mu; /* guards last_error */
	char last_error[ERR_TEXT_MAX];
};

MUST_USE int lane_init(struct send_lane *l, struct sender *s, enum signal_kind signal);
void lane_fini(struct send_lane *l);

/* Start one more consumer. Return -errno if there is none at all. The caller holds mu. */
MUST_USE int lane_add_consumer(struct send_lane *l);

/* Make the metrics with the first delivery. The caller holds mu. */
void lane_metrics(struct send_lane *l);

/* Refuse a delivery: count and log it, and complete it with an error. */
void lane_refuse(struct send_lane *l, struct delivery *d, int rc, const char *reason);

/* Return a counter of the lane's items: otelcol_exporter_`what`_spans. */
struct telemetry_value *lane_item_counter(const struct send_lane *l, const char *what,
					  const char *help);

/* Queue a delivery; see sender_consume(). */
bool lane_consume(struct send_lane *l, struct delivery *d);

/* Queue an item of another sender of the same id, without regard to the capacity. */
void lane_adopt(struct send_lane *l, struct send_list *items);

/* Enter a phase and wake all consumers. */
void lane_set_phase(struct send_lane *l, enum send_phase phase, uint64_t deadline_ns);

/* Wait for the end of the consumers. Then move all queued items to `left`. */
void lane_join(struct send_lane *l, struct send_list *left);

/*
 * Wait for an item until `until_ns` (monotonic; UINT64_MAX: forever). Return NULL when the time is
 * over or the consumer has to end.
 */
struct send_item *lane_take(struct send_lane *l, uint64_t until_ns);

/* Put an item back as the first of the queue. A piece of a batch is settled. */
void lane_return(struct send_lane *l, struct send_item *item);

/* Complete the delivery that waits for the item, if any, and free the item. */
void send_item_finish(struct send_item *item, const struct delivery_result *result);

#endif
