/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VARVE_PIPELINE_SERVICE_RETRY_STAGE_H
#define VARVE_PIPELINE_SERVICE_RETRY_STAGE_H

#include "pipeline/component.h"

/*
 * A stage before each exporter of a pipeline with a processor that acknowledges data before it
 * passes it on (`holds`: batch), where no journal keeps the data. Nobody would send again what an
 * exporter refuses, for example because its queue in memory is full. The stage keeps such
 * deliveries and repeats them, and meanwhile receivers refuse new data before they read it. So it
 * keeps what the processor held when the exporter began to refuse.
 *
 * Errors that cannot be retried are passed on. stop() repeats for a grace period,
 * RETRY_STAGE_GRACE. Configurations cannot name the stage.
 */
#define RETRY_STAGE_GRACE (5 * NS_PER_SECOND)

extern const struct component retry_stage;

#endif
