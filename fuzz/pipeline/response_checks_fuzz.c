/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Arbitrary bytes as a JSON path, after a zero byte the value, and after another one the body of a
 * response. Each check has to count once, and the same each time.
 */
#include "fuzz.h"
#include "pipeline/receivers/httpcheck/response_checks.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct str body = str_of((const char *)data, size);
	struct str path = str_cut(&body, '\0'), value = str_cut(&body, '\0');
	struct response_check list[] = {
		{.json_path = path, .equals = value, .min_size = -1, .max_size = 100},
		{.contains = value, .not_contains = path, .min_size = 3, .max_size = -1},
	};
	struct response_checks checks = {list, countof(list)};
	struct response_counts once = {0}, twice = {0};
	struct response_matcher m;
	struct err e = {0};

	FUZZ_CHECK(!response_matcher_init(&m, &checks, &e));
	response_matcher_run(&m, body, &once);
	response_matcher_run(&m, body, &twice);
	response_matcher_run(&m, body, &twice);
	for (unsigned i = 0; i < RESPONSE_CHECK_TYPES; i++) {
		FUZZ_CHECK(twice.passed[i] == 2 * once.passed[i]);
		FUZZ_CHECK(twice.failed[i] == 2 * once.failed[i]);
	}
	FUZZ_CHECK(once.passed[CHECK_JSON_PATH] + once.failed[CHECK_JSON_PATH] == (path.n != 0));
	FUZZ_CHECK(once.passed[CHECK_SIZE] + once.failed[CHECK_SIZE] == 2);
	response_matcher_fini(&m);
	return 0;
}
