/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VARVE_QUERY_FINDINGS_FINDING_WALK_H
#define VARVE_QUERY_FINDINGS_FINDING_WALK_H

#include "query/findings/findings.h"

/*
 * A depth-first walk over a call tree that knows, at each node, for which rules its self value
 * counts. Rules are numbered as in finding_rules; sets of them are bits.
 */
struct finding_facts {
	const struct tree *tree;		/* borrowed */
	uint32_t applied;			/* rules that apply to the kind of profile */
	uint32_t of_depth, of_self, of_workers; /* those of them with that measure or flag */
	/* By name. */
	uint32_t *roles;
	uint8_t *languages;
	uint32_t *matches, *excludes; /* rules whose role it has, and which exclude it */
	/* By node: value below it, itself included, that is no wait. NULL: no rule needs it. */
	int64_t *busy;
};

/* Classify all names. Memory of the arena. 0 or -ENOMEM. */
MUST_USE int finding_facts_init(struct finding_facts *f, const struct tree *t,
				enum finding_kind kind, struct arena *arena);

#define FINDING_NO_NAME UINT32_MAX

/* A node on the current path. */
struct finding_step {
	uint32_t node, at, end;	     /* range of tree.children still to be visited */
	uint32_t counting, excluded; /* rules, by the frames from the root to this one */
	uint32_t place; /* name of the nearest function of the program; FINDING_NO_NAME */
};

struct finding_walk {
	const struct finding_facts *facts;
	VEC(struct finding_step) path;
	struct arena *arena;
	uint32_t *on_path; /* by name: number of its occurrences on the path */
	bool started;
	uint32_t left; /* node that finding_walk_next() has left */
};

enum finding_event { FINDING_ENTER, FINDING_LEAVE, FINDING_END };

/* Begin a walk; memory of the arena. 0 or -ENOMEM. */
MUST_USE int finding_walk_init(struct finding_walk *w, const struct finding_facts *f,
			       struct arena *arena);

/*
 * Go on: FINDING_ENTER with the new node at the end of the path; FINDING_LEAVE after its subtree, with
 * its number in w->left and its caller at the end of the path; FINDING_END; or -ENOMEM.
 */
MUST_USE int finding_walk_next(struct finding_walk *w);

static inline const struct finding_step *finding_walk_step(const struct finding_walk *w)
{
	return &w->path.at[w->path.n - 1];
}

/* Return the rules for which the self value of the node at the end of the path counts. */
uint32_t finding_walk_active(const struct finding_walk *w);

#endif
