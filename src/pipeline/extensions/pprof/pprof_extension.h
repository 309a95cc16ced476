/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VARVE_PIPELINE_EXTENSIONS_PPROF_H
#define VARVE_PIPELINE_EXTENSIONS_PPROF_H

#include "pipeline/component.h"

/* pprof: profiles of this process at /debug/pprof, for `go tool pprof`. */
extern const struct component pprof_extension;

#endif
