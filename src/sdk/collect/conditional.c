/* SPDX-License-Identifier: Apache-2.0 */
/* Held records are grouped by span in a hash table. All memory is allocated at the start. */
#include "sdk/collect/conditional.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/container/hash.h"

/* Links are index + 1 of a record or group; 0: none. */
struct held {
	struct record record;
	uint32_t next; /* in its group, or free */
};

/* The held records of one span. */
struct span_group {
	uint8_t span_id[8];
	uint32_t first, last;
	uint32_t count;
	uint32_t next; /* in its bucket, or free */
	uint64_t since_ns;
};

struct conditional {
	struct conditional_options o;
	struct conditional_counters counters;
	uint32_t free_held, free_group, bucket_mask;
	struct held *held;
	struct span_group *groups;
	uint32_t *buckets;
};

bool conditional_is_unwanted(const struct record *r)
{
	return r->flags & RECORD_UNWANTED && (r->kind == RECORD_CPU || r->kind == RECORD_WALL ||
					      r->kind == RECORD_BLOCK || r->kind == RECORD_MUTEX);
}

static bool is_held_kind(const struct record *r)
{
	static const uint8_t none[8];

	return (r->kind == RECORD_CPU || r->kind == RECORD_WALL || r->kind == RECORD_BLOCK ||
		r->kind == RECORD_MUTEX) &&
	       memcmp(r->span_id, none, sizeof(none)) != 0;
}

static uint32_t *group_bucket(struct conditional *c, const uint8_t span_id[8])
{
	uint64_t id;

	memcpy(&id, span_id, sizeof(id));
	return &c->buckets[hash_u64(id) & c->bucket_mask];
}

/* Return the link to the span's group; it is 0 when there is none. */
static uint32_t *find_group(struct conditional *c, const uint8_t span_id[8])
{
	uint32_t *place = group_bucket(c, span_id);

	while (*place && memcmp(c->groups[*place - 1].span_id, span_id, 8) != 0)
		place = &c->groups[*place - 1].next;
	return place;
}

/* Free a group whose records were freed or moved before. */
static void free_group(struct conditional *c, uint32_t *place)
{
	uint32_t number = *place;
	struct span_group *g = &c->groups[number - 1];

	*place = g->next;
	g->next = c->free_group;
	c->free_group = number;
}

static void free_records(struct conditional *c, const struct span_group *g)
{
	if (!g->first)
		return;
	c->held[g->last - 1].next = c->free_held;
	c->free_held = g->first;
	c->counters.held -= g->count;
}

/* Drop the records of the span that has waited longest. */
static void evict_oldest_span(struct conditional *c)
{
	struct span_group *oldest = NULL;
	uint32_t *place;

	for (uint32_t i = 0; i <= c->bucket_mask; i++)
		for (uint32_t at = c->buckets[i]; at; at = c->groups[at - 1].next)
			if (!oldest || c->groups[at - 1].since_ns < oldest->since_ns)
				oldest = &c->groups[at - 1];
	if (!oldest)
		return;
	c->counters.evicted_records += oldest->count;
	free_records(c, oldest);
	place = find_group(c, oldest->span_id);
	free_group(c, place);
}

static struct span_group *get_or_add_group(struct conditional *c, const uint8_t span_id[8],
					   uint64_t now_ns)
{
	uint32_t *place = find_group(c, span_id), number;
	struct span_group *g;

	if (*place)
		return &c->groups[*place - 1];
	if (!c->free_group)
		evict_oldest_span(c);
	number = c->free_group;
	g = &c->groups[number - 1];
	c->free_group = g->next;
	*g = (struct span_group){.since_ns = now_ns};
	memcpy(g->span_id, span_id, 8);
	place = group_bucket(c, span_id);
	g->next = *place;
	*place = number;
	return g;
}

static void hold_record(struct conditional *c, const struct record *r)
{
	struct span_group *g;
	uint32_t number;

	if (!c->free_held)
		evict_oldest_span(c);
	number = c->free_held;
	c->free_held = c->held[number - 1].next;
	c->held[number - 1] = (struct held){.record = *r};
	g = get_or_add_group(c, r->span_id, r->time_ns);
	if (g->last)
		c->held[g->last - 1].next = number;
	else
		g->first = number;
	g->last = number;
	g->count++;
	c->counters.held++;
}

static bool keeps_samples(const struct conditional *c, const struct record *end)
{
	if (end->flags & RECORD_FAILED && !c->o.no_failed)
		return true;
	if (end->value > 0 && (uint64_t)end->value > c->o.slow_ns)
		return true;
	/* not below 1 ms: such a span is always on the CPU, and the two clocks differ slightly */
	return end->value > 1000000 && c->o.busy_share < 1 &&
	       (double)end->weight > c->o.busy_share * (double)end->value;
}

/* Move the group's records to the parent's group. */
static void move_to_parent(struct conditional *c, uint32_t *place, const uint8_t parent[8],
			   uint64_t now_ns)
{
	struct span_group mine = c->groups[*place - 1], *g;

	free_group(c, place);
	g = get_or_add_group(c, parent, now_ns);
	if (g->last)
		c->held[g->last - 1].next = mine.first;
	else
		g->first = mine.first;
	g->last = mine.last;
	g->count += mine.count;
}

/* Decide about the samples of a span that has ended. */
static void end_span(struct conditional *c, const struct record *end,
		     void (*emit)(void *arg, const struct record *r), void *arg)
{
	static const uint8_t none[8];
	uint32_t *place = find_group(c, end->span_id);
	uint8_t parent[8];
	struct span_group *g;

	if (!*place)
		return;
	g = &c->groups[*place - 1];
	memcpy(parent, &end->stack, 4);
	memcpy(parent + 4, &end->labels, 4);
	if (keeps_samples(c, end)) {
		c->counters.kept_spans++;
		for (uint32_t at = g->first; at; at = at == g->last ? 0 : c->held[at - 1].next)
			emit(arg, &c->held[at - 1].record);
	} else if (memcmp(parent, none, sizeof(none)) != 0) {
		move_to_parent(c, place, parent, end->time_ns);
		return;
	} else {
		c->counters.dropped_spans++;
		c->counters.dropped_records += g->count;
	}
	free_records(c, g);
	free_group(c, place);
}

void conditional_add(struct conditional *c, const struct record *r,
		     void (*emit)(void *arg, const struct record *r), void *arg)
{
	if (r->kind == RECORD_SPAN_END)
		end_span(c, r, emit, arg);
	else if (is_held_kind(r))
		hold_record(c, r);
	else
		emit(arg, r);
}

void conditional_reset(struct conditional *c)
{
	uint32_t n = c->o.max_records, groups = n / 4;

	c->counters = (struct conditional_counters){0};
	memset(c->buckets, 0, ((size_t)c->bucket_mask + 1) * sizeof(*c->buckets));
	for (uint32_t i = 0; i < n; i++)
		c->held[i].next = i + 1 < n ? i + 2 : 0;
	for (uint32_t i = 0; i < groups; i++)
		c->groups[i].next = i + 1 < groups ? i + 2 : 0;
	c->free_held = c->free_group = 1;
}

int conditional_new(struct conditional **out, const struct conditional_options *o)
{
	struct conditional *c = calloc(1, sizeof(*c));
	uint32_t buckets = 16;

	if (!c)
		return -ENOMEM;
	c->o = *o;
	if (c->o.max_records < 16)
		c->o.max_records = c->o.max_records ? 16 : 16384;
	while (buckets < c->o.max_records / 4)
		buckets *= 2;
	c->bucket_mask = buckets - 1;
	c->held = calloc(c->o.max_records, sizeof(*c->held));
	c->groups = calloc(c->o.max_records / 4, sizeof(*c->groups));
	c->buckets = calloc(buckets, sizeof(*c->buckets));
	if (!c->held || !c->groups || !c->buckets) {
		conditional_free(c);
		return -ENOMEM;
	}
	conditional_reset(c);
	*out = c;
	return 0;
}

void conditional_set_thresholds(struct conditional *c, uint64_t slow_ns, double busy_share)
{
	c->o.slow_ns = slow_ns;
	c->o.busy_share = busy_share;
}

void conditional_free(struct conditional *c)
{
	if (!c)
		return;
	free(c->held);
	free(c->groups);
	free(c->buckets);
	free(c);
}

void conditional_counters(const struct conditional *c, struct conditional_counters *out)
{
	*out = c->counters;
}
