/* SPDX-License-Identifier: Apache-2.0 */
/*
 * API requests: the first byte selects the call or path, the rest is its protobuf message, its JSON
 * or its URL parameters. The store returns one profile of three stacks for every selection.
 */
#include <stdlib.h>

#include "api/endpoint.h"
#include "base/clock.h"
#include "fuzz.h"
#include "signal/profile/profile_builder.h"

static const struct label labels[] = {
	{STR_INIT("__profile_type__"), STR_INIT("process_cpu:cpu:nanoseconds:cpu:nanoseconds")},
	{STR_INIT("env"), STR_INIT("prod")},
	{STR_INIT("service_name"), STR_INIT("shop")},
};

static int series(struct store *s, const struct store_select *sel, store_visit_series *visit,
		  void *ctx, struct err *e)
{
	struct store_series row = {.labels = {labels, countof(labels)}, .first = 1, .last = 2};
	int rc = sel->selector ? selector_match(sel->selector, row.labels, e) : 1;

	(void)s;
	return rc == 1 ? visit(ctx, 7, &row) : rc;
}

static int add_nodes(struct stack_tree *t, uint32_t nodes[3])
{
	static const char *const names[] = {"main", "work", "idle"};
	uint32_t at = 0;
	int rc = 0;

	for (unsigned i = 0; i < 3 && !rc; i++) {
		uint32_t location;

		rc = profile_add_frame(&t->builder, str_from(names[i]), STR("a.c"), 1, &location);
		if (!rc)
			rc = stack_tree_child(t, at, location, &nodes[i]);
		at = i ? at : nodes[0];
	}
	return rc;
}

static int stacks(struct store *s, const struct store_select *sel, struct stack_tree *tree,
		  struct stack_sums *sums, struct err *e)
{
	uint32_t nodes[3];
	int rc = add_nodes(tree, nodes);

	(void)s, (void)sel, (void)e;
	for (unsigned i = 0; i < 3 && !rc; i++)
		rc = stack_sums_add(tree, sums, nodes[i], 10 + i);
	return rc;
}

static int points(struct store *s, const struct store_select *sel, store_visit_point *visit,
		  void *ctx, struct err *e)
{
	(void)s, (void)e;
	return visit(ctx, &(struct store_point){.series = 7, .time = sel->from, .total = 33});
}

static int scan(struct store *s, const struct store_select *sel, struct stack_tree *tree,
		store_visit_samples *visit, void *ctx, struct err *e)
{
	static const struct link links[3] = {{{1}, {2}}, {{0}, {0}}, {{1}, {3}}};
	static const int64_t values[3] = {10, 11, 12};
	uint32_t nodes[3];
	int rc = tree ? add_nodes(tree, nodes) : 0;

	(void)s, (void)e;
	return rc ? rc
		  : visit(ctx, &(struct store_samples){.series = 7,
						       .time = sel->to - 1,
						       .n = 3,
						       .nodes = tree ? nodes : NULL,
						       .values = values,
						       .links = links});
}

/*
 * Return a span with two children, one of which is also the parent of its parent. Samples have
 * links to two spans.
 */
static int spans(struct store *s, const struct store_span_select *sel, store_visit_span *visit,
		 void *ctx, struct err *e)
{
	static const struct span rows[] = {
		{{1}, {2}, {4}, STR_INIT("root"), STR_INIT("shop"), 1, 9, 2, 0},
		{{1}, {3}, {2}, STR_INIT("child"), STR_INIT("shop"), 2, 3, 1, 2},
		{{1}, {4}, {2}, STR_INIT("loop"), STR_INIT("cart"), 3, 4, 0, 1},
	};
	int rc = 0;

	(void)s, (void)sel, (void)e;
	for (size_t i = 0; i < countof(rows) && !rc; i++)
		rc = visit(ctx, &rows[i]);
	return rc;
}

static int removal(struct store *s, const struct store_select *sel, uint64_t *profiles,
		   struct err *e)
{
	(void)s, (void)sel, (void)e;
	*profiles = 1;
	return 0;
}

static int stats(struct store *s, struct str tenant, struct store_stats *out, struct err *e)
{
	(void)s, (void)tenant, (void)e;
	*out = (struct store_stats){.profiles = 1};
	return 0;
}

static const struct store_ops ops = {
	.series = series,
	.stacks = stacks,
	.points = points,
	.scan = scan,
	.spans = spans,
	.remove = removal,
	.stats = stats,
};

/*
 * Make a call in JSON: convert the request to protobuf, execute it, convert the response to JSON.
 */
static void dispatch_json(struct request *r, const struct querier_rpc *rpc, struct reply *reply)
{
	struct buf message = {0}, json = {0};
	struct err e = {0};

	if (!schema_json_to_proto(&message, rpc->request, r->body, r->arena, &e)) {
		r->body = buf_str(&message);
		if (!rpc->answer(r, reply, &e) &&
		    schema_to_json(&json, rpc->response, buf_str(&reply->body), &e))
			abort(); /* every response can be converted to JSON */
	}
	buf_fini(&message);
	buf_fini(&json);
}

static void dispatch(struct request *r, unsigned which, struct reply *reply)
{
	struct err e = {0};

	if (which < querier_rpc_count)
		(void)querier_rpcs[which].answer(r, reply, &e);
	else if ((which -= (unsigned)querier_rpc_count) < querier_rpc_count)
		dispatch_json(r, &querier_rpcs[which], reply);
	else if ((which -= (unsigned)querier_rpc_count) < render_endpoint_count)
		(void)render_endpoints[which].answer(r, reply, &e);
	else if ((which -= (unsigned)render_endpoint_count) < varve_endpoint_count &&
		 !(varve_endpoints[which].flags & ENDPOINT_UPLOAD))
		(void)varve_endpoints[which].answer(r, reply, &e);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct store store = {&ops};
	struct budget budget = {.limit = 64 * MIB};
	struct reply reply = {0};
	struct arena arena;

	if (!size)
		return 0;
	arena_init(&arena, &budget);

	struct request r = {
		.store = &store,
		.limits = {.budget = &budget},
		.arena = &arena,
		.now_ns = UINT64_C(1700000000) * NS_PER_SECOND,
		.query = str_of((const char *)data + 1, size - 1),
		.body = str_of((const char *)data + 1, size - 1),
	};

	dispatch(&r, data[0], &reply);
	buf_fini(&reply.body);
	arena_fini(&arena);
	if (budget.used)
		abort(); /* all memory is freed */
	return 0;
}
