/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VARVE_PIPELINE_FORWARD_H
#define VARVE_PIPELINE_FORWARD_H

#include "pipeline/delivery.h"

/*
 * Forward a delivery with another payload, for processors that change data. Take over a reference
 * to `p`, which must not borrow; it is released when the new delivery is done. The result of the
 * new delivery becomes the result of `d`. A payload without items is not forwarded: `d` is done
 * with success. `p` NULL counts as lack of memory: `d` fails with -ENOMEM.
 *
 * Return what the processor's consume() has to return. `d` may be done and freed by then.
 *
 *	return delivery_forward(next, d, otlp_tree_write(&tree, budget));
 */
bool delivery_forward(struct consumer *next, struct delivery *d, struct payload *p);

/* Finish a delivery with success: all of its data was processed or dropped. Return false. */
bool delivery_finish(struct delivery *d);

#endif
