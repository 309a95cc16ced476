/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VARVE_RULES_RULE_FILE_H
#define VARVE_RULES_RULE_FILE_H

#include <stdatomic.h>

#include "base/container/vec.h"
#include "base/err.h"
#include "signal/selector.h"

/*
 * A rule file of Prometheus: groups of recording and alerting rules. It is checked as a whole:
 * keys, names, durations, expressions, templates. All errors are found, not only the first one.
 *
 * A file is immutable after it was read, and shared by reference: groups that a reload does not
 * change keep the file that they came from.
 */
#define RULE_TEXT_MAX (16 * MIB) /* of a file */
enum {
	RULE_NODES_MAX = 1000000, /* values of its YAML */
	RULE_GROUPS_MAX = 10000,  /* of a file */
	RULE_RULES_MAX = 20000,	  /* of a file */
	RULE_ERRORS_MAX = 100,	  /* of a file; further ones are not listed */
	RULE_NAME_MAX = 1024,
};

/* Flags of rule_file_read(). */
enum { RULE_FILE_IGNORE_UNKNOWN = 1 /* keys that are not known */ };

enum rule_kind { RULE_RECORDING, RULE_ALERTING };

struct rule {
	enum rule_kind kind;
	struct str name;
	struct str expr;    /* as it was written */
	struct str printed; /* as PromQL prints it */
	int64_t hold_ms;    /* for */
	int64_t keep_ms;    /* keep_firing_for */
	/* Those of the group and the rule, by name. Values and annotations are templates. */
	struct label *labels, *annotations;
	uint32_t label_count, annotation_count;
	uint32_t line, column;
};

struct rule_group_def {
	struct str file, name;
	struct str tenant;   /* empty: the default tenant */
	int64_t interval_ms; /* 0: the default */
	int64_t offset_ms;   /* query_offset; -1: the default */
	uint32_t limit;	     /* of series or alerts of a rule; 0: none */
	uint32_t rule_count;
	struct rule *rules;
};

struct rule_file {
	struct arena arena;
	_Atomic uint32_t references;
	struct str path;
	VEC(struct rule_group_def) groups;
	uint32_t rule_count;
	VEC(struct str) errors; /* "FILE:LINE:COLUMN: ..." */
};

/*
 * Read the file, or parse a text with the name `path`. On success the caller owns a reference to
 * *out. -EINVAL: there are errors; *out has them, and `e` the first one. If the file cannot be read,
 * *out is NULL.
 */
MUST_USE int rule_file_read(struct rule_file **out, const char *path, unsigned flags,
			    struct budget *budget, struct err *e);
MUST_USE int rule_file_parse(struct rule_file **out, struct str text, const char *path,
			     unsigned flags, struct budget *budget, struct err *e);

struct rule_file *rule_file_ref(struct rule_file *f);
void rule_file_unref(struct rule_file *f); /* takes NULL */

/* Return whether two groups are the same: evaluating one continues the other. */
bool rule_groups_equal(const struct rule_group_def *a, const struct rule_group_def *b);

/* Return the interval of the group. */
static inline int64_t rule_group_interval(const struct rule_group_def *g, int64_t initial)
{
	return g->interval_ms ? g->interval_ms : initial;
}

#endif
