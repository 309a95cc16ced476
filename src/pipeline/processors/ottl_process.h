/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VARVE_PIPELINE_OTTL_PROCESS_H
#define VARVE_PIPELINE_OTTL_PROCESS_H

#include "pipeline/component.h"
#include "pipeline/ottl/ottl.h"

/* What the processors that use OTTL have in common: filter and transform. */

/* Work on a tree. Return 0, or an error with text. */
typedef int ottl_walk(void *arg, struct ottl_eval *ev, struct otlp_tree *tree, struct err *e);

/*
 * Read the index of a delivery, call `walk`, and forward what it made of the data: the original
 * delivery if nothing was changed. Return what the processor's consume() has to return.
 */
bool ottl_process(struct ottl *o, struct consumer *next, struct delivery *d, struct budget *budget,
		  ottl_walk *walk, void *arg);

/* A setting_reader that keeps the node: *to is a const struct config_node *. */
int ottl_keep_node(const struct config_node *n, const char *what, void *to, struct arena *arena,
		   struct err *e);

/* A setting_reader for an enum ottl_error_mode. */
int ottl_read_error_mode(const struct config_node *n, const char *what, void *to,
			 struct arena *arena, struct err *e);

/*
 * A group of a list of conditions or statements: {context, error_mode, conditions, statements}.
 * Members that are not given are NULL; `context` is OTTL_INFER, error_mode that of *defaults then.
 */
struct ottl_group {
	enum ottl_context context;
	enum ottl_error_mode error_mode;
	const struct config_node *conditions, *statements;
};

/* Read a group. Return 0, or the result of config_fail(). */
MUST_USE int ottl_group_read(const struct config_node *n, struct ottl_group *out, struct err *e);

/* Return whether a list has maps, not texts; fail if it has both, or is no list. */
MUST_USE int ottl_list_has_groups(const struct config_node *list, bool *groups, struct err *e);

#endif
