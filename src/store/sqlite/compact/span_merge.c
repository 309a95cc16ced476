/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Compaction of spans. The blocks of commits become blocks of one hour each, with a filter; four
 * blocks of a generation become one of the next, up to SPANS_IN_BLOCK; the remaining blocks are
 * merged when their hour is over. Duplicate spans are dropped by the encoder.
 */
#include "store/sqlite/compact/span_merge.h"

#include <stdlib.h>

#include "store/sqlite/catalog/day.h"
#include "store/sqlite/compact/replace.h"
#include "store/sqlite/read/spans/query_spans.h"

enum {
	/* this many blocks of commits are merged at once; fewer when they are old enough */
	COMMITS = 32,
	FAN_IN = 4,
	SPANS_AT_ONCE = 2 * SPANS_IN_BLOCK,
	HOURS = 24,
};
#define COMMIT_BYTES (2 * MIB)

/* ---- planning ---- */

static bool can_grow(const struct span_entry *s)
{
	return s->generation && s->spans <= SPANS_IN_BLOCK / 2 &&
	       s->details_bytes <= SPAN_BLOCK_BYTES / 2;
}

static int plan_add(struct span_plan *plan, const struct span_entry *s)
{
	if (plan->n == SPAN_PLAN_MAX ||
	    (plan->n && (plan->spans + s->spans > plan->limit ||
			 plan->bytes + s->details_bytes > SPAN_BLOCK_BYTES)))
		return 0;
	plan->at[plan->n++] = *s;
	plan->spans += s->spans;
	plan->bytes += s->details_bytes;
	return 1;
}

/* Plan to merge blocks of commits, the oldest first. */
static bool plan_commits(struct span_plan *plan, const struct span_list *l)
{
	plan->limit = SPANS_AT_ONCE;
	for (uint32_t i = 0; i < l->n; i++)
		if (!l->at[i].generation && !plan_add(plan, &l->at[i]))
			break;
	return plan->n;
}

static bool span_hour_finished(const struct span_list *l, uint32_t day, uint64_t hour,
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
static bool plan_hour(struct span_plan *plan, const struct span_list *l, uint64_t hour,
		      uint64_t generation, uint32_t least)
{
	*plan = (struct span_plan){.limit = SPANS_IN_BLOCK};
	for (uint32_t i = 0; i < l->n; i++)
		if (l->at[i].hour == hour && can_grow(&l->at[i]) &&
		    (!generation || l->at[i].generation == generation))
			plan_add(plan, &l->at[i]);
	return plan->n >= least;
}

bool span_plan(struct span_plan *plan, const struct span_list *l, uint32_t day, bool commits,
	       const struct compact_rules *rules)
{
	uint32_t blocks[HOURS] = {0};

	*plan = (struct span_plan){0};
	if (commits && plan_commits(plan, l))
		return true;
	for (uint32_t i = 0; i < l->n; i++)
		if (l->at[i].hour < HOURS && can_grow(&l->at[i]))
			blocks[l->at[i].hour]++;
	for (uint64_t hour = 0; hour < HOURS; hour++) {
		if (blocks[hour] < 2)
			continue;
		for (uint64_t g = 1; blocks[hour] >= FAN_IN && g <= SPAN_GENERATIONS; g++)
			if (plan_hour(plan, l, hour, g, FAN_IN))
				return true;
		if (span_hour_finished(l, day, hour, rules) && plan_hour(plan, l, hour, 0, 2))
			return true;
	}
	return false;
}

/* Return whether blocks of commits should be merged: by number, size or age. p->mu is held. */
static bool commits_due(struct partition *p, const struct compact_rules *rules)
{
	const struct span_list *l = p->directory->spans;
	uint64_t now = clock_monotonic_ns(), bytes = 0;
	uint32_t n = 0;

	for (uint32_t i = 0; i < l->n; i++)
		if (!l->at[i].generation) {
			bytes += l->at[i].bytes;
			n++;
		}
	if (!n)
		p->spans_merged_ns = now;
	return n && (rules->all || n >= COMMITS || bytes >= COMMIT_BYTES ||
		     now - p->spans_merged_ns > p->store->options.compact_ms * NS_PER_MS);
}

bool spans_due(struct partition *p, const struct compact_rules *rules, bool *commits)
{
	struct span_plan plan;
	bool due = false;

	*commits = false;
	pthread_mutex_lock(&p->mu);
	if (p->directory) {
		*commits = commits_due(p, rules);
		due = span_plan(&plan, p->directory->spans, p->day, *commits, rules);
	}
	pthread_mutex_unlock(&p->mu);
	return due;
}

bool spans_pending(const struct span_list *l)
{
	uint32_t blocks[SPANS_OF_ANY_HOUR + 1] = {0};
	bool wait = false;

	for (uint32_t i = 0; i < l->n; i++) {
		wait |= !l->at[i].generation;
		if (can_grow(&l->at[i]))
			wait |= ++blocks[l->at[i].hour] > 1;
	}
	return wait;
}

/* ---- merging ---- */

struct span_merge {
	struct partition *partition;
	struct span_plan plan;
	struct arena arena, block;
	struct span_rows hours[HOURS];
	struct replacement change;
};

static int read_planned_blocks(struct span_merge *m, struct reader *r, struct err *e)
{
	int rc = 0;

	for (uint32_t i = 0; !rc && i < m->plan.n; i++) {
		struct span_rows rows;

		rc = spans_read(r, &m->plan.at[i], NULL, &m->block, &rows, e);
		if (!rc)
			rc = spans_read_details(r, &m->plan.at[i], NULL, &m->block, &rows, e);
		for (uint32_t first = 0, end; !rc && first < rows.spans.n; first = end) {
			uint64_t hour = rows.spans.at[first].start / NS_PER_HOUR;

			for (end = first + 1;
			     end < rows.spans.n && rows.spans.at[end].start / NS_PER_HOUR == hour;)
				end++;
			rc = span_rows_append(&m->hours[hour % HOURS], &m->arena, &rows, first,
					      end - first);
		}
		if (!rc)
			rc = vec_push(&m->change.arena, &m->change.spans.drop, m->plan.at[i].id);
		arena_reset(&m->block);
	}
	return rc;
}

static uint64_t next_generation(const struct span_plan *plan)
{
	uint64_t g = 0;

	for (uint32_t i = 0; i < plan->n; i++)
		g = plan->at[i].generation > g ? plan->at[i].generation : g;
	return g < SPAN_GENERATIONS ? g + 1 : g;
}

static int pack_hour(struct span_merge *m, uint64_t hour)
{
	const struct span_rows *r = &m->hours[hour];
	int rc = 0;

	for (uint32_t first = 0, n; !rc && first < r->spans.n; first += n) {
		struct new_spans b = {
			.entry = {.hour = hour, .generation = next_generation(&m->plan)}};

		n = span_rows_cut(r, first);
		rc = spans_pack(&b, r, first, n, true);
		if (!rc)
			rc = vec_push(&m->change.arena, &m->change.spans.add, b);
		if (rc)
			new_spans_fini(&b);
	}
	return rc;
}

static int prepare_replacement(struct span_merge *m, bool commits,
			       const struct compact_rules *rules, bool *more, struct err *e)
{
	struct reader r = {0};
	int rc = reader_begin(&r, m->partition, e);

	if (!rc) {
		*more = span_plan(&m->plan, r.directory->spans, m->partition->day, commits, rules);
		rc = *more ? read_planned_blocks(m, &r, e) : 0;
	}
	reader_end(&r);
	for (uint64_t hour = 0; !rc && *more && hour < HOURS; hour++)
		rc = pack_hour(m, hour);
	return rc;
}

int spans_merge(struct partition *p, bool commits, const struct compact_rules *rules, bool *more,
		struct err *e)
{
	struct span_merge *m = calloc(1, sizeof(*m));
	int rc;

	*more = false;
	if (!m)
		return err_errno(e, -ENOMEM, "merge spans");
	m->partition = p;
	arena_init(&m->arena, NULL); /* bounded by SPANS_AT_ONCE and SPAN_BLOCK_BYTES */
	arena_init(&m->block, NULL);
	replacement_init(&m->change, p);
	rc = prepare_replacement(m, commits, rules, more, e);
	arena_fini(&m->block);
	arena_fini(&m->arena);
	if (!rc && *more) {
		rc = replacement_run(&m->change);
		if (rc == -ESTALE)
			rc = 0;
		else if (rc && e && !e->code)
			*e = m->change.error;
	}
	replacement_fini(&m->change);
	free(m);
	if (!rc && commits) {
		pthread_mutex_lock(&p->mu);
		p->spans_merged_ns = clock_monotonic_ns();
		pthread_mutex_unlock(&p->mu);
	}
	return rc ? err_errno(e, rc, "merge spans") : 0;
}
