/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Two profiles of a source, one after the other and then the second again: batches stay valid, and
 * there is no difference between equal profiles. The first two bytes are the length of the first.
 */
#include <errno.h>

#include "format/pprof/pprof.h"
#include "fuzz.h"
#include "pipeline/receivers/pprof/profile_delta.h"

enum { SECOND_NS = 1000000000, ROWS_MAX = 1000 };

static bool is_sum(const struct profile_batch *b, const struct profile *p)
{
	struct str type = string_of(b, p->sample_type.type);

	return str_eq(type, STR("alloc_objects")) || str_eq(type, STR("alloc_space")) ||
	       str_eq(type, STR("contentions")) || str_eq(type, STR("delay"));
}

/* No difference is negative; with `equal` there is none. Shapes that pprof lacks pass. */
static void check_differences(const struct profile_batch *b, bool equal)
{
	static const struct str units[] = {STR_INIT("count"), STR_INIT("bytes"),
					   STR_INIT("nanoseconds")};

	for (uint32_t i = 0; i < b->profiles.n; i++) {
		const struct profile *p = &b->profiles.at[i];
		struct str type = string_of(b, p->sample_type.type);
		size_t unit = str_eq(type, STR("alloc_space")) ? 1
			      : str_eq(type, STR("delay"))     ? 2
							       : 0;

		if (!is_sum(b, p) || !str_eq(string_of(b, p->sample_type.unit), units[unit]))
			continue;
		for (uint32_t s = 0; s < p->sample_count; s++)
			FUZZ_CHECK(sample_total(b, p->sample_first + s) > 0);
		FUZZ_CHECK(!equal || !p->sample_count);
	}
}

/* Return whether the profile was subtracted. */
static bool subtract(struct profile_delta *d, struct str pprof, uint64_t now, bool equal)
{
	struct budget budget = {.limit = FUZZ_BUDGET};
	struct profile_batch b = {0};
	struct arena scratch;
	struct err e = {0};
	bool done = false;
	int rc = profile_batch_init(&b, &budget);

	arena_init(&scratch, &budget);
	if (!rc)
		rc = pprof_decode(&b, pprof, &(struct decode_options){0}, &e);
	if (!rc) {
		rc = profile_delta_apply(d, &b, now, &scratch, &e);

		FUZZ_CHECK(!rc || rc == -ENOMEM || rc == -E2BIG);
		FUZZ_CHECK(!profile_batch_check(&b, NULL));
		done = !rc;
		if (done && !b.times.n)
			check_differences(&b, equal);
		if (done)
			profile_delta_commit(d);
	}
	profile_batch_fini(&b);
	arena_fini(&scratch);
	FUZZ_CHECK(budget.used == 0);
	return done;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct profile_delta d;
	struct str rest;
	size_t first;

	if (size < 2)
		return 0;
	rest = str_of((const char *)data + 2, size - 2);
	first = min_size((size_t)data[0] | (size_t)data[1] << 8, rest.n);
	profile_delta_init(&d, ROWS_MAX);
	subtract(&d, str_head(rest, first), SECOND_NS, false);
	if (subtract(&d, str_from_at(rest, first), 2 * (uint64_t)SECOND_NS, false))
		subtract(&d, str_from_at(rest, first), 3 * (uint64_t)SECOND_NS, true);
	profile_delta_fini(&d);
	return 0;
}
