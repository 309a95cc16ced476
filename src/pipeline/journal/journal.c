/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Deliveries go to the queue on disk; a thread takes its records and hands them down. After an
 * error that may be retried, the record is returned to the queue, and the thread pauses: longer
 * after each further error, until a delivery succeeds.
 *
 * The stages that follow are stopped after the journal. Until then they complete what was handed
 * down, so the queue is closed when the journal is destroyed.
 */
#include "pipeline/journal/journal.h"

#include <errno.h>
#include <stdlib.h>

#include "base/clock.h"
#include "base/thread.h"
#include "pipeline/journal/disk_queue.h"

#define HAND_DOWN_WAIT_NS NS_PER_SECOND
#define PAUSE_FIRST_NS NS_PER_SECOND
#define PAUSE_LONGEST_NS (30 * NS_PER_SECOND)

struct journal {
	char *directory, *name;
	struct key_ring *keys;
	struct disk_queue_options options;
	struct host *host;
	const struct log *log;
	struct consumer *next[SIGNALS];
	struct disk_queue *queue; /* from start() to destroy() */
	struct thread thread;
	_Atomic bool ended;
	struct telemetry_value *size, *again, *failed;

	pthread_mutex_t mu; /* guards what follows */
	pthread_cond_t changed;
	uint64_t puts;		 /* deliveries that are not durable yet */
	uint64_t pause_until_ns; /* monotonic */
	uint64_t pause_ns;	 /* after the next error */
};

/* A record on its way down. */
struct journal_entry {
	struct delivery delivery;
	struct journal *journal;
	struct disk_record *record;
	struct delivery_result result;
	_Atomic unsigned pending; /* consume() and done() */
};

/* Read and set under the mutex, so that the last one to set has read the last state. */
static void show_items(struct journal *j)
{
	struct disk_queue_state state;

	pthread_mutex_lock(&j->mu);
	disk_queue_read_state(j->queue, &state);
	telemetry_set(j->size, (int64_t)state.items);
	pthread_mutex_unlock(&j->mu);
}

/* ---- what comes in ---- */

static void journal_put_done(void *arg, const struct delivery *d, uint64_t items,
			     const struct delivery_result *result)
{
	struct journal *j = arg;

	(void)d;
	(void)items;
	(void)result;
	show_items(j);
	pthread_mutex_lock(&j->mu);
	if (!--j->puts)
		pthread_cond_broadcast(&j->changed);
	pthread_mutex_unlock(&j->mu);
}

static bool journal_consume(void *instance, struct delivery *d)
{
	struct journal *j = instance;

	pthread_mutex_lock(&j->mu);
	j->puts++;
	pthread_mutex_unlock(&j->mu);
	d->watches[WATCH_EXPORTER] = (struct delivery_watch){d, journal_put_done, j, 0};
	return disk_queue_put(j->queue, d);
}

/* ---- what goes down ---- */

/* Hand nothing down for a while. */
static void pause_after(struct journal *j, const struct delivery_result *r)
{
	uint64_t asked = (uint64_t)r->retry_after_ms * NS_PER_MS, now = clock_monotonic_ns();

	pthread_mutex_lock(&j->mu);
	if (j->pause_until_ns <= now) { /* otherwise several fail at once */
		j->pause_until_ns = now + max_size(asked, j->pause_ns);
		j->pause_ns = min_size(2 * j->pause_ns, PAUSE_LONGEST_NS);
	}
	pthread_mutex_unlock(&j->mu);
}

static void reset_pause(struct journal *j)
{
	pthread_mutex_lock(&j->mu);
	j->pause_ns = PAUSE_FIRST_NS;
	pthread_mutex_unlock(&j->mu);
}

static void journal_entry_settle(struct journal *j, struct journal_entry *entry)
{
	const struct delivery_result *r = &entry->result;
	uint64_t items = entry->record->payload->items;

	if (r->rc && delivery_may_retry(r->rc)) {
		log_warn(j->log, "data of a journal could not be delivered and is tried again",
			 LOG_STR("journal", str_from(j->name)),
			 LOG_STR("error", str_from(r->reason)), LOG_U64("items", items));
		pause_after(j, r);
		disk_queue_return(j->queue, entry->record);
		return;
	}
	if (r->rc || r->rejected) {
		uint64_t dropped = r->rc ? items : r->rejected;

		log_error(j->log, "data of a journal was refused and is dropped",
			  LOG_STR("journal", str_from(j->name)),
			  LOG_STR("error", str_from(r->reason)), LOG_U64("dropped_items", dropped));
		telemetry_add(j->failed, (int64_t)dropped);
	}
	reset_pause(j);
	disk_queue_remove(j->queue, entry->record);
	show_items(j);
}

static void journal_entry_unref(struct journal_entry *entry)
{
	if (atomic_fetch_sub(&entry->pending, 1) != 1)
		return;
	journal_entry_settle(entry->journal, entry);
	free(entry);
}

static void journal_entry_done(struct delivery *d, const struct delivery_result *result)
{
	struct journal_entry *entry = d->owner;

	entry->result = *result;
	journal_entry_unref(entry);
}

/* Hand a record down the pipeline. Return false without memory. */
static bool hand_down(struct journal *j, struct disk_record *r)
{
	struct journal_entry *entry = malloc(sizeof(*entry));

	if (!entry)
		return false;
	if (r->again)
		telemetry_add(j->again, r->payload->items);
	*entry = (struct journal_entry){
		.delivery = {.signal = r->payload->signal,
			     .tenant = r->tenant,
			     .received = r->received,
			     .payload = r->payload,
			     .metadata = r->metadata,
			     .metadata_count = r->metadata_count,
			     .done = journal_entry_done,
			     .owner = entry},
		.journal = j,
		.record = r,
		.pending = 2,
	};
	consumer_consume(j->next[signal_index(r->payload->signal)], &entry->delivery);
	journal_entry_unref(entry);
	return true;
}

/* Wait until the pause is over. Return false at the end. */
static bool wait_for_turn(struct journal *j)
{
	pthread_mutex_lock(&j->mu);
	while (!atomic_load(&j->ended) && clock_monotonic_ns() < j->pause_until_ns) {
		struct timespec at = {.tv_sec = (time_t)(j->pause_until_ns / NS_PER_SECOND),
				      .tv_nsec = (long)(j->pause_until_ns % NS_PER_SECOND)};

		pthread_cond_timedwait(&j->changed, &j->mu, &at);
	}
	pthread_mutex_unlock(&j->mu);
	return !atomic_load(&j->ended);
}

static void journal_run(void *arg)
{
	struct journal *j = arg;
	struct disk_record *r;

	while (wait_for_turn(j)) {
		if (disk_queue_take(j->queue, &r, HAND_DOWN_WAIT_NS, &j->ended))
			continue;
		/* an error may have begun a pause meanwhile */
		if (!wait_for_turn(j) || !j->next[signal_index(r->payload->signal)]) {
			disk_queue_return(j->queue, r);
			continue;
		}
		if (!hand_down(j, r)) {
			pause_after(j, &(struct delivery_result){.rc = -ENOMEM});
			disk_queue_return(j->queue, r);
		}
	}
}

/* ---- lifecycle ---- */

static struct telemetry_value *journal_metric(const struct journal *j, enum telemetry_kind kind,
					      const char *name, const char *help)
{
	const struct telemetry_label label = {"pipeline", j->name};

	return telemetry_get(&j->host->telemetry, kind, name, help, &label, 1);
}

static int init_journal_sync(struct journal *j)
{
	pthread_condattr_t attr;
	int rc = pthread_condattr_init(&attr);

	if (rc)
		return -rc;
	pthread_condattr_setclock(&attr, CLOCK_MONOTONIC);
	rc = pthread_cond_init(&j->changed, &attr);
	pthread_condattr_destroy(&attr);
	return rc ? -rc : -pthread_mutex_init(&j->mu, NULL);
}

static void journal_free(struct journal *j)
{
	key_ring_unref(j->keys);
	free(j->directory);
	free(j->name);
	free(j);
}

static int journal_create(void **instance, const struct component_env *env, const void *settings,
			  struct err *e)
{
	const struct journal_settings *s = settings;
	struct journal *j = calloc(1, sizeof(*j));
	struct buf directory = {0};
	int rc = -ENOMEM;

	if (!j)
		return err_errno(e, rc, "journal");
	j->host = env->host;
	j->log = env->log;
	memcpy(j->next, env->next, sizeof(j->next));
	disk_queue_path(&directory, s->directory, "journal", s->name);
	j->directory = directory.failed ? NULL : strdup(directory.p);
	j->name = strdup(s->name);
	j->keys = key_ring_ref(s->keys);
	buf_fini(&directory);
	if (j->directory && j->name)
		rc = init_journal_sync(j);
	if (rc) {
		journal_free(j);
		return err_errno(e, rc, "journal");
	}
	j->options = (struct disk_queue_options){
		.directory = j->directory,
		.name = j->name,
		.keys = j->keys,
		.log = j->log,
		.max_bytes = s->max_bytes ? s->max_bytes : JOURNAL_BYTES,
		.max_in_flight = s->max_in_flight ? s->max_in_flight : JOURNAL_IN_FLIGHT,
		.budget = &j->host->memory,
	};
	j->pause_ns = PAUSE_FIRST_NS;
	j->size = journal_metric(j, TELEMETRY_GAUGE, "otelcol_journal_items",
				 "Items on disk that are not delivered.");
	j->again = journal_metric(j, TELEMETRY_COUNTER, "otelcol_journal_sent_again_items",
				  "Items handed down again after a restart, although they may have "
				  "been delivered.");
	j->failed = journal_metric(j, TELEMETRY_COUNTER, "otelcol_journal_failed_items",
				   "Acknowledged items that were refused for good.");
	*instance = j;
	return 0;
}

static int journal_start(void *instance, struct err *e)
{
	struct journal *j = instance;
	int rc = disk_queue_open(&j->queue, &j->host->queues, &j->options, e);
	struct disk_queue_state left;

	if (rc)
		return rc;
	disk_queue_read_state(j->queue, &left);
	telemetry_set(j->size, (int64_t)left.items);
	if (left.records)
		log_info(j->log, "data of an earlier process is in a journal",
			 LOG_STR("journal", str_from(j->name)), LOG_U64("items", left.items),
			 LOG_U64("requests", left.records));
	return thread_start(&j->thread, "journal", journal_run, j, e);
}

static void journal_stop(void *instance)
{
	struct journal *j = instance;

	atomic_store(&j->ended, true);
	disk_queue_wake(j->queue);
	pthread_mutex_lock(&j->mu);
	pthread_cond_broadcast(&j->changed);
	while (j->puts)
		pthread_cond_wait(&j->changed, &j->mu);
	pthread_mutex_unlock(&j->mu);
	thread_join(&j->thread);
}

static void journal_destroy(void *instance)
{
	struct journal *j = instance;

	disk_queue_close(j->queue);
	pthread_cond_destroy(&j->changed);
	pthread_mutex_destroy(&j->mu);
	journal_free(j);
}

const struct component journal_processor = {
	.name = "journal",
	.kind = COMPONENT_PROCESSOR,
	.signals = SIGNAL_PROFILES | SIGNAL_TRACES | SIGNAL_METRICS | SIGNAL_LOGS,
	.form = FORM_PAYLOAD,
	.help = "Acknowledges data when it is on disk, before it is collected.",
	.create = journal_create,
	.start = journal_start,
	.consume = journal_consume,
	.stop = journal_stop,
	.destroy = journal_destroy,
};
