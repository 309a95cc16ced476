/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The self values that a rule counts are assigned to the frame at which it begins to count (the
 * frame of the finding), to that frame's function, and to the caller that explains it.
 */
#include "query/findings/finding_evidence.h"

struct explanation {
	struct finding *finding;
	const struct finding_facts *facts;
	uint32_t bit;	/* of the rule */
	uint32_t name;	/* or FINDING_NO_NAME */
	uint32_t least; /* occurrences of the name on the path; 0: 1 */
	/* By name. */
	int64_t *functions, *evidence;
	/* The current frame of the finding, its length of path, and what was added below it. */
	uint32_t node, depth;
	int64_t value;
};

/* Return whether the frame at the end of the path is one of the finding. */
static bool begins(const struct explanation *x, const struct finding_walk *w)
{
	const struct finding_step *s = finding_walk_step(w);
	const struct tree *t = x->facts->tree;

	if (x->node)
		return false;
	if (x->name == FINDING_NO_NAME)
		return s->counting & x->bit && !(s->excluded & x->bit);
	return t->nodes.at[s->node].name == x->name && w->on_path[x->name] >= x->least;
}

/* Return whether the self value of the node at the end of the path counts. */
static bool counts(const struct explanation *x, const struct finding_walk *w)
{
	enum finding_measure measure = x->finding->rule->measure;
	const struct finding_step *s = finding_walk_step(w);

	if (x->name == FINDING_NO_NAME)
		return finding_walk_active(w) & x->bit;
	if (measure == FINDING_LARGEST_SELF)
		return x->facts->tree->nodes.at[s->node].name == x->name && !(s->excluded & x->bit);
	if (measure == FINDING_LARGEST_PLACE)
		return s->place == x->name && !(s->excluded & x->bit);
	return x->node;
}

/* Return the name that explains a frame of the finding: the nearest caller that is not part of it. */
static uint32_t explaining_name(const struct explanation *x, const struct finding_walk *w)
{
	const struct tree *t = x->facts->tree;
	uint32_t nearest = FINDING_NO_NAME;
	/* callers within a library explain nothing about the program */
	bool skips_libraries =
		x->name != FINDING_NO_NAME && x->finding->rule->measure == FINDING_LARGEST_SELF;

	for (uint32_t i = w->path.n - 1; i-- > 1;) {
		uint32_t name = t->nodes.at[w->path.at[i].node].name;

		if (name == x->name)
			continue;
		if (finding_is_program(x->facts->roles[name]))
			return name;
		if (x->name != FINDING_NO_NAME && !skips_libraries)
			return name;
		if (nearest == FINDING_NO_NAME && !(x->facts->matches[name] & x->bit))
			nearest = name;
	}
	return nearest;
}

/* Add a node whose own value counts, and nothing below it. */
static void add_single(struct explanation *x, const struct finding_walk *w, int64_t self)
{
	uint32_t node = finding_walk_step(w)->node, why = explaining_name(x, w);

	if (!self || !(finding_walk_active(w) & x->bit))
		return;
	x->finding->frames++;
	x->functions[x->facts->tree->nodes.at[node].name] += self;
	if (why != FINDING_NO_NAME)
		x->evidence[why] += self;
	if (self > x->finding->node_value) {
		x->finding->node = node;
		x->finding->node_value = self;
	}
}

static void enter(struct explanation *x, const struct finding_walk *w, uint32_t *why)
{
	const struct finding_step *s = finding_walk_step(w);
	int64_t self = tree_self(x->facts->tree, s->node).in[TREE_ONLY];

	if (x->finding->rule->measure == FINDING_SELF_OF_ROLE) {
		add_single(x, w, self);
		return;
	}
	if (begins(x, w)) {
		x->node = s->node;
		x->depth = w->path.n;
		x->value = 0;
		*why = explaining_name(x, w);
		x->finding->frames++;
	}
	if (!x->node || !counts(x, w))
		return;
	x->value += self;
	x->functions[x->facts->tree->nodes.at[x->node].name] += self;
	if (*why != FINDING_NO_NAME)
		x->evidence[*why] += self;
}

static void leave(struct explanation *x, uint32_t left)
{
	struct finding *f = x->finding;

	if (left != x->node)
		return;
	if (x->value > f->node_value) {
		f->node = x->node;
		f->node_value = x->value;
	}
	x->node = 0;
}

/* Set rows[] to the largest values, at most `max`, in their order. Return their number. */
static uint32_t largest(const struct explanation *x, const int64_t *values,
			struct finding_evidence *rows, uint32_t max)
{
	uint32_t n = 0;

	for (uint32_t i = 0; i < x->facts->tree->names.rows.n; i++) {
		uint32_t at;

		if (values[i] <= 0 || (n == max && rows[max - 1].value >= values[i]))
			continue;
		at = n < max ? n++ : max - 1;
		for (; at && rows[at - 1].value < values[i]; at--)
			rows[at] = rows[at - 1];
		rows[at] = (struct finding_evidence){i, values[i]};
	}
	return n;
}

static void collect(struct explanation *x)
{
	struct finding_evidence functions[FINDING_FUNCTIONS_MAX] = {0};
	struct finding *f = x->finding;

	f->function_n = largest(x, x->functions, functions, FINDING_FUNCTIONS_MAX);
	for (uint32_t i = 0; i < f->function_n; i++)
		f->functions[i] = functions[i].name;
	f->evidence_n = largest(x, x->evidence, f->evidence, FINDING_EVIDENCE_MAX);
	for (uint32_t i = 0; i < f->function_n && !f->hint; i++)
		f->hint = finding_hint(f->rule, x->facts->languages[f->functions[i]]);
}

int finding_explain(struct finding *f, const struct finding_facts *facts,
		    const struct finding_sums *sums, uint32_t rule, uint32_t name,
		    struct arena *scratch)
{
	struct explanation x = {.finding = f, .facts = facts, .bit = 1u << rule, .name = name};
	uint32_t n = facts->tree->names.rows.n + 1, why = FINDING_NO_NAME;
	struct finding_walk w;
	int rc = finding_walk_init(&w, facts, scratch);

	x.least = f->rule->measure == FINDING_RECURSION ? sums->recursion_least : 1;
	x.functions = arena_zalloc(scratch, n, sizeof(*x.functions));
	x.evidence = arena_zalloc(scratch, n, sizeof(*x.evidence));
	if (!rc && (!x.functions || !x.evidence))
		rc = -ENOMEM;
	while (!rc) {
		int event = finding_walk_next(&w);

		if (event < 0)
			rc = event;
		else if (event == FINDING_END)
			break;
		else if (event == FINDING_ENTER)
			enter(&x, &w, &why);
		else
			leave(&x, w.left);
	}
	if (!rc)
		collect(&x);
	return rc;
}
