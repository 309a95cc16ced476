/* SPDX-License-Identifier: Apache-2.0 */
/* Dispatchers and wrappers have many callers, too, but do something else for each. */
#include "query/findings/finding_same_work.h"

#include <stdlib.h>

#define CALLER_LEAST 0.02 /* smaller callers do not count */
#define CALLER_MOST 0.5
#define OVERLAP_LEAST 0.6
enum { CANDIDATES_MAX = 16 };

/* A frame of a candidate. */
struct occurrence {
	uint32_t node, caller; /* caller: its name, FINDING_NO_NAME at the root */
};

struct same_work {
	const struct finding_facts *facts;
	struct arena *scratch;
	uint32_t candidates[CANDIDATES_MAX], n;
	VEC(struct occurrence) at;
	/* Of the current candidate, by name of the callee; its own code is the last entry. */
	int64_t *all, *one;
};

static void choose_candidates(struct same_work *s, const struct finding_sums *sums,
			      const struct finding_rule *rule)
{
	const struct tree *t = s->facts->tree;
	double total = (double)tree_total(t, 0).in[TREE_ONLY];

	for (uint32_t i = 0; i < t->names.rows.n; i++) {
		const struct finding_name_sums *sum = &sums->of_name[i];
		uint32_t at;

		if (sum->nested || s->facts->roles[i] & rule->no_names ||
		    (double)sum->total < rule->share * total ||
		    (s->n == CANDIDATES_MAX &&
		     sums->of_name[s->candidates[s->n - 1]].total >= sum->total))
			continue;
		at = s->n < CANDIDATES_MAX ? s->n++ : CANDIDATES_MAX - 1;
		for (; at && sums->of_name[s->candidates[at - 1]].total < sum->total; at--)
			s->candidates[at] = s->candidates[at - 1];
		s->candidates[at] = i;
	}
}

static int compare_occurrences(const void *a, const void *b)
{
	const struct occurrence *x = a, *y = b;

	return x->caller < y->caller ? -1 : x->caller > y->caller;
}

/* Collect the frames of a candidate, sorted by caller. 0 or -ENOMEM. */
static int collect_occurrences(struct same_work *s, uint32_t name)
{
	const struct tree_node *nodes = s->facts->tree->nodes.at;
	int rc = 0;

	s->at.n = 0;
	for (uint32_t i = 1; i < s->facts->tree->nodes.n && !rc; i++) {
		uint32_t parent = nodes[i].parent;

		if (nodes[i].name == name)
			rc = vec_push(s->scratch, &s->at,
				      (struct occurrence){i, parent ? nodes[parent].name
								    : FINDING_NO_NAME});
	}
	if (!rc && s->at.n)
		qsort(s->at.at, s->at.n, sizeof(*s->at.at), compare_occurrences);
	return rc;
}

/* Add the callees and the own code of a frame; or reset their sums. */
static void add_callees(const struct same_work *s, uint32_t node, int64_t *sums, bool reset)
{
	const struct tree *t = s->facts->tree;
	const uint32_t *children = tree_children(t, node);
	int64_t *own = &sums[t->names.rows.n];

	*own = reset ? 0 : *own + tree_self(t, node).in[TREE_ONLY];
	for (uint32_t i = 0; i < t->nodes.at[node].child_n; i++) {
		int64_t *sum = &sums[t->nodes.at[children[i]].name];

		*sum = reset ? 0 : *sum + tree_total(t, children[i]).in[TREE_ONLY];
	}
}

/* Return what the shares of two entries have in common, as a part of the caller's whole. */
static double common_part(double one, double one_total, double all, double all_total)
{
	double a = one / one_total, b = all / all_total;

	return a < b ? a : b;
}

/* Return the overlap of occurrences [from, to), of one caller, with all. s->one is reset. */
static double overlap_of(struct same_work *s, uint32_t from, uint32_t to, double one_total,
			 double all_total)
{
	const struct tree *t = s->facts->tree;
	uint32_t own = t->names.rows.n;
	double out;

	for (uint32_t i = from; i < to; i++)
		add_callees(s, s->at.at[i].node, s->one, false);
	out = common_part((double)s->one[own], one_total, (double)s->all[own], all_total);
	for (uint32_t i = from; i < to; i++) {
		uint32_t node = s->at.at[i].node;

		for (uint32_t c = 0; c < t->nodes.at[node].child_n; c++) {
			uint32_t name = t->nodes.at[tree_children(t, node)[c]].name;

			out += common_part((double)s->one[name], one_total, (double)s->all[name],
					   all_total);
			s->one[name] = 0; /* counted */
		}
	}
	s->one[own] = 0;
	return out;
}

/* Return whether the caller of an occurrence is a function of the program. */
static bool is_own_caller(const struct same_work *s, uint32_t at)
{
	uint32_t caller = s->at.at[at].caller;

	return caller != FINDING_NO_NAME && finding_is_program(s->facts->roles[caller]);
}

/* Return whether the collected frames of a candidate fulfil the conditions. */
static bool is_same_work(struct same_work *s, const struct finding_rule *rule, double all_total)
{
	const struct tree *t = s->facts->tree;
	double overlap = 0, largest = 0;
	uint32_t callers = 0;

	for (uint32_t i = 0; i < s->at.n; i++)
		add_callees(s, s->at.at[i].node, s->all, false);
	for (uint32_t from = 0, to; from < s->at.n; from = to) {
		double total = 0;

		for (to = from; to < s->at.n && s->at.at[to].caller == s->at.at[from].caller; to++)
			total += (double)tree_total(t, s->at.at[to].node).in[TREE_ONLY];
		if (total <= 0)
			continue;
		callers += total >= CALLER_LEAST * all_total && is_own_caller(s, from);
		largest = total > largest ? total : largest;
		overlap += total * overlap_of(s, from, to, total, all_total);
	}
	for (uint32_t i = 0; i < s->at.n; i++)
		add_callees(s, s->at.at[i].node, s->all, true);
	return callers >= rule->least && largest <= CALLER_MOST * all_total &&
	       overlap >= OVERLAP_LEAST * all_total;
}

int finding_same_work(uint32_t *name, int64_t *value, const struct finding_facts *facts,
		      const struct finding_sums *sums, const struct finding_rule *rule,
		      struct arena *scratch)
{
	struct same_work s = {.facts = facts, .scratch = scratch};
	uint32_t n = facts->tree->names.rows.n + 1;
	int rc = 0;

	s.all = arena_zalloc(scratch, n, sizeof(*s.all));
	s.one = arena_zalloc(scratch, n, sizeof(*s.one));
	if (!s.all || !s.one)
		return -ENOMEM;
	choose_candidates(&s, sums, rule);
	for (uint32_t i = 0; i < s.n && !rc; i++) {
		int64_t total = sums->of_name[s.candidates[i]].total;

		rc = collect_occurrences(&s, s.candidates[i]);
		if (!rc && is_same_work(&s, rule, (double)total)) {
			*name = s.candidates[i];
			*value = total;
			break;
		}
	}
	return rc;
}
