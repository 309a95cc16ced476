/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VARVE_CLI_DEMO_LARGE_NAMES_H
#define VARVE_CLI_DEMO_LARGE_NAMES_H

#include "base/buf.h"

/*
 * Names of the large demo. They differ at their ends, as those of packages, pods and versions do.
 * Each is a function of its numbers.
 */

/* A deterministic pseudo-random number of (a, b, c). */
uint64_t large_mix(uint64_t a, uint64_t b, uint64_t c);

/* "com.bigcompany.checkout.platform.order-pipeline-17" */
void large_service(struct buf *out, unsigned service);

/* "com.bigcompany.checkout.platform.internal.OrderPipeline.validate12" */
void large_function(struct buf *out, unsigned service, unsigned number);

/* The selector's braces with 37 labels of a pod: "{k8s.pod.name=...,service.version=v41,...}". */
void large_labels(struct buf *out, unsigned service, unsigned pod, unsigned version);

#endif
