/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VARVE_RULES_TEMPLATE_TEMPLATE_AST_H
#define VARVE_RULES_TEMPLATE_TEMPLATE_AST_H

#include "base/container/vec.h"
#include "rules/template/template_value.h"

/* The syntax tree of a template. All of it is in the arena of the parser. */
struct template_pipe;
struct template_function;

struct template_field {
	struct str name;
	uint32_t at; /* offset in the text */
};

enum operand_kind {
	OPERAND_CONSTANT,
	OPERAND_NIL,
	OPERAND_DOT,
	OPERAND_VARIABLE,
	OPERAND_FUNCTION,
	OPERAND_PIPE, /* in parentheses */
};

/* A term, and the fields that follow it: .Labels.job is OPERAND_DOT with two fields. */
struct template_operand {
	enum operand_kind kind;
	uint32_t at, end; /* offsets in the text */
	struct template_value constant;
	struct str variable; /* with its $ */
	const struct template_function *function;
	struct template_pipe *pipe;
	VEC(struct template_field) fields;
};

struct template_command {
	uint32_t at;
	VEC(struct template_operand) operands; /* at least one */
};

struct template_pipe {
	uint32_t at;
	bool assigns; /* the variables exist: $x = */
	struct str variables[2];
	uint32_t variable_count;
	VEC(struct template_command) commands;
};

enum template_node_kind {
	NODE_TEXT,
	NODE_ACTION,
	NODE_IF,
	NODE_RANGE,
	NODE_WITH,
	NODE_TEMPLATE,
	NODE_BREAK,
	NODE_CONTINUE,
};

struct template_list {
	struct template_node *first, **end;
};

struct template_node {
	enum template_node_kind kind;
	uint32_t at;
	struct template_node *next;
	struct str text; /* of NODE_TEXT; of NODE_TEMPLATE: its name */
	struct template_pipe *pipe;
	struct template_list list, otherwise;
};

struct template_definition {
	struct str name;
	struct template_list list;
};

struct template_tree {
	struct str text;
	struct template_list list;
	VEC(struct template_definition) definitions;
};

/* Parse. Return 0, -ENOMEM, or -EINVAL with line and column in `e`. */
MUST_USE int template_parse(struct arena *a, struct str text, struct template_tree *out,
			    struct err *e);

/* Set the error "line L, column C: ..." for an offset of a template. Return -EINVAL. */
int template_fail(struct str text, uint32_t at, struct err *e, const char *fmt, ...)
	PRINTF_LIKE(4, 5);

/*
 * Get the value of a quoted string ("..." with escapes, or in backquotes) or of a character in
 * single quotes as UTF-8. Return 0, -EINVAL for an invalid escape, or -ENOMEM.
 */
MUST_USE int template_unquote(struct arena *a, struct str quoted, struct str *out);

#endif
