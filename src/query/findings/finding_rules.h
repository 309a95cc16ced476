/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VARVE_QUERY_FINDINGS_FINDING_RULES_H
#define VARVE_QUERY_FINDINGS_FINDING_RULES_H

#include "query/findings/finding_names.h"

/* The table of rules: what is measured, when it is reported, and its texts. Immutable. */

/* What the values of a profile are: bits, because a rule applies to several. */
enum finding_kind {
	FINDING_CPU = 1,
	FINDING_WALL = 2, /* wall time, and time off the CPU */
	FINDING_ALLOC = 4,
	FINDING_LOCK = 8, /* waits for locks */
};

enum finding_measure {
	/* frames with `role`, the outermost on each stack, with all they call */
	FINDING_TOTAL_OF_ROLE,
	/* self values of frames with `role` */
	FINDING_SELF_OF_ROLE,
	/* the function with the largest self value; evidence: its callers */
	FINDING_LARGEST_SELF,
	/* the function of the program that self values belong to most */
	FINDING_LARGEST_PLACE,
	/*
	 * stacks in which one function occurs at least `least` times, if at least half as much is its
	 * own
	 */
	FINDING_RECURSION,
	/* stacks of at least `least` frames */
	FINDING_DEPTH,
	/* a function that does the same for at least `least` callers */
	FINDING_SAME_WORK,
};

struct finding_rule {
	const char *name, *title;
	const char *meaning;  /* what it means */
	const char *advice;   /* what to do */
	const char *evidence; /* head of the list of evidence */
	unsigned kinds;	      /* of profiles that it applies to: enum finding_kind */
	enum finding_measure measure;
	uint32_t role;	   /* that is measured */
	uint32_t excludes; /* frames with these roles, and all above and below, do not count */
	uint32_t no_names; /* functions with these roles are not reported */
	double share;	   /* least share of the total, as a fraction */
	uint32_t samples;  /* least number of samples */
	uint32_t least;
	/* only below functions that also work: not in threads that only wait */
	bool of_workers;
	bool saves; /* the value is a bound of what can be saved */
};

extern const struct finding_rule finding_rules[];
extern const size_t finding_rule_count;

/* Return advice for a language, or NULL. */
const char *finding_hint(const struct finding_rule *rule, enum finding_language language);

#endif
