/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VARVE_PIPELINE_EXPORTERS_SENDER_SEND_ATTEMPT_H
#define VARVE_PIPELINE_EXPORTERS_SENDER_SEND_ATTEMPT_H

#include "pipeline/exporters/sender/send_lane.h"

/*
 * Send an item until it is delivered, refused for good or given up, and finish it; or return it to
 * the lane when the sender hands its queue over. Called by consumer threads.
 */
void send_until_done(struct send_consumer *c, struct send_item *item);

/* Drop items that could not be sent before the end; report them once. */
void send_drop_all(struct send_lane *l, struct send_list *items);

/*
 * Return the pause before the next attempt, and set *interval_ns to the interval after it:
 * exponential, with jitter, but not shorter than the destination has asked for. `random` is
 * uniform in [0, 1).
 */
uint64_t send_retry_pause(const struct sender_retry_settings *r, double *interval_ns,
			  uint32_t retry_after_ms, double random);

#endif
