/* SPDX-License-Identifier: Apache-2.0 */
/* A list in the order of arrival, and a table of chains by the hash of the labels. */
#include "rules/notify/notify_queue.h"

#include <errno.h>
#include <stdlib.h>

enum { SLOTS = 4096 };

/* FNV-1a over names and values, each followed by 0xff: the fingerprint of Prometheus' labels. */
uint64_t notify_fingerprint(const struct label *labels, uint32_t n)
{
	uint64_t h = 14695981039346656037u;

	for (uint32_t i = 0; i < n; i++) {
		const struct str texts[] = {labels[i].name, labels[i].value};

		for (size_t k = 0; k < countof(texts); k++) {
			for (size_t j = 0; j < texts[k].n; j++)
				h = (h ^ (unsigned char)texts[k].p[j]) * 1099511628211u;
			h = (h ^ 0xff) * 1099511628211u;
		}
	}
	return h;
}

/* ---- items ---- */

static size_t label_bytes(const struct label *labels, uint32_t n)
{
	size_t bytes = n * sizeof(*labels);

	for (uint32_t i = 0; i < n; i++)
		bytes += labels[i].name.n + labels[i].value.n;
	return bytes;
}

static struct str copy_text(char **at, struct str s)
{
	struct str copy = {*at, s.n};

	if (s.n)
		memcpy(*at, s.p, s.n);
	*at += s.n;
	return copy;
}

/* Copy labels to `to`, and their texts to *at. */
static void copy_labels(struct label *to, char **at, const struct label *labels, uint32_t n)
{
	for (uint32_t i = 0; i < n; i++) {
		to[i].name = copy_text(at, labels[i].name);
		to[i].value = copy_text(at, labels[i].value);
	}
}

/* One block: the item, both arrays of labels, all texts. */
struct notify_item *notify_item_new(const struct notify_alert *a)
{
	size_t bytes = sizeof(struct notify_item) + label_bytes(a->labels, a->label_count) +
		       label_bytes(a->annotations, a->annotation_count) + a->generator_url.n;
	struct notify_item *item = malloc(bytes);
	struct label *labels, *annotations;
	char *at;

	if (!item)
		return NULL;
	labels = (struct label *)(item + 1);
	annotations = labels + a->label_count;
	at = (char *)(annotations + a->annotation_count);
	*item = (struct notify_item){.bytes = bytes, .alert = *a};
	copy_labels(labels, &at, a->labels, a->label_count);
	copy_labels(annotations, &at, a->annotations, a->annotation_count);
	item->alert.labels = labels;
	item->alert.annotations = annotations;
	item->alert.generator_url = copy_text(&at, a->generator_url);
	item->fingerprint = notify_fingerprint(labels, a->label_count);
	return item;
}

void notify_list_free(struct notify_item *list)
{
	while (list) {
		struct notify_item *next = list->next;

		free(list);
		list = next;
	}
}

/* ---- the queue ---- */

static bool same_labels(const struct notify_item *a, const struct notify_item *b)
{
	if (a->fingerprint != b->fingerprint || a->alert.label_count != b->alert.label_count)
		return false;
	for (uint32_t i = 0; i < a->alert.label_count; i++)
		if (!str_eq(a->alert.labels[i].name, b->alert.labels[i].name) ||
		    !str_eq(a->alert.labels[i].value, b->alert.labels[i].value))
			return false;
	return true;
}

static struct notify_item **find(const struct notify_queue *q, const struct notify_item *like)
{
	struct notify_item **at = &q->slots[like->fingerprint % SLOTS];

	while (*at && !same_labels(*at, like))
		at = &(*at)->same_slot;
	return at;
}

static void link_between(struct notify_queue *q, struct notify_item *item,
			 struct notify_item *previous, struct notify_item *next)
{
	item->previous = previous;
	item->next = next;
	if (previous)
		previous->next = item;
	else
		q->first = item;
	if (next)
		next->previous = item;
	else
		q->last = item;
	item->same_slot = q->slots[item->fingerprint % SLOTS];
	q->slots[item->fingerprint % SLOTS] = item;
	q->n++;
	q->bytes += item->bytes;
}

static void unlink_item(struct notify_queue *q, struct notify_item *item)
{
	struct notify_item **at = &q->slots[item->fingerprint % SLOTS];

	while (*at != item)
		at = &(*at)->same_slot;
	*at = item->same_slot;
	if (item->previous)
		item->previous->next = item->next;
	else
		q->first = item->next;
	if (item->next)
		item->next->previous = item->previous;
	else
		q->last = item->previous;
	q->n--;
	q->bytes -= item->bytes;
}

static uint32_t drop_oldest(struct notify_queue *q)
{
	uint32_t dropped = 0;

	while (q->n > NOTIFY_QUEUE_MAX || (q->n && q->bytes > NOTIFY_QUEUE_BYTES)) {
		struct notify_item *oldest = q->first;

		oldest->previous = NULL; /* for the static analyzer: it is the first */
		unlink_item(q, oldest);
		free(oldest);
		dropped++;
	}
	return dropped;
}

static bool has_slots(struct notify_queue *q)
{
	if (!q->slots)
		q->slots = calloc(SLOTS, sizeof(struct notify_item *));
	return q->slots;
}

int notify_queue_put(struct notify_queue *q, struct notify_item *item)
{
	struct notify_item *old, *previous, *next;

	if (!has_slots(q)) {
		free(item);
		return -ENOMEM;
	}
	old = *find(q, item);
	previous = old ? old->previous : q->last;
	next = old ? old->next : NULL;
	if (old) {
		unlink_item(q, old);
		free(old);
	}
	link_between(q, item, previous, next);
	return (int)drop_oldest(q);
}

struct notify_item *notify_queue_take(struct notify_queue *q, uint32_t max)
{
	struct notify_item *list = NULL, **end = &list;

	while (q->n && max--) {
		struct notify_item *item = q->first;

		unlink_item(q, item);
		item->next = NULL;
		*end = item;
		end = &item->next;
	}
	return list;
}

uint32_t notify_queue_return(struct notify_queue *q, struct notify_item *list)
{
	struct notify_item *after = NULL;
	uint32_t dropped = 0;

	while (list && !has_slots(q)) {
		struct notify_item *next = list->next;

		free(list);
		list = next;
		dropped++;
	}
	while (list) {
		struct notify_item *item = list;

		list = list->next;
		if (*find(q, item)) {
			free(item);
			continue;
		}
		link_between(q, item, after, after ? after->next : q->first);
		after = item;
	}
	return dropped + drop_oldest(q);
}

void notify_queue_fini(struct notify_queue *q)
{
	notify_list_free(q->first);
	free(q->slots);
	*q = (struct notify_queue){0};
}
