/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Arbitrary bytes as pprof protobuf: a decoded batch is valid, and its encoding decodes to a valid
 * batch again.
 */
#include <errno.h>

#include "format/pprof/pprof.h"
#include "fuzz.h"
#include "signal/profile/profile_merge.h"

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

/* Decode twice into a merge, sample by sample. */
static void merge_twice(struct str in, struct budget *budget)
{
	struct profile_batch b, merged = {0};
	struct profile_merge merge = {0};
	struct decode_options options = {.merge = &merge};
	struct err e = {0};
	int rc = profile_batch_init(&b, budget);

	if (!rc)
		rc = profile_batch_init(&merged, budget);
	if (!rc)
		rc = profile_merge_init(&merge, &merged);
	for (int i = 0; !rc && i < 2; i++) {
		rc = profile_batch_reset(&b);
		if (!rc)
			rc = pprof_decode(&b, in, &options, &e);
		if (!rc)
			rc = profile_merge_add(&merge, &b);
	}
	if (!rc)
		rc = profile_merge_finish(&merge);
	FUZZ_CHECK(rc != -EBADMSG);
	FUZZ_CHECK(rc || profile_batch_check(&merged, &e) == 0);
	profile_merge_fini(&merge);
	profile_batch_fini(&merged);
	profile_batch_fini(&b);
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
		if (!rc)
			merge_twice(in, &budget);
	}
	profile_batch_fini(&b);
	FUZZ_CHECK(budget.used == 0);
	return 0;
}
