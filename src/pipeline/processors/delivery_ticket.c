/* SPDX-License-Identifier: Apache-2.0 */
/* The first error is written by the thread that sets `failed`, before it drops its reference. */
#include "pipeline/processors/delivery_ticket.h"

#include <stdatomic.h>
#include <stdlib.h>

struct delivery_ticket {
	struct delivery *delivery;
	_Atomic uint32_t refs;
	_Atomic bool failed;
	struct delivery_result result;
};

struct delivery_ticket *delivery_ticket_new(struct delivery *d)
{
	struct delivery_ticket *t = calloc(1, sizeof(*t));

	if (!t)
		return NULL;
	t->delivery = d;
	atomic_init(&t->refs, 1);
	return t;
}

void delivery_ticket_ref(struct delivery_ticket *t)
{
	atomic_fetch_add_explicit(&t->refs, 1, memory_order_relaxed);
}

void delivery_ticket_drop(struct delivery_ticket *t, const struct delivery_result *result)
{
	if (result->rc && !atomic_exchange(&t->failed, true))
		t->result = *result;
	if (atomic_fetch_sub_explicit(&t->refs, 1, memory_order_acq_rel) != 1)
		return;
	delivery_done(t->delivery, &t->result);
	free(t);
}

void delivery_ticket_free(struct delivery_ticket *t)
{
	free(t);
}
