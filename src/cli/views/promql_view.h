/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VARVE_CLI_VIEWS_PROMQL_VIEW_H
#define VARVE_CLI_VIEWS_PROMQL_VIEW_H

#include "cli/command.h"
#include "wire/json.h"

/* Results of PromQL in the terminal, made of the JSON of a server. */

/* Append the result of a query: a row per series, with its value or a chart of its values. */
void promql_view_put(struct buf *out, const struct json_value *answer,
		     const struct terminal *terminal);

/* Print warnings and infos of the answer to stderr. */
void promql_view_note(struct cli *cli, const struct json_value *answer);

/*
 * Append a line chart of block characters, one per value, from the least of 0 and the values to the
 * greatest. NaN is a gap.
 */
void sparkline_put(struct buf *out, const struct terminal *terminal, const double *values,
		   uint32_t n);

#endif
