/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VARVE_PIPELINE_OTTL_FUNCTIONS_PARSERS_H
#define VARVE_PIPELINE_OTTL_FUNCTIONS_PARSERS_H

#include "pipeline/ottl/ottl_call.h"

/* Converters that parse text into maps and lists: ParseJSON, ParseKeyValue, ParseCSV, URL ... */
extern const struct ottl_function ottl_parser_functions[];

#endif
