/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VARVE_PIPELINE_OTTL_SYNTAX_H
#define VARVE_PIPELINE_OTTL_SYNTAX_H

#include "pipeline/ottl/ottl_lexer.h"
#include "pipeline/ottl/ottl_value.h"

/*
 * The syntax tree of a condition or statement. ottl_resolve() binds its paths and functions; after
 * that it is immutable.
 */
enum ottl_node_kind {
	NODE_LITERAL,
	NODE_NAME, /* an enum, or a function that is an argument */
	NODE_PATH,
	NODE_CALL,
	NODE_LIST,
	NODE_MAP,
	NODE_MATH,
	NODE_NEGATE,
	NODE_COMPARE,
	NODE_AND,
	NODE_OR,
	NODE_NOT,
};

struct ottl_function;
struct ottl_path_def;

/* A path that was found in the tables; see ottl_paths.h. */
struct ottl_path {
	unsigned level; /* enum ottl_level */
	/* By the kind of the data point; elsewhere only the first one. NULL: nil. */
	const struct ottl_path_def *def[4];
};

struct ottl_node {
	enum ottl_node_kind kind;
	uint32_t at, end;	   /* offsets in the source */
	struct ottl_value literal; /* NODE_LITERAL */
	char sign;		   /* NODE_MATH */
	enum ottl_compare compare;
	struct str name; /* NODE_NAME, NODE_PATH, NODE_CALL */
	/*
	 * Operands; elements of a list; values of a map; arguments: after ottl_resolve() in the
	 * order of the parameters, NULL for missing ones.
	 */
	VEC(struct ottl_node *) items;
	VEC(struct str) names;	      /* keys of a map, names of arguments (may be empty) */
	VEC(struct ottl_node *) keys; /* ["a"][0] after a path or a converter */

	const struct ottl_function *function; /* NODE_CALL, NODE_NAME */
	struct ottl_path path;		      /* NODE_PATH */
	uint32_t site;			      /* NODE_CALL: index of its regular expression */
};

/* What is not a condition is an editor with an optional condition. */
struct ottl_line {
	struct str text;
	struct ottl_node *editor;    /* NULL: a condition */
	struct ottl_node *condition; /* NULL: always */
};

/* How deep parentheses, lists, calls and sums may be nested. */
enum { OTTL_SYNTAX_DEPTH = 64 };

/*
 * Parse a condition or a statement; `text` has to outlive the line. Return 0, -ENOMEM, or -EINVAL
 * with "LINE:COLUMN: ..." in `e`.
 */
MUST_USE int ottl_parse(struct ottl_line *out, struct str text, bool statement, struct arena *arena,
			struct err *e);

#endif
