/* SPDX-License-Identifier: Apache-2.0 */
/*
 * One pass over the tree: nodes at and below an outermost match are copied to the tree of callees,
 * and the path of each outermost match, with its total, to the tree of callers.
 */
#include "query/tree/sandwich.h"

/* Copies nodes to one of the two new trees; each name is copied once. */
struct tree_copier {
	struct tree *to;
	const struct tree *from;
	uint32_t *names; /* by name of `from`: name in `to` + 1; 0: not copied yet */
};

static int copy_name(struct tree_copier *c, uint32_t name, uint32_t *out)
{
	const struct frame_name *row = &c->from->names.rows.at[name];
	int rc = 0;

	if (!c->names[name]) {
		rc = names_add(&c->to->names, row->text, row->file, row->module, out);
		if (!rc) {
			c->names[name] = *out + 1;
			names_note_line(&c->to->names, *out, row->file,
					row->line_starts ? row->line : 0, row->line);
		}
	}
	*out = c->names[name] - 1;
	return rc;
}

static int copy_child(struct tree_copier *c, uint32_t parent, uint32_t name, uint32_t *child)
{
	uint32_t id;
	int rc = copy_name(c, name, &id);

	return rc ? rc : tree_child(c->to, parent, id, child);
}

static int add_node_values(struct tree *t, uint32_t node, struct tree_values values)
{
	int rc = 0;

	for (unsigned c = 0; c < TREE_COLUMNS && !rc; c++) {
		if (!values.in[c])
			continue;
		rc = tree_put(t, node, c, values.in[c]);
		t->sum[c].kept = add_wrapping(t->sum[c].kept, values.in[c], &t->wrapped);
	}
	return rc;
}

/* Add the path from an outermost match up to the root, with the total of the match. */
static int copy_callers(struct tree_copier *c, uint32_t node)
{
	uint32_t end = 0;
	int rc = 0;

	for (uint32_t at = node; at && !rc; at = c->from->nodes.at[at].parent)
		rc = copy_child(c, end, c->from->nodes.at[at].name, &end);
	return rc ? rc : add_node_values(c->to, end, tree_total(c->from, node));
}

enum { OUTSIDE = UINT32_MAX };

/*
 * Fill both trees. at[] is the node in the callees' tree of each node; it follows from that of its
 * parent, which precedes it.
 */
static int copy_matches(struct tree_copier *callers, struct tree_copier *callees,
			const bool *wanted, uint32_t *at)
{
	const struct tree *t = callers->from;
	int rc = 0;

	at[0] = OUTSIDE;
	for (uint32_t i = 1; i < t->nodes.n && !rc; i++) {
		const struct tree_node *n = &t->nodes.at[i];
		bool outermost = at[n->parent] == OUTSIDE && wanted[n->name];

		at[i] = OUTSIDE;
		if (at[n->parent] == OUTSIDE && !outermost)
			continue;
		rc = copy_child(callees, outermost ? 0 : at[n->parent], n->name, &at[i]);
		if (!rc)
			rc = add_node_values(callees->to, at[i], tree_self(t, i));
		if (!rc && outermost)
			rc = copy_callers(callers, i);
	}
	return rc;
}

static int mark_wanted(const struct tree *t, struct str function, bool *wanted, struct err *e)
{
	struct frame_ref ref = frame_ref_parse(function);
	bool found = false;

	for (uint32_t i = 0; i < t->names.rows.n; i++) {
		wanted[i] = frame_ref_matches(&ref, &t->names.rows.at[i]);
		found |= wanted[i];
	}
	return found ? 0
		     : err_set(e, -ENOENT, "no function \"%.*s\" in the selection",
			       STR_ARG(str_head(ref.name, 200)));
}

int sandwich_of_tree(struct sandwich *out, const struct tree *t, struct str function, struct err *e)
{
	struct tree_copier callers = {&out->callers, t, NULL}, callees = {&out->callees, t, NULL};
	uint32_t names = t->names.rows.n, *at;
	struct arena scratch;
	bool *wanted;
	int rc, rc2;

	rc = tree_init(&out->callers, &t->options, t->arena.budget);
	rc2 = tree_init(&out->callees, &t->options, t->arena.budget);
	rc = rc ? rc : rc2;
	arena_init(&scratch, t->arena.budget);
	wanted = arena_zalloc(&scratch, names + 1, sizeof(*wanted));
	at = arena_zalloc(&scratch, t->nodes.n, sizeof(*at));
	callers.names = arena_zalloc(&scratch, names + 1, sizeof(*callers.names));
	callees.names = arena_zalloc(&scratch, names + 1, sizeof(*callees.names));
	if (!rc && (!wanted || !at || !callers.names || !callees.names))
		rc = -ENOMEM;
	if (!rc)
		rc = mark_wanted(t, function, wanted, e);
	if (!rc)
		rc = copy_matches(&callers, &callees, wanted, at);
	if (!rc)
		rc = tree_finish(&out->callers);
	if (!rc)
		rc = tree_finish(&out->callees);
	arena_fini(&scratch);
	return rc;
}

void sandwich_fini(struct sandwich *s)
{
	tree_fini(&s->callers);
	tree_fini(&s->callees);
}
