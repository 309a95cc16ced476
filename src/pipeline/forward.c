/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Deliveries with another payload. The new delivery borrows everything but the payload (tenant,
 * headers) from the original one, so the data of the original one is in use as long as that of the
 * new one.
 */
#include "pipeline/forward.h"

#include <errno.h>
#include <stdlib.h>

struct forwarded {
	struct delivery delivery;
	struct payload *payload;
};

static void forward_done(struct delivery *d, const struct delivery_result *result)
{
	struct forwarded *f = d->owner;
	struct delivery *below = d->below;

	below->copied = d->copied;
	payload_release(f->payload);
	delivery_done(below, result);
	free(f);
}

bool delivery_finish(struct delivery *d)
{
	delivery_done(d, &(struct delivery_result){0});
	return false;
}

bool delivery_forward(struct consumer *next, struct delivery *d, struct payload *p)
{
	struct forwarded *f;

	if (p && !p->items) {
		payload_release(p);
		return delivery_finish(d);
	}
	f = p ? malloc(sizeof(*f)) : NULL;
	if (!f) {
		payload_release(p);
		delivery_fail(d, -ENOMEM, 1000, "out of memory");
		return false;
	}
	*f = (struct forwarded){.delivery = *d, .payload = p};
	f->delivery.payload = p;
	f->delivery.copied = false;
	f->delivery.done = forward_done;
	f->delivery.owner = f;
	f->delivery.below = d;
	return consumer_consume(next, &f->delivery);
}
