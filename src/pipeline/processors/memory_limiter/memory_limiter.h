/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VARVE_PIPELINE_MEMORY_LIMITER_H
#define VARVE_PIPELINE_MEMORY_LIMITER_H

#include "pipeline/component.h"

/*
 * Refuses data while the process holds too much memory: before it is read where the receiver asks
 * (admit), else when it comes (consume). What is refused may be sent again.
 */
extern const struct component memory_limiter_processor;

/* The memory of this machine, or of the control group if that is less. */
uint64_t memory_limiter_machine(void);

/* What the process holds now. */
uint64_t memory_limiter_resident(void);

/* `varve up` without a word: a quarter of the machine, 1 GiB at most. */
uint64_t memory_limiter_default(void);

#endif
