/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VARVE_PIPELINE_CONVERT_ENCODE_STAGE_H
#define VARVE_PIPELINE_CONVERT_ENCODE_STAGE_H

#include "pipeline/component.h"

/*
 * Encodes decoded profiles as OTLP for consumers that take payloads. The service inserts it where
 * FORM_DECODED meets FORM_PAYLOAD; configurations cannot name it. A Varve that receives the payload
 * computes the same series of it. The service is written as service.name, which Pyroscope and other
 * backends read. Profiles without a series (see series_map.refused) are left out: the intake has
 * reported them as rejected.
 *
 * The tenant and the headers of a delivery have to stay valid until it is done, even though
 * consume() returns true.
 */
extern const struct component encode_stage;

#endif
