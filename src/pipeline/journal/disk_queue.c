/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Opens and shares disk queues, and hands their records out. disk_writer.c writes, disk_recovery.c
 * reads what an earlier process has left.
 *
 * Taking a record has three steps: a thread reads the next header, records the place as ready, and
 * loads texts and payload without the mutex. A place that is returned is ready again; its data is
 * read again when it is taken.
 */
#include "pipeline/journal/disk_queue.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/crc32c.h"
#include "pipeline/journal/disk_recovery.h"
#include "pipeline/journal/disk_seal.h"
#include "pipeline/journal/disk_writer.h"

enum { QUEUE_DIRECTORY_MODE = 0700, FULL_RETRY_LATER_MS = 1000 };

#define IN_FLIGHT_BYTES (16 * MIB)
#define MEMORY_PAUSE_NS (20 * NS_PER_MS)

/* ---- directories ---- */

/* Append a name with unusual bytes replaced, so that it is one component of a path. */
static void put_file_name(struct buf *out, const char *name)
{
	buf_put_char(out, '/');
	for (const char *at = name; *at; at++) {
		bool plain = (*at >= '0' && *at <= '9') || (*at >= 'a' && *at <= 'z') ||
			     (*at >= 'A' && *at <= 'Z') || *at == '-' || *at == '_' ||
			     (*at == '.' && at > name);

		if (plain)
			buf_put_char(out, *at);
		else
			buf_printf(out, "%%%02X", (unsigned char)*at);
	}
}

void disk_queue_path(struct buf *out, const char *storage, const char *id, const char *part)
{
	buf_put_str(out, str_from(storage));
	put_file_name(out, id);
	put_file_name(out, part);
	buf_put_char(out, '\0');
}

static int sync_directory(const char *path)
{
	int fd = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC), rc;

	if (fd < 0)
		return -errno;
	rc = fsync(fd) ? -errno : 0;
	close(fd);
	return rc;
}

/* Create a directory durably unless it exists; its parent exists. */
static int make_durable_directory(const char *path, const char *parent)
{
	if (!mkdir(path, QUEUE_DIRECTORY_MODE))
		return sync_directory(parent);
	return errno == EEXIST ? 0 : -errno;
}

/* Create the directory of a queue and its parent. */
static int make_queue_directory(const char *path)
{
	char *parent = strdup(path), *slash = parent ? strrchr(parent, '/') : NULL, *above;
	int rc = parent ? 0 : -ENOMEM;

	if (slash && slash > parent) {
		*slash = 0;
		above = strrchr(parent, '/');
		if (above && above > parent) {
			*above = 0;
			above = strdup(parent);
			parent[strlen(parent)] = '/';
			rc = above ? make_durable_directory(parent, above) : -ENOMEM;
			free(above);
		}
	}
	if (!rc)
		rc = make_durable_directory(path, slash && slash > parent ? parent : "/");
	free(parent);
	return rc;
}

/* Take the lock of the queue against other processes. */
static int lock_queue(struct disk_queue *q, struct err *e)
{
	/* open for reading, so that the queue can be used on a read-only file system */
	q->lock = openat(q->dir, "lock", O_CREAT | O_RDONLY | O_CLOEXEC, 0600);
	if (q->lock < 0)
		return err_set(e, -errno, "%s/lock: %s", q->directory, strerror(errno));
	if (flock(q->lock, LOCK_EX | LOCK_NB))
		return err_set(e, errno == EWOULDBLOCK ? -EBUSY : -errno,
			       "%s: the queue is in use by another process; stop it, or use "
			       "another directory",
			       q->directory);
	return 0;
}

static int open_files(struct disk_queue *q, struct err *e)
{
	int rc = make_queue_directory(q->directory);

	if (!rc) {
		q->dir = open(q->directory, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
		rc = q->dir < 0 ? -errno : 0;
	}
	if (rc)
		return err_set(e, rc, "%s: %s", q->directory, strerror(-rc));
	rc = lock_queue(q, e);
	return rc ? rc : disk_recover(q, e);
}

/* ---- open and close ---- */

void disk_queue_list_init(struct disk_queue_list *l)
{
	l->first = NULL;
	pthread_mutex_init(&l->mu, NULL);
}

void disk_queue_list_fini(struct disk_queue_list *l)
{
	pthread_mutex_destroy(&l->mu);
}

static void apply_limits(struct disk_queue *q, const struct disk_queue_options *o)
{
	pthread_mutex_lock(&q->mu);
	q->limits = (struct disk_totals){o->max_records, o->max_items, o->max_bytes};
	q->blocks = o->block_on_overflow;
	q->max_in_flight = o->max_in_flight ? o->max_in_flight : IN_FLIGHT_BYTES;
	disk_state_admit(q);
	pthread_cond_broadcast(&q->readable);
	pthread_mutex_unlock(&q->mu);
}

static int init_queue_sync(struct disk_queue *q)
{
	pthread_condattr_t attr;
	int rc = pthread_condattr_init(&attr);

	if (rc)
		return -rc;
	pthread_condattr_setclock(&attr, CLOCK_MONOTONIC);
	rc = pthread_cond_init(&q->readable, &attr);
	pthread_condattr_destroy(&attr);
	if (!rc)
		rc = pthread_cond_init(&q->work, NULL);
	return rc ? -rc : -pthread_mutex_init(&q->mu, NULL);
}

static void free_queue(struct disk_queue *q)
{
	while (q->ready) {
		struct disk_ready *r = q->ready;

		q->ready = r->next;
		disk_ready_free(r);
	}
	disk_segment_free_list(q->first);
	if (q->lock >= 0)
		close(q->lock);
	if (q->dir >= 0)
		close(q->dir);
	gcm_fini(&q->gcm);
	free(q->sealed);
	key_ring_unref(q->keys);
	free(q->directory);
	free(q->name);
	free(q);
}

static int new_queue(struct disk_queue **out, const struct disk_queue_options *o, struct err *e)
{
	struct disk_queue *q = calloc(1, sizeof(*q));
	int rc = q ? init_queue_sync(q) : -ENOMEM;

	if (rc) {
		free(q);
		return err_errno(e, rc, "open queue");
	}
	q->dir = q->lock = -1;
	q->log = o->log;
	q->budget = o->budget;
	q->keys = key_ring_ref(o->keys);
	disk_boot_id(q->boot);
	q->directory = strdup(o->directory);
	q->name = strdup(o->name);
	disk_put_list_init(&q->pending);
	disk_put_list_init(&q->blocked);
	rc = q->directory && q->name ? open_files(q, e) : -ENOMEM;
	if (!rc) {
		apply_limits(q, o);
		rc = thread_start(&q->writer, "disk queue", disk_writer_run, q, e);
	}
	if (rc) {
		free_queue(q);
		return err_errno(e, rc, "open queue");
	}
	*out = q;
	return 0;
}

static bool same_keys(const struct key_ring *a, const struct key_ring *b)
{
	return a && b ? !strcmp(key_ring_path(a), key_ring_path(b)) : a == b;
}

int disk_queue_open(struct disk_queue **out, struct disk_queue_list *list,
		    const struct disk_queue_options *o, struct err *e)
{
	struct disk_queue *q;
	int rc = 0;

	pthread_mutex_lock(&list->mu);
	for (q = list->first; q && strcmp(q->directory, o->directory) != 0;)
		q = q->next;
	if (q && !same_keys(q->keys, o->keys)) {
		rc = err_set(e, -EBUSY,
			     "%s: the key file of an open queue cannot change: restart the program",
			     o->directory);
	} else if (q) {
		apply_limits(q, o);
	} else {
		rc = new_queue(&q, o, e);
		if (!rc) {
			q->list = list;
			q->next = list->first;
			list->first = q;
		}
	}
	if (!rc) {
		q->refs++;
		*out = q;
	}
	pthread_mutex_unlock(&list->mu);
	return rc;
}

static void refuse_put(const struct disk_queue *q, struct disk_put *p, int rc, const char *why)
{
	delivery_fail(p->delivery, rc, rc == -EINVAL ? 0 : FULL_RETRY_LATER_MS, "%s: %s", q->name,
		      why);
	disk_ready_free(p->ready);
	free(p);
}

/* Write what was put, and end the writer. */
static void finish_queue(struct disk_queue *q)
{
	struct disk_put *blocked;

	pthread_mutex_lock(&q->mu);
	blocked = q->blocked.first;
	disk_put_list_init(&q->blocked);
	q->closing = true;
	pthread_cond_signal(&q->work);
	pthread_mutex_unlock(&q->mu);
	while (blocked) {
		struct disk_put *p = blocked;

		blocked = p->next;
		refuse_put(q, p, -EAGAIN, "the queue is full");
	}
	thread_join(&q->writer);
	pthread_mutex_destroy(&q->mu);
	pthread_cond_destroy(&q->work);
	pthread_cond_destroy(&q->readable);
}

void disk_queue_close(struct disk_queue *q)
{
	struct disk_queue_list *list;

	if (!q)
		return;
	list = q->list;
	pthread_mutex_lock(&list->mu);
	if (!--q->refs) {
		struct disk_queue **at = &list->first;

		while (*at != q)
			at = &(*at)->next;
		*at = q->next;
		finish_queue(q);
		free_queue(q);
	}
	pthread_mutex_unlock(&list->mu);
}

/* ---- put ---- */

/* Return a record that is not published yet, with a copy of the texts, or NULL without memory. */
static struct disk_ready *ready_new(struct str texts)
{
	struct disk_ready *r = malloc(sizeof(*r) + texts.n);

	if (!r)
		return NULL;
	r->payload = NULL;
	if (texts.n)
		memcpy(r->texts, texts.p, texts.n);
	return r;
}

/* Return a delivery with its texts, and the checksum of its data, or NULL without memory. */
static struct disk_put *put_new(const struct disk_queue *q, struct delivery *d,
				const struct journal_texts *t, size_t text_bytes)
{
	struct disk_put *p = malloc(sizeof(*p) + text_bytes);
	uint32_t checksum = 0;

	if (!p)
		return NULL;
	journal_write_texts(p->texts, t);
	if (!q->keys) /* otherwise a tag replaces it */
		checksum = crc32c(0, p->texts, text_bytes);
	for (uint32_t i = 0; !q->keys && i < d->payload->slice_count; i++)
		checksum = crc32c(checksum, d->payload->slices[i].bytes.p,
				  d->payload->slices[i].bytes.n);
	p->delivery = d;
	p->ready = atomic_load_explicit(&d->payload->refs, memory_order_relaxed)
			   ? ready_new(str_of(p->texts, text_bytes))
			   : NULL;
	p->h = (struct journal_header){.signal = d->signal,
				       .encrypted = q->keys,
				       .received = d->received,
				       .items = d->payload->items,
				       .payload_bytes = (uint32_t)d->payload->bytes,
				       .text_bytes = (uint32_t)text_bytes,
				       .checksum = checksum};
	return p;
}

bool disk_queue_put(struct disk_queue *q, struct delivery *d)
{
	const struct journal_texts texts = {d->tenant, d->metadata, d->metadata_count};
	size_t text_bytes = journal_texts_size(&texts);
	struct disk_put *p = NULL;
	bool blocks, fits, refused = false;

	if (text_bytes <= JOURNAL_TEXTS_MAX && d->payload->bytes <= JOURNAL_PAYLOAD_MAX) {
		p = put_new(q, d, &texts, text_bytes);
	} else {
		delivery_fail(d, -EINVAL, 0, "%s: the request is too large", q->name);
		return false;
	}
	if (!p) {
		delivery_fail(d, -ENOMEM, FULL_RETRY_LATER_MS, "%s: out of memory", q->name);
		return false;
	}
	pthread_mutex_lock(&q->mu);
	fits = disk_state_can_fit(q, &p->h);
	blocks = q->blocks;
	if (fits && (blocks || disk_state_has_room(q, &p->h))) {
		disk_put_list_append(&q->blocked, p);
		disk_state_admit(q);
	} else {
		refused = true;
	}
	pthread_mutex_unlock(&q->mu);
	if (refused)
		refuse_put(q, p, fits ? -EAGAIN : -EINVAL,
			   fits ? "the queue is full" : "the request is larger than the queue");
	return false;
}

/* ---- take ---- */

struct taken_record {
	struct disk_record record;
	struct disk_ready *ready; /* for a return, which needs no memory then */
	size_t bytes;		  /* in flight */
	struct http_header headers[];
};

/*
 * Read the next header into `ready`. The mutex is released meanwhile. Return false if there is no
 * record that was not read, or no memory.
 */
static bool read_next_header(struct disk_queue *q)
{
	struct disk_segment *s;
	struct disk_ready *r;
	uint64_t offset, end;
	bool found;

	disk_state_advance(q);
	s = q->cursor;
	if (q->reading || !s || q->cursor_offset >= s->end)
		return false;
	r = ready_new(STR(""));
	if (!r || disk_segment_open(s, q->dir)) {
		free(r);
		return false;
	}
	offset = q->cursor_offset;
	end = s->end;
	s->users++;
	q->reading = true;
	pthread_mutex_unlock(&q->mu);
	r->place.segment = s;
	found = disk_reader_next(&q->reader, s->fd, end, &offset, &r->place.h);
	pthread_mutex_lock(&q->mu);
	q->reading = false;
	q->cursor_offset = found ? offset + journal_record_size(&r->place.h) : end;
	r->place.offset = offset;
	if (found && r->place.h.state != JOURNAL_REMOVED) {
		disk_totals_subtract(&s->unread, &r->place.h);
		disk_state_insert_ready(q, take_ptr(&r));
	}
	s->users--;
	disk_state_release(q, s);
	disk_state_advance(q);
	free(r);
	return true;
}

/*
 * Take the first place that is ready, if its record may be in flight and its file can be opened; it
 * is counted then. Otherwise return NULL.
 */
static struct disk_ready *take_ready(struct disk_queue *q)
{
	struct disk_ready *r = q->ready;
	size_t bytes = r ? disk_record_bytes(&r->place.h) : 0;

	if (!r || (q->counts.in_flight && q->counts.in_flight + bytes > q->max_in_flight) ||
	    disk_segment_open(r->place.segment, q->dir))
		return NULL;
	disk_state_take_ready(q);
	q->counts.in_flight += bytes;
	r->place.segment->users++;
	return r;
}

static int read_plain(const struct disk_segment *s, uint64_t offset, const struct journal_header *h,
		      char *texts, char *payload)
{
	uint64_t at = offset + JOURNAL_RECORD_HEADER;
	int rc = disk_read(s->fd, texts, h->text_bytes, at);

	if (!rc)
		rc = disk_read(s->fd, payload, h->payload_bytes, at + h->text_bytes);
	if (!rc &&
	    crc32c(crc32c(0, texts, h->text_bytes), payload, h->payload_bytes) != h->checksum)
		rc = -EBADMSG;
	return rc;
}

/* Read texts and payload from the file. Return 0, -ENOMEM, or -EBADMSG: the record is damaged. */
static int read_record(struct disk_queue *q, const struct disk_place *place, char *texts,
		       struct payload **out)
{
	const struct journal_header *h = &place->h;
	const struct disk_segment *s = place->segment;
	struct buf payload = {.budget = q->budget};
	int rc = -ENOMEM;

	if (buf_reserve(&payload, max_size(h->payload_bytes, 1))) {
		rc = s->encrypted || h->encrypted
			     ? disk_seal_read(s, place->offset, h, texts, payload.p)
			     : read_plain(s, place->offset, h, texts, payload.p);
		payload.n = h->payload_bytes;
		if (rc && rc != -ENOMEM)
			rc = -EBADMSG;
	}
	if (!rc) {
		*out = payload_take(h->signal, h->items, &payload);
		rc = *out ? 0 : -ENOMEM;
	}
	buf_fini(&payload);
	return rc;
}

/* Make a record of a place. Return 0, -ENOMEM, or -EBADMSG: the record is damaged. */
static int load_record(struct disk_queue *q, struct disk_ready *r, struct taken_record **out)
{
	const struct journal_header *h = &r->place.h;
	size_t room = h->text_bytes / 8 * sizeof(struct http_header);
	struct taken_record *t = malloc(sizeof(*t) + room + h->text_bytes);
	struct payload *payload = take_ptr(&r->payload);
	struct journal_texts parsed;
	int rc = 0;
	char *texts;

	if (!t) {
		payload_release(payload);
		return -ENOMEM;
	}
	texts = (char *)(t + 1) + room;
	if (payload)
		memcpy(texts, r->texts, h->text_bytes);
	else
		rc = read_record(q, &r->place, texts, &payload);
	if (!rc && !journal_read_texts(&parsed, t->headers, str_of(texts, h->text_bytes)))
		rc = -EBADMSG;
	if (rc) {
		payload_release(payload);
		free(t);
		return rc;
	}
	*t = (struct taken_record){
		.record = {.sequence = h->sequence,
			   .payload = payload,
			   .tenant = parsed.tenant,
			   .received = h->received,
			   .metadata = parsed.headers,
			   .metadata_count = parsed.header_count,
			   .again = h->state == JOURNAL_TAKEN},
		.ready = r,
		.bytes = disk_record_bytes(h),
	};
	*out = t;
	return 0;
}

/* The caller holds mu. */
static void land(struct disk_queue *q, size_t bytes)
{
	q->counts.in_flight -= bytes;
	pthread_cond_broadcast(&q->readable);
}

static void drop_damaged(struct disk_queue *q, struct disk_ready *r)
{
	log_error(q->log, "skipped a damaged record of a queue",
		  LOG_STR("queue", str_from(q->name)), LOG_STR("directory", str_from(q->directory)),
		  LOG_U64("segment", r->place.segment->first),
		  LOG_U64("record", r->place.h.sequence), LOG_U64("items", r->place.h.items));
	disk_record_mark(r->place.segment->fd, r->place.offset, r->place.h.sequence,
			 JOURNAL_REMOVED);
	pthread_mutex_lock(&q->mu);
	q->counts.damaged++;
	land(q, disk_record_bytes(&r->place.h));
	disk_state_remove(q, &r->place);
	pthread_mutex_unlock(&q->mu);
	disk_ready_free(r);
}

/* Make a place ready again. */
static void put_back(struct disk_queue *q, struct disk_ready *r)
{
	struct disk_segment *s = r->place.segment;

	pthread_mutex_lock(&q->mu);
	land(q, disk_record_bytes(&r->place.h));
	disk_state_insert_ready(q, r);
	s->users--;
	disk_state_release(q, s);
	pthread_mutex_unlock(&q->mu);
}

/* Wait until `until`. Return false if it has passed. */
static bool wait_readable(struct disk_queue *q, uint64_t until)
{
	struct timespec at = {.tv_sec = (time_t)(until / NS_PER_SECOND),
			      .tv_nsec = (long)(until % NS_PER_SECOND)};

	if (clock_monotonic_ns() >= until)
		return false;
	pthread_cond_timedwait(&q->readable, &q->mu, &at);
	return true;
}

/* Wait for a place, and take it. Return 0, -ETIMEDOUT or -EINTR. */
static int wait_for_place(struct disk_queue *q, struct disk_ready **out, uint64_t until,
			  const _Atomic bool *end)
{
	int rc = 0;

	pthread_mutex_lock(&q->mu);
	for (;;) {
		if (end && atomic_load(end))
			rc = -EINTR;
		if (rc || (*out = take_ready(q)))
			break;
		if (!q->ready && read_next_header(q))
			continue;
		if (!wait_readable(q, until))
			rc = -ETIMEDOUT;
	}
	pthread_mutex_unlock(&q->mu);
	return rc;
}

static void mark_taken(struct disk_queue *q, const struct taken_record *t)
{
	const struct disk_place *place = &t->ready->place;

	if (t->record.again) {
		pthread_mutex_lock(&q->mu);
		q->counts.again += place->h.items;
		pthread_mutex_unlock(&q->mu);
		return;
	}
	disk_record_mark(place->segment->fd, place->offset, place->h.sequence, JOURNAL_TAKEN);
}

int disk_queue_take(struct disk_queue *q, struct disk_record **out, uint64_t timeout_ns,
		    const _Atomic bool *end)
{
	uint64_t until = clock_monotonic_ns() + timeout_ns;

	for (;;) {
		struct taken_record *t = NULL;
		struct disk_ready *r;
		int rc = wait_for_place(q, &r, until, end);

		if (!rc)
			rc = load_record(q, r, &t);
		if (!rc) {
			mark_taken(q, t);
			*out = &t->record;
			return 0;
		}
		if (rc == -EBADMSG) {
			drop_damaged(q, r);
		} else if (rc == -ENOMEM) {
			put_back(q, r);
			if (clock_monotonic_ns() >= until)
				return -ETIMEDOUT;
			nanosleep(&(struct timespec){.tv_nsec = MEMORY_PAUSE_NS}, NULL);
		} else {
			return rc;
		}
	}
}

void disk_queue_wake(struct disk_queue *q)
{
	pthread_mutex_lock(&q->mu);
	pthread_cond_broadcast(&q->readable);
	pthread_mutex_unlock(&q->mu);
}

void disk_queue_remove(struct disk_queue *q, struct disk_record *record)
{
	struct taken_record *t = (struct taken_record *)record;
	struct disk_place *place = &t->ready->place;

	payload_release(record->payload);
	disk_record_mark(place->segment->fd, place->offset, place->h.sequence, JOURNAL_REMOVED);
	pthread_mutex_lock(&q->mu);
	land(q, t->bytes);
	disk_state_remove(q, place);
	pthread_mutex_unlock(&q->mu);
	free(t->ready);
	free(t);
}

void disk_queue_return(struct disk_queue *q, struct disk_record *record)
{
	struct taken_record *t = (struct taken_record *)record;
	struct disk_place *place = &t->ready->place;

	payload_release(record->payload);
	if (!record->again)
		disk_record_mark(place->segment->fd, place->offset, place->h.sequence,
				 JOURNAL_WAITING);
	put_back(q, t->ready);
	free(t);
}

void disk_queue_read_state(struct disk_queue *q, struct disk_queue_state *out)
{
	pthread_mutex_lock(&q->mu);
	*out = q->counts;
	out->records = q->totals.records;
	out->items = q->totals.items;
	out->bytes = q->totals.bytes;
	pthread_mutex_unlock(&q->mu);
}
