/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Attempts and retries. A consumer keeps its item until it is finished: while the destination is
 * down, at most num_consumers requests are repeated and the others wait in the queue.
 *
 * At the end, a consumer that pauses makes one attempt at once and then repeats it with short
 * pauses until the deadline. Pauses that the destination has asked for are respected throughout.
 */
#include "pipeline/exporters/sender/send_attempt.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/clock.h"
#include "base/container/hash.h"
#include "pipeline/exporters/sender/send_batch.h"

#define PAUSE_MIN_NS NS_PER_MS
#define DRAIN_PAUSE_NS (250 * NS_PER_MS)
#define NO_TIMEOUT_MS 3600000 /* `timeout: 0` */

uint64_t send_retry_pause(const struct sender_retry_settings *r, double *interval_ns,
			  uint32_t retry_after_ms, double random)
{
	double factor = r->randomization_factor.set ? r->randomization_factor.at : 0.5;
	double multiplier = r->multiplier.set ? r->multiplier.at : 1.5;
	double longest = (double)r->max_interval_ns, now = fmin(*interval_ns, longest);
	double pause = now * (1 - factor + 2 * factor * random);

	*interval_ns = fmin(now * multiplier, longest);
	pause = fmax(pause, (double)retry_after_ms * (double)NS_PER_MS);
	return (uint64_t)fmax(pause, (double)PAUSE_MIN_NS);
}

static double random_unit(void)
{
	static _Atomic uint64_t counter;

	return hash_u64(clock_monotonic_ns() + (atomic_fetch_add(&counter, 1) << 40)) / 0x1p32;
}

static struct str signal_text(const struct send_lane *l)
{
	return str_from(signal_names[signal_index(l->signal)]);
}

static struct str reason_text(const struct send_result *r)
{
	return r->reason[0] ? str_from(r->reason) : STR("no reason given");
}

static uint64_t rejected_items(const struct send_item *item, const struct send_result *r)
{
	return r->class == SEND_PARTIAL ? min_size(r->rejected, item->payload->items) : 0;
}

/* ---- results ---- */

/* What is queued on disk is counted there. */
static void count_settled(struct send_lane *l, const struct send_item *item)
{
	if (!l->disk)
		atomic_fetch_sub(&l->sender->pending, item->payload->items);
}

static bool is_waited_for(const struct send_item *item)
{
	return item->batch ? send_batch_is_waited_for(item->batch) : item->waits != NULL;
}

static void note_error(struct sender *s, const struct send_result *r)
{
	atomic_store(&s->last_failure, clock_realtime_ns());
	pthread_mutex_lock(&s->mu);
	snprintf(s->last_error, sizeof(s->last_error), "%s", r->reason);
	pthread_mutex_unlock(&s->mu);
}

static void finish_sent(struct send_lane *l, struct send_item *item, const struct send_result *r)
{
	struct sender *s = l->sender;
	uint64_t items = item->payload->items, rejected = rejected_items(item, r);
	struct delivery_result result = {.rejected = (uint32_t)rejected};

	if (r->class == SEND_PARTIAL && (rejected || r->reason[0])) {
		log_warn(s->log, "Partial success response", LOG_STR("exporter", str_from(s->id)),
			 LOG_STR("signal", signal_text(l)), LOG_STR("message", reason_text(r)),
			 LOG_U64("dropped_items", rejected));
		snprintf(result.reason, sizeof(result.reason), "%s", r->reason);
	}
	telemetry_add(l->sent, (int64_t)(items - rejected));
	telemetry_add(l->send_failed, (int64_t)rejected);
	atomic_fetch_add(&s->confirmed, items - rejected);
	atomic_fetch_add(&s->failed, rejected);
	count_settled(l, item);
	atomic_store(&s->last_success, clock_realtime_ns());
	send_item_finish(item, &result);
}

/* Give an item up. `why` precedes the destination's reason. */
static void finish_failed(struct send_lane *l, struct send_item *item, const char *why,
			  const struct send_result *r)
{
	struct sender *s = l->sender;
	uint64_t items = item->payload->items;
	bool permanent = r->class == SEND_PERMANENT, waits = is_waited_for(item);
	struct delivery_result result = {.rc = permanent ? -EINVAL : -EAGAIN,
					 .retry_after_ms = r->retry_after_ms};

	snprintf(result.reason, sizeof(result.reason), "exporter %s: %s: %.400s", s->id, why,
		 r->reason);
	log_error(s->log,
		  waits ? "Exporting failed. Rejecting data." : "Exporting failed. Dropping data.",
		  LOG_STR("exporter", str_from(s->id)), LOG_STR("signal", signal_text(l)),
		  LOG_STR("error", str_from(result.reason)),
		  LOG_U64(waits ? "rejected_items" : "dropped_items", items));
	telemetry_add(l->send_failed, (int64_t)items);
	atomic_fetch_add(permanent ? &s->failed : &s->dropped, items);
	count_settled(l, item);
	send_item_finish(item, &result);
}

void send_drop_all(struct send_lane *l, struct send_list *items)
{
	static const char why[] = "interrupted due to shutdown";
	struct sender *s = l->sender;
	uint64_t dropped = 0, requests = 0;
	struct delivery_result result = {.rc = -EAGAIN, .retry_after_ms = 1000};

	snprintf(result.reason, sizeof(result.reason), "exporter %s: %s", s->id, why);
	while (items->first) {
		struct send_item *item = items->first;

		items->first = item->next;
		dropped += item->waits ? 0 : item->payload->items;
		requests += !item->waits;
		telemetry_add(l->send_failed, (int64_t)item->payload->items);
		atomic_fetch_add(&s->dropped, item->payload->items);
		count_settled(l, item);
		send_item_finish(item, &result);
	}
	send_list_init(items);
	if (dropped)
		log_error(s->log, "Exporting failed. Dropping data.",
			  LOG_STR("exporter", str_from(s->id)), LOG_STR("signal", signal_text(l)),
			  LOG_STR("error", STR("interrupted due to shutdown")),
			  LOG_U64("dropped_items", dropped), LOG_U64("requests", requests));
}

/* ---- attempts ---- */

/* The time limit of the next attempt: it has to end soon after the deadline of the drain. */
static uint64_t attempt_timeout_ms(struct send_lane *l)
{
	uint64_t ms = l->sender->settings.timeout_ns / NS_PER_MS, now, left;

	if (!l->sender->settings.timeout_ns)
		ms = NO_TIMEOUT_MS;
	pthread_mutex_lock(&l->mu);
	if (l->phase == SEND_DRAINING) {
		now = clock_monotonic_ns();
		left = l->deadline_ns > now ? (l->deadline_ns - now) / NS_PER_MS : 0;
		ms = min_size(ms, left);
	}
	pthread_mutex_unlock(&l->mu);
	return max_size(ms, 1);
}

static void trace_attempt(const struct send_lane *l, const struct send_item *item,
			  const struct send_result *r, uint64_t began_ns)
{
	struct traced_name name = {"exporter", l->sender->id, NULL, l->signal};
	struct traced_delivery t = {clock_realtime_ns(), clock_monotonic_ns() - began_ns,
				    item->payload->items, 0, ""};

	if (r->class == SEND_RETRY || r->class == SEND_PERMANENT)
		t.rc = r->class == SEND_RETRY ? -EAGAIN : -EINVAL;
	snprintf(t.reason, sizeof(t.reason), "%.*s", TRACED_REASON_MAX - 1, r->reason);
	delivery_traces_add(&l->sender->host->traces, &name, &t);
}

static void attempt(struct send_consumer *c, const struct send_item *item, struct send_result *r)
{
	struct send_lane *l = c->lane;
	struct sender *s = l->sender;
	struct err e = {0};
	uint64_t began_ns;
	struct send_request request = {.payload = item->payload,
				       .tenant = item->tenant,
				       .received = item->received,
				       .metadata = item->metadata,
				       .metadata_count = item->metadata_count,
				       .timeout_ms = attempt_timeout_ms(l)};

	*r = (struct send_result){.class = SEND_OK};
	if (!s->ops->worker_new)
		c->worker = s->exporter;
	else if (!c->worker && s->ops->worker_new(s->exporter, &c->worker, &e)) {
		c->worker = NULL;
		*r = (struct send_result){.class = SEND_RETRY, .unreachable = true};
		snprintf(r->reason, sizeof(r->reason), "%s", e.text);
		return;
	}
	telemetry_add(l->in_flight, 1);
	began_ns = clock_monotonic_ns();
	s->ops->send(c->worker, &request, r);
	telemetry_add(l->in_flight, -1);
	if (delivery_traces_watched(&s->host->traces))
		trace_attempt(l, item, r, began_ns);
	atomic_fetch_add(&s->attempted, item->payload->items);
	atomic_store(&s->reachable, !(r->class == SEND_RETRY && r->unreachable));
	if (r->class == SEND_RETRY || r->class == SEND_PERMANENT)
		note_error(s, r);
}

enum pause_end { PAUSE_OVER, PAUSE_HAND_OVER, PAUSE_NO_TIME };

/*
 * Pause before the next attempt. The pause is cut short when the sender begins to stop, unless the
 * destination has asked for it.
 */
static enum pause_end pause_before_retry(struct send_lane *l, uint64_t pause_ns,
					 uint32_t retry_after_ms)
{
	uint64_t start = clock_monotonic_ns(), until = start + pause_ns, soonest = start;
	uint64_t asked = start + (uint64_t)retry_after_ms * NS_PER_MS;
	enum pause_end end = PAUSE_OVER;

	pthread_mutex_lock(&l->mu);
	if (l->phase == SEND_DRAINING)
		soonest += DRAIN_PAUSE_NS;
	for (;;) {
		struct timespec at;

		if (l->phase == SEND_DRAINING)
			until = min_size(until, max_size(asked, soonest));
		if (l->phase == SEND_DRAINING && until >= l->deadline_ns)
			end = PAUSE_NO_TIME;
		if (l->phase == SEND_HANDING_OVER)
			end = PAUSE_HAND_OVER;
		if (end != PAUSE_OVER || clock_monotonic_ns() >= until)
			break;
		at = (struct timespec){.tv_sec = (time_t)(until / NS_PER_SECOND),
				       .tv_nsec = (long)(until % NS_PER_SECOND)};
		pthread_cond_timedwait(&l->pause, &l->mu, &at);
	}
	pthread_mutex_unlock(&l->mu);
	return end;
}

/* Log that an attempt failed; not at the end, when attempts follow at short intervals. */
static void log_retry(struct send_lane *l, const struct send_result *r, uint64_t pause_ns)
{
	char interval[32];
	bool at_end;

	pthread_mutex_lock(&l->mu);
	at_end = l->phase == SEND_DRAINING;
	pthread_mutex_unlock(&l->mu);
	if (at_end)
		return;
	snprintf(interval, sizeof(interval), "%.3fs", (double)pause_ns / (double)NS_PER_SECOND);
	log_warn(l->sender->log, "Exporting failed. Will retry the request after interval.",
		 LOG_STR("exporter", str_from(l->sender->id)), LOG_STR("signal", signal_text(l)),
		 LOG_STR("error", reason_text(r)), LOG_STR("interval", str_from(interval)));
}

/*
 * Decide about a failed item. Return true for another attempt; otherwise the item is finished or
 * has been returned.
 */
static bool try_again(struct send_lane *l, struct send_item *item, const struct send_result *r)
{
	const struct sender_retry_settings *retry = &l->sender->settings.retry;
	uint64_t pause_ns, elapsed = clock_monotonic_ns() - item->began_ns;

	if (r->class == SEND_PERMANENT || !retry->enabled) {
		finish_failed(l, item,
			      r->class == SEND_PERMANENT ? "not retryable error"
							 : "retry_on_failure is disabled",
			      r);
		return false;
	}
	pause_ns = send_retry_pause(retry, &item->interval_ns, r->retry_after_ms, random_unit());
	if (retry->max_elapsed_time_ns && elapsed + pause_ns > retry->max_elapsed_time_ns) {
		finish_failed(l, item, "no more retries left", r);
		return false;
	}
	log_retry(l, r, pause_ns);
	switch (pause_before_retry(l, pause_ns, r->retry_after_ms)) {
	case PAUSE_OVER:
		return true;
	case PAUSE_HAND_OVER:
		lane_return(l, item);
		return false;
	case PAUSE_NO_TIME:
		break;
	}
	finish_failed(l, item, "interrupted due to shutdown", r);
	return false;
}

void send_until_done(struct send_consumer *c, struct send_item *item)
{
	struct send_lane *l = c->lane;
	struct send_result r;

	if (!item->began_ns) {
		item->began_ns = clock_monotonic_ns();
		item->interval_ns = (double)l->sender->settings.retry.initial_interval_ns;
	}
	do {
		attempt(c, item, &r);
		if (r.class == SEND_OK || r.class == SEND_PARTIAL) {
			finish_sent(l, item, &r);
			return;
		}
	} while (try_again(l, item, &r));
}
