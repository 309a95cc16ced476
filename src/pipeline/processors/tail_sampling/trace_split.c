/* SPDX-License-Identifier: Apache-2.0 */
/* Spans are sorted by trace; those of a trace keep their order. */
#include "pipeline/processors/tail_sampling/trace_split.h"

#include <errno.h>
#include <stdlib.h>

enum { SPAN_TRACE_ID = 1 };

/* A span, and where it is in the tree. */
struct placed_span {
	uint8_t id[TRACE_ID_SIZE];
	uint32_t resource, scope, order;
	const struct otlp_item *item;
};

struct placed_spans {
	VEC(struct placed_span) list;
};

static void read_trace_id(struct str span, uint8_t id[TRACE_ID_SIZE])
{
	struct proto_reader r = proto_reader_of(span);

	memset(id, 0, TRACE_ID_SIZE);
	while (proto_next(&r)) {
		struct str found;

		if (r.tag != PROTO_TAG(SPAN_TRACE_ID, PROTO_BYTES)) {
			proto_skip(&r);
			continue;
		}
		found = proto_bytes(&r);
		if (found.n == TRACE_ID_SIZE)
			memcpy(id, found.p, TRACE_ID_SIZE);
		return; /* it is the first field */
	}
}

static int place_spans(const struct otlp_tree *tree, struct arena *arena, struct placed_spans *out)
{
	int rc = 0;

	for (uint32_t i = 0; i < tree->resource_count && !rc; i++) {
		const struct otlp_resource *r = &tree->resources[i];

		for (uint32_t k = 0; k < r->scope_count && !rc; k++) {
			for (uint32_t n = 0; n < r->scopes[k].item_count && !rc; n++) {
				struct placed_span s = {.resource = i,
							.scope = k,
							.order = out->list.n,
							.item = &r->scopes[k].items[n]};

				read_trace_id(s.item->bytes, s.id);
				rc = vec_push(arena, &out->list, s);
			}
		}
	}
	return rc ? -ENOMEM : 0;
}

static int compare_placed_spans(const void *a, const void *b)
{
	const struct placed_span *x = a, *y = b;
	int order = memcmp(x->id, y->id, sizeof(x->id));

	return order ? order : (x->order > y->order) - (x->order < y->order);
}

/* The tree of one trace. */
struct trace_tree {
	VEC(struct otlp_resource) resources;
	VEC(struct otlp_scope) scopes; /* of all resources */
	VEC(struct otlp_item) items;   /* of all scopes */
};

/* Let the resources and scopes, which have their counts, point to their scopes and items. */
static void join_tree(struct trace_tree *t)
{
	struct otlp_scope *scopes = t->scopes.at;
	struct otlp_item *items = t->items.at;

	for (uint32_t i = 0; i < t->resources.n; i++) {
		t->resources.at[i].scopes = scopes;
		scopes += t->resources.at[i].scope_count;
	}
	for (uint32_t i = 0; i < t->scopes.n; i++) {
		t->scopes.at[i].items = items;
		items += t->scopes.at[i].item_count;
	}
}

/* Add a span, and its resource and scope unless the span before it has the same. */
static int add_placed_span(struct trace_tree *t, const struct otlp_tree *tree,
			   const struct placed_span *s, const struct placed_span *before,
			   struct arena *arena)
{
	bool same_resource = before && before->resource == s->resource;
	struct otlp_resource resource = tree->resources[s->resource];
	struct otlp_scope scope = resource.scopes[s->scope];
	int rc = 0;

	resource.scope_count = scope.item_count = 0;
	if (!same_resource)
		rc = vec_push(arena, &t->resources, resource);
	if (!rc && (!same_resource || before->scope != s->scope)) {
		rc = vec_push(arena, &t->scopes, scope);
		if (!rc)
			t->resources.at[t->resources.n - 1].scope_count++;
	}
	if (!rc)
		rc = vec_push(arena, &t->items, *s->item);
	if (!rc)
		t->scopes.at[t->scopes.n - 1].item_count++;
	return rc ? -ENOMEM : 0;
}

/* Make the piece of `n` spans of one trace. */
static int make_trace_piece(const struct otlp_tree *tree, const struct placed_span *spans,
			    uint32_t n, struct arena *arena, struct budget *budget,
			    struct payload **out)
{
	struct otlp_tree part = {.signal = tree->signal, .unknown = tree->unknown};
	struct trace_tree t = {0};
	int rc = 0;

	for (uint32_t i = 0; i < n && !rc; i++)
		rc = add_placed_span(&t, tree, &spans[i], i ? &spans[i - 1] : NULL, arena);
	if (rc)
		return rc;
	join_tree(&t);
	part.resources = t.resources.at;
	part.resource_count = t.resources.n;
	*out = otlp_tree_write(&part, budget);
	return *out ? 0 : -ENOMEM;
}

void trace_pieces_release(struct trace_pieces *pieces)
{
	for (uint32_t i = 0; i < pieces->list.n; i++)
		payload_release(pieces->list.at[i].payload);
	pieces->list.n = 0;
}

static int make_trace_pieces(const struct otlp_tree *tree, const struct placed_spans *spans,
			     struct trace_pieces *out, uint64_t tenant, struct arena *arena,
			     struct budget *budget)
{
	const struct placed_span *at = spans->list.at;
	uint32_t n = spans->list.n;
	int rc = 0;

	for (uint32_t from = 0, to; from < n && !rc; from = to) {
		struct trace_piece piece = {.key.tenant = tenant};

		for (to = from + 1; to < n && !memcmp(at[to].id, at[from].id, TRACE_ID_SIZE);)
			to++;
		memcpy(piece.key.id, at[from].id, TRACE_ID_SIZE);
		rc = vec_reserve(arena, &out->list, 1);
		if (!rc)
			rc = make_trace_piece(tree, at + from, to - from, arena, budget,
					      &piece.payload);
		if (!rc)
			rc = vec_push(arena, &out->list, piece);
	}
	return rc ? -ENOMEM : 0;
}

int trace_split(struct trace_pieces *out, const struct payload *p, uint64_t tenant,
		struct arena *arena, struct budget *budget, struct err *e)
{
	struct placed_spans spans = {0};
	struct otlp_tree tree;
	int rc = otlp_tree_read(&tree, p, arena, e);

	*out = (struct trace_pieces){0};
	if (!rc)
		rc = place_spans(&tree, arena, &spans);
	if (rc)
		return rc;
	if (spans.list.n)
		qsort(spans.list.at, spans.list.n, sizeof(*spans.list.at), compare_placed_spans);
	rc = make_trace_pieces(&tree, &spans, out, tenant, arena, budget);
	if (rc)
		trace_pieces_release(out);
	return rc;
}
