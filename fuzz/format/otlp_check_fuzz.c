/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The OTLP checker on arbitrary bytes: every report has a text, and a file without violations
 * decodes without repairs.
 */
#include "decode.h"

#include "format/otlp/check/check.h"
#include "format/otlp/otlp.h"

struct seen {
	bool legacy;
};

static void on_report(void *arg, enum otlp_check_level level, const char *path, const char *text)
{
	struct seen *seen = arg;

	FUZZ_CHECK(path && text && text[0]);
	seen->legacy |= level == OTLP_NOTE;
}

static void on_warning(void *arg, const char *text)
{
	(void)arg;
	fprintf(stderr, "a valid file was repaired: %s\n", text);
	FUZZ_CHECK(false);
}

static void decode_valid(struct str in)
{
	struct budget budget = {.limit = FUZZ_BUDGET};
	struct decode_options o = {.warn = on_warning};
	struct profile_batch b = {0};
	struct err e = {0};

	if (profile_batch_init(&b, &budget) == 0)
		FUZZ_CHECK(format_otlp.decode(&b, in, &o, &e) == 0 || e.code == -ENOMEM);
	profile_batch_fini(&b);
	FUZZ_CHECK(budget.used == 0);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct budget budget = {.limit = FUZZ_BUDGET};
	struct seen seen = {0};
	struct str in = str_of((const char *)data, size);
	struct err e = {0};
	int64_t broken = otlp_check(in, OTLP_CHECK_ALL, &budget, on_report, &seen, &e);

	FUZZ_CHECK(budget.used == 0);
	FUZZ_CHECK(broken >= 0 || e.text[0]);
	if (broken == 0 && !seen.legacy && !format_otlp_json.sniff(str_head(in, 4096)))
		decode_valid(in);
	return 0;
}
