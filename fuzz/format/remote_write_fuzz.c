/* SPDX-License-Identifier: Apache-2.0 */
/* Arbitrary bytes as a message of remote write; the first byte chooses the version. */
#include "format/prometheus/remote_write.h"
#include "fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct budget budget = {.limit = FUZZ_BUDGET};
	struct metric_batch b;
	struct err e = {0};
	int rc;

	if (!size)
		return 0;
	metric_batch_init(&b, &budget);
	rc = remote_write_decode(&b, data[0] & 1 ? REMOTE_WRITE_2 : REMOTE_WRITE_1,
				 str_of((const char *)data + 1, size - 1), &e);
	FUZZ_CHECK(!rc || rc == -ENOMEM || e.text[0]);
	if (!rc)
		FUZZ_CHECK(metric_batch_check(&b, &e) == 0);
	metric_batch_fini(&b);
	FUZZ_CHECK(budget.used == 0);
	return 0;
}
