/* SPDX-License-Identifier: Apache-2.0 */
/* Firing alerts that a webhook knows. Resolved ones are removed when they have been sent. */
#include "rules/notify/notify_known.h"

#include <errno.h>

/* An alert that nobody sent for this time in addition to repeat_interval is forgotten. */
enum { FORGET_MS = 3600 * 1000 };

void notify_known_init(struct notify_known *k, uint64_t repeat_ms, bool send_resolved)
{
	*k = (struct notify_known){.repeat_ms = repeat_ms, .send_resolved = send_resolved};
	arena_init(&k->arena, NULL);
}

void notify_known_fini(struct notify_known *k)
{
	arena_fini(&k->arena);
	*k = (struct notify_known){0};
}

static struct notify_known_alert *find(const struct notify_known *k, uint64_t fingerprint)
{
	uint64_t place = 0;

	if (!k->n || !map_get(&k->index, fingerprint, &place) || !place)
		return NULL;
	return &k->alerts[place - 1];
}

bool notify_known_wants(struct notify_known *k, const struct notify_item *item, int64_t now_ms)
{
	struct notify_known_alert *known = find(k, item->fingerprint);

	if (item->alert.resolved)
		return known && k->send_resolved;
	if (!known)
		return true;
	known->seen_ms = now_ms;
	return known->starts_ms != item->alert.starts_ms ||
	       now_ms - known->sent_ms >= (int64_t)k->repeat_ms;
}

/* Copy the alerts that are still seen into new memory, with room for more. Return 0 or -ENOMEM. */
static int rebuild(struct notify_known *k, int64_t now_ms)
{
	struct notify_known next;
	uint32_t live = 0;
	int rc;

	notify_known_init(&next, k->repeat_ms, k->send_resolved);
	for (uint32_t i = 0; k->alerts && i < k->n; i++)
		live += k->alerts[i].seen_ms + (int64_t)k->repeat_ms + FORGET_MS > now_ms;
	if (live >= NOTIFY_WEBHOOK_KNOWN_MAX)
		live = NOTIFY_WEBHOOK_KNOWN_MAX / 2;
	next.cap = live * 2 + 64;
	next.alerts = arena_alloc(&next.arena, next.cap, sizeof(*next.alerts));
	rc = next.alerts ? map_init(&next.index, &next.arena, next.cap) : -ENOMEM;
	for (uint32_t i = k->n; i-- > 0 && next.n < live && !rc;) {
		const struct notify_known_alert *a = &k->alerts[i];

		if (find(k, a->fingerprint) != a ||
		    a->seen_ms + (int64_t)k->repeat_ms + FORGET_MS <= now_ms)
			continue;
		next.alerts[next.n++] = *a;
		rc = map_set(&next.index, a->fingerprint, next.n);
	}
	if (rc) {
		notify_known_fini(&next);
		return rc;
	}
	arena_fini(&k->arena);
	*k = next;
	k->index.arena = &k->arena;
	return 0;
}

/* Add an alert that is not known yet. Without memory it stays unknown. */
static void add(struct notify_known *k, const struct notify_known_alert *alert, int64_t now_ms)
{
	if (k->n == k->cap && rebuild(k, now_ms))
		return;
	if (!map_set(&k->index, alert->fingerprint, k->n + 1))
		k->alerts[k->n++] = *alert;
}

void notify_known_sent(struct notify_known *k, const struct notify_item *item, int64_t now_ms)
{
	struct notify_known_alert *known = find(k, item->fingerprint);
	const struct notify_known_alert alert = {item->fingerprint, item->alert.starts_ms, now_ms,
						 now_ms};

	if (item->alert.resolved) {
		if (known && map_set(&k->index, item->fingerprint, 0))
			known->starts_ms = 0;
	} else if (known) {
		*known = alert;
	} else {
		add(k, &alert, now_ms);
	}
}

void notify_known_adopt(struct notify_known *k, struct notify_known *from)
{
	for (uint32_t i = 0; i < from->n; i++) {
		const struct notify_known_alert *a = &from->alerts[i];

		if (find(from, a->fingerprint) == a && !find(k, a->fingerprint))
			add(k, a, a->seen_ms);
	}
	notify_known_fini(from);
}
