/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Arbitrary bytes as a push.v1 request, protobuf or (after a 'j') JSON; each profile in it is
 * decoded.
 */
#include "fuzz.h"
#include "pipeline/receivers/pyroscope/push.h"
#include "signal/series.h"

enum { MAX_PROFILES = 20 };

static void decode(const struct push_request *r, uint32_t i, struct arena *arena,
		   struct budget *budget)
{
	struct profile_batch batch;
	struct series_map map;
	struct err e = {0};

	if (!profile_batch_init(&batch, budget)) {
		int rc = push_decode(&batch, arena, r, i, 1 * MIB, &e);

		FUZZ_CHECK(!rc || rc == -ENOMEM || e.text[0]);
		if (!rc) {
			FUZZ_CHECK(profile_batch_check(&batch, NULL) == 0);
			rc = series_map_init(&map, &batch, NULL, arena);
			FUZZ_CHECK(!rc || rc == -ENOMEM);
		}
	}
	profile_batch_fini(&batch);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct budget budget = {.limit = FUZZ_BUDGET};
	struct str in = str_of((const char *)data, size);
	struct push_request r;
	struct arena arena;
	struct buf proto;
	struct err e = {0};
	int rc = 0;

	arena_init(&arena, &budget);
	buf_init(&proto, &budget);
	if (size && data[0] == 'j') {
		rc = schema_json_to_proto(&proto, &push_request_schema, str_from_at(in, 1), &arena,
					  &e);
		in = buf_str(&proto);
	}
	if (!rc)
		rc = push_read(&r, in, &arena, &e);
	FUZZ_CHECK(!rc || rc == -ENOMEM || e.text[0]);
	for (uint32_t i = 0; !rc && i < r.profiles.n && i < MAX_PROFILES; i++)
		decode(&r, i, &arena, &budget);
	buf_fini(&proto);
	arena_fini(&arena);
	FUZZ_CHECK(budget.used == 0);
	return 0;
}
