/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VARVE_CLI_DEMO_LARGE_SIGNALS_H
#define VARVE_CLI_DEMO_LARGE_SIGNALS_H

#include "cli/demo/large_shop.h"

/*
 * Append one request in OTLP's JSON. `part` counts the requests of a signal from 0; return false
 * after the last one, without appending anything.
 */
bool large_traces(struct buf *out, const struct large_shop *s, unsigned part);
bool large_logs(struct buf *out, const struct large_shop *s, unsigned part);
bool large_metrics(struct buf *out, const struct large_shop *s, unsigned part);

#endif
