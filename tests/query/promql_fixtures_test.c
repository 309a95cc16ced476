/* SPDX-License-Identifier: Apache-2.0 */
/* PromQL: our own scripts, and Prometheus' where they are. */
#include <dirent.h>

#include "query/promql_script.h"

#include "test/test.h"

static int compare_names(const void *a, const void *b)
{
	return strcmp(a, b);
}

/* Run all scripts of a folder. Return their number. */
static unsigned run_folder(const char *path)
{
	char names[64][128];
	unsigned count = 0;
	struct dirent *entry;
	DIR *dir = opendir(path);

	if (!dir)
		return 0;
	while ((entry = readdir(dir)) && count < 64)
		if (str_ends(str_from(entry->d_name), STR(".test")))
			snprintf(names[count++], sizeof(names[0]), "%.*s",
				 (int)sizeof(names[0]) - 1, entry->d_name);
	closedir(dir);
	qsort(names, count, sizeof(names[0]), compare_names);
	for (unsigned i = 0; i < count; i++) {
		struct promql_script_result r;
		struct buf text = {0}, log = {0};
		struct buf file = {0};

		buf_printf(&file, "%s/%s", path, names[i]);
		buf_put_char(&file, 0);
		assert_true(promql_script_read(file.p, &text));
		buf_fini(&file);
		r = promql_script_run(names[i], buf_str(&text), &log);
		if (r.failures)
			fail_msg("%u of %u evaluations failed:\n%.*s", r.failures, r.evals,
				 STR_ARG(buf_str(&log)));
		assert_true(r.evals > 0);
		buf_fini(&text);
		buf_fini(&log);
	}
	return count;
}

static const char *root(void)
{
	const char *path = getenv("SOURCE_ROOT");

	return path ? path : ".";
}

static void our_scripts_pass(void **state)
{
	char path[512];

	(void)state;
	snprintf(path, sizeof(path), "%s/tests/query/promql", root());
	assert_true(run_folder(path) > 0);
}

static void scripts_of_prometheus_pass(void **state)
{
	char path[512];

	(void)state;
	snprintf(path, sizeof(path), "%s/../shared/fixtures/promql", root());
	if (!run_folder(path)) {
		print_message("skipped: %s does not exist\n", path);
		skip();
	}
}

TEST_MAIN(test(our_scripts_pass), test(scripts_of_prometheus_pass))
