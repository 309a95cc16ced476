/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VARVE_CLI_SANITIZE_REQUEST_H
#define VARVE_CLI_SANITIZE_REQUEST_H

#include "base/buf.h"
#include "signal/sanitize/sanitize.h"

/*
 * Sanitize the content of a file of OTLP requests of traces, metrics or logs: one message in
 * protobuf, or messages in JSON, one a line or a single one on several lines, as the file exporter
 * writes them; compressed or not. Append the result, uncompressed. Return 1, 0 if the content is
 * something else, or -errno with text in `e`.
 */
MUST_USE int sanitize_request(struct buf *out, struct sanitize_run *r, struct str content,
			      struct err *e);

#endif
