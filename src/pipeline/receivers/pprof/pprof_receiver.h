/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VARVE_PIPELINE_RECEIVERS_PPROF_PPROF_RECEIVER_H
#define VARVE_PIPELINE_RECEIVERS_PPROF_PPROF_RECEIVER_H

#include "pipeline/component.h"

/* pprof: scrapes profiles that services serve over HTTP, as Go's net/http/pprof. */
extern const struct component pprof_receiver;

#endif
