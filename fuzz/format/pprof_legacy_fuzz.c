/* SPDX-License-Identifier: Apache-2.0 */
/* The legacy formats of pprof: each decoder gets every input. */
#include "format/pprof/pprof.h"
#include "fuzz.h"
#include "signal/profile/profile.h"

static const struct format *const decoders[] = {
	&format_gperftools,
	&format_heap_text,
	&format_contention_text,
	&format_thread_text,
};

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct str in = {(const char *)data, size};

	for (size_t i = 0; i < countof(decoders); i++) {
		struct budget budget = {.limit = FUZZ_BUDGET};
		struct profile_batch b;
		struct err e = {0};

		(void)decoders[i]->sniff(in);
		if (profile_batch_init(&b, &budget) == 0 &&
		    decoders[i]->decode(&b, in, &(struct decode_options){0}, &e) == 0)
			FUZZ_CHECK(profile_batch_check(&b, &e) == 0);
		profile_batch_fini(&b);
		FUZZ_CHECK(budget.used == 0);
	}
	return 0;
}
