/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A group holds the observations that become one sample; groups are found by the hash of their
 * identity. A series links its groups and a group its timestamps in order of arrival, so
 * collector_finish() is one pass without sorting.
 */
#include "format/collect.h"

#include "base/container/hash.h"
#include "signal/profile/profile_rows.h"

#define NONE UINT32_MAX

struct collect_series {
	struct profile row;
	struct list attributes;
	uint32_t first, last; /* list of its groups */
	bool timed;
	uint64_t first_time, last_time;
};

struct collect_group {
	uint32_t series, stack;
	struct list attributes;
	uint32_t next;	      /* next group of the same series */
	uint32_t first, last; /* list of its timestamps */
	int64_t sum;
	bool timed;
	bool ones; /* every value was 1, so values need not be stored beside the timestamps */
};

struct collect_time {
	uint64_t time;
	int64_t value;
	uint32_t next;
};

int collector_init(struct collector *c, struct profile_builder *builder)
{
	*c = (struct collector){.builder = builder, .times_max = COLLECT_TIMES_MAX};
	arena_init(&c->scratch, builder->batch->arena.budget);

	/* attributes.at is never NULL: empty lists point into it */
	int rc = vec_reserve(&c->scratch, &c->attributes, 1);

	return rc ? rc : idset_init(&c->index, &c->scratch, 64);
}

void collector_fini(struct collector *c)
{
	arena_fini(&c->scratch);
	*c = (struct collector){0};
}

/* Append ids to the pool. */
static int append_ids(struct collector *c, const uint32_t *ids, uint32_t n, struct list *out)
{
	int rc = vec_reserve(&c->scratch, &c->attributes, n);

	if (rc)
		return rc;
	*out = (struct list){c->attributes.n, n};
	if (n)
		memcpy(c->attributes.at + c->attributes.n, ids, n * sizeof(*ids));
	c->attributes.n += n;
	return 0;
}

int collect_series_add(struct collector *c, const struct profile *row, const uint32_t *attributes,
		       uint32_t n, uint32_t *series)
{
	struct collect_series s = {.row = *row, .first = NONE, .last = NONE};
	int rc = append_ids(c, attributes, n, &s.attributes);

	if (!rc)
		rc = vec_push(&c->scratch, &c->series, s);
	if (!rc)
		*series = c->series.n - 1;
	return rc;
}

struct profile *collect_series_row(struct collector *c, uint32_t series)
{
	return &c->series.at[series].row;
}

static uint32_t hash_sample(const struct collect_sample *s)
{
	uint64_t fields[] = {
		((uint64_t)s->series << 32) | s->stack, s->timed,
		hash_bytes(s->attributes, s->attribute_count * sizeof(*s->attributes))};

	return (uint32_t)hash_bytes(fields, sizeof(fields));
}

static bool group_matches(const struct collector *c, const struct collect_group *g,
			  const struct collect_sample *s)
{
	return g->series == s->series && g->stack == s->stack && g->timed == s->timed &&
	       g->attributes.n == s->attribute_count &&
	       (!s->attribute_count || memcmp(c->attributes.at + g->attributes.at, s->attributes,
					      s->attribute_count * sizeof(*s->attributes)) == 0);
}

static int add_group(struct collector *c, const struct collect_sample *s, uint32_t hash,
		     uint32_t *id)
{
	struct collect_series *series = &c->series.at[s->series];
	struct collect_group g = {
		.series = s->series,
		.stack = s->stack,
		.next = NONE,
		.first = NONE,
		.last = NONE,
		.timed = s->timed,
		.ones = true,
	};
	int rc = vec_reserve(&c->scratch, &c->groups, 1);

	if (!rc)
		rc = append_ids(c, s->attributes, s->attribute_count, &g.attributes);
	if (!rc)
		rc = idset_add(&c->index, hash, c->groups.n);
	if (rc)
		return rc;
	*id = c->groups.n++;
	c->groups.at[*id] = g;
	if (series->last == NONE)
		series->first = *id;
	else
		c->groups.at[series->last].next = *id;
	series->last = *id;
	return 0;
}

static int find_or_add_group(struct collector *c, const struct collect_sample *s, uint32_t *id)
{
	uint32_t hash = hash_sample(s);
	struct idset_cursor cursor = idset_seek(&c->index, hash);

	while (idset_next(&c->index, &cursor, id))
		if (group_matches(c, &c->groups.at[*id], s))
			return 0;
	return add_group(c, s, hash, id);
}

static int add_time(struct collector *c, struct collect_group *g, const struct collect_sample *s)
{
	struct collect_series *series = &c->series.at[s->series];
	uint32_t id = c->times.n;
	int rc;

	if (!series->timed || s->time < series->first_time)
		series->first_time = s->time;
	if (!series->timed || s->time > series->last_time)
		series->last_time = s->time;
	series->timed = true;
	if (c->times.n >= c->times_max)
		c->times_dropped = true;
	if (c->times_dropped)
		return 0;
	rc = vec_push(&c->scratch, &c->times,
		      (struct collect_time){.time = s->time, .value = s->value, .next = NONE});
	if (rc)
		return rc;
	if (g->last == NONE)
		g->first = id;
	else
		c->times.at[g->last].next = id;
	g->last = id;
	return 0;
}

int collect_add(struct collector *c, const struct collect_sample *sample)
{
	struct collect_group *g;
	uint32_t id = 0;
	int rc = find_or_add_group(c, sample, &id);

	if (rc)
		return rc;
	g = &c->groups.at[id];
	if (sample->timed) {
		rc = add_time(c, g, sample);
		if (rc)
			return rc;
	}
	g->sum = (int64_t)((uint64_t)g->sum + (uint64_t)sample->value);
	g->ones = g->ones && sample->value == 1;
	return 0;
}

/* Append the values and timestamps of one group to their pools in the batch. */
static int append_observations(const struct collector *c, const struct collect_group *g)
{
	struct profile_batch *b = c->builder->batch;
	int rc = 0;

	if (!g->timed || c->times_dropped)
		return vec_push(&b->arena, &b->values, g->sum);
	for (uint32_t id = g->first; !rc && id != NONE; id = c->times.at[id].next) {
		rc = vec_push(&b->arena, &b->times, c->times.at[id].time);
		if (!rc && !g->ones)
			rc = vec_push(&b->arena, &b->values, c->times.at[id].value);
	}
	return rc;
}

static int append_sample(const struct collector *c, const struct collect_group *g)
{
	struct profile_batch *b = c->builder->batch;
	uint32_t attributes = b->sample_attributes.n, values = b->values.n, times = b->times.n;
	int rc = vec_reserve(&b->arena, &b->sample_attributes, g->attributes.n);

	for (uint32_t i = 0; !rc && i < g->attributes.n; i++)
		b->sample_attributes.at[b->sample_attributes.n++] =
			c->attributes.at[g->attributes.at + i];
	if (!rc)
		rc = append_observations(c, g);
	if (!rc)
		rc = profile_sample_end(b, g->stack, 0);
	if (rc) { /* leave nothing in the pools that no sample owns */
		b->sample_attributes.n = attributes;
		b->values.n = values;
		b->times.n = times;
	}
	return rc;
}

/* Extend the time range of the profile so that it contains all timestamps of its samples. */
static void extend_time_range(const struct collect_series *s, struct profile *row)
{
	uint64_t start = row->time_unix_nano, end = start + row->duration_nano;

	if (!s->timed)
		return;
	if (!start && !row->duration_nano)
		start = end = s->first_time;
	if (s->first_time < start)
		start = s->first_time;
	if (s->last_time >= end && s->last_time < UINT64_MAX)
		end = s->last_time + 1;
	row->time_unix_nano = start;
	row->duration_nano = end - start;
}

int collector_finish(struct collector *c)
{
	int rc = 0;

	for (uint32_t i = 0; !rc && i < c->series.n; i++) {
		struct collect_series *s = &c->series.at[i];

		extend_time_range(s, &s->row);
		rc = profile_add_profile(c->builder, &s->row, c->attributes.at + s->attributes.at,
					 s->attributes.n);
		for (uint32_t id = s->first; !rc && id != NONE; id = c->groups.at[id].next)
			rc = append_sample(c, &c->groups.at[id]);
	}
	return rc;
}
