/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VARVE_RULES_NOTIFY_NOTIFY_QUEUE_H
#define VARVE_RULES_NOTIFY_NOTIFY_QUEUE_H

#include "rules/notify/notify.h"

/*
 * The alerts that wait for one receiver, the oldest first, each label set once: a newer alert takes
 * the place of the older one with the same labels. Guarded by its owner.
 */
struct notify_item {
	struct notify_item *next, *previous; /* in the order of the queue; a taken list uses next */
	struct notify_item *same_slot;
	uint64_t fingerprint; /* of the labels, as Alertmanager calculates it */
	size_t bytes;
	struct notify_alert alert; /* its memory belongs to the item */
};

struct notify_queue {
	struct notify_item *first, *last;
	struct notify_item **slots; /* allocated with the first item */
	uint32_t n;
	size_t bytes;
};

/* Copy an alert. Return NULL if memory is exhausted; free it with free(). */
struct notify_item *notify_item_new(const struct notify_alert *alert);

/* Calculate the fingerprint of labels that are sorted by name. */
uint64_t notify_fingerprint(const struct label *labels, uint32_t n);

/*
 * Append an item, or replace the one with the same labels; the queue owns it, also on error. Drop
 * the oldest items beyond the limits. Return the number of dropped items, or -ENOMEM.
 */
int notify_queue_put(struct notify_queue *q, struct notify_item *item);

/* Remove at most `max` items from the front. The caller owns the list. */
struct notify_item *notify_queue_take(struct notify_queue *q, uint32_t max);

/*
 * Put items that could not be sent back to the front. Those with newer ones in the queue are freed,
 * and those beyond the limits dropped. Return the number of dropped items.
 */
uint32_t notify_queue_return(struct notify_queue *q, struct notify_item *list);

void notify_list_free(struct notify_item *list);
void notify_queue_fini(struct notify_queue *q);

#endif
