/* SPDX-License-Identifier: Apache-2.0 */
#include "sdk/guest_fixture.h"

#include <pthread.h>
#include <time.h>

#include "sdk/collect/modules.h"
#include "sdk/hook/heap.h"
#include "sdk/hook/lock.h"
#include "sdk/hook/stack_ids.h"
#include "sdk/trace/span_thread.h"
#include "test/test.h"

static struct {
	struct modules *modules;
	pthread_t drainer;
	_Atomic bool end;
	struct guest_fixture_sums *sums;
} state;

void (*guest_fixture_each)(const struct record *r);

void guest_fixture_set(unsigned kinds)
{
	atomic_store(&guest.on, kinds);
	if (lock_config_changed)
		lock_config_changed();
}

void guest_fixture_start(unsigned kinds, uint64_t heap_interval, uint64_t block_interval_ns)
{
	struct guest_options options = {.ring_records = 1 << 16, .stack_bytes = 64 * MIB};
	struct err e = {0};

	assert_ok_err(modules_new(&state.modules, NULL, &e), &e);
	(void)modules_update(state.modules);
	options.modules = state.modules;
	assert_ok(guest_start(&options));
	assert_ok(heap_start(heap_interval, 64 * MIB));
	atomic_store(&guest.max_depth, 64);
	atomic_store(&guest.block_interval_ns, block_interval_ns);
	guest_fixture_set(kinds);
	guest_thread_begin();
}

void guest_fixture_stop(void)
{
	guest_stop();
	heap_stop();
	modules_free(state.modules);
	state.modules = NULL;
}

static void add_overflow(void *arg, const struct record *r)
{
	struct guest_fixture_sums *sums = arg;

	if (guest_fixture_each)
		guest_fixture_each(r);
	sums->value[r->kind] += r->value;
	sums->weight[r->kind] += r->weight;
}

void guest_fixture_drain(struct guest_fixture_sums *sums)
{
	struct record r;

	while (guest_take_record(&r)) {
		if (guest_fixture_each)
			guest_fixture_each(&r);
		sums->records[r.kind]++;
		sums->value[r.kind] += r.value;
		sums->weight[r.kind] += r.weight;
	}
	heap_take_overflow(add_overflow, sums);
}

static void *drain_always(void *arg)
{
	struct timespec pause = {0, 10000000};

	(void)arg;
	guest_own_begin();
	while (!atomic_load(&state.end)) {
		guest_fixture_drain(state.sums);
		nanosleep(&pause, NULL);
	}
	guest_fixture_drain(state.sums);
	guest_own_end();
	return NULL;
}

void guest_fixture_drain_always(struct guest_fixture_sums *sums)
{
	atomic_store(&state.end, false);
	state.sums = sums;
	assert_ok(pthread_create(&state.drainer, NULL, drain_always, NULL));
}

void guest_fixture_drain_end(void)
{
	atomic_store(&state.end, true);
	assert_ok(pthread_join(state.drainer, NULL));
}

bool guest_fixture_stack_has(uint32_t stack, const void *place)
{
	uint32_t n;
	const uint64_t *pcs = stack_ids_get(stack, &n);

	for (uint32_t i = 0; i < n; i++)
		if (pcs[i] - (uintptr_t)place < 512)
			return true;
	return false;
}

/* Replaces the tracer: there are no spans. */
__attribute__((weak)) bool span_current_ids(uint8_t trace_id[16], uint8_t span_id[8])
{
	(void)trace_id;
	(void)span_id;
	return false;
}
