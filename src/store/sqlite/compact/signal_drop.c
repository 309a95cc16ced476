/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Delete all data of signals in a day. Blocks are deleted on the writer thread, some in each
 * transaction, so that commits run in between; blocks are not read. All chunks of a group of
 * profiles are deleted together, so that roll-ups and chunks agree at any time.
 */
#include "store/sqlite/compact/signal_drop.h"

#include "store/sqlite/catalog/catalog.h"
#include "store/sqlite/catalog/chunk_cache.h"
#include "store/sqlite/catalog/day.h"
#include "store/sqlite/compact/replace.h"
#include "store/sqlite/read/reader.h"
#include "store/sqlite/write/writer.h"

/* The limits of a transaction. */
enum { STEP_BLOCKS = 256 };
#define STEP_BYTES (32 * MIB)

enum { ALL_SIGNALS = SIGNAL_PROFILES | SIGNAL_TRACES | SIGNAL_METRICS | SIGNAL_LOGS };

/* ---- limits ---- */

uint64_t retention_of(const struct sqlite_store_options *o, enum signal_kind signal)
{
	uint64_t all = o->retention_seconds,
		 own = o->signal_retention_seconds[signal_index(signal)];

	return own && (!all || own < all) ? own : all;
}

uint32_t signals_expired(struct partition *p, uint64_t now)
{
	const struct sqlite_store *s = p->store;
	uint64_t trusted = atomic_load(&s->trusted), end = (p->day + 1) * SECONDS_PER_DAY;
	uint64_t early = trusted && trusted < now ? trusted : now;
	uint32_t signals = 0;

	for (unsigned i = 0; i < SIGNALS; i++) {
		uint64_t limit = s->options.signal_retention_seconds[i];

		if (limit && early > end && early - end > limit)
			signals |= (uint32_t)1 << i;
	}
	if (signals) {
		pthread_mutex_lock(&p->mu);
		signals &= ~p->dropped;
		pthread_mutex_unlock(&p->mu);
	}
	return signals;
}

bool directory_has_signals(const struct directory *d, uint32_t signals)
{
	return (signals & SIGNAL_PROFILES && (d->level0_n || d->chunks->n)) ||
	       (signals & SIGNAL_TRACES && d->spans->n) || (signals & SIGNAL_LOGS && d->logs->n) ||
	       (signals & SIGNAL_METRICS && metric_list_has_data(d->metrics));
}

/* ---- one transaction ---- */

struct drop_step {
	struct writer_job job;
	struct partition *partition;
	uint32_t signals;
	struct replacement change;
	uint64_t blocks, bytes; /* to be deleted */
	bool emptied;		/* nothing was left, and the file was dropped */
	int rc;
	struct err error;
};

/* Return whether the transaction is full; otherwise count a block. */
static bool is_full(struct drop_step *d, uint64_t bytes)
{
	if (d->blocks >= STEP_BLOCKS || d->bytes >= STEP_BYTES)
		return true;
	d->blocks++;
	d->bytes += bytes;
	return false;
}

static int drop_spans(struct drop_step *d, const struct span_list *l)
{
	int rc = 0;

	for (uint32_t i = 0; !rc && i < l->n && !is_full(d, l->at[i].bytes); i++)
		rc = vec_push(&d->change.arena, &d->change.spans.drop, l->at[i].id);
	return rc;
}

static int drop_logs(struct drop_step *d, const struct log_list *l)
{
	int rc = 0;

	for (uint32_t i = 0; !rc && i < l->n && !is_full(d, l->at[i].bytes); i++)
		rc = vec_push(&d->change.arena, &d->change.logs.drop, l->at[i].id);
	return rc;
}

static int drop_metrics(struct drop_step *d, const struct metric_list *l)
{
	int rc = 0;

	for (uint32_t i = 0; !rc && i < l->n; i++) {
		if (l->at[i].kind == METRIC_BLOCK_SERIES)
			continue;
		if (is_full(d, l->at[i].bytes))
			break;
		rc = vec_push(&d->change.arena, &d->change.metrics.drop, l->at[i].id);
	}
	return rc;
}

static int drop_level0(struct drop_step *d, const struct directory *from)
{
	struct replacement *change = &d->change;
	int rc = 0;

	for (uint32_t i = 0; !rc && i < from->level0_n; i++) {
		const struct level0_entry *entry = &from->level0[i];

		if (is_full(d, entry->bytes))
			break;
		change->profiles += entry->profiles;
		change->samples += entry->samples;
		rc = vec_push(&change->arena, &change->level0, entry->id);
	}
	return rc;
}

/* Delete all chunks and roll-ups of the group. */
static int drop_group(struct drop_step *d, const struct chunk_group *group)
{
	struct replacement *change = &d->change;
	struct chunk_rows *rows = NULL;
	int rc = chunk_rows_read(&rows, &d->partition->writer->db, group, &d->error);

	for (uint32_t i = 0; !rc && i < rows->n; i++) {
		const struct chunk_entry *c = &rows->at[i];

		if (c->kind == CHUNK_HOUR) {
			change->profiles += c->profiles;
			change->samples += c->samples;
		}
		rc = replacement_drop_chunk(change, c);
	}
	if (!rc)
		d->blocks += rows->n;
	chunk_rows_unref(rows);
	return rc;
}

static int drop_chunks(struct drop_step *d, const struct chunk_list *l)
{
	int rc = 0;

	for (uint32_t g = 0; !rc && g < l->groups; g++) {
		if (!l->at[g].rows)
			continue;
		if (is_full(d, l->at[g].bytes))
			break;
		rc = drop_group(d, &l->at[g]);
	}
	return rc;
}

static int prepare_step(struct drop_step *d, const struct directory *from)
{
	int rc = 0;

	if (d->signals & SIGNAL_TRACES)
		rc = drop_spans(d, from->spans);
	if (!rc && d->signals & SIGNAL_LOGS)
		rc = drop_logs(d, from->logs);
	if (!rc && d->signals & SIGNAL_METRICS)
		rc = drop_metrics(d, from->metrics);
	if (!rc && d->signals & SIGNAL_PROFILES)
		rc = drop_level0(d, from);
	if (!rc && d->signals & SIGNAL_PROFILES)
		rc = drop_chunks(d, from->chunks);
	return rc;
}

static void run_step(struct writer_job *job)
{
	struct drop_step *d = (struct drop_step *)job;
	struct partition *p = d->partition;

	d->rc = p->gone ? -ENOENT : writer_open(p, &d->error);
	if (!d->rc)
		d->rc = prepare_step(d, p->directory);
	if (!d->rc && d->blocks)
		d->rc = replacement_apply(&d->change);
	if (d->rc && !d->error.code)
		d->error = d->change.error;
	if (d->change.profiles && p->writer) /* hashes of profiles that no longer exist */
		writer_forget_ids(p);
	if (!d->rc && d->blocks && !directory_has_signals(p->directory, ALL_SIGNALS)) {
		partition_drop(p);
		d->emptied = true;
	}
}

static void log_drop(struct partition *p, uint32_t signals)
{
	for (unsigned i = 0; i < SIGNALS; i++)
		if (signals >> i & 1)
			log_info(p->store->log, "data of a signal is older than its retention",
				 LOG_STR("partition", str_from(p->name)),
				 LOG_STR("signal", str_from(signal_names[i])));
}

static int run_drop_step(struct drop_step *d, bool *more, struct err *e)
{
	struct partition *p = d->partition;
	int rc;

	replacement_init(&d->change, p);
	d->job.run = run_step;
	rc = writer_do(p->store, &d->job);
	if (!rc)
		rc = d->rc;
	if (rc && e && !e->code)
		*e = d->error;
	*more = !rc && d->blocks && !d->emptied;
	if (!rc && d->emptied)
		catalog_event(p->store, "dropped", p->name,
			      "it has only data that is older than the retention of its signal");
	replacement_fini(&d->change);
	return rc ? err_errno(e, rc, "drop data by age") : 0;
}

int signals_drop(struct partition *p, uint32_t signals, bool *more, struct err *e)
{
	struct drop_step d = {.partition = p};
	struct reader r = {0};
	int rc = reader_begin(&r, p, e);

	*more = false;
	for (unsigned i = 0; !rc && i < SIGNALS; i++)
		if (signals >> i & 1 && directory_has_signals(r.directory, (uint32_t)1 << i))
			d.signals |= (uint32_t)1 << i;
	reader_end(&r);
	if (!rc && d.signals) {
		rc = run_drop_step(&d, more, e);
		if (!rc && !*more)
			log_drop(p, d.signals);
	}
	if (!rc && !*more) {
		pthread_mutex_lock(&p->mu);
		p->dropped |= signals;
		pthread_mutex_unlock(&p->mu);
	}
	return rc;
}
