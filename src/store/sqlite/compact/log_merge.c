/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Compaction of log records. The blocks of commits become blocks of one hour each, as columns with
 * a filter; four blocks of a generation become one of the next, up to LOGS_IN_BLOCK; the remaining
 * blocks are merged when their hour is over.
 */
#include "store/sqlite/compact/log_merge.h"

#include <stdlib.h>

#include "store/sqlite/catalog/day.h"
#include "store/sqlite/compact/replace.h"
#include "store/sqlite/logs/log_block.h"
#include "store/sqlite/read/logs/log_read.h"

enum {
	/* this many blocks of commits are merged at once; fewer when they are old enough */
	COMMITS = 400,
	FAN_IN = 4,
	LOGS_AT_ONCE = 2 * LOGS_IN_BLOCK,
	HOURS = 24,
};

/* Packed bytes of commits that are merged at once: about a block's records of usual sizes. */
#define COMMIT_BYTES (6 * MIB)

/* ---- planning ---- */

static bool can_grow(const struct log_block_entry *l)
{
	return l->generation && l->logs <= LOGS_IN_BLOCK / 2 &&
	       l->record_bytes <= LOG_BLOCK_BYTES / 2;
}

static bool plan_add(struct log_plan *plan, const struct log_block_entry *l)
{
	if (plan->n == LOG_PLAN_MAX ||
	    (plan->n && (plan->logs + l->logs > plan->limit ||
			 plan->bytes + l->record_bytes > LOG_BLOCK_BYTES)))
		return false;
	plan->at[plan->n++] = *l;
	plan->logs += l->logs;
	plan->bytes += l->record_bytes;
	return true;
}

/* Plan to merge blocks of commits, the oldest first. */
static bool plan_commits(struct log_plan *plan, const struct log_list *l)
{
	plan->limit = LOGS_AT_ONCE;
	for (uint32_t i = 0; i < l->n; i++)
		if (!l->at[i].generation && !plan_add(plan, &l->at[i]))
			break;
	return plan->n;
}

static bool log_hour_finished(const struct log_list *l, uint32_t day, uint64_t hour,
			      const struct compact_rules *rules)
{
	uint64_t end = day * SECONDS_PER_DAY + (hour + 1) * 3600;
	bool yes = rules->all || rules->now > end + STORE_SLOT_SECONDS;

	for (uint32_t i = 0; yes && !rules->all && i < l->n; i++)
		yes = l->at[i].hour != hour || rules->now > l->at[i].made + rules->settled ||
		      l->at[i].made > rules->now + 3600;
	return yes;
}

/* Plan to merge the blocks of that hour and generation (0: any) if there are at least that many. */
static bool plan_hour(struct log_plan *plan, const struct log_list *l, uint64_t hour,
		      uint64_t generation, uint32_t least)
{
	plan->n = 0;
	plan->logs = plan->bytes = 0;
	plan->limit = LOGS_IN_BLOCK;
	for (uint32_t i = 0; i < l->n; i++)
		if (l->at[i].hour == hour && can_grow(&l->at[i]) &&
		    (!generation || l->at[i].generation == generation))
			plan_add(plan, &l->at[i]);
	return plan->n >= least;
}

bool log_plan(struct log_plan *plan, const struct log_list *l, uint32_t day, bool commits,
	      const struct compact_rules *rules)
{
	uint32_t blocks[HOURS] = {0};

	plan->n = 0;
	plan->logs = plan->bytes = plan->limit = 0;
	if (commits && plan_commits(plan, l))
		return true;
	for (uint32_t i = 0; i < l->n; i++)
		if (l->at[i].hour < HOURS && can_grow(&l->at[i]))
			blocks[l->at[i].hour]++;
	for (uint64_t hour = 0; hour < HOURS; hour++) {
		if (blocks[hour] < 2)
			continue;
		for (uint64_t g = 1; blocks[hour] >= FAN_IN && g <= LOG_GENERATIONS; g++)
			if (plan_hour(plan, l, hour, g, FAN_IN))
				return true;
		if (log_hour_finished(l, day, hour, rules) && plan_hour(plan, l, hour, 0, 2))
			return true;
	}
	return false;
}

/* Return whether blocks of commits should be merged: by number, size or age. p->mu is held. */
static bool commits_due(struct partition *p, const struct compact_rules *rules)
{
	const struct log_list *l = p->directory->logs;
	uint64_t now = clock_monotonic_ns(), bytes = 0, records = 0;
	uint32_t n = 0;

	for (uint32_t i = 0; i < l->n; i++)
		if (!l->at[i].generation) {
			bytes += l->at[i].bytes;
			records += l->at[i].logs;
			n++;
		}
	if (!n)
		p->logs_merged_ns = now;
	return n &&
	       (rules->all || n >= COMMITS || bytes >= COMMIT_BYTES || records >= LOGS_IN_BLOCK ||
		now - p->logs_merged_ns > p->store->options.compact_ms * NS_PER_MS);
}

bool logs_due(struct partition *p, const struct compact_rules *rules, bool *commits)
{
	struct log_plan *plan = malloc(sizeof(*plan));
	bool due = false;

	*commits = false;
	pthread_mutex_lock(&p->mu);
	if (p->directory && plan) {
		*commits = commits_due(p, rules);
		due = log_plan(plan, p->directory->logs, p->day, *commits, rules);
	}
	pthread_mutex_unlock(&p->mu);
	free(plan);
	return due;
}

bool log_merge_pending(const struct log_list *l)
{
	uint32_t blocks[LOGS_OF_ANY_HOUR + 1] = {0};
	bool wait = false;

	for (uint32_t i = 0; i < l->n; i++) {
		wait |= !l->at[i].generation;
		if (can_grow(&l->at[i]))
			wait |= ++blocks[l->at[i].hour] > 1;
	}
	return wait;
}

/* ---- merging ---- */

struct log_merge {
	struct partition *partition;
	struct log_plan plan;
	struct arena arena;   /* of the records and of what was read */
	struct arena scratch; /* of sorting */
	struct log_rows hours[HOURS];
	struct log_page_packer packer;
	struct replacement change;
};

static uint64_t begin_of_hour(const struct log_merge *m, uint64_t hour)
{
	return m->partition->day * NS_PER_DAY + hour * NS_PER_HOUR;
}

/*
 * Append the rows, which stay in memory, to those of their hours; leave out those of the tenant
 * `without`, which may be NULL.
 */
static int divide_rows(struct log_merge *m, const struct log_rows *rows, const struct str *without)
{
	uint32_t *numbers =
		arena_alloc(&m->arena, (size_t)HOURS * rows->streams.n + 1, sizeof(*numbers));
	int rc = 0;

	if (!numbers)
		return -ENOMEM;
	memset(numbers, 0xff, (size_t)HOURS * rows->streams.n * sizeof(*numbers));
	for (uint32_t i = 0; !rc && i < rows->logs.n; i++) {
		struct kept_log k = rows->logs.at[i];
		uint64_t hour = k.time / NS_PER_HOUR % HOURS;
		uint32_t *number = &numbers[hour * rows->streams.n + k.stream];
		struct str encoded = rows->streams.at[k.stream];
		struct log_stream s;

		if (*number == UINT32_MAX) {
			if (!log_stream_get(encoded, &s))
				return -EUCLEAN;
			*number = UINT32_MAX - 1;
			if (!without || !str_eq(s.tenant, *without))
				rc = log_rows_stream(&m->hours[hour], &m->arena, encoded, number);
		}
		if (rc || *number == UINT32_MAX - 1)
			continue;
		k.stream = *number;
		rc = vec_push(&m->arena, &m->hours[hour].logs, k);
	}
	return rc;
}

static int read_planned(struct log_merge *m, struct reader *r, struct err *e)
{
	int rc = 0;

	for (uint32_t i = 0; !rc && i < m->plan.n; i++) {
		struct log_rows rows;

		rc = logs_read(r, &m->plan.at[i], &m->arena, &rows, e);
		if (!rc)
			rc = divide_rows(m, &rows, NULL);
		if (!rc)
			rc = vec_push(&m->change.arena, &m->change.logs.drop, m->plan.at[i].id);
	}
	return rc;
}

static uint64_t next_generation(const struct log_plan *plan)
{
	uint64_t g = 0;

	for (uint32_t i = 0; i < plan->n; i++)
		g = plan->at[i].generation > g ? plan->at[i].generation : g;
	return g < LOG_GENERATIONS ? g + 1 : g;
}

static void set_extent(struct log_block_entry *entry, const struct kept_log *logs, uint32_t n)
{
	entry->logs = n;
	entry->first = UINT64_MAX;
	for (uint32_t i = 0; i < n; i++) {
		entry->first = logs[i].time < entry->first ? logs[i].time : entry->first;
		entry->last = logs[i].time > entry->last ? logs[i].time : entry->last;
		entry->record_bytes += logs[i].message.n;
	}
}

/* Add a block of sorted rows to the replacement. */
static int add_block(struct log_merge *m, const struct log_rows *r, uint32_t first, uint32_t n,
		     uint64_t hour, uint64_t generation)
{
	struct log_block_frames frames = {0};
	struct new_logs b = {.entry = {.hour = hour,
				       .generation = generation,
				       .made = clock_realtime_ns() / NS_PER_SECOND}};
	int rc = log_block_put(&frames, &m->packer, r, first, n, begin_of_hour(m, hour));

	set_extent(&b.entry, r->logs.at + first, n);
	b.entry.pages = frames.pages;
	b.entry.shards = frames.shards;
	b.frames = frames.frames;
	b.ends = frames.ends;
	if (!rc)
		rc = vec_push(&m->change.arena, &m->change.logs.add, b);
	if (rc)
		new_logs_fini(&b);
	return rc;
}

/* Give the rows a list of their own with only the streams that they use. */
static int use_streams(struct log_rows *part, struct arena *a)
{
	uint32_t n = part->streams.n, used = 0;
	uint32_t *numbers = arena_zalloc(a, n + (size_t)1, sizeof(*numbers));
	struct str *streams = arena_alloc(a, n + (size_t)1, sizeof(*streams));

	if (!numbers || !streams)
		return -ENOMEM;
	for (uint32_t i = 0; i < part->logs.n; i++) {
		uint32_t *number = &numbers[part->logs.at[i].stream];

		if (!*number) {
			streams[used] = part->streams.at[part->logs.at[i].stream];
			*number = ++used;
		}
		part->logs.at[i].stream = *number - 1;
	}
	part->streams.at = streams;
	part->streams.n = part->streams.cap = used;
	return 0;
}

/*
 * Pack the records of an hour. Blocks are cut in the order of arrival, which is mostly the order of
 * time, so that they overlap little; the records of each are sorted.
 */
static int pack_hour(struct log_merge *m, uint64_t hour, uint64_t generation)
{
	const struct log_rows *all = &m->hours[hour];
	int rc = 0;

	for (uint32_t first = 0, n; !rc && first < all->logs.n; first += n) {
		struct log_rows part = {.streams = all->streams};

		n = log_rows_cut(all, first);
		part.logs.at = all->logs.at + first;
		part.logs.n = part.logs.cap = n;
		rc = use_streams(&part, &m->scratch);
		if (!rc)
			rc = log_rows_sort(&part, &m->scratch);
		if (!rc)
			rc = add_block(m, &part, 0, n, hour, generation);
		arena_reset(&m->scratch);
	}
	return rc;
}

static struct log_merge *merge_new(struct partition *p)
{
	struct log_merge *m = calloc(1, sizeof(*m));

	if (!m)
		return NULL;
	m->partition = p;
	arena_init(&m->arena, NULL); /* bounded by LOGS_AT_ONCE and LOG_BLOCK_BYTES */
	arena_init(&m->scratch, NULL);
	log_page_packer_init(&m->packer);
	replacement_init(&m->change, p);
	return m;
}

/* Free what the merge was made of, but not the replacement. */
static void merge_shrink(struct log_merge *m)
{
	arena_fini(&m->scratch);
	arena_fini(&m->arena);
	log_page_packer_fini(&m->packer);
}

static void merge_free(struct log_merge *m)
{
	replacement_fini(&m->change);
	free(m);
}

static int prepare_merge(struct log_merge *m, bool commits, const struct compact_rules *rules,
			 bool *more, struct err *e)
{
	struct reader r = {0};
	int rc = reader_begin(&r, m->partition, e);

	if (!rc) {
		*more = log_plan(&m->plan, r.directory->logs, m->partition->day, commits, rules);
		rc = *more ? read_planned(m, &r, e) : 0;
	}
	reader_end(&r);
	for (uint64_t hour = 0; !rc && *more && hour < HOURS; hour++)
		rc = pack_hour(m, hour, next_generation(&m->plan));
	return rc;
}

int logs_merge(struct partition *p, bool commits, const struct compact_rules *rules, bool *more,
	       struct err *e)
{
	struct log_merge *m = merge_new(p);
	int rc;

	*more = false;
	if (!m)
		return err_errno(e, -ENOMEM, "merge logs");
	rc = prepare_merge(m, commits, rules, more, e);
	merge_shrink(m);
	if (!rc && *more) {
		rc = replacement_run(&m->change);
		if (rc == -ESTALE)
			rc = 0;
		else if (rc && e && !e->code)
			*e = m->change.error;
	}
	merge_free(m);
	if (!rc && commits) {
		pthread_mutex_lock(&p->mu);
		p->logs_merged_ns = clock_monotonic_ns();
		pthread_mutex_unlock(&p->mu);
	}
	return rc ? err_errno(e, rc, "merge logs") : 0;
}

/* ---- deleting ---- */

/* Return whether a block has records of the tenant. */
static bool has_tenant(const struct log_rows *rows, struct str tenant)
{
	for (uint32_t i = 0; i < rows->streams.n; i++) {
		struct log_stream s;

		if (log_stream_get(rows->streams.at[i], &s) && str_eq(s.tenant, tenant))
			return true;
	}
	return false;
}

static int remove_from_block(struct log_merge *m, struct reader *r,
			     const struct log_block_entry *entry, struct str tenant, struct err *e)
{
	struct log_rows rows;
	int rc = logs_read(r, entry, &m->arena, &rows, e);

	if (!rc && !has_tenant(&rows, tenant))
		return 0;
	memset(m->hours, 0, sizeof(m->hours));
	if (!rc)
		rc = divide_rows(m, &rows, &tenant);
	for (uint64_t hour = 0; !rc && hour < HOURS; hour++)
		rc = pack_hour(m, hour, entry->generation ? entry->generation : 1);
	return rc ? rc : vec_push(&m->change.arena, &m->change.logs.drop, entry->id);
}

int logs_remove(struct partition *p, struct str tenant, struct err *e)
{
	struct log_merge *m = merge_new(p);
	struct reader r = {0};
	int rc;

	if (!m)
		return err_errno(e, -ENOMEM, "delete logs");
	rc = reader_begin(&r, p, e);
	for (uint32_t i = 0; !rc && i < r.directory->logs->n; i++) {
		rc = remove_from_block(m, &r, &r.directory->logs->at[i], tenant, e);
		arena_reset(&m->arena);
	}
	reader_end(&r);
	merge_shrink(m);
	if (!rc && m->change.logs.drop.n)
		rc = replacement_apply(&m->change);
	if (rc && e && !e->code)
		*e = m->change.error;
	merge_free(m);
	return rc ? err_errno(e, rc, "delete logs") : 0;
}
