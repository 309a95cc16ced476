/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The queue and the consumer threads of one signal of a sender.
 *
 * With a queue in memory, a delivery is acknowledged when it is queued, and the item holds a
 * reference to its payload. If the sender of the data has to wait for the result (wait_for_result,
 * or no queue at all) or for room (block_on_overflow), the item borrows the data of the delivery,
 * so that nothing is copied and nobody blocks.
 */
#include "pipeline/exporters/sender/send_lane.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/clock.h"
#include "net/http/http.h"
#include "pipeline/exporters/sender/send_attempt.h"
#include "pipeline/exporters/sender/send_batch.h"
#include "pipeline/exporters/sender/send_disk.h"

enum {
	UNQUEUED_REQUESTS = 1000, /* that wait for their result without a queue */
	UNQUEUED_CONSUMERS = 10,
	FULL_RETRY_MS = 1000,
};

void send_list_init(struct send_list *l)
{
	*l = (struct send_list){.end = &l->first};
}

void send_list_append(struct send_list *l, struct send_item *item)
{
	item->next = NULL;
	*l->end = item;
	l->end = &item->next;
}

struct send_item *send_list_take(struct send_list *l)
{
	struct send_item *item = l->first;

	if (!item)
		return NULL;
	l->first = item->next;
	if (!l->first)
		l->end = &l->first;
	item->next = NULL;
	return item;
}

/* Move all items of `from` to the end of `to`. */
static void list_move(struct send_list *to, struct send_list *from)
{
	if (!from->first)
		return;
	*to->end = from->first;
	to->end = from->end;
	send_list_init(from);
}

/* ---- items ---- */

static uint64_t item_size(const struct send_lane *l, const struct payload *p)
{
	if (l->sizer == SIZER_REQUESTS)
		return 1;
	return l->sizer == SIZER_ITEMS ? p->items : p->bytes;
}

static size_t texts_size(const struct delivery *d)
{
	size_t size = d->tenant.n + d->metadata_count * sizeof(struct http_header);

	for (uint32_t i = 0; i < d->metadata_count; i++)
		size += d->metadata[i].name.n + d->metadata[i].value.n;
	return size;
}

static struct str copy_bytes(char **at, struct str s)
{
	char *copy = *at;

	if (s.n)
		memcpy(copy, s.p, s.n);
	*at += s.n;
	return str_of(copy, s.n);
}

/* Return an item that borrows the data of the delivery, or NULL without memory. */
static struct send_item *item_borrow(const struct send_lane *l, struct delivery *d)
{
	struct send_item *item = malloc(sizeof(*item));

	if (item)
		*item = (struct send_item){.payload = d->payload,
					   .tenant = d->tenant,
					   .received = d->received,
					   .metadata = d->metadata,
					   .metadata_count = d->metadata_count,
					   .size = item_size(l, d->payload),
					   .waits = d};
	return item;
}

/* Return an item that owns the data of the delivery, or NULL without memory. */
static struct send_item *item_keep(const struct send_lane *l, const struct delivery *d)
{
	struct send_item *item = malloc(sizeof(*item) + texts_size(d));
	struct http_header *headers = (void *)(item + 1);
	char *at = (char *)(headers + d->metadata_count);

	if (!item)
		return NULL;
	*item = (struct send_item){.kept = payload_keep(d->payload, &l->sender->host->memory),
				   .received = d->received,
				   .size = item_size(l, d->payload)};
	if (!item->kept) {
		free(item);
		return NULL;
	}
	item->payload = item->kept;
	item->tenant = copy_bytes(&at, d->tenant);
	for (uint32_t i = 0; i < d->metadata_count; i++) {
		headers[i].name = copy_bytes(&at, d->metadata[i].name);
		headers[i].value = copy_bytes(&at, d->metadata[i].value);
	}
	item->metadata = d->metadata_count ? headers : NULL;
	item->metadata_count = d->metadata_count;
	return item;
}

/* ---- metrics ---- */

struct telemetry_value *lane_item_counter(const struct send_lane *l, const char *what,
					  const char *help)
{
	static const char *const items[SIGNALS] = {"profile_samples", "spans", "metric_points",
						   "log_records"};
	const struct telemetry_label label = {"exporter", l->sender->id};
	char name[80];

	snprintf(name, sizeof(name), "otelcol_exporter_%s_%s", what,
		 items[signal_index(l->signal)]);
	return telemetry_get(&l->sender->host->telemetry, TELEMETRY_COUNTER, name, help, &label, 1);
}

static struct telemetry_value *lane_gauge(const struct send_lane *l, const char *name,
					  const char *help)
{
	const struct telemetry_label labels[] = {
		{"exporter", l->sender->id}, {"data_type", signal_names[signal_index(l->signal)]}};

	return telemetry_get(&l->sender->host->telemetry, TELEMETRY_GAUGE, name, help, labels, 2);
}

/* Signals that the exporter does not get have no metrics. */
void lane_metrics(struct send_lane *l)
{
	if (l->has_metrics)
		return;
	l->sent = lane_item_counter(l, "sent", "Items that the destination has accepted.");
	l->send_failed = lane_item_counter(l, "send_failed", "Items that could not be delivered.");
	l->enqueue_failed =
		lane_item_counter(l, "enqueue_failed", "Items that the sending queue refused.");
	l->in_flight = lane_gauge(l, "otelcol_exporter_in_flight_requests",
				  "Requests that are being sent.");
	l->queue_size = lane_gauge(l, "otelcol_exporter_queue_size",
				   "Size of the sending queue, in units of its sizer.");
	telemetry_set(lane_gauge(l, "otelcol_exporter_queue_capacity",
				 "Limit of the sending queue, in units of its sizer."),
		      (int64_t)l->capacity);
	if (l->batches)
		send_batch_metrics(l);
	l->has_metrics = true;
}

/* ---- queueing; the caller holds mu ---- */

static void consumer_run(void *arg);

/*
 * Start a consumer if those that are idle do not suffice for the queue with one item more. Return
 * -errno if there is none at all.
 */
static int need_consumer(struct send_lane *l)
{
	return l->count < l->idle ? 0 : lane_add_consumer(l);
}

int lane_add_consumer(struct send_lane *l)
{
	struct send_consumer *c;
	char name[16];
	int rc;

	if (l->started >= l->consumer_max)
		return 0;
	c = &l->consumers[l->started];
	c->lane = l;
	snprintf(name, sizeof(name), "send %s", signal_names[signal_index(l->signal)]);
	rc = thread_start(&c->thread, name, consumer_run, c, NULL);
	if (!rc)
		l->started++;
	return l->started ? 0 : rc;
}

static void push(struct send_lane *l, struct send_item *item)
{
	item->counted = l;
	l->size += item->size;
	l->count++;
	send_list_append(&l->queue, item);
	telemetry_set(l->queue_size, (int64_t)l->size);
	pthread_cond_signal(&l->work);
}

static bool has_room(const struct send_lane *l, uint64_t size)
{
	return size <= l->capacity && l->size <= l->capacity - size;
}

static struct send_item *take(struct send_lane *l)
{
	struct send_item *item = send_list_take(&l->queue);

	if (item)
		l->count--;
	return item;
}

static void count_accepted(struct sender *s, uint64_t items)
{
	atomic_fetch_add_explicit(&s->accepted, items, memory_order_relaxed);
	atomic_fetch_add_explicit(&s->pending, items, memory_order_relaxed);
}

/*
 * Move waiting deliveries into the queue while there is room. *admitted gets the items whose
 * deliveries are to be completed with success: the queue owns copies of their data. Without memory
 * for a copy, the delivery waits until it has been sent.
 */
static void admit_waiting(struct send_lane *l, struct send_list *admitted)
{
	struct send_item *item, *kept;

	while ((item = l->overflow.first) && has_room(l, item->size) && !need_consumer(l)) {
		(void)send_list_take(&l->overflow);
		kept = l->waits ? NULL : item_keep(l, item->waits);
		count_accepted(l->sender, item->payload->items);
		push(l, kept ? kept : item);
		if (kept)
			send_list_append(admitted, item);
	}
}

/* Complete deliveries that were admitted. Without the lock. */
static void complete_admitted(struct send_list *admitted)
{
	for (struct send_item *item; (item = send_list_take(admitted));) {
		delivery_done(item->waits, &(struct delivery_result){0});
		free(item);
	}
}

/* ---- the end of items; without the lock ---- */

/* The size of the lane does not include the item any more: admit others. */
static void release_room(struct send_lane *l, uint64_t size)
{
	struct send_list admitted;

	send_list_init(&admitted);
	pthread_mutex_lock(&l->mu);
	l->size -= size;
	telemetry_set(l->queue_size, (int64_t)l->size);
	if (l->phase != SEND_HANDING_OVER)
		admit_waiting(l, &admitted);
	pthread_mutex_unlock(&l->mu);
	complete_admitted(&admitted);
}

void send_item_finish(struct send_item *item, const struct delivery_result *result)
{
	payload_release(item->kept);
	if (item->counted)
		release_room(item->counted, item->size);
	if (item->record)
		disk_queue_remove(item->disk, item->record);
	if (item->batch)
		send_batch_settle(item->batch, result);
	if (item->waits)
		delivery_done(item->waits, result);
	free(item);
}

/* ---- consumers ---- */

/* Wait for a change of the queue until `until_ns`. Return false if the time is over. */
static bool wait_for_work(struct send_lane *l, uint64_t until_ns)
{
	struct timespec at = {.tv_sec = (time_t)(until_ns / NS_PER_SECOND),
			      .tv_nsec = (long)(until_ns % NS_PER_SECOND)};

	if (until_ns != UINT64_MAX && clock_monotonic_ns() >= until_ns)
		return false;
	l->idle++;
	if (until_ns == UINT64_MAX)
		pthread_cond_wait(&l->work, &l->mu);
	else
		pthread_cond_timedwait(&l->work, &l->mu, &at);
	l->idle--;
	return true;
}

struct send_item *lane_take(struct send_lane *l, uint64_t until_ns)
{
	struct send_item *item = NULL;

	if (l->disk)
		return send_disk_take(l, until_ns);
	pthread_mutex_lock(&l->mu);
	for (;;) {
		if (l->phase == SEND_HANDING_OVER ||
		    (l->phase == SEND_DRAINING && clock_monotonic_ns() >= l->deadline_ns))
			break;
		item = take(l);
		if (item || l->phase == SEND_DRAINING || !wait_for_work(l, until_ns))
			break;
	}
	pthread_mutex_unlock(&l->mu);
	return item;
}

static void consumer_run(void *arg)
{
	struct send_consumer *c = arg;
	struct send_lane *l = c->lane;
	const struct sender *s = l->sender;
	struct send_item *item;

	while ((item = l->batches ? send_batch_take(l) : lane_take(l, UINT64_MAX)))
		while (item) {
			struct send_item *next = item->next;

			send_until_done(c, item);
			item = next;
		}
	if (c->worker && s->ops->worker_new && s->ops->worker_free)
		s->ops->worker_free(c->worker);
	c->worker = NULL;
}

/* ---- the lane ---- */

void lane_refuse(struct send_lane *l, struct delivery *d, int rc, const char *reason)
{
	telemetry_add(l->enqueue_failed, d->payload->items);
	log_warn(l->sender->log, "data refused", LOG_STR("exporter", str_from(l->sender->id)),
		 LOG_STR("error", str_from(reason)), LOG_U64("items", d->payload->items));
	delivery_fail(d, rc, rc == -EINVAL ? 0 : FULL_RETRY_MS, "exporter %s: %s", l->sender->id,
		      reason);
}

/* Queue an item. Return 0 or -errno: the caller keeps the item. */
static int enqueue(struct send_lane *l, struct send_item *item)
{
	int rc;

	if (l->phase != SENDING)
		return -ESHUTDOWN;
	if (l->overflow.first || !has_room(l, item->size))
		return -EAGAIN;
	rc = need_consumer(l);
	if (rc)
		return -ENOMEM;
	count_accepted(l->sender, item->payload->items);
	push(l, item);
	return 0;
}

/* Let a delivery wait until the queue has room for it. Return 0 or -errno. */
static int wait_for_room(struct send_lane *l, struct delivery *d)
{
	struct send_item *item = item_borrow(l, d);
	struct send_list admitted;
	int rc = 0;

	if (!item)
		return -ENOMEM;
	send_list_init(&admitted);
	pthread_mutex_lock(&l->mu);
	if (l->phase == SENDING) {
		send_list_append(&l->overflow, item);
		admit_waiting(l, &admitted);
	} else {
		rc = -ESHUTDOWN;
	}
	pthread_mutex_unlock(&l->mu);
	complete_admitted(&admitted);
	if (rc)
		free(item);
	return rc;
}

static const char *refusal_text(int rc)
{
	if (rc == -EAGAIN)
		return "sending queue is full";
	if (rc == -ESHUTDOWN)
		return "the exporter is shutting down";
	return "out of memory";
}

/* Queue the delivery with a copy of its data, or without if it waits for the result. */
static int consume_now(struct send_lane *l, struct delivery *d)
{
	struct send_item *item = l->waits ? item_borrow(l, d) : item_keep(l, d);
	int rc = -ENOMEM;

	if (!item)
		return rc;
	pthread_mutex_lock(&l->mu);
	rc = enqueue(l, item);
	pthread_mutex_unlock(&l->mu);
	if (rc) {
		payload_release(item->kept);
		free(item);
	}
	return rc;
}

bool lane_consume(struct send_lane *l, struct delivery *d)
{
	bool blocks = l->sender->settings.queue.block_on_overflow, full;
	uint64_t size = item_size(l, d->payload);
	int rc;

	if (l->disk) {
		send_disk_put(l, d);
		return false;
	}
	pthread_mutex_lock(&l->mu);
	lane_metrics(l);
	full = l->overflow.first || !has_room(l, size);
	pthread_mutex_unlock(&l->mu);
	if (size > l->capacity) {
		lane_refuse(l, d, -EINVAL, "the request is larger than sending_queue.queue_size");
		return false;
	}
	rc = full ? -EAGAIN : consume_now(l, d);
	if (!rc && !l->waits) {
		d->copied = true;
		delivery_done(d, &(struct delivery_result){0});
		return true;
	}
	if (rc == -EAGAIN && blocks)
		rc = wait_for_room(l, d);
	if (rc)
		lane_refuse(l, d, rc == -ENOMEM ? rc : -EAGAIN, refusal_text(rc));
	return false;
}

void lane_adopt(struct send_lane *l, struct send_list *items)
{
	if (!items->first)
		return;
	pthread_mutex_lock(&l->mu);
	lane_metrics(l);
	for (struct send_item *item; (item = send_list_take(items));) {
		item->size = item_size(l, item->payload);
		count_accepted(l->sender, item->payload->items);
		(void)need_consumer(l); /* without a thread, later items try again */
		push(l, item);
	}
	pthread_mutex_unlock(&l->mu);
}

void lane_return(struct send_lane *l, struct send_item *item)
{
	if (item->batch) {
		struct send_batch *batch = item->batch;

		payload_release(item->kept);
		free(item);
		send_batch_settle(batch, NULL);
		return;
	}
	if (item->record) {
		disk_queue_return(item->disk, item->record);
		free(item);
		return;
	}
	pthread_mutex_lock(&l->mu);
	if (!l->queue.first)
		l->queue.end = &item->next;
	item->next = l->queue.first;
	l->queue.first = item;
	l->count++;
	pthread_mutex_unlock(&l->mu);
}

void lane_set_phase(struct send_lane *l, enum send_phase phase, uint64_t deadline_ns)
{
	pthread_mutex_lock(&l->mu);
	l->phase = phase;
	l->deadline_ns = deadline_ns;
	atomic_store(&l->ended, phase != SENDING);
	pthread_cond_broadcast(&l->work);
	pthread_cond_broadcast(&l->pause);
	pthread_mutex_unlock(&l->mu);
}

void lane_join(struct send_lane *l, struct send_list *left)
{
	for (unsigned i = 0; i < l->started; i++)
		thread_join(&l->consumers[i].thread);
	send_list_init(left);
	pthread_mutex_lock(&l->mu);
	l->started = 0;
	list_move(left, &l->queue);
	list_move(left, &l->overflow);
	for (struct send_item *item = left->first; item; item = item->next)
		item->counted = NULL;
	l->size = 0;
	l->count = 0;
	if (l->has_metrics)
		telemetry_set(l->queue_size, 0);
	pthread_mutex_unlock(&l->mu);
}

static int init_conditions(struct send_lane *l)
{
	pthread_condattr_t attr;
	int rc = pthread_condattr_init(&attr);

	if (rc)
		return -rc;
	pthread_condattr_setclock(&attr, CLOCK_MONOTONIC);
	rc = pthread_cond_init(&l->work, &attr);
	if (!rc) {
		rc = pthread_cond_init(&l->pause, &attr);
		if (rc)
			pthread_cond_destroy(&l->work);
	}
	pthread_condattr_destroy(&attr);
	return -rc;
}

int lane_init(struct send_lane *l, struct sender *s, enum signal_kind signal)
{
	const struct sender_queue_settings *q = &s->settings.queue;
	struct send_consumer *consumers;
	int rc;

	*l = (struct send_lane){.sender = s,
				.signal = signal,
				.waits = !q->enabled || q->wait_for_result,
				.capacity = UNQUEUED_REQUESTS,
				.sizer = SIZER_REQUESTS,
				.consumer_max = UNQUEUED_CONSUMERS};
	if (q->num_consumers > 0)
		l->consumer_max = (unsigned)q->num_consumers;
	if (q->enabled) {
		l->capacity = (uint64_t)q->queue_size;
		l->sizer = sender_queue_sizer(q);
		l->batches = q->has_batch;
		l->batch_sizer = q->has_batch ? sender_batch_sizer(q) : SIZER_ITEMS;
	}
	send_list_init(&l->queue);
	send_list_init(&l->overflow);
	consumers = calloc(l->consumer_max, sizeof(*consumers));
	if (!consumers)
		return -ENOMEM;
	rc = -pthread_mutex_init(&l->mu, NULL);
	if (!rc)
		rc = -pthread_mutex_init(&l->collecting, NULL);
	if (!rc)
		rc = init_conditions(l);
	if (rc) {
		free(consumers);
		return rc;
	}
	l->consumers = consumers;
	return 0;
}

void lane_fini(struct send_lane *l)
{
	if (!l->consumers)
		return;
	pthread_cond_destroy(&l->work);
	pthread_cond_destroy(&l->pause);
	pthread_mutex_destroy(&l->collecting);
	pthread_mutex_destroy(&l->mu);
	free(l->consumers);
	l->consumers = NULL;
}
