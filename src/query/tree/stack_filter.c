/* SPDX-License-Identifier: Apache-2.0 */
/* The state of a node extends its caller's, so one pass in node order evaluates all stacks. */
#include "query/tree/stack_filter.h"

#define CALL_SITE_MISSED UINT32_MAX /* stack_state.depth: the stack does not pass the call site */

int stack_filter_init(struct stack_filter *f, const struct stack_filter_options *o,
		      const struct stack_tree *t, struct budget *budget)
{
	int rc;

	*f = (struct stack_filter){
		.options = o, .tree = t, .function = frame_ref_parse(o->function)};
	f->filters = (struct frame_filters){.focus = o->focus, .ignore = o->ignore};
	arena_init(&f->arena, budget);
	rc = names_init(&f->names, &f->arena, frames_key(GROUP_FUNCTION));
	if (!rc)
		rc = frames_init(&f->frames, &t->dictionary, &f->filters, GROUP_FUNCTION, &f->names,
				 &f->arena);
	return rc;
}

void stack_filter_fini(struct stack_filter *f)
{
	arena_fini(&f->arena);
}

static int reserve_states(struct stack_filter *f)
{
	uint32_t n = f->tree->nodes.n;
	struct stack_state *grown;

	if (n <= f->cap)
		return 0;
	n += n / 2;
	grown = arena_resize(&f->arena, f->states, f->cap, n, sizeof(*grown));
	if (!grown)
		return -ENOMEM;
	f->states = grown;
	f->cap = n;
	return 0;
}

/* Extend the state by one frame, called from the outermost frame inwards. */
static void apply_frame(const struct stack_filter *f, struct stack_state *s,
			const struct frame_name *name)
{
	const struct stack_filter_options *o = f->options;

	if (o->function.n && frame_ref_matches(&f->function, name))
		s->function = true;
	if (s->depth >= o->call_site_n) /* matched completely, or missed */
		return;
	if (str_eq(name->text, o->call_site[s->depth]))
		s->depth++;
	else
		s->depth = CALL_SITE_MISSED;
}

static int evaluate_node(struct stack_filter *f, uint32_t node, struct err *e)
{
	const struct stack_node *row = &f->tree->nodes.at[node];
	struct stack_state s = f->states[row->parent];
	const struct location_frames *l;
	int rc = frames_of_location(&f->frames, row->location, &l, e);

	if (rc)
		return rc;
	s.focus |= l->focus;
	s.ignore |= l->ignore;
	for (uint32_t i = l->names.n; i-- > 0;)
		apply_frame(f, &s, &f->names.rows.at[f->frames.pool.at[l->names.at + i]]);
	f->states[node] = s;
	return 0;
}

int stack_filter_decide(struct stack_filter *f, struct err *e)
{
	int rc;

	if (f->decided >= f->tree->nodes.n)
		return 0;
	rc = reserve_states(f);
	if (!rc)
		rc = frames_extend(&f->frames);
	if (!rc && !f->decided)
		f->states[f->decided++] = (struct stack_state){.function = !f->options->function.n,
							       .focus = !f->options->focus};
	while (!rc && f->decided < f->tree->nodes.n) {
		rc = evaluate_node(f, f->decided, e);
		f->decided += !rc;
	}
	return rc;
}

bool stack_filter_keeps(const struct stack_filter *f, uint32_t node)
{
	const struct stack_state *s = &f->states[node];

	return s->depth == f->options->call_site_n && s->function && s->focus && !s->ignore;
}

int stack_filter_sums(const struct stack_filter_options *o, const struct stack_tree *t,
		      struct stack_sums *sums, struct budget *budget, struct err *e)
{
	struct stack_filter f;
	int rc = 0;

	if (!stack_filter_any(o))
		return 0;
	rc = stack_filter_init(&f, o, t, budget);
	if (!rc)
		rc = stack_filter_decide(&f, e);
	for (uint32_t i = 0; i < sums->self.n && !rc; i++) {
		int64_t value = sums->self.at[i];

		if (!value || stack_filter_keeps(&f, i))
			continue;
		sums->dropped = (int64_t)((uint64_t)sums->dropped + (uint64_t)value);
		sums->dropped_weight += value < 0 ? -(uint64_t)value : (uint64_t)value;
		sums->self.at[i] = 0;
	}
	stack_filter_fini(&f);
	return rc;
}
