/* SPDX-License-Identifier: Apache-2.0 */
/*
 * libvarve.so as a preload: `varve run` sets VARVE_AUTOSTART, and the library starts before main() and stops at exit. Linked or loaded
 * without it, it does nothing until varve_start().
 */
#include <stdlib.h>

#include "base/seccomp.h"
#include "sdk/preload/preload.h"
#include "sdk/sdk.h"

/*
 * Filters that were there when `varve run` began (a container's) have let it work; filters that came later may kill the program for our system
 * calls. VARVE_SECCOMP_FILTERS says how many there were.
 */
static bool is_filtered(void)
{
	const char *before = getenv("VARVE_SECCOMP_FILTERS");

	return before && seccomp_filter_count() > atol(before);
}

void preload_start(void)
{
	static bool registered;
	const char *wanted = getenv("VARVE_AUTOSTART"), *file = getenv("VARVE_CONFIG");
	int rc;

	if (!wanted || *wanted != '1')
		return;
	if (is_filtered()) {
		sdk_write_note("seccomp", "a program was started with system calls taken away "
					  "(seccomp): it was not profiled");
		return;
	}
	rc = file && *file ? varve_start_file(file) : varve_start(NULL);
	/* a guest does not complain on the host's terminal: `varve run` does */
	if (*varve_last_error())
		sdk_write_note("start", varve_last_error());
	if (!rc && !registered)
		registered = !atexit(sdk_stop_at_exit);
}

__attribute__((constructor)) static void autostart(void)
{
	preload_start();
}
