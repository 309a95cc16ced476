/* SPDX-License-Identifier: Apache-2.0 */
/* pprof protobuf: what decodes holds the batch's invariants, is written, and decodes again to as much. */
#include <errno.h>

#include "format/pprof/pprof.h"
#include "fuzz.h"
#include "signal/profile.h"

static void encode_again(const struct profile_batch *b, struct budget *budget)
{
	struct profile_batch again;
	struct buf out;
	struct err e = {0};

	buf_init(&out, budget);
	if (pprof_encode_raw(&out, b, &(struct encode_options){0}, &e) == 0) {
		if (out.n && profile_batch_init(&again, budget) == 0) {
			int rc = pprof_decode(&again, buf_str(&out), &(struct decode_options){0},
					      &e);

			FUZZ_CHECK(rc == 0 || rc == -ENOMEM);
			FUZZ_CHECK(rc || profile_batch_check(&again, &e) == 0);
		}
		if (out.n)
			profile_batch_fini(&again);
	}
	buf_fini(&out);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct budget budget = {.limit = FUZZ_BUDGET};
	struct profile_batch b;
	struct err e = {0};
	struct str in = {(const char *)data, size};

	(void)pprof_sniff(in);
	if (profile_batch_init(&b, &budget) == 0) {
		int rc = pprof_decode(&b, in, &(struct decode_options){0}, &e);

		FUZZ_CHECK(rc ? e.text[0] != 0 : profile_batch_check(&b, &e) == 0);
		if (!rc)
			encode_again(&b, &budget);
	}
	profile_batch_fini(&b);
	FUZZ_CHECK(budget.used == 0);
	return 0;
}
