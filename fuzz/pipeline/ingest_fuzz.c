/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Arbitrary bytes as a request to /ingest: query, content type and body, separated by newlines. A
 * decoded batch is valid, and each sample has a series or none.
 */
#include "fuzz.h"
#include "pipeline/receivers/pyroscope/ingest.h"
#include "signal/series.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct budget budget = {.limit = FUZZ_BUDGET};
	struct str rest = str_of((const char *)data, size);
	struct ingest_request r = {.now = 1700000000000000000, .max_bytes = 1 * MIB};
	struct profile_batch batch;
	struct series_map map;
	struct arena arena;
	struct err e = {0};
	int rc;

	r.query = str_cut(&rest, '\n');
	r.content_type = str_cut(&rest, '\n');
	r.key = str_head(r.query, 8);
	r.body = rest;
	arena_init(&arena, &budget);
	if (!profile_batch_init(&batch, &budget)) {
		rc = ingest_decode(&batch, &arena, &r, &e);
		FUZZ_CHECK(!rc || rc == -ENOMEM || e.text[0]);
		FUZZ_CHECK(rc || profile_batch_check(&batch, NULL) == 0);
		if (!rc && !series_map_init(&map, &batch, NULL, &arena))
			for (uint32_t i = 0; i < batch.sample_count; i++)
				FUZZ_CHECK(map.of_sample[i] == SERIES_NONE ||
					   map.of_sample[i] < map.series.n);
	}
	profile_batch_fini(&batch);
	arena_fini(&arena);
	FUZZ_CHECK(budget.used == 0);
	return 0;
}
