/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VARVE_CLI_VIEWS_TRACE_LIST_H
#define VARVE_CLI_VIEWS_TRACE_LIST_H

#include "cli/command.h"
#include "wire/json.h"

/* Tables of traces and of spans in the terminal, made of the JSON of a server. */

/* Append the traces of a search (/api/search), each with the spans that were found in it. */
void trace_list_put(struct buf *out, const struct json_value *answer,
		    const struct terminal *terminal, bool exact);

/* Append the spans of samples (/api/v1/spans), the most expensive first. */
void span_list_put(struct buf *out, const struct json_value *answer,
		   const struct terminal *terminal, bool exact);

#endif
