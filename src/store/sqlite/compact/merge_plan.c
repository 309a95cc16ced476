/* SPDX-License-Identifier: Apache-2.0 */
#include "store/sqlite/compact/merge_plan.h"

#include "store/sqlite/catalog/day.h"

enum { FAN_IN = 4 };

static bool can_grow(const struct merge_list *l, const struct merge_block *b)
{
	return b->generation && b->items <= l->items_max / 2 && b->bytes <= l->bytes_max / 2;
}

static void begin_plan(struct merge_plan *plan, uint64_t limit)
{
	plan->n = 0;
	plan->generation = 1;
	plan->items = plan->bytes = 0;
	plan->limit = limit;
}

/* Add block number i. Return false if it does not fit. */
static bool plan_add(struct merge_plan *plan, const struct merge_list *l, uint32_t i,
		     const struct merge_block *b)
{
	if (plan->n == l->plan_max || (plan->n && (plan->items + b->items > plan->limit ||
						   plan->bytes + b->bytes > l->bytes_max)))
		return false;
	plan->at[plan->n++] = i;
	plan->items += b->items;
	plan->bytes += b->bytes;
	if (b->generation >= plan->generation)
		plan->generation =
			b->generation < MERGE_GENERATIONS ? b->generation + 1 : b->generation;
	return true;
}

/* Plan to merge blocks of commits, the oldest first. */
static bool plan_commits(struct merge_plan *plan, const struct merge_list *l)
{
	begin_plan(plan, 2 * l->items_max);
	for (uint32_t i = 0; i < l->n; i++) {
		struct merge_block b = l->get(l->blocks, i);

		if (!b.generation && !plan_add(plan, l, i, &b))
			break;
	}
	return plan->n;
}

static bool merge_hour_finished(const struct merge_list *l, uint32_t day, uint64_t hour,
				const struct compact_rules *rules)
{
	uint64_t end = day * SECONDS_PER_DAY + (hour + 1) * 3600;
	bool yes = rules->all || rules->now > end + STORE_SLOT_SECONDS;

	for (uint32_t i = 0; yes && !rules->all && i < l->n; i++) {
		struct merge_block b = l->get(l->blocks, i);

		yes = b.hour != hour || rules->now > b.made + rules->settled ||
		      b.made > rules->now + 3600;
	}
	return yes;
}

/* Plan to merge the blocks of that hour and generation (0: any) if there are at least that many. */
static bool plan_hour(struct merge_plan *plan, const struct merge_list *l, uint64_t hour,
		      uint64_t generation, uint32_t least)
{
	begin_plan(plan, l->items_max);
	for (uint32_t i = 0; i < l->n; i++) {
		struct merge_block b = l->get(l->blocks, i);

		if (b.hour == hour && can_grow(l, &b) &&
		    (!generation || b.generation == generation))
			plan_add(plan, l, i, &b);
	}
	return plan->n >= least;
}

bool merge_plan_choose(struct merge_plan *plan, const struct merge_list *l, uint32_t day, bool commits,
		       const struct compact_rules *rules)
{
	uint32_t blocks[MERGE_HOURS] = {0};

	begin_plan(plan, 0);
	if (commits && plan_commits(plan, l))
		return true;
	for (uint32_t i = 0; i < l->n; i++) {
		struct merge_block b = l->get(l->blocks, i);

		if (b.hour < MERGE_HOURS && can_grow(l, &b))
			blocks[b.hour]++;
	}
	for (uint64_t hour = 0; hour < MERGE_HOURS; hour++) {
		if (blocks[hour] < 2)
			continue;
		for (uint64_t g = 1; blocks[hour] >= FAN_IN && g <= MERGE_GENERATIONS; g++)
			if (plan_hour(plan, l, hour, g, FAN_IN))
				return true;
		if (merge_hour_finished(l, day, hour, rules) && plan_hour(plan, l, hour, 0, 2))
			return true;
	}
	return false;
}

bool merge_is_pending(const struct merge_list *l)
{
	uint32_t blocks[MERGE_HOURS + 1] = {0};
	bool wait = false;

	for (uint32_t i = 0; i < l->n; i++) {
		struct merge_block b = l->get(l->blocks, i);

		wait |= !b.generation;
		if (can_grow(l, &b))
			wait |= ++blocks[b.hour] > 1;
	}
	return wait;
}

uint32_t merge_sum_commits(const struct merge_list *l, struct merge_block *sum)
{
	uint32_t n = 0;

	*sum = (struct merge_block){0};
	for (uint32_t i = 0; i < l->n; i++) {
		struct merge_block b = l->get(l->blocks, i);

		if (b.generation)
			continue;
		sum->items += b.items;
		sum->packed += b.packed;
		n++;
	}
	return n;
}
