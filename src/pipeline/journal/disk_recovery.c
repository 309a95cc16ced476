/* SPDX-License-Identifier: Apache-2.0 */
/* Reads the headers of all segments when a queue is opened. */
#include "pipeline/journal/disk_recovery.h"

#include <errno.h>
#include <inttypes.h>
#include <sys/stat.h>
#include <unistd.h>

struct recovery {
	struct disk_queue *q;
	struct disk_segment *segment;
	struct disk_reader reader;
	uint64_t size;	/* of the file */
	uint64_t limit; /* nothing after it was acknowledged */
	bool committed; /* so was everything before */
	bool last;
	uint64_t damaged; /* records whose data is, in the last segment */
};

/* Return whether the record's data has to be verified, and is damaged. */
static bool has_damaged_data(const struct recovery *r, uint64_t offset,
			     const struct journal_header *h)
{
	return r->last && h->state != JOURNAL_REMOVED && !disk_record_intact(r->segment, offset, h);
}

/* Return whether an intact record follows the one at `offset`. */
static bool has_intact_after(const struct recovery *r, uint64_t offset,
			     const struct journal_header *h)
{
	struct disk_reader after = r->reader;
	struct journal_header next;
	uint64_t at = offset + journal_record_size(h);

	while (disk_reader_next(&after, r->segment->fd, r->limit, &at, &next)) {
		if (disk_record_intact(r->segment, at, &next))
			return true;
		at += journal_record_size(&next);
	}
	return false;
}

static void scan_segment(struct recovery *r)
{
	struct disk_segment *s = r->segment;
	struct journal_header h;
	uint64_t at = s->end;

	disk_reader_begin(&r->reader, s);
	for (; disk_reader_next(&r->reader, s->fd, r->limit, &at, &h);
	     at += journal_record_size(&h)) {
		bool damaged = has_damaged_data(r, at, &h);

		if (damaged && !r->committed && !has_intact_after(r, at, &h))
			break;
		r->q->next_sequence = h.sequence + 1;
		if (damaged) {
			disk_record_mark(s->fd, at, h.sequence, JOURNAL_REMOVED);
			r->damaged++;
		} else if (h.state != JOURNAL_REMOVED) {
			disk_totals_add(&s->unread, &h);
			s->live++;
		}
	}
	s->end = at;
}

/* What follows the records: the end of an interrupted write, or damage. */
static void cut_tail(struct recovery *r)
{
	struct disk_segment *s = r->segment;
	uint64_t damaged = r->reader.damaged + r->damaged;

	if (r->size > s->end && r->last) {
		log_warn(r->q->log, "cut off what was not completely written to a queue",
			 LOG_STR("queue", str_from(r->q->name)), LOG_U64("segment", s->first),
			 LOG_U64("bytes", r->size - s->end));
		if (ftruncate(s->fd, (off_t)s->end))
			log_warn(r->q->log, "cannot truncate a file of a queue",
				 LOG_STR("error", str_from(strerror(errno))));
	} else if (r->limit > s->end) {
		damaged++;
	}
	if (damaged)
		log_error(r->q->log, "skipped damaged records of a queue",
			  LOG_STR("queue", str_from(r->q->name)),
			  LOG_STR("directory", str_from(r->q->directory)),
			  LOG_U64("segment", s->first), LOG_U64("records", damaged));
	r->q->counts.damaged += damaged;
}

/* Return whether the segment was written since the machine has started. */
static bool is_this_boot(const struct disk_queue *q, const uint8_t boot[JOURNAL_BOOT_SIZE])
{
	static const uint8_t unknown[JOURNAL_BOOT_SIZE];

	return memcmp(boot, unknown, JOURNAL_BOOT_SIZE) != 0 &&
	       memcmp(boot, q->boot, JOURNAL_BOOT_SIZE) == 0;
}

/* Open the file, and its key block if it is encrypted. */
static int open_segment(struct recovery *r, struct err *e)
{
	struct disk_segment *s = r->segment;
	int rc = disk_segment_open(s, r->q->dir);

	if (rc)
		return rc;
	rc = disk_segment_unlock(s, r->q->keys, e);
	if (rc)
		err_prefix(e, "%s: segment %" PRIx64, r->q->directory, s->first);
	return rc;
}

/* Keep a segment whose key block is damaged: nothing of it can be read. */
static void keep_unreadable(struct disk_queue *q, struct disk_segment *s, const struct err *why)
{
	log_error(q->log, "a segment of a queue is damaged and was set aside (*.damaged)",
		  LOG_STR("queue", str_from(q->name)), LOG_ERR(why));
	q->counts.damaged++;
	if (q->next_sequence <= s->first)
		q->next_sequence = s->first + 1;
	disk_segment_set_aside(s, q->dir);
}

static int recover_segment(struct recovery *r, struct err *e)
{
	struct disk_segment *s = r->segment;
	uint8_t header[JOURNAL_SEGMENT_HEADER];
	struct journal_segment found;
	struct stat st;
	int format, rc = open_segment(r, e);

	if (rc == -ENOKEY || rc == -EUCLEAN || rc == -ENOTSUP)
		return rc;
	if (!rc && fstat(s->fd, &st))
		rc = -errno;
	if (rc)
		return err_set(e, rc, "%s: segment %" PRIx64 ": %s", r->q->directory, s->first,
			       strerror(-rc));
	r->size = (uint64_t)st.st_size;
	rc = disk_read(s->fd, header, sizeof(header), disk_segment_header(s));
	format = rc ? -EBADMSG : journal_read_segment(header, &found);
	if (format == -ENOTSUP)
		return err_set(e, -ENOTSUP,
			       "%s: segment %" PRIx64 " was written by another version of varve; "
			       "use that version, or another directory",
			       r->q->directory, s->first);
	if (r->q->next_sequence < s->first)
		r->q->next_sequence = s->first;
	r->limit = r->size;
	if (!format && found.committed >= s->end && is_this_boot(r->q, found.boot)) {
		r->committed = true;
		r->limit = min_size(r->size, found.committed);
	}
	if (!rc) /* otherwise it is shorter than its header */
		scan_segment(r);
	cut_tail(r);
	return 0;
}

/* Add a recovered segment to the queue, or delete it. */
static void adopt_segment(struct disk_queue *q, struct disk_segment *s)
{
	s->sealed = true;
	if (!s->live) {
		disk_segment_delete(s, q->dir);
		return;
	}
	q->totals.records += s->unread.records;
	q->totals.items += s->unread.items;
	q->totals.bytes += s->unread.bytes;
	disk_segment_close(s);
	disk_state_add_segment(q, s);
}

int disk_recover(struct disk_queue *q, struct err *e)
{
	struct disk_segment *list = NULL;
	int rc = disk_segment_list(&list, q->dir);

	if (rc)
		return err_set(e, rc, "%s: %s", q->directory, strerror(-rc));
	q->next_sequence = 1;
	while (list && !rc) {
		struct recovery r = {.q = q, .segment = list, .last = !list->next};
		struct err why = {0};

		rc = recover_segment(&r, &why);
		if (rc && rc != -EUCLEAN) {
			if (e)
				*e = why;
			break;
		}
		list = list->next;
		if (rc)
			keep_unreadable(q, r.segment, &why);
		else
			adopt_segment(q, r.segment);
		rc = 0;
	}
	disk_segment_free_list(list);
	return rc;
}
