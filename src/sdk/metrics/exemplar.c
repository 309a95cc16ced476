/* SPDX-License-Identifier: Apache-2.0 */
/* Exemplars: slots that are filled once per export interval. */
#include "sdk/metrics/exemplar.h"

#include "base/clock.h"
#include "sdk/trace/span_thread.h"

_Atomic unsigned exemplar_filter;

static uint64_t all_slots(const struct exemplars *x)
{
	return x->count >= 64 ? ~UINT64_C(0) : (UINT64_C(1) << x->count) - 1;
}

void exemplars_init(struct exemplars *x, struct exemplar *slots, uint32_t count)
{
	x->slots = slots;
	x->count = count;
	exemplars_reset(x);
}

void exemplars_reset(struct exemplars *x)
{
	atomic_store(&x->ready, 0);
	atomic_store(&x->wanted, all_slots(x));
}

void exemplar_offer(struct exemplars *x, uint32_t index, uint64_t value)
{
	unsigned filter = atomic_load_explicit(&exemplar_filter, memory_order_relaxed);
	uint64_t bit = UINT64_C(1) << index;
	struct exemplar *slot;
	uint8_t trace_id[16] = {0}, span_id[8] = {0};

	if (filter == VARVE_EXEMPLARS_ALWAYS_OFF)
		return;
	if (!span_current_sampled_ids(trace_id, span_id) && filter != VARVE_EXEMPLARS_ALWAYS_ON)
		return;
	if (!(atomic_fetch_and_explicit(&x->wanted, ~bit, memory_order_acquire) & bit))
		return; /* another thread was faster */
	slot = &x->slots[index];
	slot->time_unix_ns = clock_realtime_ns();
	slot->value = value;
	memcpy(slot->trace_id, trace_id, sizeof(trace_id));
	memcpy(slot->span_id, span_id, sizeof(span_id));
	atomic_fetch_or_explicit(&x->ready, bit, memory_order_release);
}

uint32_t exemplars_take(struct exemplars *x, struct exemplar out[EXEMPLARS_MAX])
{
	uint64_t ready = atomic_exchange_explicit(&x->ready, 0, memory_order_acquire);
	uint32_t n = 0;

	for (uint64_t rest = ready; rest; rest &= rest - 1)
		out[n++] = x->slots[__builtin_ctzll(rest)];
	atomic_fetch_or_explicit(&x->wanted, ready, memory_order_release);
	return n;
}
