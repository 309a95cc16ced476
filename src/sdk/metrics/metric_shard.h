/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VARVE_SDK_METRICS_METRIC_SHARD_H
#define VARVE_SDK_METRICS_METRIC_SHARD_H

#include "base/base.h"

/* The number of this thread, by which it selects a shard; 0: none yet. */
extern __thread uint32_t metric_thread __attribute__((tls_model("initial-exec")));

/* Give this thread a number. Hook-safe. */
uint32_t metric_number_thread(void);

static inline uint32_t metric_shard(void)
{
	uint32_t n = metric_thread;

	return likely(n) ? n : metric_number_thread();
}

#endif
