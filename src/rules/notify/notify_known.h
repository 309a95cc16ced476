/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VARVE_RULES_NOTIFY_NOTIFY_KNOWN_H
#define VARVE_RULES_NOTIFY_NOTIFY_KNOWN_H

#include "base/container/map.h"
#include "rules/notify/notify_queue.h"

/*
 * What a webhook has been sent, by the fingerprint of alerts: the reason to send an alert is a
 * change of its state, or that the last message is repeat_interval ago. One thread.
 */
struct notify_known_alert {
	uint64_t fingerprint;
	int64_t starts_ms;
	int64_t sent_ms, seen_ms; /* Unix ms */
};

struct notify_known {
	struct arena arena;
	struct map index; /* fingerprint -> place in `alerts` + 1; 0: removed */
	struct notify_known_alert *alerts;
	uint32_t n, cap;
	uint64_t repeat_ms;
	bool send_resolved;
};

void notify_known_init(struct notify_known *k, uint64_t repeat_ms, bool send_resolved);
void notify_known_fini(struct notify_known *k);

/* Return whether the alert has to be sent. A firing alert counts as seen. */
bool notify_known_wants(struct notify_known *k, const struct notify_item *item, int64_t now_ms);

/* Note that an alert has been sent. Without memory it is sent again next time. */
void notify_known_sent(struct notify_known *k, const struct notify_item *item, int64_t now_ms);

/* Add what `from` knows and `k` does not, and empty `from`. */
void notify_known_adopt(struct notify_known *k, struct notify_known *from);

#endif
