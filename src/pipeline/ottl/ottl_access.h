/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VARVE_PIPELINE_OTTL_ACCESS_H
#define VARVE_PIPELINE_OTTL_ACCESS_H

#include "pipeline/ottl/ottl_expression.h"
#include "pipeline/ottl/paths/ottl_paths.h"

/* Reading and setting paths at the current place. */

/* Follow the keys of a node. A missing key gives nil. */
MUST_USE int ottl_follow_keys(struct ottl_eval *ev, const struct ottl_node *n,
			      struct ottl_value *v);

MUST_USE int ottl_path_get(struct ottl_eval *ev, const struct ottl_node *n, struct ottl_value *out);

/* Set a path; lists and maps are copied. Missing maps on the way are created. */
MUST_USE int ottl_path_set(struct ottl_eval *ev, const struct ottl_node *n, struct ottl_value *v);

/*
 * A value in attributes, a body or the cache that a function changes in place. After a change the
 * function calls ottl_ref_changed(); strings and lists that it puts there have to be allocated in
 * `arena`.
 */
struct ottl_ref {
	struct ottl_value *value; /* NULL: the path does not exist here */
	struct ottl_slot *slot;
	struct arena *arena;
};

/* Return a reference to a path without creating anything. */
MUST_USE int ottl_path_ref(struct ottl_eval *ev, const struct ottl_node *n, struct ottl_ref *out);
void ottl_ref_changed(struct ottl_ref *ref);

/* Return a value as text in the scratch memory. */
MUST_USE int ottl_text_of(struct ottl_eval *ev, const struct ottl_value *v, struct str *out);

#endif
