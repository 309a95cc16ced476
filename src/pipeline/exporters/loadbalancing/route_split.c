/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Splits payloads: first each item gets its endpoint, then a payload is written for each endpoint
 * that has items. A payload whose items belong to one endpoint is not written again.
 */
#include "pipeline/exporters/loadbalancing/route_split.h"

#include <errno.h>

#include "base/buf.h"
#include "pipeline/exporters/loadbalancing/route_streams.h"

struct route_walk {
	struct otlp_tree tree;
	uint32_t *endpoint_of; /* by item, in the order of the tree */
	bool *used;	       /* by endpoint */
	uint32_t used_count, item_count;
	struct buf key;
};

static uint32_t count_tree_items(const struct otlp_tree *t)
{
	uint32_t n = 0;

	for (uint32_t r = 0; r < t->resource_count; r++)
		for (uint32_t s = 0; s < t->resources[r].scope_count; s++)
			n += t->resources[r].scopes[s].item_count;
	return n;
}

static uint32_t find_endpoint(struct route_walk *w, const struct route_rule *rule,
			      const struct route_item *at)
{
	struct str key = route_key(rule->by, &rule->attributes, at, &w->key);

	return hash_ring_find(rule->ring, key);
}

static void assign_item(struct route_walk *w, uint32_t endpoint)
{
	w->endpoint_of[w->item_count++] = endpoint;
	w->used_count += !w->used[endpoint];
	w->used[endpoint] = true;
}

static void assign_resource(struct route_walk *w, const struct route_rule *rule,
			    const struct otlp_resource *resource)
{
	struct route_item at = {.signal = w->tree.signal, .resource = resource};
	bool by_resource = route_is_by_resource(rule->by);
	uint32_t endpoint = by_resource ? find_endpoint(w, rule, &at) : 0;

	for (uint32_t s = 0; s < resource->scope_count; s++) {
		at.scope = &resource->scopes[s];
		for (uint32_t i = 0; i < at.scope->item_count; i++) {
			at.item = &at.scope->items[i];
			assign_item(w, by_resource ? endpoint : find_endpoint(w, rule, &at));
		}
	}
}

/* Drop the items of other endpoints. Return the payload of the others, or NULL without memory. */
static struct payload *write_part(struct route_walk *w, uint32_t endpoint, struct budget *budget)
{
	struct otlp_tree *t = &w->tree;
	uint32_t n = 0;

	for (uint32_t r = 0; r < t->resource_count; r++)
		for (uint32_t s = 0; s < t->resources[r].scope_count; s++) {
			struct otlp_scope *scope = &t->resources[r].scopes[s];

			for (uint32_t i = 0; i < scope->item_count; i++)
				scope->items[i].dropped = w->endpoint_of[n++] != endpoint;
		}
	t->changed = true;
	return otlp_tree_write(t, budget);
}

static int write_route_parts(struct route_walk *w, struct route_parts *out,
			     const struct route_rule *rule, struct budget *budget)
{
	for (uint32_t i = 0; i < rule->endpoints; i++) {
		struct route_part part = {.endpoint = i};

		if (!w->used[i])
			continue;
		if (w->used_count > 1)
			part.payload = write_part(w, i, budget);
		if (w->used_count > 1 && !part.payload)
			return -ENOMEM;
		out->at[out->count++] = part;
	}
	return 0;
}

static int split_tree(struct route_walk *w, struct route_parts *out, const struct route_rule *rule,
		      struct arena *arena, struct budget *budget)
{
	w->endpoint_of =
		arena_alloc(arena, (size_t)count_tree_items(&w->tree) + 1, sizeof(uint32_t));
	w->used = arena_zalloc(arena, rule->endpoints, sizeof(bool));
	out->at = arena_alloc(arena, rule->endpoints, sizeof(*out->at));
	if (!w->endpoint_of || !w->used || !out->at)
		return -ENOMEM;
	for (uint32_t r = 0; r < w->tree.resource_count; r++)
		assign_resource(w, rule, &w->tree.resources[r]);
	return buf_error(&w->key) ? -ENOMEM : write_route_parts(w, out, rule, budget);
}

int route_split(struct route_parts *out, const struct payload *p, const struct route_rule *rule,
		struct arena *arena, struct budget *budget, struct err *e)
{
	struct route_walk w = {0};
	int rc = otlp_tree_read(&w.tree, p, arena, e);

	if (!rc && rule->by == ROUTE_STREAM)
		rc = route_split_streams(&w.tree, rule->ring, arena);
	*out = (struct route_parts){0};
	if (!rc)
		rc = split_tree(&w, out, rule, arena, budget);
	buf_fini(&w.key);
	if (!rc)
		return 0;
	for (uint32_t i = 0; i < out->count; i++)
		payload_release(out->at[i].payload);
	*out = (struct route_parts){0};
	return rc;
}
