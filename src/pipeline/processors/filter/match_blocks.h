/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VARVE_PIPELINE_FILTER_MATCH_BLOCKS_H
#define VARVE_PIPELINE_FILTER_MATCH_BLOCKS_H

#include "base/buf.h"
#include "config/config.h"
#include "signal/signal_kind.h"

/*
 * The blocks include and exclude of older configurations, as conditions:
 *
 *	exclude: {match_type: strict, metric_names: [a, b]}
 *	(metric.name == "a" or metric.name == "b")
 *
 * A block matches if all of its fields do; a list of texts if one of them does; a list of
 * attributes if all of them do.
 */

/*
 * Append the condition under which the block matches; with `negate` under which it does not. Return
 * 0 or the result of config_fail(). Memory errors are kept in `out`.
 */
MUST_USE int match_block_condition(struct buf *out, enum signal_kind signal,
				   const struct config_node *block, bool negate, struct err *e);

#endif
