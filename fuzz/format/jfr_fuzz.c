/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Arbitrary bytes as JFR recordings with label snapshots: the input before its first "FLR" is the
 * snapshot.
 */
#include "decode.h"

#include "format/jfr/jfr.h"

static void decode_with(struct str labels, struct str type, struct str in)
{
	struct budget budget = {.limit = FUZZ_BUDGET};
	struct decode_options o = {.labels = labels, .sample_type = type};
	struct profile_batch b = {0};
	struct err e = {0};

	if (profile_batch_init(&b, &budget) == 0) {
		int rc = format_jfr.decode(&b, in, &o, &e);

		FUZZ_CHECK(rc == 0 || rc == -ENOMEM || e.text[0]);
		FUZZ_CHECK(profile_batch_check(&b, NULL) == 0);
	}
	profile_batch_fini(&b);
	FUZZ_CHECK(budget.used == 0);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct str in = str_of((const char *)data, size);
	size_t recording = str_find_str(in, STR("FLR"));

	format_jfr.sniff(in);
	decode_with(str_head(in, recording), (struct str){0}, str_from_at(in, recording));
	decode_with((struct str){0}, STR("cpu"), str_from_at(in, recording));
	return 0;
}
