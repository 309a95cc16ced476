/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VARVE_PIPELINE_PROCESSORS_SANITIZE_PROCESSOR_H
#define VARVE_PIPELINE_PROCESSORS_SANITIZE_PROCESSOR_H

#include "pipeline/component.h"

/*
 * Replaces secrets and personal data in all signals, as payloads and decoded, before anything that
 * follows sees them. docs/collector/sanitize.md
 */
extern const struct component sanitize_processor;

#endif
