/* SPDX-License-Identifier: Apache-2.0 */
/* The severity of lines of a program's standard error. */
#include "cli/log_bridge.h"

#include "test/test.h"

static const struct {
	const char *line;
	unsigned severity;
} lines[] = {
	{"ERROR: the disk is full", VARVE_ERROR},
	{"2026/11/19 12:00:00 [warn] 7#7: *1 slow", VARVE_WARN},
	{"[notice] start worker process 8", 10},
	{"ts=12 level=info msg=\"an error later\"", VARVE_INFO},
	{"7:M 19 Nov 2026 12:00:00.000 * Ready", 0},
	{"panic: runtime error", VARVE_FATAL},
	{"Debug", VARVE_DEBUG},
	{"errors were found", 0}, /* a longer word */
	{"terror", 0},
	{"my_error: 5", 0},
	{"", 0},
	{"0123456789012345678901234567890123456789012345678901234567890123 error", 0},
};

static void the_first_level_near_the_start_is_the_severity(void **state)
{
	(void)state;
	for (size_t i = 0; i < countof(lines); i++)
		if (log_line_severity(str_from(lines[i].line)) != lines[i].severity)
			fail_msg("\"%s\": %u", lines[i].line,
				 log_line_severity(str_from(lines[i].line)));
}

TEST_MAIN(test(the_first_level_near_the_start_is_the_severity))
