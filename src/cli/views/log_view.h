/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VARVE_CLI_VIEWS_LOG_VIEW_H
#define VARVE_CLI_VIEWS_LOG_VIEW_H

#include "cli/command.h"
#include "wire/json_value.h"

/*
 * Append the records of an answer of /api/v1/logs as lines, the oldest first: time, level, service,
 * text, attributes. On a terminal with colour the level is coloured.
 */
void log_view_put(struct buf *out, const struct terminal *t, const struct json_value *answer);

#endif
