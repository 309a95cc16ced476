/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VARVE_QUERY_FINDINGS_FINDINGS_H
#define VARVE_QUERY_FINDINGS_FINDINGS_H

#include "query/findings/finding_rules.h"
#include "query/tree/tree.h"

/*
 * Finds what an expert would notice in a flame graph: evaluates the rules of finding_rules.h over an
 * exact call tree, grouped by function and not inverted. A rule reports nothing unless the lower
 * limit of the 95 % interval of its share reaches the threshold of the rule, so that few samples
 * give no findings. (docs/findings.md)
 *
 * One depth-first walk sums all rules up; rules that report something take another one for their
 * evidence. Memory is about 40 bytes for each node and each name, of the tree's budget. One thread.
 */
enum {
	FINDING_EVIDENCE_MAX = 5,  /* rows of evidence of a finding */
	FINDING_FUNCTIONS_MAX = 8, /* functions that a finding names */
	FINDING_PATH_MAX = 512,	   /* names of the path to its frames */
};

/* A function that explains a finding, with its part of the value. */
struct finding_evidence {
	uint32_t name; /* row of the tree's names */
	int64_t value;
};

struct finding {
	const struct finding_rule *rule;
	const char *hint; /* advice for the language of the functions, or NULL */
	/*
	 * The part of the tree's total that the finding is about, without overlap: what can be saved
	 * at most, if rule->saves.
	 */
	int64_t value;
	/* The functions it is about, the largest first: rows of the tree's names. */
	uint32_t functions[FINDING_FUNCTIONS_MAX], function_n;
	/* What rule->evidence says: callers, or functions of the program; the largest first. */
	struct finding_evidence evidence[FINDING_EVIDENCE_MAX];
	uint32_t evidence_n;
	/* The largest of the frames, its part of the value, and the number of frames. */
	uint32_t node;
	int64_t node_value;
	uint32_t frames;
};

struct findings {
	VEC(struct finding) rows; /* the largest value first; in the tree's arena */
	enum finding_kind kind;	  /* what the values of the tree are; 0: no rule applies */
	uint32_t rules;		  /* number of rules that apply to it */
	int64_t total;
	/* Samples that the total consists of, as estimated for the sampling error. */
	double samples;
};

/* Evaluate the rules for that kind of profile over a finished tree. 0 or -ENOMEM. */
MUST_USE int findings_of_tree(struct findings *out, struct tree *t, enum finding_kind kind);

/*
 * Return what the values of a sample type are; 0: nothing that a rule knows. `profile` is the name of
 * the profile, as in a profile type of a server; it may be empty.
 */
enum finding_kind finding_kind_of(struct str profile, struct sample_type type);

/*
 * Set the names from the root to the finding's largest frame, at most FINDING_PATH_MAX, in an array
 * with room for as many. Return their number.
 */
uint32_t finding_path(const struct tree *t, const struct finding *f, struct str *out);

/* Append an expression that matches exactly the finding's functions, for the filter `focus`. */
void finding_focus(struct buf *out, const struct tree *t, const struct finding *f);

#endif
