/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VARVE_QUERY_PROMQL_SYNTAX_PROMQL_AST_H
#define VARVE_QUERY_PROMQL_SYNTAX_PROMQL_AST_H

#include "base/container/vec.h"
#include "base/regex.h"

/*
 * The tree of a PromQL expression. Nodes live in the arena of the parser; texts without escapes
 * are slices of the query. Positions are offsets of bytes in the query.
 */

enum promql_type {
	PROMQL_NONE,
	PROMQL_SCALAR,
	PROMQL_VECTOR,
	PROMQL_MATRIX,
	PROMQL_STRING,
};

enum promql_kind {
	PROMQL_NUMBER,
	PROMQL_TEXT,
	PROMQL_SELECTOR, /* instant vector selector */
	PROMQL_RANGE,	 /* range vector selector: of a PROMQL_SELECTOR */
	PROMQL_SUBQUERY,
	PROMQL_CALL,
	PROMQL_AGGREGATE,
	PROMQL_BINARY,
	PROMQL_UNARY,
	PROMQL_PAREN,
	PROMQL_DURATION,  /* an expression of durations */
	PROMQL_INVARIANT, /* the same for all steps: evaluated once */
};

enum promql_op {
	PROMQL_OP_NONE,
	PROMQL_OP_ADD,
	PROMQL_OP_SUB,
	PROMQL_OP_MUL,
	PROMQL_OP_DIV,
	PROMQL_OP_MOD,
	PROMQL_OP_POW,
	PROMQL_OP_ATAN2,
	PROMQL_OP_EQ,
	PROMQL_OP_NE,
	PROMQL_OP_LT,
	PROMQL_OP_LE,
	PROMQL_OP_GT,
	PROMQL_OP_GE,
	PROMQL_OP_TRIM_UPPER,
	PROMQL_OP_TRIM_LOWER,
	PROMQL_OP_AND,
	PROMQL_OP_OR,
	PROMQL_OP_UNLESS,
	/* of PROMQL_DURATION only */
	PROMQL_OP_STEP,
	PROMQL_OP_RANGE,
	PROMQL_OP_MIN_OF,
	PROMQL_OP_MAX_OF,
};

enum promql_aggregator {
	PROMQL_AGG_SUM,
	PROMQL_AGG_AVG,
	PROMQL_AGG_COUNT,
	PROMQL_AGG_MIN,
	PROMQL_AGG_MAX,
	PROMQL_AGG_GROUP,
	PROMQL_AGG_STDDEV,
	PROMQL_AGG_STDVAR,
	PROMQL_AGG_TOPK,
	PROMQL_AGG_BOTTOMK,
	PROMQL_AGG_COUNT_VALUES,
	PROMQL_AGG_QUANTILE,
	PROMQL_AGG_LIMITK,
	PROMQL_AGG_LIMIT_RATIO,
};

enum promql_match { PROMQL_MATCH_EQ, PROMQL_MATCH_NE, PROMQL_MATCH_RE, PROMQL_MATCH_NRE };

/* A label matcher. A label that a series does not have is equal to the empty string. */
struct promql_matcher {
	enum promql_match type;
	struct str name, value;
	struct regex *regex; /* of RE and NRE: matches whole values; one thread at a time */
};

typedef VEC(struct promql_matcher) promql_matchers;
typedef VEC(struct str) promql_names;
typedef VEC(struct promql_node *) promql_nodes;

enum promql_at { PROMQL_AT_NONE, PROMQL_AT_TIME, PROMQL_AT_START, PROMQL_AT_END };

/* @ and offset of a selector or subquery. */
struct promql_shift {
	enum promql_at at_kind;
	int64_t at_ms;
	int64_t offset_ns;
	struct promql_node *offset_expr;
};

enum promql_card {
	PROMQL_ONE_TO_ONE,
	PROMQL_MANY_TO_ONE,
	PROMQL_ONE_TO_MANY,
	PROMQL_MANY_TO_MANY,
};

struct promql_matching {
	enum promql_card card;
	bool on;
	promql_names labels;  /* of on or ignoring */
	promql_names include; /* of group_left or group_right */
	bool fill_left, fill_right;
	double fill_left_value, fill_right_value;
};

struct promql_function;

struct promql_node {
	enum promql_kind kind;
	uint32_t start, end; /* offsets in the query */
	uint16_t depth;
	union {
		struct {
			double value;
			bool is_duration; /* written as a duration */
		} number;
		struct str text;
		struct {
			struct str name; /* before the braces; empty if there is none */
			promql_matchers matchers;
			struct promql_shift shift;
			bool anchored, smoothed;
			bool allows_empty; /* the argument of info() */
			bool stats_only;   /* only count and sum of histograms are used */
			/* Only sums by the labels of this aggregation are used; or NULL. */
			const struct promql_node *sum;
		} selector;
		struct {
			struct promql_node *selector;
			int64_t range_ns;
			struct promql_node *range_expr;
		} range;
		struct {
			struct promql_node *expr;
			int64_t range_ns, step_ns;
			struct promql_node *range_expr, *step_expr;
			struct promql_shift shift;
		} subquery;
		struct {
			const struct promql_function *function;
			promql_nodes args;
		} call;
		struct {
			enum promql_aggregator op;
			bool without;
			promql_names labels;
			struct promql_node *param, *expr;
		} aggregate;
		struct {
			enum promql_op op;
			bool returns_bool;
			bool is_matched; /* between two vectors */
			uint32_t op_start;
			struct promql_matching matching;
			struct promql_node *left, *right;
		} binary;
		struct {
			enum promql_op op; /* ADD or SUB */
			struct promql_node *expr;
		} unary;
		struct promql_node *inner; /* of PAREN and INVARIANT */
		struct {
			enum promql_op op;
			bool in_parens;
			struct promql_node *left, *right; /* left is NULL for a sign */
		} duration;
	};
};

/* Return the type of a node's value. */
enum promql_type promql_type_of(const struct promql_node *node);

/* Return the type as errors and documents call it. */
const char *promql_type_name(enum promql_type type);

/* Return the text of an operator or aggregator. */
struct str promql_op_text(enum promql_op op);
struct str promql_aggregator_text(enum promql_aggregator op);

static inline bool promql_op_compares(enum promql_op op)
{
	return op >= PROMQL_OP_EQ && op <= PROMQL_OP_GE;
}

static inline bool promql_op_is_set(enum promql_op op)
{
	return op >= PROMQL_OP_AND && op <= PROMQL_OP_UNLESS;
}

/* Return whether the aggregator takes a parameter. */
static inline bool promql_aggregator_takes(enum promql_aggregator op)
{
	return op >= PROMQL_AGG_TOPK;
}

/* Return whether the matcher accepts the value: 1, 0, or -errno of the regular expression. */
MUST_USE int promql_matches(const struct promql_matcher *m, struct str value, struct err *e);

/* Visit the selectors of a node. Return 0 or the first result of visit() that is not 0. */
typedef int promql_visit_selector(void *ctx, const struct promql_node *selector);
int promql_each_selector(const struct promql_node *n, promql_visit_selector *visit, void *ctx);

/* Return the node without parentheses around it. */
struct promql_node *promql_unwrap(struct promql_node *node);

#endif
