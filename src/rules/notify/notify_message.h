/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VARVE_RULES_NOTIFY_NOTIFY_MESSAGE_H
#define VARVE_RULES_NOTIFY_NOTIFY_MESSAGE_H

#include "rules/notify/notify_queue.h"

/* The bodies of requests. */

/* Append the list for POST /api/v2/alerts of an Alertmanager. */
void notify_put_alerts(struct buf *out, const struct notify_item *list);

struct webhook_message {
	struct str receiver, external_url;
	uint32_t max_alerts; /* further ones are only counted; 0: all */
};

/*
 * Append the message of an Alertmanager's webhook (version 4) for a list of alerts with the same
 * alertname, which is their group; nothing for an empty list.
 */
void notify_put_webhook(struct buf *out, const struct webhook_message *m,
			const struct notify_item *list);

#endif
