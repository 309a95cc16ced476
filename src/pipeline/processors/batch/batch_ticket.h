/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VARVE_PIPELINE_PROCESSORS_BATCH_BATCH_TICKET_H
#define VARVE_PIPELINE_PROCESSORS_BATCH_BATCH_TICKET_H

#include "pipeline/delivery.h"

/*
 * A delivery that is done when all of its items, which may be in several batches, are delivered.
 * Each batch with items of the delivery holds a reference; the last one completes the delivery,
 * with the first error if there was one. Any thread.
 */
struct batch_ticket;

/* Return a ticket with one reference, or NULL without memory. */
struct batch_ticket *batch_ticket_new(struct delivery *d);

void batch_ticket_ref(struct batch_ticket *t);

/* Drop a reference; `result` is that of the items that the reference stood for. */
void batch_ticket_drop(struct batch_ticket *t, const struct delivery_result *result);

/* Free a ticket that was never shared, without completing its delivery. Takes NULL. */
void batch_ticket_free(struct batch_ticket *t);

#endif
