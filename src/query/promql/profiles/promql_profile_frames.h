/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VARVE_QUERY_PROMQL_PROFILES_PROMQL_PROFILE_FRAMES_H
#define VARVE_QUERY_PROMQL_PROFILES_PROMQL_PROFILE_FRAMES_H

#include "query/promql/profiles/promql_profile_series.h"
#include "query/tree/frames.h"

/*
 * The functions of stacks, as far as a selector tells them apart: a *class* is the functions that
 * have the same labels in the result. A stack belongs to the class of its innermost function (self),
 * and to each class that has a function on it (total), once however often it occurs.
 *
 * Functions are distinguished as in tables of functions: by name and module; by the file, too, if
 * its label is used.
 */
#define PROFILE_NO_CLASS UINT32_MAX

enum { PROFILE_CLASSES_MAX = 65536 };

struct profile_class {
	struct str labels[PROFILE_FRAME_LABELS]; /* those that are not needed are empty */
};

struct profile_classes {
	const struct profile_plan *plan;
	struct arena *arena;
	VEC(struct profile_class) rows;
	struct idset index;
};

/* The classes of the nodes of a tree that grows. One book or scan at a time. */
struct profile_frames {
	struct profile_classes *classes;
	const struct stack_tree *tree;
	struct arena arena;
	struct names names;
	struct frame_filters filters; /* none */
	struct frames frames;
	uint32_t *of_name; /* by name: class + 1, PROFILE_NO_CLASS, or 0: not known yet */
	uint32_t of_name_n;
	uint64_t *met; /* by class: number of the last stack with it */
	uint32_t met_n;
	uint64_t stacks;
	uint32_t no_stack; /* name of samples without frames, + 1 */
};

MUST_USE int profile_classes_init(struct profile_classes *c, const struct profile_plan *plan,
				  struct arena *a);

/* Prepare for the tree, which is borrowed and may grow. Return 0 or -ENOMEM. Fini in every case. */
MUST_USE int profile_frames_init(struct profile_frames *f, struct profile_classes *classes,
				 const struct stack_tree *tree, struct budget *budget);
void profile_frames_fini(struct profile_frames *f);

/* Take over what was added to the tree; call it first in each visitor. Return 0 or -ENOMEM. */
MUST_USE int profile_frames_extend(struct profile_frames *f);

/* Set *out to the class of the innermost function of a stack. Return 0 or -errno. */
MUST_USE int profile_frames_self(struct profile_frames *f, uint32_t node, uint32_t *out,
				 struct err *e);

/*
 * Call `visit` for each class on the stack that ends at the node, once. A visitor that returns 1
 * ends the walk. Return 0, 1, or -errno.
 */
typedef int profile_visit_class(void *ctx, uint32_t class);
MUST_USE int profile_frames_each(struct profile_frames *f, uint32_t node,
				 profile_visit_class *visit, void *ctx, struct err *e);

#endif
