/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VARVE_QUERY_TRACEQL_VALUE_H
#define VARVE_QUERY_TRACEQL_VALUE_H

#include "base/buf.h"
#include "query/traceql/traceql_ast.h"

/* Values of fields and expressions. All functions are pure. */

/* Return a field's value as a value of an expression. */
struct traceql_value traceql_value_of(const struct trace_value *v);

/*
 * Return the result of a comparison without regular expression. A comparison with nil, or of types
 * that do not meet, is false, also with !=. An array meets a single value: != is true if no element
 * is equal, the others if some element satisfies it.
 */
bool traceql_compare(enum traceql_op op, const struct traceql_value *a,
		     const struct traceql_value *b);

/*
 * Compute a op b. Ints stay ints (wrapping); with a float or a duration the result is a float. Nil
 * if an operand is no number. Return false for a division of ints by zero.
 */
bool traceql_arithmetic(enum traceql_op op, const struct traceql_value *a,
			const struct traceql_value *b, struct traceql_value *out);

/* Compute an expression without fields. Return false for a division by zero. */
bool traceql_constant(const struct traceql_expr *x, struct traceql_value *out);

/* Return whether the value is a number, and its value; durations in nanoseconds. */
bool traceql_number(const struct traceql_value *v, double *out);

/* Return whether both are the same: equal types and values; nil is equal to nil. */
bool traceql_same(const struct traceql_value *a, const struct traceql_value *b);

/* Return a hash that is equal for values that are the same. */
uint64_t traceql_hash(const struct traceql_value *v);

/* Append the value as text: durations in Go's form, status and kind as their keywords. */
void traceql_value_text(struct buf *out, const struct traceql_value *v);

/* Append nanoseconds in Go's form: "1.5ms", "2m0s". */
void traceql_duration_text(struct buf *out, int64_t ns);

#endif
