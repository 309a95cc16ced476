/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VARVE_PIPELINE_OTTL_EXPRESSION_H
#define VARVE_PIPELINE_OTTL_EXPRESSION_H

#include "pipeline/ottl/ottl_eval.h"

/* The evaluation of values and conditions: literals, lists, maps, math and comparisons. */

/* Evaluate a value. Return 0, -ENOMEM, or another error with text in ev->e. */
MUST_USE int ottl_eval_node(struct ottl_eval *ev, const struct ottl_node *n,
			    struct ottl_value *out);

/* Evaluate a condition. Return 1, 0, or an error as above. */
MUST_USE int ottl_eval_condition(struct ottl_eval *ev, const struct ottl_node *n);

#endif
