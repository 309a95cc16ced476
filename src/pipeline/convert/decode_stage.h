/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VARVE_PIPELINE_CONVERT_DECODE_STAGE_H
#define VARVE_PIPELINE_CONVERT_DECODE_STAGE_H

#include "pipeline/component.h"

/*
 * Decodes payloads of profiles, traces and logs for consumers that take decoded data, such as the store.
 * The service inserts it where FORM_PAYLOAD meets FORM_DECODED; configurations cannot name it. It
 * cannot be created for metrics, which have no decoded form.
 */
extern const struct component decode_stage;

#endif
