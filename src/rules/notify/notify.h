/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VARVE_RULES_NOTIFY_NOTIFY_H
#define VARVE_RULES_NOTIFY_NOTIFY_H

#include "base/buf.h"
#include "base/log.h"
#include "rules/notify/notify_settings.h"
#include "signal/selector.h"

/*
 * Sends alerts to Alertmanagers (API v2) and webhooks (docs/alerts.md). Each receiver has its own
 * thread and queue, so that one that does not answer delays no other.
 *
 * The sender of alerts decides when to send: an Alertmanager gets what notifier_send() is given,
 * and a firing alert has to be given again before its ends_ms. While an alert waits in a queue, a
 * newer one with the same labels replaces it. A full queue drops the oldest alert and counts it.
 * Failed requests are repeated with increasing intervals as long as the alert is not replaced; a
 * status 4xx other than 408 and 429 drops the batch. A webhook gets an alert when it begins to fire
 * or is resolved, and again after repeat_interval.
 */
struct notify_alert {
	const struct label *labels; /* sorted by name */
	uint32_t label_count;
	const struct label *annotations;
	uint32_t annotation_count;
	/* Unix ms. ends_ms: when it was resolved, or when a firing alert is over without news. */
	int64_t starts_ms, ends_ms;
	struct str generator_url;
	bool resolved;
};

enum {
	NOTIFY_QUEUE_MAX = 10000,	 /* alerts that wait, for each receiver */
	NOTIFY_QUEUE_BYTES = 64 << 20,	 /* their size, for each receiver */
	NOTIFY_BATCH_MAX = 256,		 /* alerts in a request */
	NOTIFY_STOP_MS = 3000,		 /* for what waits when the notifier ends */
	NOTIFY_WEBHOOK_KNOWN_MAX = 50000 /* alerts whose state a webhook has been sent */
};

struct notifier;

/*
 * Start the threads of the receivers. `settings` and `log` (may be NULL) outlive the notifier;
 * `external_url` is copied and becomes externalURL of webhooks. Return 0, or a negative errno with
 * text in `e`. Without receivers a notifier counts nothing and does nothing.
 */
MUST_USE int notifier_new(struct notifier **out, const struct notify_settings *settings,
			  struct str external_url, const struct log *log, struct err *e);

/* Send what waits, for at most NOTIFY_STOP_MS, and end the threads. Takes NULL. */
void notifier_free(struct notifier *n);

/*
 * End `old` as notifier_free(), for a reload of the settings: to receivers of the same kind and URL
 * `n` continues with the alerts that wait, the statistics, and what webhooks have been sent. `n` may
 * be in use. Takes NULL for `old`.
 */
void notifier_replace(struct notifier *n, struct notifier *old);

/*
 * Copy the alerts into the queues of all receivers, with the external labels and after relabelling.
 * Never waits for a receiver. Alerts without memory are dropped and counted. Any thread.
 */
void notifier_send(struct notifier *n, const struct notify_alert *alerts, uint32_t count);

/*
 * Append the statistics in Prometheus' text format, with its names: prometheus_notifications_sent_total,
 * ..._errors_total, ..._dropped_total, ..._queue_length, ..._queue_capacity,
 * ..._alertmanagers_discovered, ..._latency_seconds. Takes NULL. Any thread.
 */
void notifier_metrics(const struct notifier *n, struct buf *out);

/*
 * Return the URL of the i-th Alertmanager (/api/v1/alertmanagers), without credentials, or an empty
 * string after the last. It lives as long as the notifier.
 */
struct str notifier_alertmanager_url(const struct notifier *n, uint32_t i);

#endif
