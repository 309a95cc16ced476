/* SPDX-License-Identifier: Apache-2.0 */
#include "test/drift_store.h"

#include <stdio.h>

#include "base/clock.h"
#include "test/store_fill.h"

#define TYPE "process_cpu:cpu:nanoseconds:cpu:nanoseconds"

struct day {
	struct profile_batch batch;
	struct profile_builder builder;
	struct series_map map;
	uint32_t stacks[DRIFT_FUNCTIONS][DRIFT_CALLERS]; /* + 1; 0: none yet */
};

static uint32_t stack_of_function(struct day *d, uint32_t i, uint32_t caller)
{
	struct function f = {0};
	struct line line = {0};
	struct location_parts at = {.lines = &line, .line_count = 1};
	uint32_t locations[2];
	char name[32];

	if (d->stacks[i][caller])
		return d->stacks[i][caller] - 1;
	snprintf(name, sizeof(name), "caller_%u", caller);
	locations[1] = fill_frame(&d->builder, caller ? str_from(name) : STR("main"));
	snprintf(name, sizeof(name), "work_%u", i);
	assert_ok(profile_add_string(&d->builder, str_from(name), &f.name));
	assert_ok(profile_add_string(&d->builder, i % 2 ? STR("more.c") : STR("work.c"),
				     &f.filename));
	assert_ok(profile_add_function(&d->builder, &f, &line.function));
	assert_ok(profile_add_location(&d->builder, &at, &locations[0]));
	assert_ok(profile_add_stack(&d->builder, locations, 2, &d->stacks[i][caller]));
	return d->stacks[i][caller]++;
}

static void add_profile(struct day *d, const struct drift_slot *slot, int64_t period,
			uint32_t callers, uint64_t shift)
{
	struct profile *p;

	assert_ok(profile_begin(&d->builder, STR("cpu"), STR("nanoseconds")));
	for (uint32_t i = 0; i < slot->n; i++) {
		uint64_t n = (uint64_t)slot->counts[i].n;

		for (uint32_t k = 0; k < callers; k++) {
			uint64_t part = n * (k + 1) / callers - n * k / callers;
			uint32_t stack = stack_of_function(d, slot->counts[i].function, k);

			if (!part)
				continue;
			assert_ok(vec_push(&d->batch.arena, &d->batch.values,
					   (int64_t)part * period));
			assert_ok(profile_sample_end(&d->batch, stack, 0));
		}
	}
	p = &d->batch.profiles.at[d->batch.profiles.n - 1];
	p->time_unix_nano = ((slot->slot + shift) * DRIFT_SLOT_SECONDS + DRIFT_SLOT_SECONDS / 2) *
			    NS_PER_SECOND;
	p->duration_nano = 15 * NS_PER_SECOND;
}

static void add_series(struct day *d, const struct drift_stored *of)
{
	struct fill f = {.type = TYPE};
	struct str labels;
	struct label_set set;
	uint32_t at = 0;

	assert_ok(arena_printf(&d->batch.arena, &labels, "service_name=%s%s%s", of->name,
			       of->version ? ",service_version=" : "",
			       of->version ? of->version : ""));
	f.labels = labels.p;
	set = fill_labels(&d->batch.arena, &f);
	d->map.of_sample =
		arena_alloc(&d->batch.arena, d->batch.sample_count + 1, sizeof(uint32_t));
	assert_non_null(d->map.of_sample);
	for (uint32_t i = 0; i < d->batch.profiles.n; i++) {
		assert_ok(vec_push(&d->batch.arena, &d->map.series, (struct series){set, i, 1}));
		for (uint32_t k = 0; k < d->batch.profiles.at[i].sample_count; k++)
			d->map.of_sample[at++] = i;
	}
}

int drift_store_put(struct store *s, struct drift_stored *of, uint32_t slots)
{
	const int64_t period = (int64_t)(1e9 / of->service.options.hertz);
	struct day d = {0};
	struct store_write w = {.tenant = str_from(of->tenant ? of->tenant : ""),
				.batch = &d.batch,
				.series = &d.map,
				.received = clock_realtime_ns()};
	int rc;

	assert_ok(profile_batch_init(&d.batch, NULL));
	assert_ok(profile_builder_init(&d.builder, &d.batch));
	for (uint32_t i = 0; i < slots; i++) {
		struct drift_slot slot = drift_service_next(&of->service);

		if (slot.n)
			add_profile(&d, &slot, period, of->callers ? of->callers : 1, of->shift);
	}
	add_series(&d, of);
	rc = store_put_wait(s, &w);
	profile_batch_fini(&d.batch);
	return rc;
}
