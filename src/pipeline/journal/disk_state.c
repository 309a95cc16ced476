/* SPDX-License-Identifier: Apache-2.0 */
/* Segments, room and order of the records of a disk queue. */
#include "pipeline/journal/disk_state.h"

#include <stdlib.h>

void disk_put_list_init(struct disk_put_list *l)
{
	*l = (struct disk_put_list){.end = &l->first};
}

void disk_put_list_append(struct disk_put_list *l, struct disk_put *p)
{
	p->next = NULL;
	*l->end = p;
	l->end = &p->next;
}

void disk_totals_add(struct disk_totals *t, const struct journal_header *h)
{
	t->records++;
	t->items += h->items;
	t->bytes += h->payload_bytes;
}

void disk_totals_subtract(struct disk_totals *t, const struct journal_header *h)
{
	t->records--;
	t->items -= h->items;
	t->bytes -= h->payload_bytes;
}

/* ---- segments ---- */

void disk_state_add_segment(struct disk_queue *q, struct disk_segment *s)
{
	s->next = NULL;
	if (q->last)
		q->last->next = s;
	else
		q->first = s;
	q->last = s;
	if (!q->cursor) {
		q->cursor = s;
		q->cursor_offset = disk_segment_begin(s);
		disk_reader_begin(&q->reader, s);
	}
}

static void unlink_segment(struct disk_queue *q, struct disk_segment *s)
{
	struct disk_segment **at = &q->first, *before = NULL;

	while (*at != s) {
		before = *at;
		at = &before->next;
	}
	*at = s->next;
	if (q->last == s)
		q->last = before;
}

void disk_state_release(struct disk_queue *q, struct disk_segment *s)
{
	if (s->users)
		return;
	if (s->sealed && !s->live) {
		if (q->cursor == s) {
			q->cursor_offset = s->end;
			disk_state_advance(q);
			return;
		}
		unlink_segment(q, s);
		s->next = q->dead;
		q->dead = s;
		pthread_cond_signal(&q->work);
	} else if (q->cursor != s) {
		disk_segment_close(s);
	}
}

/* The records of a segment that the cursor has not found became damaged after they were written. */
static void drop_unread(struct disk_queue *q, struct disk_segment *s)
{
	q->totals.records -= s->unread.records;
	q->totals.items -= s->unread.items;
	q->totals.bytes -= s->unread.bytes;
	q->counts.damaged += s->unread.records;
	s->live -= s->unread.records;
	s->unread = (struct disk_totals){0};
}

void disk_state_advance(struct disk_queue *q)
{
	while (!q->reading && q->cursor && q->cursor->sealed &&
	       q->cursor_offset >= q->cursor->end) {
		struct disk_segment *s = q->cursor;

		drop_unread(q, s);
		q->cursor = s->next;
		if (q->cursor) {
			q->cursor_offset = disk_segment_begin(q->cursor);
			disk_reader_begin(&q->reader, q->cursor);
		}
		disk_state_release(q, s);
	}
}

void disk_state_remove(struct disk_queue *q, const struct disk_place *place)
{
	disk_totals_subtract(&q->totals, &place->h);
	place->segment->live--;
	place->segment->users--;
	disk_state_release(q, place->segment);
	disk_state_admit(q);
}

void disk_state_insert_ready(struct disk_queue *q, struct disk_ready *r)
{
	struct disk_ready **at = &q->ready;

	if (q->ready_last && q->ready_last->place.h.sequence < r->place.h.sequence)
		at = &q->ready_last->next;
	while (*at && (*at)->place.h.sequence < r->place.h.sequence)
		at = &(*at)->next;
	r->next = *at;
	*at = r;
	if (!r->next)
		q->ready_last = r;
	pthread_cond_broadcast(&q->readable);
}

struct disk_ready *disk_state_take_ready(struct disk_queue *q)
{
	struct disk_ready *r = q->ready;

	q->ready = r->next;
	if (!q->ready)
		q->ready_last = NULL;
	q->kept -= disk_ready_bytes(r);
	return r;
}

bool disk_state_keep(struct disk_queue *q, struct disk_put *p, const struct disk_place *place)
{
	size_t bytes = disk_record_bytes(&place->h) + sizeof(struct disk_ready);
	struct disk_ready *r = p->ready;

	disk_state_advance(q);
	if (!r || q->reading || q->cursor != place->segment || q->cursor_offset != place->offset ||
	    bytes > q->max_in_flight || q->counts.in_flight + q->kept > q->max_in_flight - bytes)
		return false;
	p->ready = NULL;
	r->place = *place;
	r->payload = payload_keep(p->delivery->payload, NULL);
	q->kept += bytes;
	q->cursor_offset = place->offset + journal_record_size(&place->h);
	disk_state_insert_ready(q, r);
	return true;
}

void disk_ready_free(struct disk_ready *r)
{
	if (r)
		payload_release(r->payload);
	free(r);
}

/* ---- room ---- */

static bool fits_limit(uint64_t used, uint64_t n, uint64_t limit)
{
	return !limit || (n <= limit && used <= limit - n);
}

bool disk_state_has_room(const struct disk_queue *q, const struct journal_header *h)
{
	return fits_limit(q->totals.records, 1, q->limits.records) &&
	       fits_limit(q->totals.items, h->items, q->limits.items) &&
	       fits_limit(q->totals.bytes, h->payload_bytes, q->limits.bytes);
}

bool disk_state_can_fit(const struct disk_queue *q, const struct journal_header *h)
{
	return fits_limit(0, h->items, q->limits.items) &&
	       fits_limit(0, h->payload_bytes, q->limits.bytes);
}

void disk_state_admit(struct disk_queue *q)
{
	struct disk_put *p;

	while ((p = q->blocked.first) && disk_state_has_room(q, &p->h)) {
		q->blocked.first = p->next;
		if (!q->blocked.first)
			q->blocked.end = &q->blocked.first;
		disk_totals_add(&q->totals, &p->h);
		disk_put_list_append(&q->pending, p);
		pthread_cond_signal(&q->work);
	}
}
