/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VARVE_PIPELINE_OTTL_CALL_H
#define VARVE_PIPELINE_OTTL_CALL_H

#include "pipeline/ottl/ottl_access.h"

/*
 * Functions: their tables in pipeline/ottl/functions, and calls. Arguments are evaluated and
 * converted by the kinds of the parameters before a function runs. Editors begin with a small
 * letter and may change paths; converters begin with a capital and return a value.
 */
enum ottl_param_kind {
	PARAM_NONE,
	PARAM_ANY,     /* any value, also nil */
	PARAM_STRING,  /* a string; others are an error */
	PARAM_TEXT,    /* nil stays nil, other values become text */
	PARAM_PATTERN, /* a string that is a regular expression */
	PARAM_CHOICE,  /* one of the literals in struct ottl_param */
	PARAM_INT,
	PARAM_DOUBLE, /* integers are converted */
	PARAM_BOOL,
	PARAM_MAP,
	PARAM_LIST,
	PARAM_TIME,
	PARAM_DURATION,
	PARAM_TARGET,	  /* a path that can be set; not evaluated */
	PARAM_TARGET_MAP, /* a path of a map, which is in ottl_args.map */
	PARAM_FUNCTION,	  /* the name of a converter with one argument; not evaluated */
};

enum { OTTL_PARAMS_MAX = 6 };

struct ottl_param {
	const char *name;
	enum ottl_param_kind kind;
	bool optional;
	const char *choices; /* PARAM_CHOICE: "insert|update|upsert" */
};

struct ottl_args {
	struct ottl_value v[OTTL_PARAMS_MAX];
	bool given[OTTL_PARAMS_MAX];
	const struct ottl_node *node[OTTL_PARAMS_MAX]; /* of PARAM_TARGET and PARAM_FUNCTION */
	struct ottl_ref ref;			       /* PARAM_TARGET_MAP */
	struct ottl_map *map;			       /* of ref */
	uint32_t site;				       /* for ottl_regex_of() */
};

/* Return 0, -ENOMEM, or an error with text. *out is nil before. */
typedef int ottl_function_run(struct ottl_eval *ev, struct ottl_args *a, struct ottl_value *out);

struct ottl_function {
	const char *name;
	ottl_function_run *run;
	struct ottl_param params[OTTL_PARAMS_MAX];
	unsigned contexts; /* 1 << enum ottl_context, or-ed; 0: all */
	bool filter_only;  /* only in conditions of the filter processor */
};

#define OTTL_IN(context) (1u << (context))

/* The tables of functions, each of which ends with a NULL name; NULL-terminated. */
extern const struct ottl_function *const ottl_functions[];

/* Return the function of that name, or NULL. */
const struct ottl_function *ottl_function_find(struct str name);

/* Return the most similar name of an editor or converter, or NULL. */
const char *ottl_function_suggest(struct str name);

/* Evaluate the arguments and run the function. Return as its run(). */
MUST_USE int ottl_call(struct ottl_eval *ev, const struct ottl_node *call, struct ottl_value *out);

/* Run a converter that is an argument (PARAM_FUNCTION) on a value. */
MUST_USE int ottl_apply(struct ottl_eval *ev, const struct ottl_node *function,
			struct ottl_value *value, struct ottl_value *out);

/* Set *out to a string, list or map that the function made in the scratch memory. */
MUST_USE int ottl_return_text(struct ottl_eval *ev, struct buf *text, struct ottl_value *out);

/* Make a buffer for ottl_return_text(). */
struct buf ottl_text_buf(const struct ottl_eval *ev);

#endif
