/* SPDX-License-Identifier: Apache-2.0 */
/* and, or, unless: series by whether their join key occurs on the other side, step by step. */
#include "query/promql/eval/promql_eval.h"

struct set_operation {
	struct promql_sink sink;
	struct promql_eval *ev;
	struct promql_node *node;
	struct arena arena;
	struct map by_key; /* addresses of flags by step */
	struct promql_sink *next;
	enum { COLLECT, PASS_AND_COLLECT, KEEP_PRESENT, KEEP_MISSING } mode;
};

/* Return the flags of a key, NULL if there are none; *rc is set if memory is exhausted. */
static uint8_t *flags_of(struct set_operation *o, const struct promql_labels *l, bool add, int *rc)
{
	const struct promql_labels *key = promql_join_key(o->ev->q, &o->node->binary.matching, l);
	uint64_t value = 0, *at;
	bool added;

	*rc = key ? 0 : promql_no_space(o->ev->q);
	if (*rc)
		return NULL;
	if (!add)
		return map_get(&o->by_key, key->id, &value) ? (uint8_t *)(uintptr_t)value : NULL;
	at = map_at(&o->by_key, key->id, &added);
	if (at && added)
		*at = (uint64_t)(uintptr_t)arena_zalloc(&o->arena, o->ev->grid.n, 1);
	if (!at || !*at)
		*rc = promql_no_space(o->ev->q);
	return *rc ? NULL : (uint8_t *)(uintptr_t)*at;
}

static int set_emit(struct promql_sink *sink, struct promql_series *s)
{
	struct set_operation *o = (struct set_operation *)sink;
	bool collects = o->mode == COLLECT || o->mode == PASS_AND_COLLECT;
	int rc;
	uint8_t *flags = flags_of(o, s->labels, collects, &rc);

	if (rc)
		return rc;
	for (uint32_t i = 0; i < o->ev->grid.n; i++) {
		bool present = promql_is_present(s, i);

		if (collects) {
			flags[i] |= present;
		} else if (present && (flags && flags[i]) != (o->mode == KEEP_PRESENT)) {
			s->floats[i] = promql_absent();
			if (s->histograms)
				s->histograms[i] = NULL;
		}
	}
	if (o->mode == COLLECT || promql_series_is_empty(s, o->ev->grid.n))
		return 0;
	return promql_emit(o->next, s);
}

int promql_eval_set(struct promql_eval *ev, struct promql_node *node, struct promql_sink *sink)
{
	struct set_operation o = {
		.sink.emit = set_emit, .ev = ev, .node = node, .next = sink, .mode = COLLECT};
	bool is_or = node->binary.op == PROMQL_OP_OR;
	struct promql_node *first = node->binary.right, *second = node->binary.left;
	struct promql_matrix merged;
	int rc;

	if (is_or) {
		first = node->binary.left;
		second = node->binary.right;
		o.mode = PASS_AND_COLLECT;
	}
	arena_init(&o.arena, ev->q->options.budget);
	promql_matrix_init(&merged, ev->q, ev->grid.n, true);
	if (is_or)
		o.next = &merged.sink; /* both sides may have a series of the same labels */
	rc = map_init(&o.by_key, &o.arena, 16) ? promql_no_space(ev->q)
					       : promql_eval_node(ev, first, &o.sink);
	o.mode = node->binary.op == PROMQL_OP_AND ? KEEP_PRESENT : KEEP_MISSING;
	if (!rc)
		rc = promql_eval_node(ev, second, &o.sink);
	if (!rc && is_or)
		rc = promql_matrix_emit(&merged, sink);
	promql_matrix_fini(&merged);
	arena_fini(&o.arena);
	return rc;
}
