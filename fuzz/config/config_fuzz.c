/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Arbitrary bytes as a YAML configuration: a parsed configuration is printed, and that text must
 * parse and print the same.
 */
#include "config/config.h"
#include "fuzz.h"

/* libfyaml leaks a buffer on some errors. Our own allocations are checked by the budget. */
const char *__lsan_default_suppressions(void);
const char *__lsan_default_suppressions(void)
{
	return "leak:libfyaml\n";
}

static const char *environment(void *arg, const char *name)
{
	(void)arg;
	return name[0] == 'A' ? "a: [b]" : NULL;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct budget budget = {.limit = FUZZ_BUDGET};
	struct config c, again;
	struct buf out, twice;
	struct err e = {0};

	buf_init(&out, &budget);
	buf_init(&twice, &budget);
	if (!config_init(&c, &budget) && !config_init(&again, &budget)) {
		int rc = config_parse(&c, str_of((const char *)data, size), "f", environment, NULL,
				      &e);

		FUZZ_CHECK(!rc || rc == -ENOMEM || e.text[0]);
		if (!rc) {
			config_print(&out, c.root);
			rc = config_parse(&again, buf_str(&out), "g", environment, NULL, &e);
			FUZZ_CHECK(!rc || rc == -ENOMEM);
		}
		if (!rc) {
			config_print(&twice, again.root);
			FUZZ_CHECK(str_eq(buf_str(&out), buf_str(&twice)));
		}
	}
	config_fini(&again);
	config_fini(&c);
	buf_fini(&twice);
	buf_fini(&out);
	FUZZ_CHECK(budget.used == 0);
	return 0;
}
