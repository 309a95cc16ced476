/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VARVE_RULES_TEMPLATE_TEMPLATE_PARSER_H
#define VARVE_RULES_TEMPLATE_TEMPLATE_PARSER_H

#include "rules/template/template_ast.h"
#include "rules/template/template_lexer.h"

/*
 * The state of the parser of templates, shared by template_parser.c (text and actions) and
 * template_pipeline.c (what is inside of an action). Functions return 0, -ENOMEM, or -EINVAL with
 * line and column in the error.
 */
struct template_parser {
	struct arena *arena;
	struct template_lexer lexer;
	struct template_tree *tree;
	VEC(struct str) variables; /* in scope */
	uint32_t depth, loops;
	struct err *e;
};

#define FAIL(p, at, ...) template_fail((p)->tree->text, (at), (p)->e, __VA_ARGS__)

/* Begin a nested level; the caller decrements `depth` at its end, also after an error. */
MUST_USE int template_enter(struct template_parser *p, uint32_t at);

/* Fail because of a token that is not expected in `context`, or that has an error itself. */
int template_unexpected(struct template_parser *p, struct template_token t, const char *context);

/* Return the next token that is no white space, without reading it. */
struct template_token template_peek(const struct template_parser *p);

/* Get the value of a string. */
MUST_USE int template_parse_string(struct template_parser *p, struct template_token t,
				   struct template_value *out);

/* Parse a pipeline and the token `end`. Its variables are in scope afterwards. */
MUST_USE int template_parse_pipe(struct template_parser *p, const char *context,
				 enum template_token_kind end, struct template_pipe **out);

#endif
