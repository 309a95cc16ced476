/* SPDX-License-Identifier: Apache-2.0 */
/* Arbitrary bytes as a request of remote read. */
#include "format/prometheus/remote_read.h"
#include "fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct budget budget = {.limit = FUZZ_BUDGET};
	struct remote_read_request r;
	struct arena arena;
	struct err e = {0};
	int rc;

	arena_init(&arena, &budget);
	rc = remote_read_decode(&r, str_of((const char *)data, size), &arena, &e);
	FUZZ_CHECK(!rc || rc == -ENOMEM || e.text[0]);
	if (!rc)
		for (uint32_t i = 0; i < r.queries.n; i++)
			for (uint32_t k = 0; k < r.queries.at[i].matchers.n; k++)
				FUZZ_CHECK(r.queries.at[i].matchers.at[k].name.n > 0);
	arena_fini(&arena);
	FUZZ_CHECK(budget.used == 0);
	return 0;
}
