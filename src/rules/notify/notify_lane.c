/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The thread of a receiver takes a batch from the queue, sends it without the lock, and puts back
 * what has to be sent again, unless newer alerts have taken its place meanwhile.
 */
#include "rules/notify/notify_lane.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/clock.h"
#include "rules/notify/notify_message.h"

/* Upper bound of what is read of a response: a reason in text. */
enum { RESPONSE_MAX = 64 << 10 };

int notify_lane_init(struct notify_lane *l, const struct notify_receiver *settings, bool webhook,
		     struct err *e)
{
	pthread_condattr_t attr;
	int rc;

	*l = (struct notify_lane){.settings = settings, .webhook = webhook};
	pthread_mutex_init(&l->mu, NULL);
	pthread_condattr_init(&attr);
	pthread_condattr_setclock(&attr, CLOCK_MONOTONIC);
	pthread_cond_init(&l->wake, &attr);
	pthread_condattr_destroy(&attr);
	notify_known_init(&l->known, settings->repeat_interval_ns / NS_PER_MS,
			  settings->send_resolved);
	snprintf(l->url, sizeof(l->url), "%.*s%s", STR_ARG(settings->url),
		 webhook ? "" : "/api/v2/alerts");
	rc = scrape_fetch_init(&l->fetch, &settings->request, e);
	l->fetch.cancelled = &l->cancelled;
	if (!rc)
		rc = relabel_new(&l->relabel, settings->relabel, e);
	return rc;
}

void notify_lane_fini(struct notify_lane *l)
{
	scrape_fetch_fini(&l->fetch);
	relabel_free(l->relabel);
	notify_known_fini(&l->known);
	notify_known_fini(&l->inherited);
	notify_queue_fini(&l->queue);
	buf_fini(&l->body);
	pthread_cond_destroy(&l->wake);
	pthread_mutex_destroy(&l->mu);
}

static void count(_Atomic uint64_t *counter, uint64_t n)
{
	atomic_fetch_add_explicit(counter, n, memory_order_relaxed);
}

void notify_lane_add(struct notify_lane *l, struct notify_item *item)
{
	if (!item) {
		l->lost++;
		return;
	}
	if (!l->pending)
		l->pending_end = &l->pending;
	item->next = NULL;
	*l->pending_end = item;
	l->pending_end = &item->next;
}

void notify_lane_flush(struct notify_lane *l)
{
	uint64_t dropped = l->lost;

	l->lost = 0;
	pthread_mutex_lock(&l->mu);
	while (l->pending) {
		struct notify_item *item = l->pending;
		int rc;

		l->pending = item->next;
		rc = notify_queue_put(&l->queue, item);
		dropped += rc < 0 ? 1 : (uint64_t)rc;
	}
	pthread_cond_broadcast(&l->wake);
	pthread_mutex_unlock(&l->mu);
	count(&l->counts.dropped, dropped);
}

/* ---- one request ---- */

enum attempt { ATTEMPT_SENT, ATTEMPT_REFUSED, ATTEMPT_FAILED };

/* The path of a webhook is often a secret: errors name the receiver without it. */
static void hide_url(const struct notify_lane *l, struct err *e)
{
	char shown[256], text[ERR_TEXT_MAX];
	struct str rest = str_from(e->text);
	size_t at;

	url_without_credentials(l->url, shown, sizeof(shown));
	at = str_find_str(rest, str_from(shown));
	if (at == rest.n || !shown[0])
		return;
	snprintf(text, sizeof(text), "%.*s%.*s%s", (int)at, e->text, STR_ARG(l->settings->name),
		 e->text + at + strlen(shown));
	memcpy(e->text, text, sizeof(text));
}

static bool is_final(unsigned status)
{
	return status >= 300 && status < 500 && status != 408 && status != 429;
}

/* Set the error for a status, with the first line of the response. */
static void fail_status(struct notify_lane *l, const struct http_client_answer *answer,
			struct err *e)
{
	struct str line = str_head(buf_str(&answer->body), 200);
	size_t n = 0;

	while (n < line.n && (unsigned char)line.p[n] >= ' ' && line.p[n] != 0x7f)
		n++;
	err_set(e, -EPROTO, "%.*s: status %u%s%.*s", STR_ARG(l->settings->name), answer->status,
		n ? ": " : "", STR_ARG(str_head(line, n)));
}

/* The time that is left for a request. */
static uint64_t timeout_ns(struct notify_lane *l)
{
	uint64_t timeout = l->settings->request.timeout_ns, now = clock_monotonic_ns(), stop;

	pthread_mutex_lock(&l->mu);
	stop = l->stop_ns;
	pthread_mutex_unlock(&l->mu);
	if (stop)
		timeout = stop > now ? (stop - now < timeout ? stop - now : timeout) : NS_PER_MS;
	return timeout;
}

/* Send l->body. *retry_s is what a failing receiver asks for. */
static enum attempt send_body(struct notify_lane *l, uint64_t *retry_s, struct err *e)
{
	struct http_header headers[NOTIFY_HEADERS_MAX + 2] = {
		{STR("content-type"), STR("application/json")}};
	struct http_client_answer answer = {0};
	struct http_client_request r = {.url = l->url,
					.headers = headers,
					.header_count = 1,
					.body = buf_str(&l->body),
					.max_response = RESPONSE_MAX,
					.cancelled = &l->cancelled};
	const struct setting_map *extra = &l->settings->headers;
	uint64_t began = clock_monotonic_ns();
	enum attempt result = ATTEMPT_FAILED;
	int rc;

	*retry_s = 0;
	for (uint32_t i = 0; i < extra->n && i < NOTIFY_HEADERS_MAX; i++)
		headers[r.header_count++] =
			(struct http_header){extra->at[i].name, extra->at[i].value};
	r.timeout_ms = timeout_ns(l) / NS_PER_MS + 1;
	rc = buf_error(&l->body) ? err_set(e, -ENOMEM, "out of memory")
				 : scrape_post(&l->fetch, &r, &answer, e);
	count(&l->counts.requests, 1);
	count(&l->counts.latency_ns, clock_monotonic_ns() - began);
	if (rc == -EFBIG)
		rc = 0; /* the status is known; nobody needs the body */
	if (!rc && answer.status >= 200 && answer.status < 300)
		result = ATTEMPT_SENT;
	else if (!rc) {
		fail_status(l, &answer, e);
		*retry_s = answer.retry_after_s;
		result = is_final(answer.status) ? ATTEMPT_REFUSED : ATTEMPT_FAILED;
	} else if (l->webhook) {
		hide_url(l, e);
	}
	http_client_answer_fini(&answer);
	return result;
}

static uint32_t list_length(const struct notify_item *list)
{
	uint32_t n = 0;

	for (; list; list = list->next)
		n++;
	return n;
}

/* Count and log the result of an attempt for the alerts of a list. */
static void report(struct notify_lane *l, enum attempt result, const struct notify_item *list,
		   const struct err *e)
{
	uint32_t n = list_length(list);

	if (result == ATTEMPT_SENT) {
		count(&l->counts.sent, n);
		if (l->failures)
			log_info(l->log, "notifications are delivered again",
				 LOG_STR("receiver", l->settings->name),
				 LOG_U64("failures", l->failures));
		l->failures = 0;
		return;
	}
	count(&l->counts.errors, n);
	if (result == ATTEMPT_REFUSED) {
		count(&l->counts.dropped, n);
		log_warn(l->log, "notifications are refused and dropped",
			 LOG_STR("receiver", l->settings->name), LOG_U64("alerts", n), LOG_ERR(e));
		return;
	}
	/* the first failure, then with each doubling of their number */
	l->failures++;
	if ((l->failures & (l->failures - 1)) == 0)
		log_warn(l->log, "notifications are not delivered, and sent again later",
			 LOG_STR("receiver", l->settings->name), LOG_U64("alerts", n),
			 LOG_U64("failures", l->failures), LOG_ERR(e));
}

/* ---- batches ---- */

static int64_t now_ms(void)
{
	return (int64_t)(clock_realtime_ns() / NS_PER_MS);
}

/* Send a batch to an Alertmanager. Return what has to be sent again. */
static struct notify_item *send_alerts(struct notify_lane *l, struct notify_item *list,
				       uint64_t *retry_s)
{
	struct err e = {0};
	enum attempt result;

	buf_clear(&l->body);
	notify_put_alerts(&l->body, list);
	result = send_body(l, retry_s, &e);
	report(l, result, list, &e);
	if (result == ATTEMPT_FAILED)
		return list;
	notify_list_free(list);
	return NULL;
}

static struct str alertname(const struct notify_item *item)
{
	return label_set_get((struct label_set){item->alert.labels, item->alert.label_count},
			     STR("alertname"));
}

/* Move the alerts of the first one's name from *list into a list of their own. */
static struct notify_item *cut_group(struct notify_item **list)
{
	struct notify_item *group = NULL, **end = &group, **at = list;
	struct str name = alertname(*list);

	while (*at) {
		struct notify_item *item = *at;

		if (!str_eq(alertname(item), name)) {
			at = &item->next;
			continue;
		}
		*at = item->next;
		item->next = NULL;
		*end = item;
		end = &item->next;
	}
	return group;
}

/* Free the alerts that a webhook does not need to know. */
static void drop_known(struct notify_lane *l, struct notify_item **list)
{
	int64_t now = now_ms();

	while (*list) {
		struct notify_item *item = *list;

		if (notify_known_wants(&l->known, item, now)) {
			list = &item->next;
			continue;
		}
		*list = item->next;
		free(item);
	}
}

/* Send one message for each name of alerts. Return what has to be sent again. */
static struct notify_item *send_webhook(struct notify_lane *l, struct notify_item *list,
					uint64_t *retry_s)
{
	const struct webhook_message m = {.receiver = STR("varve"),
					  .external_url = l->external_url,
					  .max_alerts = (uint32_t)l->settings->max_alerts};
	enum attempt result = ATTEMPT_SENT;

	drop_known(l, &list);
	while (list && result != ATTEMPT_FAILED) {
		struct notify_item *group = cut_group(&list);
		struct err e = {0};

		buf_clear(&l->body);
		notify_put_webhook(&l->body, &m, group);
		result = send_body(l, retry_s, &e);
		report(l, result, group, &e);
		if (result == ATTEMPT_FAILED) {
			struct notify_item **end = &group;

			while (*end)
				end = &(*end)->next;
			*end = list;
			return group;
		}
		/* One that was refused would be refused again: it counts as known, too. */
		for (const struct notify_item *i = group; i; i = i->next)
			notify_known_sent(&l->known, i, now_ms());
		notify_list_free(group);
	}
	return list;
}

/* ---- the thread ---- */

static uint64_t pause_ns(const struct notify_lane *l, uint64_t retry_s)
{
	unsigned doublings = l->failures < 10 ? l->failures - 1 : 9;
	uint64_t ms = (uint64_t)NOTIFY_PAUSE_MS << doublings;

	if (ms > NOTIFY_PAUSE_MAX_MS)
		ms = NOTIFY_PAUSE_MAX_MS;
	if (retry_s > NOTIFY_RETRY_AFTER_MAX_S)
		retry_s = NOTIFY_RETRY_AFTER_MAX_S;
	if (retry_s * 1000 > ms)
		ms = retry_s * 1000;
	return ms * NS_PER_MS;
}

/* Wait until `until_ns` or the stop of the lane. With the lock held. */
static void wait_until(struct notify_lane *l, uint64_t until_ns)
{
	struct timespec at = {.tv_sec = (time_t)(until_ns / NS_PER_SECOND),
			      .tv_nsec = (long)(until_ns % NS_PER_SECOND)};

	while (!l->stop_ns && clock_monotonic_ns() < until_ns)
		pthread_cond_timedwait(&l->wake, &l->mu, &at);
}

static void run(void *arg)
{
	struct notify_lane *l = arg;
	uint64_t retry_s;
	bool last = false;

	pthread_mutex_lock(&l->mu);
	while (!last) {
		struct notify_item *list;

		while (!l->queue.n && !l->stop_ns)
			pthread_cond_wait(&l->wake, &l->mu);
		notify_known_adopt(&l->known, &l->inherited);
		list = notify_queue_take(&l->queue, NOTIFY_BATCH_MAX);
		/* while it stops: only as long as requests succeed */
		last = !list || (l->stop_ns && clock_monotonic_ns() >= l->stop_ns);
		pthread_mutex_unlock(&l->mu);
		if (list)
			list = l->webhook ? send_webhook(l, list, &retry_s)
					  : send_alerts(l, list, &retry_s);
		pthread_mutex_lock(&l->mu);
		if (!list)
			continue;
		count(&l->counts.dropped, notify_queue_return(&l->queue, list));
		last = l->stop_ns;
		wait_until(l, clock_monotonic_ns() + pause_ns(l, retry_s));
	}
	l->finished = true;
	pthread_cond_broadcast(&l->wake);
	pthread_mutex_unlock(&l->mu);
}

void notify_lane_inherit(struct notify_lane *l, struct notify_lane *old)
{
	struct notify_item *list = notify_queue_take(&old->queue, UINT32_MAX);

	count(&l->counts.sent, atomic_load(&old->counts.sent));
	count(&l->counts.errors, atomic_load(&old->counts.errors));
	count(&l->counts.dropped, atomic_load(&old->counts.dropped));
	count(&l->counts.requests, atomic_load(&old->counts.requests));
	count(&l->counts.latency_ns, atomic_load(&old->counts.latency_ns));
	pthread_mutex_lock(&l->mu);
	notify_known_adopt(&old->known, &old->inherited);
	l->inherited = old->known;
	l->inherited.index.arena = &l->inherited.arena;
	old->known = (struct notify_known){0};
	if (list)
		count(&l->counts.dropped, notify_queue_return(&l->queue, list));
	pthread_cond_broadcast(&l->wake);
	pthread_mutex_unlock(&l->mu);
}

int notify_lane_start(struct notify_lane *l, struct err *e)
{
	int rc = thread_start(&l->thread, "notify", run, l, e);

	l->started = !rc;
	return rc;
}

void notify_lane_stop(struct notify_lane *l, uint64_t stop_ns)
{
	pthread_mutex_lock(&l->mu);
	l->stop_ns = stop_ns;
	pthread_cond_broadcast(&l->wake);
	pthread_mutex_unlock(&l->mu);
}

void notify_lane_join(struct notify_lane *l)
{
	struct timespec at;

	if (!l->started)
		return;
	pthread_mutex_lock(&l->mu);
	at = (struct timespec){.tv_sec = (time_t)(l->stop_ns / NS_PER_SECOND),
			       .tv_nsec = (long)(l->stop_ns % NS_PER_SECOND)};
	while (!l->finished && clock_monotonic_ns() < l->stop_ns)
		pthread_cond_timedwait(&l->wake, &l->mu, &at);
	atomic_store(&l->cancelled, true);
	pthread_mutex_unlock(&l->mu);
	thread_join(&l->thread);
}
