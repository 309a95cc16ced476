/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VARVE_API_METRICS_H
#define VARVE_API_METRICS_H

#include "api/request.h"

/* Write all metrics of the program, or of a tenant, in Prometheus text format. */
int metrics_answer(struct request *r, struct reply *out, struct err *e);

/* Append all metrics of the program. Return 0 or -ENOMEM. Any thread. */
MUST_USE int metrics_write(struct api *a, struct buf *out);

/* Names of the parts of a store's memory. */
extern const char *const store_memory_names[STORE_MEMORIES];

#endif
