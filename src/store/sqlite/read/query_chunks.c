/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Sums from chunks. A roll-up is used if all that it sums up is selected: the whole group, and no
 * time outside of the range. If the range has most of an hour, its roll-up is used too, and what
 * lies outside of the range is subtracted, so that only the smaller part of an hour is read. Of a
 * chunk the sections with selected profiles are read, and single samples only where a section has
 * both selected and other profiles.
 */
#include "store/sqlite/read/query_chunks.h"

#include "store/sqlite/block/chunk.h"
#include "store/sqlite/block/columns.h"
#include "store/sqlite/block/rollup_block.h"
#include "store/sqlite/catalog/chunk_cache.h"
#include "store/sqlite/catalog/day.h"

static bool is_inside(const struct query *q, uint64_t first, uint64_t last)
{
	return first >= q->select->from && last < q->select->to;
}

static bool is_outside(const struct query *q, uint64_t first, uint64_t last)
{
	return last < q->select->from || first >= q->select->to;
}

/* ---- one chunk ---- */

struct chunk_sum {
	struct query *q;
	const struct chunk_entry *entry;
	struct arena *arena, *section; /* borrowed from the chunk_walk */
	struct node_sums *acc;
	bool outside;	    /* what is outside of the range counts, and is subtracted */
	bool whole;	    /* all of its times count */
	struct rows points; /* set if not `whole`, or if it has linked samples */
	uint8_t *taken;	    /* by profile of the points: does it count? */
	uint32_t profile;   /* the first profile of the current section */
	bool cut;	    /* a section has both profiles that count and others */
	struct str runs;
	struct column_cursor detail; /* if `cut` */
};

static void add_value(struct chunk_sum *c, uint32_t node, int64_t value)
{
	node_sums_add(c->acc, node, c->outside ? (int64_t)(0 - (uint64_t)value) : value);
}

/* Add all runs of the section. */
static int add_runs(struct chunk_sum *c, const struct chunk_section *s)
{
	uint32_t bad = 0;

	for (uint32_t i = 0; i < s->n; i++)
		bad |= s->nodes[i] >= c->acc->n;
	if (bad)
		return err_set(c->q->error, -EUCLEAN, "samples refer to missing stacks");
	for (uint32_t i = 0; i < s->n; i++)
		add_value(c, s->nodes[i], s->sums[i]);
	return 0;
}

static int chunk_damaged(const struct chunk_sum *c)
{
	return err_set(c->q->error, -EUCLEAN, "the details of a chunk are damaged");
}

/* Add the samples of the section whose profiles count. Its profiles end at `end`. */
static int add_detail(struct chunk_sum *c, const struct chunk_section *s, uint64_t samples,
		      uint32_t end, int64_t unit)
{
	bool bad = false;
	int rc = 0;
	uint32_t *ordinals = column_new_u32(&c->detail, c->section, samples, &rc);
	uint64_t *values = column_new_u64(&c->detail, c->section, samples - s->n, &rc);

	if (rc)
		return err_errno(c->q->error, rc, "read samples");
	if (c->detail.bad)
		return chunk_damaged(c);
	for (uint32_t k = 0; k < s->n && !bad; k++) {
		uint32_t n = s->counts[k];
		uint64_t profile = c->profile, others = 0, taken = 0;

		if (!n || s->nodes[k] >= c->acc->n)
			return chunk_damaged(c);
		for (uint32_t i = 0; i + 1 < n; i++) {
			uint64_t value = (uint64_t)unzigzag(values[i]), at;

			profile += ordinals[i];
			at = profile < end ? profile : c->profile;
			bad |= profile != at;
			others += value;
			taken += value & -(uint64_t)c->taken[at];
		}
		profile += ordinals[n - 1];
		ordinals += n;
		values += n - 1;
		bad |= profile >= end;
		taken *= (uint64_t)unit;
		if (!bad && c->taken[profile])
			taken += (uint64_t)s->sums[k] - others * (uint64_t)unit;
		if (taken)
			add_value(c, s->nodes[k], (int64_t)taken);
	}
	return bad ? chunk_damaged(c) : 0;
}

/* Return the end of the section's profiles that begin at `first`. */
static uint32_t section_end(const struct chunk_sum *c, uint32_t first, uint32_t series,
			    uint32_t slot)
{
	uint32_t i = first;

	while (i < c->points.series.n && c->points.series.at[i] == series &&
	       section_slot(c->points.by_hour, c->points.time.at[i]) == slot)
		i++;
	return i;
}

/* Return how many of the profiles [first, end) count. */
static uint32_t count_taken(const struct chunk_sum *c, uint32_t first, uint32_t end)
{
	uint32_t n = 0;

	for (uint32_t i = first; i < end; i++)
		n += c->taken[i];
	return n;
}

static int add_section(struct chunk_sum *c, struct runs_reader *r)
{
	struct query *q = c->q;
	struct chunk_section s;
	uint64_t samples = 0;
	uint32_t series = 0, slot = 0, end, n;
	int rc;

	runs_peek(r, &series, &slot);
	if (series >= q->reader.directory->series->series.n)
		return err_set(q->error, -EUCLEAN, "samples refer to missing series");
	if (c->whole) {
		rc = runs_next(r, &s, q->wanted[series] ? RUNS_ALL : RUNS_NONE, q->error);
		if (rc < 0)
			return rc;
		return q->wanted[series] ? add_runs(c, &s) : 0;
	}
	end = section_end(c, c->profile, series, slot);
	n = count_taken(c, c->profile, end);
	/* to skip the section in the details its counts are needed */
	rc = runs_next(r, &s, n ? RUNS_ALL : c->cut ? RUNS_COUNTS : RUNS_NONE, q->error);
	if (rc < 0)
		return rc;
	for (uint32_t i = 0; c->cut && i < s.n; i++)
		samples += s.counts[i];
	if (n && n < end - c->profile) {
		arena_reset(c->section);
		rc = add_detail(c, &s, samples, end, r->unit);
	} else {
		if (c->cut) {
			column_skip(&c->detail, samples);
			column_skip(&c->detail, samples - s.n);
		}
		rc = n ? add_runs(c, &s) : 0;
	}
	c->profile = end;
	return rc;
}

static int add_plain(struct chunk_sum *c)
{
	struct runs_reader r;
	struct str detail = {0};
	int rc = query_part(c->q, c->entry, PART_RUNS, c->arena, &c->runs);

	if (!rc && c->cut)
		rc = query_part(c->q, c->entry, PART_DETAIL, c->arena, &detail);
	if (rc || !c->runs.n)
		return rc;
	if (c->cut && !detail.n)
		return err_set(c->q->error, -EUCLEAN, "a chunk has no details");
	c->detail = column_cursor(detail);
	rc = runs_begin(&r, c->runs, &c->q->reader.connection->unpacker, c->arena, c->q->error);
	while (!rc && r.at < r.sections)
		rc = add_section(c, &r);
	return rc;
}

/* Add samples with a time or link of their own. */
static int add_linked(struct chunk_sum *c)
{
	struct query *q = c->q;
	struct linked_samples l;
	struct str linked;
	int rc = query_part(q, c->entry, PART_LINKED, c->arena, &linked);

	if (!rc)
		rc = chunk_linked(&l, &c->points, linked, c->arena, q->error);
	if (rc)
		return rc;
	for (uint32_t i = 0; i < l.n; i++) {
		if (l.nodes[i] >= c->acc->n)
			return err_set(q->error, -EUCLEAN, "samples refer to missing stacks");
		if (c->taken[l.profiles[i]])
			add_value(c, l.nodes[i], l.values[i]);
	}
	return 0;
}

/* Determine which profiles count, and set `cut`. Set *any to whether any of them does. */
static int take_profiles(struct chunk_sum *c, bool *any)
{
	const struct query *q = c->q;
	const struct rows *r = &c->points;
	int rc = query_chunk_rows(c->q, c->entry, NEED_POINTS, c->arena, &c->points);

	if (rc)
		return rc;
	c->taken = arena_alloc(c->arena, r->series.n + 1, 1);
	if (!c->taken)
		return err_errno(q->error, -ENOMEM, "read samples");
	*any = false;
	for (uint32_t i = 0; i < r->series.n; i++) {
		c->taken[i] = q->wanted[r->series.at[i]] &&
			      is_inside(q, r->time.at[i], r->time.at[i]) != c->outside;
		*any |= c->taken[i];
	}
	for (uint32_t i = 0, end, n; i < r->series.n && !c->cut; i = end) {
		end = section_end(c, i, r->series.at[i], section_slot(r->by_hour, r->time.at[i]));
		n = count_taken(c, i, end);
		c->cut = n && n < end - i;
	}
	return 0;
}

/* The sums of a partition's chunks, and memory reused from chunk to chunk. */
struct chunk_walk {
	struct query *q;
	struct node_sums *acc;
	struct arena chunk, section;
};

/* Add what is in the range or, with `outside`, subtract what is not. */
static int add_chunk_sums(struct chunk_walk *w, const struct chunk_entry *entry, bool outside)
{
	struct query *q = w->q;
	struct chunk_sum c = {.q = q,
			      .entry = entry,
			      .arena = &w->chunk,
			      .section = &w->section,
			      .acc = w->acc,
			      .outside = outside};
	bool any = true;
	int rc = query_check(q);

	if (outside ? is_inside(q, entry->first, entry->last)
		    : is_outside(q, entry->first, entry->last))
		return rc;
	c.whole = outside ? is_outside(q, entry->first, entry->last)
			  : is_inside(q, entry->first, entry->last);
	if (!rc && (!c.whole || entry->parts[PART_LINKED]))
		rc = take_profiles(&c, &any);
	if (!rc && any)
		rc = add_plain(&c);
	if (!rc && any && entry->parts[PART_LINKED])
		rc = add_linked(&c);
	arena_reset(&w->chunk);
	return rc;
}

/* ---- roll-ups and chunks of a partition ---- */

static int add_rollup(struct chunk_walk *w, const struct chunk_entry *entry)
{
	struct query *q = w->q;
	struct str rollup;
	int rc = query_check(q);

	if (!rc)
		rc = query_part(q, entry, PART_ROLLUP, &w->chunk, &rollup);
	if (!rc)
		rc = rollup_add(rollup, false, w->acc, &w->chunk, q->error);
	arena_reset(&w->chunk);
	return rc;
}

/* What the added roll-ups cover. */
struct covered {
	bool day;	/* the hours whose roll-up is in the day's */
	uint32_t hours; /* the rolled-up chunks of these hours, a bit each */
	uint32_t more;	/* of these hours also what is outside of the range */
};

/* Return whether the range has most of the hour. */
static bool has_most(const struct query *q, uint64_t hour)
{
	uint64_t begin = q->reader.partition->day * NS_PER_DAY + hour * NS_PER_HOUR;
	uint64_t from = q->select->from > begin ? q->select->from : begin;
	uint64_t to = q->select->to < begin + NS_PER_HOUR ? q->select->to : begin + NS_PER_HOUR;

	return to > from && to - from > NS_PER_HOUR / 2;
}

static int add_hour_chunk(struct chunk_walk *w, const struct chunk_entry *c,
			  const struct covered *covered)
{
	uint32_t hour = (uint32_t)1 << c->hour;

	if (!c->rolled || !(covered->hours & hour))
		return add_chunk_sums(w, c, false);
	return covered->more & hour ? add_chunk_sums(w, c, true) : 0;
}

static int add_entry(struct chunk_walk *w, const struct chunk_entry *c, struct covered *covered)
{
	const struct query *q = w->q;
	uint32_t hour = (uint32_t)1 << c->hour;
	bool whole = is_inside(q, c->first, c->last);

	if (c->kind == CHUNK_HOUR)
		return add_hour_chunk(w, c, covered);
	if (q->groups[c->group] != GROUP_ALL || is_outside(q, c->first, c->last))
		return 0;
	if (!whole && (c->kind == CHUNK_ROLLUP_DAY || !has_most(q, c->hour)))
		return 0;
	if (c->kind == CHUNK_ROLLUP_DAY) {
		covered->day = true;
		return add_rollup(w, c);
	}
	covered->hours |= hour;
	covered->more |= whole ? 0 : hour;
	return covered->day && c->rolled ? 0 : add_rollup(w, c);
}

int stacks_add_chunks(struct query *q, struct node_sums *acc)
{
	struct chunk_walk w = {.q = q, .acc = acc};
	int rc = 0;

	arena_init(&w.chunk, q->select->limits.budget);
	arena_init(&w.section, q->select->limits.budget);
	for (uint32_t v = 0; !rc && v < q->visited.n; v++) {
		struct chunk_range range;
		struct covered covered = {0};

		rc = reader_chunks(&q->reader, q->visited.at[v], &range, q->error);
		/* sorted by kind: the day's roll-up is last, and read first */
		for (uint32_t i = range.n; !rc && i-- > 0;)
			rc = add_entry(&w, &range.at[i], &covered);
	}
	arena_fini(&w.section);
	arena_fini(&w.chunk);
	return rc;
}
