/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VARVE_PIPELINE_EXPORTERS_SENDER_SEND_DISK_H
#define VARVE_PIPELINE_EXPORTERS_SENDER_SEND_DISK_H

#include "pipeline/exporters/sender/send_lane.h"

/*
 * The queue of a lane on disk (sending_queue.storage). A delivery is acknowledged when it is
 * durable. Consumers take records, send them, and remove them. What is left when the sender stops
 * remains on disk. Private to the sender.
 */

/* Open the queue of the lane, and send what an earlier process has left in it. */
MUST_USE int send_disk_open(struct send_lane *l, struct err *e);

/* Close the queue, if it is open. The consumers have ended. */
void send_disk_close(struct send_lane *l);

/* Take over a delivery. */
void send_disk_put(struct send_lane *l, struct delivery *d);

/* Wait for a record; see lane_take(). */
struct send_item *send_disk_take(struct send_lane *l, uint64_t until_ns);

/* Return the number of queued items, including those that are being sent; 0 in memory. */
uint64_t send_disk_items(const struct send_lane *l);

#endif
