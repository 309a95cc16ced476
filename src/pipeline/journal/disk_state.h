/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VARVE_PIPELINE_JOURNAL_DISK_STATE_H
#define VARVE_PIPELINE_JOURNAL_DISK_STATE_H

#include "base/thread.h"
#include "pipeline/journal/disk_queue.h"
#include "pipeline/journal/disk_segments.h"

/*
 * The state of a disk queue, which its threads share. Private to the queue.
 *
 * A delivery waits in `pending` (there is room for it) or `blocked` (there is none yet), until the
 * writer takes it. Its record is published when it is durable. Takers read headers with the cursor,
 * one at a time, into `ready`, where returned records wait, too. If the cursor is at the end, and
 * the payload is counted, the writer puts the record there itself, with a reference to the payload,
 * so that it is not read again. Segments whose records are all
 * removed go to `dead`, because deleting a file takes long: the writer does it.
 */

/* Where a durable record is. */
struct disk_place {
	struct disk_segment *segment;
	uint64_t offset;
	struct journal_header h;
};

/* A record that can be taken. */
struct disk_ready {
	struct disk_ready *next; /* ascending */
	struct disk_place place;
	/* What was put, if it can be shared, with the texts; NULL: it has to be read. */
	struct payload *payload;
	char texts[];
};

/* A delivery that waits to be written. Header and texts are written as they are here. */
struct disk_put {
	struct disk_put *next;
	struct delivery *delivery;
	struct disk_ready *ready; /* for publication; NULL: the payload is borrowed */
	struct journal_header h;
	uint8_t seal[JOURNAL_SEAL]; /* written after the payload, if it is encrypted */
	uint8_t header[JOURNAL_RECORD_HEADER];
	char texts[];
};

struct disk_put_list {
	struct disk_put *first, **end;
};

struct disk_queue {
	struct disk_queue *next; /* guarded by the list's mutex, like `refs` */
	unsigned refs;
	struct disk_queue_list *list;
	char *directory, *name;
	const struct log *log;
	struct budget *budget;
	struct key_ring *keys; /* NULL: new segments are in clear */
	int dir, lock;	       /* descriptors */
	uint8_t boot[JOURNAL_BOOT_SIZE];

	pthread_mutex_t mu; /* guards what follows */
	pthread_cond_t work, readable;
	struct disk_totals limits; /* 0: none */
	size_t max_in_flight;
	bool blocks;
	bool closing;
	struct disk_put_list pending, blocked;
	struct disk_totals totals; /* pending and durable, not removed */
	struct disk_queue_state counts;
	struct disk_segment *first, *last, *active, *dead;

	/* The cursor: the next header to be read; NULL: that of the next segment. */
	struct disk_segment *cursor;
	uint64_t cursor_offset;
	bool reading; /* a thread uses `reader`, without the mutex */
	struct disk_reader reader;
	struct disk_ready *ready, *ready_last;
	size_t kept; /* bytes of `ready` in memory */

	/* Of the writer's thread. */
	struct thread writer;
	uint64_t offset; /* in `active` */
	struct gcm gcm;	 /* with the key of `active` */
	uint8_t *sealed; /* room for encrypted pieces of a write; NULL: none was needed */
	uint64_t next_sequence;
	int failure; /* of the last write, for the log */
};

void disk_totals_add(struct disk_totals *t, const struct journal_header *h);
void disk_totals_subtract(struct disk_totals *t, const struct journal_header *h);

/* ---- the caller holds mu ---- */

/* Append a segment to the list; the cursor goes there if it has read everything before. */
void disk_state_add_segment(struct disk_queue *q, struct disk_segment *s);

/*
 * Close a segment that nobody uses, or move it to `dead` if it is not needed. The cursor leaves it
 * if it has read it.
 */
void disk_state_release(struct disk_queue *q, struct disk_segment *s);

/* The cursor goes to the next segment if it has read the sealed one. */
void disk_state_advance(struct disk_queue *q);

/* Forget a record; its segment is released if the record was its last user. */
void disk_state_remove(struct disk_queue *q, const struct disk_place *place);

/* Return the bytes of a record in memory. */
static inline size_t disk_record_bytes(const struct journal_header *h)
{
	return (size_t)h->payload_bytes + h->text_bytes;
}

/* Return the bytes that a record in `ready` with its payload takes. */
static inline size_t disk_ready_bytes(const struct disk_ready *r)
{
	return r->payload ? disk_record_bytes(&r->place.h) + sizeof(*r) : 0;
}

/* Remove and return the first record that can be taken. */
struct disk_ready *disk_state_take_ready(struct disk_queue *q);

/*
 * Take over p->ready, with a reference to its payload, if the cursor is at the place of the record
 * and its memory may be in flight. Return whether the cursor has passed it.
 */
bool disk_state_keep(struct disk_queue *q, struct disk_put *p, const struct disk_place *place);

/* Free a record that is not in the list any more. Takes NULL. */
void disk_ready_free(struct disk_ready *r);

/* Insert a record that can be taken. */
void disk_state_insert_ready(struct disk_queue *q, struct disk_ready *r);

/* Return whether a record fits, or could fit if the queue were empty. */
bool disk_state_has_room(const struct disk_queue *q, const struct journal_header *h);
bool disk_state_can_fit(const struct disk_queue *q, const struct journal_header *h);

/* Move deliveries from `blocked` to `pending` while there is room, and wake the writer. */
void disk_state_admit(struct disk_queue *q);

void disk_put_list_init(struct disk_put_list *l);
void disk_put_list_append(struct disk_put_list *l, struct disk_put *p);

#endif
