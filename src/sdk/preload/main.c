/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The preloaded library: `varve run` sets VARVE_AUTOSTART=1, and the library starts before main()
 * and stops at exit. Without it the library does nothing until varve_start().
 */
#include <stdlib.h>

#include "base/seccomp.h"
#include "sdk/collect/summary.h"
#include "sdk/preload/preload.h"
#include "sdk/sdk.h"

/*
 * Was a seccomp filter installed since `varve run` began? Such a filter may kill the program for
 * the library's system calls, while filters that existed before (a container's) allow them.
 * VARVE_SECCOMP_FILTERS is their number.
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
		sdk_write_note("seccomp", "a program was started under a seccomp filter: it was "
					  "not profiled");
		return;
	}
	rc = file && *file ? varve_start_file(file) : varve_start(NULL);
	/* the library does not write to the host's terminal: `varve run` reports the error */
	if (*varve_last_error())
		sdk_write_note("start", varve_last_error());
	if (!rc && !registered)
		registered = !atexit(sdk_stop_at_exit);
}

__attribute__((constructor)) static void autostart(void)
{
	preload_start();
}
