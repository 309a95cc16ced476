/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VARVE_PIPELINE_OTTL_EVAL_H
#define VARVE_PIPELINE_OTTL_EVAL_H

#include "base/regex.h"
#include "pipeline/ottl/ottl.h"
#include "pipeline/ottl/ottl_record.h"
#include "pipeline/ottl/ottl_syntax.h"

/*
 * An evaluator: the place in a tree at which programs run, with a record for each level. Records
 * are written into the tree when the evaluator moves on. Private to pipeline/ottl.
 */
enum ottl_level {
	LEVEL_RESOURCE,
	LEVEL_SCOPE,
	LEVEL_ITEM,
	LEVEL_PART, /* a span event or data point */
	LEVELS,
	LEVEL_CACHE = LEVELS,
	LEVEL_CLIENT,
};

/* The kinds of data points, which have different fields. */
enum ottl_point_kind { POINT_NUMBER, POINT_HISTOGRAM, POINT_EXPONENTIAL, POINT_SUMMARY };

/* The parts of the current item. */
struct ottl_parts {
	bool loaded, changed;
	uint32_t container; /* metrics: the field of the data in the Metric message; else 0 */
	uint32_t field;	    /* of the parts in the container */
	uint32_t current;
	VEC(struct ottl_part {
		struct str bytes;
		bool dropped;
	})
	list;
};

/* A regular expression of one call, with the pattern that it was compiled from. */
struct ottl_regex {
	struct regex *regex;
	struct buf pattern;
};

struct ottl_eval {
	struct ottl_eval *next; /* in reserve */
	struct ottl *owner;
	const struct delivery *delivery;
	struct otlp_tree *tree;
	struct arena kept;    /* until ottl_end(): what the tree refers to */
	struct arena scratch; /* until the next item */
	struct proto_writer writer;
	struct ottl_regex *regexes; /* by the site of the call */
	uint32_t regex_count;
	struct err *e; /* of the current evaluation */

	struct otlp_resource *resource;
	struct otlp_scope *scope;
	struct otlp_item *item;
	uint32_t item_index;
	struct ottl_record at[LEVELS];
	struct ottl_parts parts;
	enum ottl_point_kind point_kind;
	struct ottl_slot cache;
	uint32_t item_room; /* of the scope's items, once some were added */
	uint32_t added;	    /* items, since ottl_begin() */
	bool changed;
	int rc; /* the first error of writing a record: sticky */
};

/* Set the error of the current evaluation. Return -EINVAL. */
int ottl_fail(struct ottl_eval *ev, const char *fmt, ...) PRINTF_LIKE(2, 3);

/* The arena for values that are put into a record of this level. */
struct arena *ottl_level_arena(struct ottl_eval *ev, unsigned level);

/* Return the data message of the current metric with all changes, and its field; see tree.h. */
uint32_t ottl_metric_data(struct ottl_eval *ev, struct str *data);

/*
 * Append an item to the current scope. It is visited after the others. Return 0, -ENOMEM, or
 * -EINVAL if there are too many.
 */
MUST_USE int ottl_add_item(struct ottl_eval *ev, struct str bytes, uint32_t count);

/*
 * Return the regular expression of a call, compiled if the pattern is not that of the previous
 * call. Return 0, -ENOMEM, or -EINVAL with its reason.
 */
MUST_USE int ottl_regex_of(struct ottl_eval *ev, uint32_t site, struct str pattern,
			   struct regex **out);

/* Release everything that the evaluator holds. */
void ottl_eval_fini(struct ottl_eval *ev);

#endif
