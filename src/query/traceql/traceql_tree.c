/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Numbers the spans of a trace depth first, without recursion: children are linked in the order of
 * their rows. Structural operators take one pass over the rows in that order, or in reverse.
 */
#include "query/traceql/traceql_tree.h"

static const uint32_t none = UINT32_MAX;

/* Link the children of each span: first child, next sibling. `roots`: the first root. */
static void link_children(const struct trace_view *v, uint32_t *first, uint32_t *next,
			  uint32_t *roots)
{
	*roots = none;
	for (uint32_t i = 0; i < v->span_count; i++)
		first[i] = none;
	for (uint32_t i = v->span_count; i-- > 0;) {
		int32_t parent = v->spans[i].parent;
		uint32_t *head = parent == TRACE_NO_PARENT ? roots
				 : parent < 0		   ? NULL
							   : &first[parent];

		next[i] = none;
		if (!head)
			continue;
		next[i] = *head;
		*head = i;
	}
}

static void number_spans(struct traceql_tree *t, const uint32_t *first, const uint32_t *next,
			 uint32_t roots)
{
	uint32_t counter = 0, row = roots;

	while (row != none) {
		int32_t parent;

		t->left[row] = ++counter;
		t->order[t->n++] = row;
		if (first[row] != none) {
			row = first[row];
			continue;
		}
		for (;;) {
			t->right[row] = ++counter;
			if (next[row] != none) {
				row = next[row];
				break;
			}
			parent = t->view->spans[row].parent;
			if (parent < 0)
				return;
			row = (uint32_t)parent;
		}
	}
}

static void find_extent(struct traceql_tree *t)
{
	const struct trace_view *v = t->view;

	t->root = none;
	for (uint32_t i = 0; i < v->span_count; i++) {
		const struct trace_span *s = &v->spans[i];
		uint64_t end = s->start + s->duration;

		t->start = !i || s->start < t->start ? s->start : t->start;
		t->end = !i || end > t->end ? end : t->end;
		if (s->parent >= 0)
			t->child_count[s->parent]++;
		if (s->parent == TRACE_NO_PARENT)
			t->root = i;
	}
}

int traceql_tree_make(struct traceql_tree *t, const struct trace_view *view, struct arena *a)
{
	uint32_t n = view->span_count, roots;
	uint32_t *rows = arena_zalloc(a, (size_t)n * 6 + 1, sizeof(*rows));
	uint32_t *first, *next;

	*t = (struct traceql_tree){.view = view};
	if (!rows)
		return -ENOMEM;
	t->left = rows;
	t->right = rows + n;
	t->child_count = rows + 2 * (size_t)n;
	t->order = rows + 3 * (size_t)n;
	first = rows + 4 * (size_t)n;
	next = rows + 5 * (size_t)n;
	find_extent(t);
	link_children(view, first, next, &roots);
	number_spans(t, first, next, roots);
	t->scratch = first; /* n + n + 1 numbers */
	return 0;
}

int64_t traceql_tree_parent(const struct traceql_tree *t, uint32_t row)
{
	int32_t parent = t->view->spans[row].parent;

	if (!t->left[row])
		return 0;
	return parent < 0 ? -1 : (int64_t)t->left[parent];
}

/* ---- structural operators ---- */

static void relate_descendants(const struct traceql_tree *t, const bool *a, const bool *b,
			       bool *hit)
{
	uint32_t *below = t->scratch; /* whether some ancestor is in a */

	for (uint32_t i = 0; i < t->n; i++) {
		uint32_t row = t->order[i];
		int32_t parent = t->view->spans[row].parent;

		below[row] = parent >= 0 && (a[parent] || below[parent]);
		hit[row] = b[row] && below[row];
	}
}

static void relate_ancestors(const struct traceql_tree *t, const bool *a, const bool *b, bool *hit)
{
	uint32_t *above = t->scratch; /* whether some descendant is in a */

	for (uint32_t i = 0; i < t->n; i++)
		above[t->order[i]] = 0;
	for (uint32_t i = t->n; i-- > 0;) {
		uint32_t row = t->order[i];
		int32_t parent = t->view->spans[row].parent;

		hit[row] = b[row] && above[row];
		if (parent >= 0 && (a[row] || above[row]))
			above[parent] = 1;
	}
}

static void relate_siblings(const struct traceql_tree *t, const bool *a, const bool *b, bool *hit)
{
	uint32_t *count = t->scratch; /* by parent, of its children in a; at the end of roots */
	uint32_t roots = t->view->span_count;

	for (uint32_t i = 0; i <= roots; i++)
		count[i] = 0;
	for (uint32_t i = 0; i < t->n; i++) {
		uint32_t row = t->order[i];
		int32_t parent = t->view->spans[row].parent;

		count[parent < 0 ? roots : (uint32_t)parent] += a[row];
	}
	for (uint32_t i = 0; i < t->n; i++) {
		uint32_t row = t->order[i];
		int32_t parent = t->view->spans[row].parent;

		hit[row] = b[row] && count[parent < 0 ? roots : (uint32_t)parent] > a[row];
	}
}

void traceql_tree_relate(const struct traceql_tree *t, enum traceql_op op, const bool *a,
			 const bool *b, bool *hit)
{
	if (op == TRACEQL_DESCENDANT) {
		relate_descendants(t, a, b, hit);
		return;
	}
	if (op == TRACEQL_ANCESTOR) {
		relate_ancestors(t, a, b, hit);
		return;
	}
	if (op == TRACEQL_SIBLING) {
		relate_siblings(t, a, b, hit);
		return;
	}
	for (uint32_t i = 0; i < t->n; i++) {
		uint32_t row = t->order[i];
		int32_t parent = t->view->spans[row].parent;

		if (parent < 0)
			continue;
		if (op == TRACEQL_CHILD && a[parent] && b[row])
			hit[row] = true;
		if (op == TRACEQL_PARENT_OF && a[row] && b[parent])
			hit[parent] = true;
	}
}
