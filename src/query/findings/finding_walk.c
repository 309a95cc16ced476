/* SPDX-License-Identifier: Apache-2.0 */
/* Roles become sets of rules once for each name, so that a node costs a few operations on bits. */
#include "query/findings/finding_walk.h"

/* A thread that works less than this part of the time only waits. */
#define BUSY_LEAST 0.1

/* ---- facts ---- */

static void choose_rules(struct finding_facts *f, enum finding_kind kind)
{
	for (size_t i = 0; i < finding_rule_count; i++) {
		const struct finding_rule *rule = &finding_rules[i];
		uint32_t bit = rule->kinds & kind ? 1u << i : 0;

		f->applied |= bit;
		f->of_depth |= rule->measure == FINDING_DEPTH ? bit : 0;
		f->of_self |= rule->measure == FINDING_SELF_OF_ROLE ? bit : 0;
		f->of_workers |= rule->of_workers ? bit : 0;
	}
}

static void classify_name(struct finding_facts *f, uint32_t name)
{
	enum finding_language language;
	uint32_t roles = finding_roles(&f->tree->names.rows.at[name], &language);

	f->roles[name] = roles;
	f->languages[name] = (uint8_t)language;
	for (size_t i = 0; i < finding_rule_count; i++) {
		const struct finding_rule *rule = &finding_rules[i];

		if (!(f->applied & 1u << i))
			continue;
		if (roles & rule->role)
			f->matches[name] |= 1u << i;
		if (roles & rule->excludes)
			f->excludes[name] |= 1u << i;
	}
}

/* A parent precedes its children in the array of nodes. 0 or -ENOMEM. */
static int sum_busy(struct finding_facts *f, struct arena *arena)
{
	static const uint32_t waits = ROLE_SLEEP | ROLE_IDLE | ROLE_LOCK;
	const struct tree *t = f->tree;
	bool *waiting = arena_zalloc(arena, t->nodes.n, sizeof(*waiting));

	f->busy = arena_zalloc(arena, t->nodes.n, sizeof(*f->busy));
	if (!waiting || !f->busy)
		return -ENOMEM;
	for (uint32_t i = 1; i < t->nodes.n; i++) {
		const struct tree_node *n = &t->nodes.at[i];

		waiting[i] = waiting[n->parent] || f->roles[n->name] & waits;
		f->busy[i] = waiting[i] ? 0 : tree_self(t, i).in[TREE_ONLY];
	}
	for (uint32_t i = t->nodes.n; i-- > 1;)
		f->busy[t->nodes.at[i].parent] += f->busy[i];
	return 0;
}

int finding_facts_init(struct finding_facts *f, const struct tree *t, enum finding_kind kind,
		       struct arena *arena)
{
	uint32_t n = t->names.rows.n + 1;

	*f = (struct finding_facts){.tree = t};
	choose_rules(f, kind);
	f->roles = arena_zalloc(arena, n, sizeof(*f->roles));
	f->languages = arena_zalloc(arena, n, sizeof(*f->languages));
	f->matches = arena_zalloc(arena, n, sizeof(*f->matches));
	f->excludes = arena_zalloc(arena, n, sizeof(*f->excludes));
	if (!f->roles || !f->languages || !f->matches || !f->excludes)
		return -ENOMEM;
	for (uint32_t i = 0; i < t->names.rows.n; i++)
		classify_name(f, i);
	return f->of_workers ? sum_busy(f, arena) : 0;
}

/* ---- the walk ---- */

int finding_walk_init(struct finding_walk *w, const struct finding_facts *f, struct arena *arena)
{
	*w = (struct finding_walk){.facts = f, .arena = arena};
	w->on_path = arena_zalloc(arena, f->tree->names.rows.n + 1, sizeof(*w->on_path));
	return w->on_path ? 0 : -ENOMEM;
}

/* Return whether a caller on the path works a considerable part of its time. */
static bool is_worker(const struct finding_walk *w)
{
	const struct finding_facts *f = w->facts;

	for (uint32_t i = 1; i < w->path.n; i++) {
		uint32_t node = w->path.at[i].node;
		uint32_t roles = f->roles[f->tree->nodes.at[node].name];
		double total = (double)tree_total(f->tree, node).in[TREE_ONLY];

		if ((!(roles & ROLE_ENTRY) || roles & ROLE_MAIN) &&
		    (double)f->busy[node] >= BUSY_LEAST * total)
			return true;
	}
	return false;
}

/* Return the rules that begin to count at a node whose callers are on the path. */
static uint32_t rules_that_begin(const struct finding_walk *w, uint32_t name)
{
	const struct finding_facts *f = w->facts;
	uint32_t out = f->matches[name];

	for (size_t i = 0; i < finding_rule_count && f->of_depth; i++)
		if (f->of_depth & 1u << i && w->path.n >= finding_rules[i].least)
			out |= 1u << i;
	out &= ~finding_walk_step(w)->counting;
	return out & f->of_workers && !is_worker(w) ? out & ~f->of_workers : out;
}

static int enter_node(struct finding_walk *w, uint32_t node)
{
	const struct tree_node *n = &w->facts->tree->nodes.at[node];
	struct finding_step step = {node, n->child_at, n->child_at + n->child_n,
				    0,	  0,	       FINDING_NO_NAME};

	if (node) {
		const struct finding_step *caller = finding_walk_step(w);

		step.excluded = caller->excluded | w->facts->excludes[n->name];
		step.counting = caller->counting | rules_that_begin(w, n->name);
		step.place = finding_is_program(w->facts->roles[n->name]) ? n->name : caller->place;
		w->on_path[n->name]++;
	}
	return vec_push(w->arena, &w->path, step);
}

int finding_walk_next(struct finding_walk *w)
{
	struct finding_step *s;
	int rc;

	if (!w->started) {
		w->started = true;
		rc = enter_node(w, 0);
		if (rc)
			return rc;
	}
	s = &w->path.at[w->path.n - 1];
	if (s->at < s->end) {
		rc = enter_node(w, w->facts->tree->children[s->at++]);
		return rc ? rc : FINDING_ENTER;
	}
	if (!s->node)
		return FINDING_END;
	w->left = s->node;
	w->on_path[w->facts->tree->nodes.at[s->node].name]--;
	w->path.n--;
	return FINDING_LEAVE;
}

uint32_t finding_walk_active(const struct finding_walk *w)
{
	const struct finding_facts *f = w->facts;
	const struct finding_step *s = finding_walk_step(w);
	uint32_t own = f->matches[f->tree->nodes.at[s->node].name];

	return s->counting & ~s->excluded & (own | ~f->of_self);
}
