/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VARVE_API_VARVE_VIEW_QUERY_H
#define VARVE_API_VARVE_VIEW_QUERY_H

#include "api/selection.h"
#include "query/tree/cut.h"

/* The parameters of a query for samples of one profile type. See varve.h for their meaning. */
struct view_query {
	struct selection s;
	struct tree_options tree; /* grouping and frame filters; owns the expressions */
	struct texts call_site;
	struct str frames; /* the filters as text, for the cache key of the tree */
};

/* Names of the parameters of a selection: "query", or "before" and "after" of a difference. */
struct view_names {
	const char *query, *from, *to, *file;
};

extern const struct view_names view_names_single;

/*
 * Read labels, range and file only. Return 0, -EINVAL or -ENOMEM; call selection_fini() in either
 * case.
 */
MUST_USE int label_query_read(struct selection *s, struct request *r, struct err *e);

/*
 * Read all parameters. The default type is CPU time if there is any, else the first type. Return 0,
 * -EINVAL, -ENOENT (no such type, or no data) or -ENOMEM; call view_query_fini() in either case.
 */
MUST_USE int view_query_read(struct view_query *q, const struct view_names *names,
			     struct request *r, struct err *e);

/* Like view_query_read(), for a list that may be empty: without data the type is empty. */
MUST_USE int view_query_read_any(struct view_query *q, const struct view_names *names,
				 struct request *r, struct err *e);
void view_query_fini(struct view_query *q);

/*
 * Read both sides of a difference; they must have the same type. Return 0 or -errno as
 * view_query_read(); call view_query_fini() for both in either case.
 */
MUST_USE int view_pair_read(struct view_query sides[2], struct request *r, struct err *e);

/* Read which part of a tree to show; `path` owns its names. Return 0, -EINVAL or -ENOMEM. */
MUST_USE int view_cut_read(struct request *r, struct cut_options *o, struct texts *path,
			   struct err *e);

/*
 * Return -EINVAL if the query filters samples by their own times, which the caller does not
 * support.
 */
MUST_USE int view_query_check_untimed(const struct view_query *q, struct err *e);

/*
 * Build the tree of a query, or of two for a difference (`after` may be NULL). Call tree_fini() in
 * either case.
 */
MUST_USE int view_tree(struct tree *t, struct view_query *q, struct view_query *after,
		       struct err *e);

#endif
