/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VARVE_PIPELINE_OTTL_H
#define VARVE_PIPELINE_OTTL_H

#include "base/log.h"
#include "config/config.h"
#include "pipeline/delivery.h"
#include "signal/otlp/tree.h"

/*
 * The OpenTelemetry Transformation Language: conditions and statements over the items of OTLP
 * payloads. Conditions and statements are compiled once, when a component is created, into
 * programs; an evaluator runs programs on the items of a tree (signal/otlp/tree.h) and decodes only
 * the fields that they use. An item that no statement changes keeps its bytes.
 *
 *	ottl_new(&o, log, budget);
 *	rc = ottl_compile(o, &options, nodes, &program, e);	// create()
 *
 *	ev = ottl_begin(o, delivery, &tree);			// consume()
 *	ottl_at_resource(ev, &tree.resources[r]);
 *	ottl_at_scope(ev, &resource->scopes[s]);
 *	ottl_at_item(ev, i);
 *	rc = ottl_test(ev, program, e);				// conditions
 *	rc = ottl_run(ev, program, e);				// statements
 *	rc = ottl_finish(ev, e);
 *	payload = otlp_tree_write(&tree, budget);
 *	ottl_end(ev);
 *
 * The language, its paths and functions: docs/collector/ottl.md.
 */
enum ottl_context {
	OTTL_RESOURCE,
	OTTL_SCOPE,
	OTTL_SPAN,
	OTTL_SPAN_EVENT,
	OTTL_METRIC,
	OTTL_DATA_POINT,
	OTTL_LOG,
	OTTL_PROFILE,
	OTTL_CONTEXTS,
	OTTL_INFER = OTTL_CONTEXTS, /* the lowest one that a path of the program names */
};

/* "resource", "scope", "span", "spanevent", "metric", "datapoint", "log", "profile". */
extern const char *const ottl_context_names[OTTL_CONTEXTS];

/* What happens when the evaluation of a condition or statement fails. */
enum ottl_error_mode {
	OTTL_IGNORE,	/* log the error; the condition is false, the next statement follows */
	OTTL_SILENT,	/* the same without a log record */
	OTTL_PROPAGATE, /* ottl_test() and ottl_run() return the error */
};

/* Parse "ignore", "silent" or "propagate". Return 0 or the result of config_fail(). */
MUST_USE int ottl_error_mode_read(const struct config_node *n, enum ottl_error_mode *mode,
				  struct err *e);

struct ottl_options {
	enum signal_kind signal;
	/*
	 * With OTTL_INFER all paths need a prefix that names their context ("span.name"); with a
	 * given context the paths of that context need none ("name").
	 */
	enum ottl_context context;
	enum ottl_error_mode error_mode;
	bool statements;       /* else conditions */
	bool filter_functions; /* HasAttrOnDatapoint, HasAttrKeyOnDatapoint */
};

/* The programs of a component, and evaluators in reserve. */
struct ottl;
/* Conditions or statements of one context. Belongs to the struct ottl; immutable. */
struct ottl_program;
/* The state of an evaluation: memory, compiled expressions, the place in a tree. One thread. */
struct ottl_eval;

/* `log` and `budget`, for the memory of evaluations, may be NULL. Return 0 or -ENOMEM. */
MUST_USE int ottl_new(struct ottl **out, const struct log *log, struct budget *budget);
void ottl_free(struct ottl *o);

/*
 * Compile a list of texts (or one text). Return 0, -ENOMEM, or -EINVAL with an error that has the
 * place of the text in the configuration and the place of the mistake in the text. The nodes are
 * not used afterwards. One thread.
 */
MUST_USE int ottl_compile(struct ottl *o, const struct ottl_options *options,
			  const struct config_node *list, struct ottl_program **out, struct err *e);

/*
 * Add a guard: statements of `p` run only where one of the conditions `list` is true. They are
 * compiled for the context of `p`. Errors as above.
 */
MUST_USE int ottl_compile_guard(struct ottl *o, struct ottl_program *p,
				const struct ottl_options *options, const struct config_node *list,
				struct err *e);

enum ottl_context ottl_program_context(const struct ottl_program *p);

/*
 * Take an evaluator for a tree; return it by ottl_end(). `d` is for otelcol.client.*; it may be
 * NULL. Return NULL without memory. Any thread.
 */
struct ottl_eval *ottl_begin(struct ottl *o, const struct delivery *d, struct otlp_tree *tree);
void ottl_end(struct ottl_eval *ev);

/*
 * Memory that is valid until ottl_end(): bytes that ottl_finish() puts into a tree are there. The
 * tree can be read into it, too.
 */
struct arena *ottl_arena(struct ottl_eval *ev);

/*
 * Move to a resource, to a scope of it, to an item of that (its index), and to a part of the item
 * (a span event or a data point). What statements changed at the places that are left is written
 * into the tree. Statements can append items to the scope.
 */
void ottl_at_resource(struct ottl_eval *ev, struct otlp_resource *resource);
void ottl_at_scope(struct ottl_eval *ev, struct otlp_scope *scope);
void ottl_at_item(struct ottl_eval *ev, uint32_t index);

/* Return the number of span events or data points of the item; 0 for log records. */
uint32_t ottl_part_count(struct ottl_eval *ev);
void ottl_at_part(struct ottl_eval *ev, uint32_t index);

/*
 * Remove the current part. The indexes of the others do not change. A metric without data points is
 * dropped.
 */
void ottl_drop_part(struct ottl_eval *ev);

/*
 * Return 1 if one of the conditions is true, 0 if none is, or, with OTTL_PROPAGATE, -EINVAL with
 * the failed condition and the reason in `e`. -ENOMEM is always returned.
 */
MUST_USE int ottl_test(struct ottl_eval *ev, const struct ottl_program *conditions, struct err *e);

/* Run the statements at the current place. Return 0, or an error like ottl_test(). */
MUST_USE int ottl_run(struct ottl_eval *ev, const struct ottl_program *statements, struct err *e);

/*
 * Write everything that was changed into the tree, and set its `changed`. Return 0, -ENOMEM, or
 * -EBADMSG for a damaged message.
 */
MUST_USE int ottl_finish(struct ottl_eval *ev, struct err *e);

#endif
