/* SPDX-License-Identifier: Apache-2.0 */
/* Arbitrary text as a tag, up to a newline, and as an incomplete filter. */
#include "fuzz.h"
#include "query/attributes/tag_filter.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct budget budget = {.limit = FUZZ_BUDGET};
	struct str filter = str_of((const char *)data, size), field = str_cut(&filter, '\n');
	struct tag_filter f;
	struct err e = {0};
	struct arena a;
	int rc;

	arena_init(&a, &budget);
	rc = tag_filter_init(&f, filter, field, &a, &e);
	FUZZ_CHECK(!rc || rc == -ENOMEM || (rc == -EINVAL && field.n && e.text[0]));
	FUZZ_CHECK(rc || (f.query.metrics && (f.all || f.filter)));
	FUZZ_CHECK(rc || !field.n == !f.field);
	tag_filter_fini(&f);
	arena_fini(&a);
	FUZZ_CHECK(budget.used == 0);
	return 0;
}
