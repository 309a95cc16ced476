/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Sums out of chunks. A roll-up is used when all that it sums up is asked for: the whole group, and
 * no time of it outside of the range. Else the runs of the sections that are asked for; where the
 * range cuts through a section, its samples one by one.
 */
#include "store/sqlite/columns.h"
#include "store/sqlite/query_stacks.h"

static bool inside(const struct query *q, uint64_t first, uint64_t last)
{
	return first >= q->select->from && last < q->select->to;
}

/* ---- one chunk ---- */

struct chunk_sum {
	struct query *q;
	const struct chunk_entry *entry;
	struct arena arena;
	struct node_sums *acc;
	bool whole;	    /* no time of it is outside of the range */
	struct rows points; /* when it is not */
	uint32_t profile;   /* the first of the section at hand */
	struct str runs;
	struct column_cursor detail;
};

/* All runs of the section. */
static int add_runs(struct chunk_sum *c, const struct chunk_section *s)
{
	uint32_t bad = 0;

	for (uint32_t i = 0; i < s->n; i++)
		bad |= s->nodes[i] >= c->acc->n;
	if (bad)
		return err_set(c->q->error, -EUCLEAN, "samples name stacks that are not there");
	for (uint32_t i = 0; i < s->n; i++)
		node_sums_add(c->acc, s->nodes[i], s->sums[i]);
	return 0;
}

/* Those samples of the section, whose profiles are [first, end), that are in the range. */
static int add_detail(struct chunk_sum *c, const struct chunk_section *s, uint64_t samples,
		      uint32_t end, int64_t unit)
{
	const struct store_select *sel = c->q->select;
	int rc = 0;
	uint32_t *ordinals = column_new_u32(&c->detail, &c->arena, samples, &rc);
	uint64_t *values = column_new_u64(&c->detail, &c->arena, samples - s->n, &rc);

	if (rc)
		return err_errno(c->q->error, rc, "read samples");
	if (c->detail.bad)
		return err_set(c->q->error, -EUCLEAN, "the details of a chunk are damaged");
	for (uint32_t k = 0; k < s->n; k++) {
		uint64_t profile = c->profile;
		int64_t left = s->sums[k];

		for (uint32_t i = 0; i < s->counts[k]; i++) {
			bool last = i + 1 == s->counts[k];
			int64_t value =
				last ? left
				     : (int64_t)((uint64_t)unzigzag(*values) * (uint64_t)unit);

			values += !last;
			left = (int64_t)((uint64_t)left - (uint64_t)value);
			profile += *ordinals++;
			if (profile >= end || s->nodes[k] >= c->acc->n)
				return err_set(c->q->error, -EUCLEAN,
					       "the details of a chunk are damaged");
			if (c->points.time.at[profile] >= sel->from &&
			    c->points.time.at[profile] < sel->to)
				node_sums_add(c->acc, s->nodes[k], value);
		}
	}
	return 0;
}

/* The section at hand and where its profiles end, which begin at c->profile. */
static uint32_t section_end(const struct chunk_sum *c, uint32_t series, uint32_t slot)
{
	uint32_t i = c->profile;

	while (i < c->points.series.n && c->points.series.at[i] == series &&
	       slot_of(c->points.time.at[i]) % SLOTS_PER_HOUR == slot)
		i++;
	return i;
}

static int add_section(struct chunk_sum *c, struct runs_reader *r)
{
	struct query *q = c->q;
	struct chunk_section s;
	uint64_t start, samples = 0;
	uint32_t series = 0, slot = 0, end = 0;
	bool wanted, cut;
	int rc;

	runs_peek(r, &series, &slot);
	if (series >= q->reader.directory->series->series.n)
		return err_set(q->error, -EUCLEAN, "samples name series that are not there");
	start = q->reader.partition->day * NS_PER_DAY + c->entry->hour * NS_PER_HOUR +
		slot * NS_PER_SLOT;
	wanted =
		q->wanted[series] && start < q->select->to && start + NS_PER_SLOT > q->select->from;
	cut = wanted && !c->whole && !inside(q, start, start + NS_PER_SLOT - 1);
	rc = runs_next(r, &s, c->whole && !wanted, q->error);
	if (rc < 0)
		return rc;
	if (c->whole)
		return wanted ? add_runs(c, &s) : 0;
	end = section_end(c, series, slot);
	for (uint32_t i = 0; i < s.n; i++)
		samples += s.counts[i];
	if (cut) {
		rc = add_detail(c, &s, samples, end, r->unit);
	} else {
		column_skip(&c->detail, samples);
		column_skip(&c->detail, samples - s.n);
		rc = wanted ? add_runs(c, &s) : 0;
	}
	c->profile = end;
	return rc;
}

static int add_plain(struct chunk_sum *c)
{
	struct runs_reader r;
	struct str detail = {0};
	int rc = query_part(c->q, c->entry, PART_RUNS, &c->arena, &c->runs);

	if (!rc && !c->whole)
		rc = query_part(c->q, c->entry, PART_DETAIL, &c->arena, &detail);
	if (rc || !c->runs.n)
		return rc;
	if (!c->whole && !detail.n)
		return err_set(c->q->error, -EUCLEAN, "a chunk has no details");
	c->detail = column_cursor(detail);
	rc = runs_begin(&r, c->runs, &c->arena, c->q->error);
	while (!rc && r.at < r.sections)
		rc = add_section(c, &r);
	return rc;
}

/* Samples that have a time or link of their own. */
static int add_linked(struct chunk_sum *c)
{
	struct query *q = c->q;
	struct linked_samples l;
	struct str linked;
	uint8_t *taken;
	int rc = query_part(q, c->entry, PART_LINKED, &c->arena, &linked);

	if (!rc && c->whole)
		rc = query_chunk_rows(q, c->entry, NEED_POINTS, &c->arena, &c->points);
	if (!rc)
		rc = chunk_linked(&l, &c->points, linked, &c->arena, q->error);
	if (rc)
		return rc;
	taken = arena_alloc(&c->arena, c->points.series.n + 1, 1);
	if (!taken)
		return err_errno(q->error, -ENOMEM, "read samples");
	for (uint32_t i = 0; i < c->points.series.n; i++)
		taken[i] = query_takes(q, &c->points, i);
	for (uint32_t i = 0; i < l.n; i++) {
		if (l.nodes[i] >= c->acc->n)
			return err_set(q->error, -EUCLEAN,
				       "samples name stacks that are not there");
		if (taken[l.profiles[i]])
			node_sums_add(c->acc, l.nodes[i], l.values[i]);
	}
	return 0;
}

static int add_chunk(struct query *q, const struct chunk_entry *entry, struct node_sums *acc)
{
	struct chunk_sum c = {
		.q = q, .entry = entry, .acc = acc, .whole = inside(q, entry->first, entry->last)};
	int rc = query_check(q);

	arena_init(&c.arena, q->select->limits.budget);
	if (!rc && !c.whole)
		rc = query_chunk_rows(q, entry, NEED_POINTS, &c.arena, &c.points);
	if (!rc)
		rc = add_plain(&c);
	if (!rc && entry->parts[PART_LINKED])
		rc = add_linked(&c);
	arena_fini(&c.arena);
	return rc;
}

/* ---- which ---- */

static int add_rollup(struct query *q, const struct chunk_entry *entry, struct node_sums *acc)
{
	struct arena arena;
	struct str rollup;
	int rc;

	arena_init(&arena, q->select->limits.budget);
	rc = query_part(q, entry, PART_ROLLUP, &arena, &rollup);
	if (!rc)
		rc = rollup_add(rollup, false, acc, &arena, q->error);
	arena_fini(&arena);
	return rc;
}

/* What the roll-ups that were used tell all about. */
struct covered {
	bool day;	/* the hours whose roll-up is in the day's */
	uint32_t hours; /* the chunks of these hours that are rolled up, a bit each */
};

static int add_entry(struct query *q, const struct chunk_entry *c, struct covered *covered,
		     struct node_sums *acc)
{
	uint32_t hour = (uint32_t)1 << c->hour;
	int rc;

	if (c->last < q->select->from || c->first >= q->select->to)
		return 0;
	if (c->kind == CHUNK_HOUR)
		return c->rolled && covered->hours & hour ? 0 : add_chunk(q, c, acc);
	if (q->groups[c->group] != GROUP_ALL || !inside(q, c->first, c->last))
		return 0;
	if (c->kind == CHUNK_ROLLUP_HOUR && covered->day && c->rolled) {
		covered->hours |= hour;
		return 0;
	}
	rc = add_rollup(q, c, acc);
	if (c->kind == CHUNK_ROLLUP_DAY)
		covered->day = true;
	else
		covered->hours |= hour;
	return rc;
}

int stacks_add_chunks(struct query *q, struct node_sums *acc)
{
	const struct chunk_list *l = q->reader.directory->chunks;
	int rc = 0;

	for (uint32_t g = 0; !rc && g < l->groups; g++) {
		struct chunk_range range = chunk_list_of_group(l, g);
		struct covered covered = {0};

		if (q->groups[g] == GROUP_NONE)
			continue;
		/* a group's entries are sorted by kind: roll-ups of the day last, and they go first */
		for (uint32_t i = range.end; !rc && i-- > range.first;)
			rc = add_entry(q, &l->at[i], &covered, acc);
	}
	return rc;
}
