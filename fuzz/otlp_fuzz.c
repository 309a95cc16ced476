/* SPDX-License-Identifier: Apache-2.0 */
/*
 * OTLP protobuf of any layout from any bytes; what decodes is written, and what is written reads again and
 * breaks no rule.
 */
#include "decode.h"

#include "format/otlp/otlp.h"

static void fail(void *arg, enum otlp_check_level level, const char *path, const char *text)
{
	(void)arg;
	if (level == OTLP_MUST)
		fprintf(stderr, "%s: %s\n", path, text);
}

static void check_written(const struct profile_batch *b)
{
	struct budget budget = {.limit = FUZZ_BUDGET};
	struct buf out;
	struct err e = {0};

	buf_init(&out, &budget);
	if (format_otlp.encode(&out, b, NULL, &e) == 0)
		FUZZ_CHECK(otlp_check(buf_str(&out), OTLP_CHECK_ALL, &budget, fail, NULL, NULL) <=
			   0);
	buf_fini(&out);
	FUZZ_CHECK(budget.used == 0);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct budget budget = {.limit = FUZZ_BUDGET};
	struct profile_batch b = {0};
	struct str in = str_of((const char *)data, size);

	format_otlp.sniff(in);
	if (fuzz_decode_batch(&b, &budget, &format_otlp, in) && b.profiles.n)
		check_written(&b);
	profile_batch_fini(&b);
	FUZZ_CHECK(budget.used == 0);
	fuzz_decode(&format_otlp, &format_otlp, data, size);
	return 0;
}
