/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VARVE_PIPELINE_JOURNAL_DISK_QUEUE_H
#define VARVE_PIPELINE_JOURNAL_DISK_QUEUE_H

#include <pthread.h>
#include <stdatomic.h>

#include "base/log.h"
#include "pipeline/delivery.h"
#include "seal/key_ring.h"

/*
 * A queue of deliveries in a directory: first in, first out, bounded, and durable. It is used by
 * the journal at the head of a pipeline and by the queues of exporters.
 *
 * disk_queue_put() takes a delivery over and completes it when its data has been written and
 * synced; all deliveries that wait meanwhile share one fdatasync() (group commit).
 * disk_queue_take() hands records out in that order, and disk_queue_remove() marks them as
 * consumed. Only what is in flight is in memory. What was put and not removed is handed out again
 * by the next process, marked `again` if it had been taken before.
 *
 * journal_file.h describes the files. Any thread.
 */
struct disk_queue;

struct disk_queue_options {
	const char *directory; /* see disk_queue_path(); created with its parent */
	const char *name;      /* for logs: "exporter otlp, traces" */
	const struct log *log;
	/* disk_queue_put() refuses data beyond these; 0: no limit. */
	uint64_t max_records, max_items, max_bytes;
	bool block_on_overflow; /* let data beyond them wait instead */
	size_t max_in_flight;	/* bytes of records that are taken; 0: 16 MiB */
	struct budget *budget;	/* records in flight are charged to it; may be NULL */
	/*
	 * New files are encrypted by these master keys; a reference is taken. NULL: they are in
	 * clear, and encrypted ones that an earlier process has left cannot be opened.
	 */
	struct key_ring *keys;
};

/*
 * Append the directory of a queue, NUL-terminated: that of the storage, the id of a component, and
 * `part`, with unusual bytes replaced by %XX, as in /var/lib/varve/otlp%2F2/traces.
 */
void disk_queue_path(struct buf *out, const char *storage, const char *id, const char *part);

/*
 * The open queues of a process by directory, so that the components of a new configuration share
 * them with those that are about to stop. Part of struct host.
 */
struct disk_queue_list {
	pthread_mutex_t mu;
	struct disk_queue *first;
};

void disk_queue_list_init(struct disk_queue_list *l);
void disk_queue_list_fini(struct disk_queue_list *l);

/*
 * Open the queue of a directory, or take another reference to it and apply the new limits. Return
 * 0, -EBUSY if another process uses it, -ENOKEY if it is encrypted by another key, or another
 * negative errno with text in `e`. Queues that are shared have the same id, and so the same log and
 * budget.
 */
MUST_USE int disk_queue_open(struct disk_queue **out, struct disk_queue_list *list,
			     const struct disk_queue_options *options, struct err *e);

/*
 * Drop a reference. The last one completes what was put, and closes the files. The caller has
 * removed or returned all records that it took. Takes NULL.
 */
void disk_queue_close(struct disk_queue *q);

/*
 * Take over a delivery. It is done with 0 when it is durable, or with an error that may be retried:
 * -EAGAIN (full), -ENOSPC, -EROFS, -EIO, -ENOMEM; or with -EINVAL if it is larger than the queue.
 * Always returns false, as consumer_consume().
 */
bool disk_queue_put(struct disk_queue *q, struct delivery *d);

struct disk_record {
	uint64_t sequence; /* ascending */
	struct payload *payload;
	struct str tenant;
	uint64_t received;
	const struct http_header *metadata;
	uint32_t metadata_count;
	bool again; /* was taken by an earlier process, and may have been delivered */
};

/*
 * Take the next record, waiting at most `timeout_ns` for one, and for memory in flight. Return 0,
 * -ETIMEDOUT, or -EINTR if *end is true: it is set before disk_queue_wake(). `end` may be NULL.
 */
MUST_USE int disk_queue_take(struct disk_queue *q, struct disk_record **out, uint64_t timeout_ns,
			     const _Atomic bool *end);

/* End the waits of disk_queue_take() whose `end` is set. */
void disk_queue_wake(struct disk_queue *q);

/* The record has been consumed: remove it from the disk and free it. Does not block. */
void disk_queue_remove(struct disk_queue *q, struct disk_record *r);

/* Give a record back: it is the next to be taken, before those of higher sequence numbers. */
void disk_queue_return(struct disk_queue *q, struct disk_record *r);

struct disk_queue_state {
	uint64_t records, items, bytes; /* not removed, including those in flight */
	uint64_t again;			/* items handed out with `again` */
	uint64_t damaged;		/* records, or places in files, that were skipped */
	size_t in_flight;		/* bytes */
};
void disk_queue_read_state(struct disk_queue *q, struct disk_queue_state *out);

#endif
