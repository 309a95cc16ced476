/* SPDX-License-Identifier: Apache-2.0 */
/* Gives alerts to the lanes of all receivers: external labels, relabelling, copies. */
#include "rules/notify/notify.h"

#include <errno.h>
#include <stdlib.h>

#include "base/clock.h"
#include "rules/notify/notify_lane.h"

struct notifier {
	const struct notify_settings *settings;
	struct notify_lane *lanes; /* those of Alertmanagers first */
	uint32_t n, alertmanagers;
	char *external_url;

	pthread_mutex_t mu; /* guards what follows, and the rules of the lanes */
	struct relabel *relabel;
	struct arena arena; /* of one alert */
	const struct log *log;
};

static int init_lanes(struct notifier *n, struct err *e)
{
	const struct notify_settings *s = n->settings;
	int rc = 0;

	n->lanes = calloc(s->alertmanagers.n + s->webhooks.n + 1, sizeof(*n->lanes));
	if (!n->lanes)
		return -ENOMEM;
	while (n->n < s->alertmanagers.n + s->webhooks.n && !rc) {
		bool webhook = n->n >= s->alertmanagers.n;
		const struct notify_receiver *r =
			webhook ? &s->webhooks.at[n->n - s->alertmanagers.n]
				: &s->alertmanagers.at[n->n];
		struct notify_lane *l = &n->lanes[n->n++];

		rc = notify_lane_init(l, r, webhook, e);
		l->external_url = str_from(n->external_url);
		l->log = n->log;
		if (rc)
			err_prefix(e, "%s %.*s", webhook ? "webhook" : "Alertmanager",
				   STR_ARG(r->name));
	}
	n->alertmanagers = s->alertmanagers.n;
	for (uint32_t i = 0; i < n->n && !rc; i++)
		rc = notify_lane_start(&n->lanes[i], e);
	return rc;
}

int notifier_new(struct notifier **out, const struct notify_settings *settings,
		 struct str external_url, const struct log *log, struct err *e)
{
	struct notifier *n = calloc(1, sizeof(*n));
	int rc;

	if (!n)
		return err_set(e, -ENOMEM, "out of memory");
	n->settings = settings;
	n->log = log;
	pthread_mutex_init(&n->mu, NULL);
	arena_init(&n->arena, NULL);
	n->external_url = strndup(external_url.n ? external_url.p : "", external_url.n);
	rc = n->external_url ? relabel_new(&n->relabel, settings->relabel, e) : -ENOMEM;
	if (!rc)
		rc = init_lanes(n, e);
	if (rc == -ENOMEM)
		err_set(e, rc, "out of memory");
	if (!rc)
		*out = take_ptr(&n);
	notifier_free(n);
	return rc;
}

static void stop(struct notifier *n)
{
	uint64_t stop_ns = clock_monotonic_ns() + NOTIFY_STOP_MS * NS_PER_MS;

	for (uint32_t i = 0; i < n->n; i++)
		notify_lane_stop(&n->lanes[i], stop_ns);
	for (uint32_t i = 0; i < n->n; i++)
		notify_lane_join(&n->lanes[i]);
}

void notifier_free(struct notifier *n)
{
	if (!n)
		return;
	stop(n);
	for (uint32_t i = 0; i < n->n; i++)
		notify_lane_fini(&n->lanes[i]);
	free(n->lanes);
	relabel_free(n->relabel);
	arena_fini(&n->arena);
	pthread_mutex_destroy(&n->mu);
	free(n->external_url);
	free(n);
}

void notifier_replace(struct notifier *n, struct notifier *old)
{
	if (!old)
		return;
	stop(old);
	for (uint32_t i = 0; i < n->n; i++)
		for (uint32_t k = 0; k < old->n; k++)
			if (n->lanes[i].webhook == old->lanes[k].webhook &&
			    strcmp(n->lanes[i].url, old->lanes[k].url) == 0) {
				notify_lane_inherit(&n->lanes[i], &old->lanes[k]);
				break;
			}
	notifier_free(old);
}

/* ---- labels ---- */

/* Add the external labels that the alert does not have, and apply the rules for all receivers. */
static int common_labels(struct notifier *n, const struct notify_alert *a, struct prom_labels *out,
			 struct err *e)
{
	const struct setting_map *external = &n->settings->external_labels;
	int rc = 0;

	*out = (struct prom_labels){0};
	for (uint32_t i = 0; i < a->label_count && !rc; i++)
		rc = prom_labels_set(out, &n->arena, a->labels[i].name, a->labels[i].value);
	for (uint32_t i = 0; i < external->n && !rc; i++)
		if (!prom_labels_get(out, external->at[i].name).n)
			rc = prom_labels_set(out, &n->arena, external->at[i].name,
					     external->at[i].value);
	return rc ? rc : relabel_apply(n->relabel, out, &n->arena, e);
}

/* Return a copy of the alert with these labels, or NULL. */
static struct notify_item *copy_alert(struct notifier *n, const struct notify_alert *alert,
				      struct prom_labels *labels)
{
	struct notify_alert a = *alert;
	struct label *at = arena_alloc(&n->arena, labels->list.n + 1, sizeof(*at));

	if (!at)
		return NULL;
	prom_labels_sort(labels);
	for (uint32_t i = 0; i < labels->list.n; i++)
		at[i] = (struct label){labels->list.at[i].name, labels->list.at[i].value};
	a.labels = at;
	a.label_count = labels->list.n;
	return notify_item_new(&a);
}

static void send_to_lane(struct notifier *n, struct notify_lane *l, const struct notify_alert *a,
			 const struct prom_labels *common)
{
	struct notify_item *item = NULL;
	struct prom_labels labels;
	struct err e = {0};
	int rc = prom_labels_dup(&labels, common, &n->arena);

	if (!rc)
		rc = relabel_apply(l->relabel, &labels, &n->arena, &e);
	if (!rc)
		return; /* dropped by a rule */
	if (rc > 0)
		item = copy_alert(n, a, &labels);
	else
		log_warn(n->log, "relabelling of an alert failed, it is dropped",
			 LOG_STR("receiver", l->settings->name), LOG_ERR(&e));
	notify_lane_add(l, item);
}

void notifier_send(struct notifier *n, const struct notify_alert *alerts, uint32_t count)
{
	if (!n->n)
		return;
	pthread_mutex_lock(&n->mu);
	for (uint32_t i = 0; i < count; i++) {
		struct prom_labels labels;
		struct err e = {0};
		int rc = common_labels(n, &alerts[i], &labels, &e);

		if (rc < 0)
			log_warn(n->log, "relabelling of an alert failed, it is dropped",
				 LOG_ERR(&e));
		for (uint32_t k = 0; k < n->n; k++)
			if (rc > 0)
				send_to_lane(n, &n->lanes[k], &alerts[i], &labels);
			else if (rc < 0)
				notify_lane_add(&n->lanes[k], NULL);
		arena_reset(&n->arena);
	}
	for (uint32_t k = 0; k < n->n; k++)
		notify_lane_flush(&n->lanes[k]);
	pthread_mutex_unlock(&n->mu);
}

/* ---- statistics ---- */

struct str notifier_alertmanager_url(const struct notifier *n, uint32_t i)
{
	return i < n->alertmanagers ? n->settings->alertmanagers.at[i].name : (struct str){0};
}

static void put_label(struct buf *out, const struct notify_lane *l)
{
	struct str name = l->settings->name;

	buf_printf(out, "{%s=\"", l->webhook ? "webhook" : "alertmanager");
	for (size_t i = 0; i < name.n; i++) {
		if (name.p[i] == '"' || name.p[i] == '\\')
			buf_put_char(out, '\\');
		buf_put_char(out, name.p[i] == '\n' ? ' ' : name.p[i]);
	}
	buf_put_str(out, STR("\"}"));
}

static uint32_t queue_length(struct notify_lane *l)
{
	uint32_t length;

	pthread_mutex_lock(&l->mu);
	length = l->queue.n;
	pthread_mutex_unlock(&l->mu);
	return length;
}

#define METRIC "prometheus_notifications_"

static void put_header(struct buf *out, const char *name, const char *type, const char *help)
{
	buf_printf(out, "# HELP " METRIC "%s %s\n# TYPE " METRIC "%s %s\n", name, help, name, type);
}

/* A counter of all lanes, at `offset` of struct notify_counts. */
static void put_counter(struct buf *out, const struct notifier *n, const char *name, size_t offset,
			const char *help)
{
	put_header(out, name, "counter", help);
	for (uint32_t i = 0; i < n->n; i++) {
		_Atomic uint64_t *value =
			(_Atomic uint64_t *)((char *)&n->lanes[i].counts + offset);

		buf_printf(out, METRIC "%s", name);
		put_label(out, &n->lanes[i]);
		buf_printf(out, " %llu\n", (unsigned long long)atomic_load(value));
	}
}

static void put_gauges(struct buf *out, const struct notifier *n)
{
	put_header(out, "queue_length", "gauge", "Alerts that wait.");
	for (uint32_t i = 0; i < n->n; i++) {
		buf_put_str(out, STR(METRIC "queue_length"));
		put_label(out, &n->lanes[i]);
		buf_printf(out, " %u\n", queue_length(&n->lanes[i]));
	}
	put_header(out, "queue_capacity", "gauge", "Alerts that may wait for a receiver.");
	buf_printf(out, METRIC "queue_capacity %d\n", NOTIFY_QUEUE_MAX);
	put_header(out, "alertmanagers_discovered", "gauge", "Configured Alertmanagers.");
	buf_printf(out, METRIC "alertmanagers_discovered %u\n", n->alertmanagers);
}

static void put_latency(struct buf *out, const struct notifier *n)
{
	put_header(out, "latency_seconds", "summary", "Time of requests.");
	for (uint32_t i = 0; i < n->n; i++) {
		const struct notify_counts *c = &n->lanes[i].counts;

		buf_put_str(out, STR(METRIC "latency_seconds_sum"));
		put_label(out, &n->lanes[i]);
		buf_printf(out, " %.9g\n" METRIC "latency_seconds_count",
			   (double)atomic_load(&c->latency_ns) / 1e9);
		put_label(out, &n->lanes[i]);
		buf_printf(out, " %llu\n", (unsigned long long)atomic_load(&c->requests));
	}
}

void notifier_metrics(const struct notifier *n, struct buf *out)
{
	if (!n)
		return;
	put_counter(out, n, "sent_total", offsetof(struct notify_counts, sent),
		    "Alerts that a receiver accepted.");
	put_counter(out, n, "errors_total", offsetof(struct notify_counts, errors),
		    "Alerts in requests that failed.");
	put_counter(out, n, "dropped_total", offsetof(struct notify_counts, dropped),
		    "Alerts that were not delivered: refused, or dropped from a full queue.");
	put_gauges(out, n);
	put_latency(out, n);
}
