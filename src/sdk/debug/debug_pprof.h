/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VARVE_SDK_DEBUG_DEBUG_PPROF_H
#define VARVE_SDK_DEBUG_DEBUG_PPROF_H

#include "sdk/debug/endpoint.h"

/* The handler of /debug/pprof/ and /debug/profiling; `arg` is not used. */
endpoint_handler debug_pprof_answer;

#endif
