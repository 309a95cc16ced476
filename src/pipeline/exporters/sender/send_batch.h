/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VARVE_PIPELINE_EXPORTERS_SENDER_SEND_BATCH_H
#define VARVE_PIPELINE_EXPORTERS_SENDER_SEND_BATCH_H

#include "pipeline/exporters/sender/send_lane.h"

/*
 * sending_queue.batch: a consumer collects items of the queue until they have min_size or
 * flush_timeout has passed, merges those of the same tenant and headers, and cuts the result to
 * pieces of at most max_size. One consumer collects at a time; the others send.
 *
 * A piece is sent like any item. The items of which the pieces were made are its members: they are
 * finished, or returned to the queue, when the last piece is. Private to the sender.
 */
struct send_batch;

/*
 * Collect a batch. Return its pieces, a list, or items of the queue as they are where nothing has
 * to be merged; NULL when the consumer has to end.
 */
struct send_item *send_batch_take(struct send_lane *l);

/* Make the metrics of the sizes of batches: one for all signals of an exporter. */
void send_batch_metrics(struct send_lane *l);

/* A piece is done with that result; NULL: it was not sent, and the members are returned. */
void send_batch_settle(struct send_batch *b, const struct delivery_result *result);

/* Return whether the senders of the data wait for the result. */
bool send_batch_is_waited_for(const struct send_batch *b);

#endif
