/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VARVE_PIPELINE_PROCESSORS_DELIVERY_TICKET_H
#define VARVE_PIPELINE_PROCESSORS_DELIVERY_TICKET_H

#include "pipeline/delivery.h"

/*
 * A delivery that is done when all of its items, which may be in several payloads, are delivered.
 * Each payload with items of the delivery holds a reference; the last one completes the delivery,
 * with the first error if there was one. Any thread.
 */
struct delivery_ticket;

/* Return a ticket with one reference, or NULL without memory. */
struct delivery_ticket *delivery_ticket_new(struct delivery *d);

void delivery_ticket_ref(struct delivery_ticket *t);

/* Drop a reference; `result` is that of the items that the reference stood for. */
void delivery_ticket_drop(struct delivery_ticket *t, const struct delivery_result *result);

/* Free a ticket that was never shared, without completing its delivery. Takes NULL. */
void delivery_ticket_free(struct delivery_ticket *t);

#endif
