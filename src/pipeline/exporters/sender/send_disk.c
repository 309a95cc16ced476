/* SPDX-License-Identifier: Apache-2.0 */
/* The queue of a lane on disk. */
#include "pipeline/exporters/sender/send_disk.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/clock.h"

#define TAKE_TIMEOUT_NS NS_PER_SECOND
#define BATCH_IN_FLIGHT (16 * MIB)
#define MEMORY_PAUSE_NS (20 * NS_PER_MS)

static uint64_t size_in_units(const struct send_lane *l, const struct disk_queue_state *state)
{
	if (l->sizer == SIZER_REQUESTS)
		return state->records;
	return l->sizer == SIZER_ITEMS ? state->items : state->bytes;
}

/*
 * Set the metric, unless the queue is closed. The caller holds mu, so that the last one to set has
 * read the last state. Return the number of records.
 */
static uint64_t show_size(const struct send_lane *l)
{
	struct disk_queue_state state;

	if (!l->disk)
		return 0;
	disk_queue_read_state(l->disk, &state);
	telemetry_set(l->queue_size, (int64_t)size_in_units(l, &state));
	return state.records;
}

/* Start a consumer if all are busy. The caller holds mu. */
static int need_disk_consumer(struct send_lane *l)
{
	return l->idle ? 0 : lane_add_consumer(l);
}

static void make_metrics(struct send_lane *l)
{
	lane_metrics(l);
	if (!l->sent_again)
		l->sent_again = lane_item_counter(l, "sent_again",
						  "Items sent again after a restart, although they "
						  "may have arrived.");
}

int send_disk_open(struct send_lane *l, struct err *e)
{
	struct sender *s = l->sender;
	const char *signal = signal_names[signal_index(l->signal)];
	struct disk_queue_options o = {.log = s->log,
				       .budget = &s->host->memory,
				       .block_on_overflow = s->settings.queue.block_on_overflow};
	struct buf directory = {0}, name = {0};
	struct disk_queue *queue = NULL;
	struct disk_queue_state left;
	int rc;

	if (l->batches && l->batch_sizer == SIZER_BYTES)
		o.max_in_flight =
			max_size(BATCH_IN_FLIGHT, 2 * (size_t)s->settings.queue.batch.min_size);
	*(l->sizer == SIZER_REQUESTS ? &o.max_records
	  : l->sizer == SIZER_ITEMS  ? &o.max_items
				     : &o.max_bytes) = l->capacity;
	disk_queue_path(&directory, s->storage, s->id, signal);
	buf_printf(&name, "exporter %s, %s", s->id, signal);
	buf_put_char(&name, '\0');
	o.directory = directory.p;
	o.name = name.p;
	o.keys = s->keys;
	rc = directory.failed || name.failed ? -ENOMEM
					     : disk_queue_open(&queue, &s->host->queues, &o, e);
	buf_fini(&directory);
	buf_fini(&name);
	if (rc)
		return rc;
	pthread_mutex_lock(&s->host->exporters.mu); /* for the readers of statistics */
	l->disk = queue;
	pthread_mutex_unlock(&s->host->exporters.mu);
	disk_queue_read_state(queue, &left);
	if (!left.records)
		return 0;
	log_info(s->log, "data of an earlier process is queued on disk",
		 LOG_STR("exporter", str_from(s->id)), LOG_STR("signal", str_from(signal)),
		 LOG_U64("items", left.items), LOG_U64("requests", left.records));
	pthread_mutex_lock(&l->mu);
	make_metrics(l);
	rc = need_disk_consumer(l);
	show_size(l);
	pthread_mutex_unlock(&l->mu);
	return rc ? err_errno(e, rc, "start a thread") : 0;
}

void send_disk_close(struct send_lane *l)
{
	struct disk_queue *queue = l->disk;

	pthread_mutex_lock(&l->sender->host->exporters.mu);
	pthread_mutex_lock(&l->mu);
	l->disk = NULL;
	pthread_mutex_unlock(&l->mu);
	pthread_mutex_unlock(&l->sender->host->exporters.mu);
	disk_queue_close(queue); /* completes what was put: count_put() */
}

/* ---- deliveries ---- */

static void count_put(void *arg, const struct delivery *d, uint64_t items,
		      const struct delivery_result *result)
{
	struct send_lane *l = arg;

	(void)d;
	if (result->rc) {
		telemetry_add(l->enqueue_failed, (int64_t)items);
		return;
	}
	atomic_fetch_add_explicit(&l->sender->accepted, items, memory_order_relaxed);
	pthread_mutex_lock(&l->mu);
	show_size(l);
	pthread_mutex_unlock(&l->mu);
}

void send_disk_put(struct send_lane *l, struct delivery *d)
{
	int rc;

	pthread_mutex_lock(&l->mu);
	make_metrics(l);
	rc = l->phase == SENDING ? need_disk_consumer(l) : -ESHUTDOWN;
	pthread_mutex_unlock(&l->mu);
	if (rc) {
		lane_refuse(l, d, rc == -ESHUTDOWN ? -EAGAIN : -ENOMEM,
			    rc == -ESHUTDOWN ? "the exporter is shutting down" : "out of memory");
		return;
	}
	d->watches[WATCH_EXPORTER] = (struct delivery_watch){d, count_put, l, d->payload->items};
	disk_queue_put(l->disk, d);
}

/* ---- consumers ---- */

/* Return an item that borrows from the record, or NULL without memory. */
static struct send_item *item_of_record(struct send_lane *l, struct disk_record *r)
{
	struct send_item *item = malloc(sizeof(*item));

	if (item)
		*item = (struct send_item){.payload = r->payload,
					   .tenant = r->tenant,
					   .received = r->received,
					   .metadata = r->metadata,
					   .metadata_count = r->metadata_count,
					   .record = r,
					   .disk = l->disk};
	return item;
}

/* A record was taken: let another consumer take the next one. */
static void spread_work(struct send_lane *l)
{
	int rc = 0;

	pthread_mutex_lock(&l->mu);
	if (l->phase == SENDING && show_size(l) > l->started)
		rc = need_disk_consumer(l);
	pthread_mutex_unlock(&l->mu);
	(void)rc; /* this consumer exists */
}

/* Take a record until `until_ns`. Return 0, -ETIMEDOUT or -EINTR. */
static int take_record(struct send_lane *l, struct disk_record **out, uint64_t until_ns)
{
	int rc;

	pthread_mutex_lock(&l->mu);
	show_size(l);
	l->idle++;
	pthread_mutex_unlock(&l->mu);
	do {
		uint64_t now = clock_monotonic_ns(), left = until_ns > now ? until_ns - now : 0;

		rc = disk_queue_take(l->disk, out, min_size(left, TAKE_TIMEOUT_NS), &l->ended);
	} while (rc == -ETIMEDOUT && clock_monotonic_ns() < until_ns);
	pthread_mutex_lock(&l->mu);
	l->idle--;
	pthread_mutex_unlock(&l->mu);
	return rc;
}

struct send_item *send_disk_take(struct send_lane *l, uint64_t until_ns)
{
	struct disk_record *r = NULL;
	struct send_item *item = NULL;

	while (!item && !take_record(l, &r, until_ns)) {
		item = item_of_record(l, r);
		if (item)
			break;
		disk_queue_return(l->disk, r);
		nanosleep(&(struct timespec){.tv_nsec = MEMORY_PAUSE_NS}, NULL);
	}
	if (!item)
		return NULL;
	if (r->again) {
		atomic_fetch_add(&l->sender->duplicates, r->payload->items);
		telemetry_add(l->sent_again, r->payload->items);
	}
	spread_work(l);
	return item;
}

uint64_t send_disk_items(const struct send_lane *l)
{
	struct disk_queue_state state;

	if (!l->disk)
		return 0;
	disk_queue_read_state(l->disk, &state);
	return state.items;
}
