/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VARVE_QUERY_TRACEQL_AST_H
#define VARVE_QUERY_TRACEQL_AST_H

#include "base/regex.h"
#include "query/traceql/syntax/traceql_lexer.h"
#include "signal/trace/trace_view.h"

/*
 * A parsed query. All nodes are in the arena of the query and immutable after traceql_compile(),
 * except for the state of regular expressions, which makes a query usable by one thread at a time.
 */

/* ---- values ---- */

enum traceql_type {
	TRACEQL_TYPE_NIL,
	TRACEQL_TYPE_STRING,
	TRACEQL_TYPE_INT,
	TRACEQL_TYPE_DOUBLE,
	TRACEQL_TYPE_BOOL,
	TRACEQL_TYPE_DURATION, /* number: nanoseconds */
	TRACEQL_TYPE_STATUS,   /* number: enum span_status */
	TRACEQL_TYPE_KIND,     /* number: enum span_kind */
	TRACEQL_TYPE_ARRAY,
	TRACEQL_TYPE_JSON,
	TRACEQL_TYPE_ANY, /* of an expression: an attribute, whose type is not known before */
};

struct traceql_value {
	enum traceql_type type;
	uint32_t n; /* of an array */
	union {
		struct str text;
		int64_t number;
		double real;
		bool truth;
		const struct trace_value *elements;
	};
};

/* ---- expressions over the fields of a span ---- */

enum traceql_op {
	TRACEQL_AND,
	TRACEQL_OR,
	TRACEQL_EQ,
	TRACEQL_NE,
	TRACEQL_MATCH,
	TRACEQL_NOT_MATCH,
	TRACEQL_GT,
	TRACEQL_GE,
	TRACEQL_LT,
	TRACEQL_LE,
	TRACEQL_ADD,
	TRACEQL_SUB,
	TRACEQL_MUL,
	TRACEQL_DIV,
	TRACEQL_MOD,
	TRACEQL_POW,
	/* of spansets: descendants, children, ancestors, parents, siblings of the left side */
	TRACEQL_DESCENDANT,
	TRACEQL_CHILD,
	TRACEQL_ANCESTOR,
	TRACEQL_PARENT_OF,
	TRACEQL_SIBLING,
	TRACEQL_OPS,
};

/* Fields that every view has; trace_view.h lists the others. */
enum traceql_builtin {
	TRACEQL_DURATION_OF_SPAN,
	TRACEQL_STATUS,
	TRACEQL_KIND,
	TRACEQL_SPAN_ID,
	TRACEQL_PARENT_ID,
	TRACEQL_CHILD_COUNT,
	TRACEQL_TRACE_ID,
	TRACEQL_TRACE_DURATION,
	TRACEQL_ROOT_NAME,
	TRACEQL_ROOT_SERVICE,
	TRACEQL_NESTED_LEFT,
	TRACEQL_NESTED_RIGHT,
	TRACEQL_NESTED_PARENT,
};

enum traceql_expr_kind {
	TRACEQL_EXPR_LITERAL,
	TRACEQL_EXPR_FIELD,    /* a field of the view */
	TRACEQL_EXPR_UNSCOPED, /* .x: the first of five fields of the view that is present */
	TRACEQL_EXPR_BUILTIN,
	TRACEQL_EXPR_NOT,
	TRACEQL_EXPR_MINUS,
	TRACEQL_EXPR_BINARY,
};

enum { TRACEQL_UNSCOPED_FIELDS = 5 };

struct traceql_expr {
	enum traceql_expr_kind kind;
	enum traceql_op op;
	enum traceql_builtin builtin;
	enum traceql_type type; /* of the result */
	uint32_t at;		/* offset in the source */
	/* FIELD: its index; UNSCOPED: the index of span.x; resource, event, link, .. follow. */
	uint32_t field;
	/* Whether it depends on events or links, which a span may have several of. */
	bool on_event, on_link;
	struct traceql_expr *left, *right; /* NOT and MINUS: left */
	struct traceql_value literal;
	struct regex *regex; /* of =~ and !~ */
	struct str name;     /* FIELD, UNSCOPED, BUILTIN: as answers show it, with its scope */
	struct str key;	     /* the same without the scope */
};

/* ---- spansets and pipelines ---- */

enum traceql_spanset_kind {
	TRACEQL_SPANSET_FILTER, /* { expr }; expr NULL: all spans */
	TRACEQL_SPANSET_OP,
	TRACEQL_SPANSET_PIPELINE, /* ( pipeline ) */
};

struct traceql_spanset {
	enum traceql_spanset_kind kind;
	struct traceql_expr *filter;
	enum traceql_op op;
	bool negated, both; /* !>, &> */
	uint32_t at;
	struct traceql_spanset *left, *right;
	struct traceql_pipeline *pipeline;
};

enum traceql_aggregate { TRACEQL_COUNT, TRACEQL_AVG, TRACEQL_MIN, TRACEQL_MAX, TRACEQL_SUM };

enum traceql_stage_kind {
	TRACEQL_STAGE_SPANSETS,
	TRACEQL_STAGE_BY,
	TRACEQL_STAGE_COALESCE,
	TRACEQL_STAGE_SELECT,
	TRACEQL_STAGE_AGGREGATE, /* aggregate(of) op literal */
};

struct traceql_stage {
	enum traceql_stage_kind kind;
	struct traceql_spanset *spansets;
	struct traceql_expr *of; /* by(), avg(): the expression; NULL: count() */
	enum traceql_aggregate aggregate;
	enum traceql_op op;
	struct traceql_value literal;
	struct str name; /* of the attribute of the spansets: "by(name)", "avg(duration)" */
};

struct traceql_pipeline {
	VEC(struct traceql_stage) stages;
};

/* ---- metrics ---- */

enum traceql_metric_kind {
	TRACEQL_RATE,
	TRACEQL_COUNT_OVER_TIME,
	TRACEQL_MIN_OVER_TIME,
	TRACEQL_MAX_OVER_TIME,
	TRACEQL_SUM_OVER_TIME,
	TRACEQL_AVG_OVER_TIME,
	TRACEQL_HISTOGRAM_OVER_TIME,
	TRACEQL_QUANTILE_OVER_TIME,
	TRACEQL_COMPARE,
};

enum { TRACEQL_BY_MAX = 5, TRACEQL_QUANTILES_MAX = 32, TRACEQL_SECONDS_MAX = 16 };

enum traceql_second_kind { TRACEQL_TOPK, TRACEQL_BOTTOMK, TRACEQL_THRESHOLD };

struct traceql_second {
	enum traceql_second_kind kind;
	enum traceql_op op;
	double number; /* n, or the constant of the comparison */
};

/* Results of metrics: a pipeline with a function, a constant, or two of them and an operator. */
struct traceql_metrics {
	struct traceql_metrics *left, *right; /* math; then only `op` and `seconds` count */
	enum traceql_op op;
	bool is_constant;
	double constant;
	struct traceql_pipeline *pipeline;
	enum traceql_metric_kind kind;
	struct str function;	 /* "rate" */
	struct traceql_expr *of; /* NULL: none */
	uint32_t by_count, quantile_count, second_count;
	struct traceql_expr *by[TRACEQL_BY_MAX];
	double quantiles[TRACEQL_QUANTILES_MAX];
	struct traceql_second seconds[TRACEQL_SECONDS_MAX];
	/* compare() */
	struct traceql_expr *selection;
	uint32_t top;
	uint64_t from, to; /* nanoseconds; 0: the whole range */
};

/* ---- hints ---- */

struct traceql_hints {
	bool most_recent;
	bool exemplars_off;
	uint32_t exemplars; /* 0: the default */
};

struct traceql {
	struct arena *arena;
	struct str source;
	struct traceql_pipeline *pipeline; /* of a search; else NULL */
	struct traceql_metrics *metrics;
	struct traceql_hints hints;
	VEC(struct trace_field) fields; /* what views need to have */
	VEC(struct regex *) regexes;	/* freed with the query */
	/* Expressions whose values a search answers for each span: those of select() first. */
	VEC(struct traceql_expr *) shown;
	uint32_t selected; /* number of those of select() */
	/* Fields of the names and services of roots; UINT32_MAX: not needed. */
	uint32_t root_name, root_service;
};

#endif
