/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VARVE_PIPELINE_PROCESSORS_TREE_EDIT_H
#define VARVE_PIPELINE_PROCESSORS_TREE_EDIT_H

#include "pipeline/host.h"
#include "pipeline/processors/scratch.h"
#include "signal/otlp/tree.h"

/*
 * The way of a delivery through a processor that changes data: read the tree, edit it, and forward
 * what was changed. A payload without a change is passed on as it is.
 */
struct tree_editor {
	struct consumer *next;
	struct host *host;
	struct scratch_pool pool;
	/*
	 * Change the tree: messages, items that are dropped, tree->changed. What is new is
	 * allocated in the arena of the scratch. Return 0, -ENOMEM, or -EBADMSG with text in `e`.
	 */
	int (*edit)(void *owner, struct otlp_tree *tree, const struct delivery *d,
		    struct scratch *s, struct err *e);
	void *owner;
};

/* Forward a delivery. Return what consume() returns. Any thread. */
bool tree_edit_consume(struct tree_editor *t, struct delivery *d);

#endif
