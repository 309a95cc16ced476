/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VARVE_CLI_VIEWS_DRIFT_VIEW_H
#define VARVE_CLI_VIEWS_DRIFT_VIEW_H

#include "base/buf.h"
#include "cli/terminal/terminal.h"
#include "wire/json_value.h"

/* Append the events of an answer of /api/v1/drift as text, the oldest first. */
void drift_view_put(struct buf *out, const struct terminal *t, const struct json_value *root);

#endif
