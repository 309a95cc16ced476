/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VARVE_PIPELINE_FILELOG_EXPR_TREE_H
#define VARVE_PIPELINE_FILELOG_EXPR_TREE_H

#include "base/regex.h"
#include "pipeline/receivers/filelog/expr/expr.h"

/* Private to this folder: the tree that expr_parse.c makes and expr_eval.c runs. */
enum expr_kind {
	EXPR_LITERAL,
	EXPR_LIST,   /* args */
	EXPR_ROOT,   /* `root` of the entry */
	EXPR_MEMBER, /* args[0] . args[1] */
	EXPR_NOT,    /* args[0] */
	EXPR_NEGATE, /* args[0] */
	EXPR_AND,
	EXPR_OR,
	EXPR_EQ,
	EXPR_NE,
	EXPR_LT,
	EXPR_LE,
	EXPR_GT,
	EXPR_GE,
	EXPR_IN,
	EXPR_CONTAINS,
	EXPR_STARTS_WITH,
	EXPR_ENDS_WITH,
	EXPR_MATCHES, /* args[0], `regex` */
	EXPR_ADD,
	EXPR_SUBTRACT,
	EXPR_CALL, /* `function` of args[0] */
};

enum expr_root { EXPR_BODY, EXPR_ATTRIBUTES, EXPR_RESOURCE, EXPR_SEVERITY_TEXT, EXPR_SEVERITY };

enum expr_function { EXPR_LEN, EXPR_LOWER, EXPR_UPPER, EXPR_TRIM, EXPR_TO_STRING, EXPR_ENV };

struct expr_node {
	enum expr_kind kind;
	size_t at; /* in the source */
	uint32_t n;
	struct expr_node **args;
	union {
		enum expr_root root;
		enum expr_function function;
		bool optional; /* EXPR_MEMBER: ?. */
		struct log_node literal;
		struct regex *regex;
	};
};

struct expr {
	struct str source;
	struct expr_node *top;
	struct regex **regexes; /* in the arena */
	uint32_t regex_count;
};

#endif
