/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Arbitrary bytes as a message that a load balancer splits. The first byte selects the signal, the
 * second one the routing key. No item may be lost or doubled, and each part can be read.
 */
#include <errno.h>

#include "fuzz.h"
#include "pipeline/exporters/loadbalancing/route_split.h"

static const enum signal_kind signals[] = {SIGNAL_TRACES, SIGNAL_METRICS, SIGNAL_LOGS};
static const char *const endpoints[] = {"a:1", "b:1", "c:1"};

static void check_routes(struct route_parts *parts, const struct payload *p, struct budget *budget)
{
	uint64_t items = 0;

	for (uint32_t i = 0; i < parts->count; i++) {
		struct payload *part = parts->at[i].payload;
		struct otlp_tree tree;
		struct arena arena;

		FUZZ_CHECK(parts->at[i].endpoint < countof(endpoints));
		items += part ? part->items : p->items;
		arena_init(&arena, budget);
		FUZZ_CHECK(otlp_tree_read(&tree, part ? part : p, &arena, NULL) != -EBADMSG);
		arena_fini(&arena);
		payload_release(part);
	}
	FUZZ_CHECK(items == p->items);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static struct hash_ring ring;
	static const struct str names[] = {STR_INIT("service.name"), STR_INIT("span.name"),
					   STR_INIT("span.kind")};
	struct budget budget = {.limit = FUZZ_BUDGET};
	struct route_rule rule = {.attributes = {names, countof(names)},
				  .ring = &ring,
				  .endpoints = countof(endpoints)};
	struct route_parts parts;
	struct otlp_tree tree;
	struct payload *p;
	struct arena arena;
	struct err e = {0};

	if (size < 2 || (!ring.count && hash_ring_init(&ring, endpoints, countof(endpoints))))
		return 0;
	arena_init(&arena, &budget);
	p = payload_copy(signals[data[0] % 3], 0, str_of((const char *)data + 2, size - 2),
			 &budget);
	FUZZ_CHECK(p);
	rule.by = route_by_of((enum route_by)(data[1] % ROUTE_BY_COUNT), p->signal);
	if (rule.by != ROUTE_BY_COUNT && !otlp_tree_read(&tree, p, &arena, NULL)) {
		p->items = tree.items;
		if (!route_split(&parts, p, &rule, &arena, &budget, &e))
			check_routes(&parts, p, &budget);
	}
	payload_release(p);
	arena_fini(&arena);
	FUZZ_CHECK(budget.used == 0);
	return 0;
}
