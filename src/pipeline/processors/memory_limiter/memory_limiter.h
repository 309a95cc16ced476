/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VARVE_PIPELINE_MEMORY_LIMITER_H
#define VARVE_PIPELINE_MEMORY_LIMITER_H

#include "pipeline/component.h"

/*
 * Refuses data while the process uses too much memory: before a body is read (admit), and again
 * when it is delivered (consume). Senders may retry refused data.
 */
extern const struct component memory_limiter_processor;

/* Return the memory of this machine, or of the control group if that is less. */
uint64_t memory_limiter_machine(void);

/* Return the resident memory of the process. */
uint64_t memory_limiter_resident(void);

/* Return the default limit: a quarter of memory_limiter_machine(), at most 1 GiB. */
uint64_t memory_limiter_default(void);

#endif
