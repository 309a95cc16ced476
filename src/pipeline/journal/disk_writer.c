/* SPDX-License-Identifier: Apache-2.0 */
/* Appends records to segments: a vectored write of headers, texts and payloads in place. */
#include "pipeline/journal/disk_writer.h"

#include <errno.h>
#include <stdlib.h>
#include <sys/uio.h>
#include <unistd.h>

#include "pipeline/journal/disk_seal.h"

enum { WRITE_PIECES = 512, RETRY_LATER_MS = 1000 };

/* A write locks the file: marks of other records have to wait for it. */
#define WRITE_BYTES (512 * KIB)
#define SEGMENT_BYTES ((uint64_t)64 * MIB)

/* Pieces of records that are written together. */
struct disk_pieces {
	int fd;
	uint64_t offset; /* of the first piece */
	size_t bytes;
	unsigned count;
	int rc; /* of the first write that failed */
	struct gcm *gcm;
	uint8_t *sealed; /* WRITE_BYTES of room for encrypted pieces; NULL: records are in clear */
	size_t sealed_bytes;
	struct iovec at[WRITE_PIECES];
};

/* Remove `n` bytes from the beginning of the pieces. Return the first that is left. */
static unsigned skip_written(struct disk_pieces *w, unsigned first, size_t n)
{
	while (n && n >= w->at[first].iov_len)
		n -= w->at[first++].iov_len;
	if (n) {
		w->at[first].iov_base = (char *)w->at[first].iov_base + n;
		w->at[first].iov_len -= n;
	}
	return first;
}

static void flush_pieces(struct disk_pieces *w)
{
	unsigned first = 0;

	while (!w->rc && first < w->count) {
		ssize_t n =
			pwritev(w->fd, w->at + first, (int)(w->count - first), (off_t)w->offset);

		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0) {
			w->rc = n ? -errno : -EIO;
			break;
		}
		w->offset += (uint64_t)n;
		first = skip_written(w, first, (size_t)n);
	}
	w->count = 0;
	w->bytes = 0;
}

static void add_piece(struct disk_pieces *w, const void *p, size_t n)
{
	if (!n)
		return;
	if (w->count == WRITE_PIECES || w->bytes >= WRITE_BYTES)
		flush_pieces(w);
	w->bytes += n;
	w->at[w->count++] = (struct iovec){(void *)p, n};
}

/* Encrypt bytes into the room, which is written when it is full. */
static void add_sealed_piece(struct disk_pieces *w, const char *p, size_t n)
{
	while (n && !w->rc) {
		size_t piece = min_size(n, WRITE_BYTES - w->sealed_bytes);
		uint8_t *to = w->sealed + w->sealed_bytes;

		if (!piece) {
			flush_pieces(w);
			w->sealed_bytes = 0;
			continue;
		}
		w->rc = gcm_seal_piece(w->gcm, p, piece, to);
		add_piece(w, to, piece);
		w->sealed_bytes += piece;
		p += piece;
		n -= piece;
	}
}

static void add_sealed_record(struct disk_pieces *w, const struct disk_segment *s, uint64_t at,
			      struct disk_put *p)
{
	static const char padding[JOURNAL_ALIGN];
	const struct payload *payload = p->delivery->payload;
	uint64_t n = (uint64_t)JOURNAL_RECORD_HEADER + p->h.text_bytes + p->h.payload_bytes;
	int rc;

	journal_write_header(p->header, &p->h);
	rc = disk_seal_begin(w->gcm, s, at, p->header, p->seal);
	if (rc && !w->rc)
		w->rc = rc;
	add_piece(w, p->header, JOURNAL_RECORD_HEADER);
	add_sealed_piece(w, p->texts, p->h.text_bytes);
	for (uint32_t i = 0; i < payload->slice_count; i++)
		add_sealed_piece(w, payload->slices[i].bytes.p, payload->slices[i].bytes.n);
	if (!w->rc)
		w->rc = gcm_seal_end(w->gcm, p->seal + SEAL_NONCE);
	add_piece(w, p->seal, JOURNAL_SEAL);
	add_piece(w, padding, journal_record_size(&p->h) - n - JOURNAL_SEAL);
}

static void add_record(struct disk_pieces *w, struct disk_put *p)
{
	static const char padding[JOURNAL_ALIGN];
	const struct payload *payload = p->delivery->payload;
	size_t n = JOURNAL_RECORD_HEADER + p->h.text_bytes;

	journal_write_header(p->header, &p->h);
	add_piece(w, p->header, n);
	for (uint32_t i = 0; i < payload->slice_count; i++)
		add_piece(w, payload->slices[i].bytes.p, payload->slices[i].bytes.n);
	add_piece(w, padding, journal_record_size(&p->h) - n - p->h.payload_bytes);
}

/* ---- groups ---- */

/* Append the records to the segment, sync, and commit them. Return 0 or -errno. */
static int write_records(struct disk_queue *q, struct disk_put *group, bool *unsynced)
{
	struct disk_pieces w = {
		.fd = q->active->fd, .offset = q->offset, .gcm = &q->gcm, .sealed = q->sealed};
	uint8_t commit[JOURNAL_COMMIT_SIZE];

	for (struct disk_put *p = group; p; p = p->next) {
		p->h.sequence = q->next_sequence++;
		if (q->active->encrypted)
			add_sealed_record(&w, q->active, q->offset, p);
		else
			add_record(&w, p);
		q->offset += journal_record_size(&p->h);
	}
	flush_pieces(&w);
	if (w.rc)
		return w.rc;
	*unsynced = fdatasync(w.fd);
	if (*unsynced)
		return -errno;
	journal_write_commit(commit, q->offset);
	return disk_write(w.fd, commit, sizeof(commit),
			  disk_segment_header(q->active) + JOURNAL_COMMIT_OFFSET);
}

static void seal_active(struct disk_queue *q)
{
	struct disk_segment *s = q->active;

	pthread_mutex_lock(&q->mu);
	q->active = NULL;
	s->sealed = true;
	s->users--;
	disk_state_release(q, s);
	disk_state_advance(q);
	pthread_mutex_unlock(&q->mu);
}

/* Begin a segment if the record does not fit into the last one. Return 0 or -errno. */
static int make_room(struct disk_queue *q, const struct disk_put *p)
{
	struct disk_segment *s;
	int rc;

	if (q->active && q->offset > disk_segment_begin(q->active) &&
	    q->offset + journal_record_size(&p->h) > SEGMENT_BYTES)
		seal_active(q);
	if (q->active)
		return 0;
	if (q->keys && !q->sealed)
		q->sealed = malloc(WRITE_BYTES);
	if (q->keys && !q->sealed)
		return -ENOMEM;
	rc = disk_segment_create(&s, q->dir, q->next_sequence, q->boot, q->keys);
	if (rc)
		return rc;
	if (s->encrypted) {
		gcm_fini(&q->gcm);
		rc = gcm_init(&q->gcm, s->key.key, NULL);
	}
	if (rc) {
		disk_segment_delete(s, q->dir);
		return rc;
	}
	s->users = 1;
	q->offset = s->end;
	pthread_mutex_lock(&q->mu);
	q->active = s;
	disk_state_add_segment(q, s);
	pthread_mutex_unlock(&q->mu);
	return 0;
}

/* The records of a group are durable: they can be taken. */
static void publish(struct disk_queue *q, struct disk_put *group)
{
	struct disk_segment *s = q->active;

	pthread_mutex_lock(&q->mu);
	for (struct disk_put *p = group; p; p = p->next) {
		struct disk_place place = {s, s->end, p->h};

		s->live++;
		s->end += journal_record_size(&p->h);
		if (!disk_state_keep(q, p, &place))
			disk_totals_add(&s->unread, &p->h);
	}
	pthread_cond_broadcast(&q->readable);
	pthread_mutex_unlock(&q->mu);
}

/* Cut off the records of a group, and release the room for them. `seal`: begin another segment. */
static void abandon(struct disk_queue *q, const struct disk_put *group, bool seal)
{
	pthread_mutex_lock(&q->mu);
	for (const struct disk_put *p = group; p; p = p->next)
		disk_totals_subtract(&q->totals, &p->h);
	disk_state_admit(q);
	pthread_mutex_unlock(&q->mu);
	if (!q->active)
		return;
	if (!ftruncate(q->active->fd, (off_t)q->active->end) && !seal)
		q->offset = q->active->end;
	else
		seal_active(q);
}

/* Return the errors that deliveries know for those of writes. */
static int delivery_error(int rc)
{
	switch (rc) {
	case -ENOSPC:
	case -EDQUOT: /* for deliveries, this one is final */
	case -EFBIG:
		return -ENOSPC;
	case -EROFS:
	case -ENOMEM:
		return rc;
	default:
		return -EIO;
	}
}

static void complete_group(const struct disk_queue *q, struct disk_put *group, int rc)
{
	while (group) {
		struct disk_put *p = group;

		group = p->next;
		if (rc)
			delivery_fail(p->delivery, delivery_error(rc), RETRY_LATER_MS,
				      "%s: cannot write to %s: %s", q->name, q->directory,
				      strerror(-rc));
		else
			delivery_done(p->delivery, &(struct delivery_result){0});
		disk_ready_free(p->ready);
		free(p);
	}
}

static void log_change(struct disk_queue *q, int rc)
{
	if (rc && rc != q->failure)
		log_error(q->log, "data cannot be queued on disk and is refused",
			  LOG_STR("queue", str_from(q->name)),
			  LOG_STR("directory", str_from(q->directory)),
			  LOG_STR("error", str_from(strerror(-rc))));
	else if (!rc && q->failure)
		log_info(q->log, "data is queued on disk again",
			 LOG_STR("queue", str_from(q->name)));
	q->failure = rc;
}

/* Cut the deliveries after the last one that fits into the segment off. Return them. */
static struct disk_put *split_group(const struct disk_queue *q, struct disk_put *group)
{
	uint64_t end = q->offset + journal_record_size(&group->h);
	struct disk_put *rest;

	while (group->next && end + journal_record_size(&group->next->h) <= SEGMENT_BYTES) {
		group = group->next;
		end += journal_record_size(&group->h);
	}
	rest = group->next;
	group->next = NULL;
	return rest;
}

static void write_puts(struct disk_queue *q, struct disk_put *group)
{
	while (group) {
		bool unsynced = false;
		struct disk_put *rest = NULL;
		int rc = make_room(q, group);

		if (!rc) {
			rest = split_group(q, group);
			rc = write_records(q, group, &unsynced);
		}
		log_change(q, rc);
		if (rc)
			abandon(q, group, unsynced || rc == -EFBIG);
		else
			publish(q, group);
		complete_group(q, group, rc);
		group = rest;
	}
}

/* ---- the thread ---- */

static void delete_dead(const struct disk_queue *q, struct disk_segment *dead)
{
	while (dead) {
		struct disk_segment *next = dead->next;

		disk_segment_delete(dead, q->dir);
		dead = next;
	}
}

void disk_writer_run(void *queue)
{
	struct disk_queue *q = queue;
	struct disk_segment *dead;
	struct disk_put *group;

	pthread_mutex_lock(&q->mu);
	for (;;) {
		while (!q->pending.first && !q->dead && !q->closing)
			pthread_cond_wait(&q->work, &q->mu);
		group = q->pending.first;
		dead = q->dead;
		if (!group && !dead)
			break;
		disk_put_list_init(&q->pending);
		q->dead = NULL;
		pthread_mutex_unlock(&q->mu);
		write_puts(q, group);
		delete_dead(q, dead);
		pthread_mutex_lock(&q->mu);
	}
	pthread_mutex_unlock(&q->mu);
}
