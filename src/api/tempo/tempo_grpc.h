/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VARVE_API_TEMPO_GRPC_H
#define VARVE_API_TEMPO_GRPC_H

#include "api/pyroscope/querier.h"

/* The calls of tempopb.StreamingQuerier; their names are whole paths. */
extern const struct querier_rpc tempo_rpcs[];
extern const size_t tempo_rpc_count;

#endif
