/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VARVE_FORMAT_OTLP_JSON_H
#define VARVE_FORMAT_OTLP_JSON_H

#include "base/arena.h"
#include "base/buf.h"
#include "base/err.h"

/*
 * Convert the next message of `json`, from *at on, to protobuf in `out`, which is cleared first,
 * and advance *at. Reset and use `scratch`. Return 1, 0 at the end of the input, or -errno.
 */
MUST_USE int otlp_json_next(struct str json, size_t *at, struct buf *out, struct arena *scratch,
			    struct err *e);

#endif
