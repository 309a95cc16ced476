/* SPDX-License-Identifier: Apache-2.0 */
/*
 * libvarve.so as a preload: `varve run` sets VARVE_AUTOSTART, and the library starts before main() and stops at exit. Linked or loaded
 * without it, it does nothing until varve_start().
 */
#include <stdlib.h>

#include "varve/varve.h"

static void stop_at_exit(void)
{
	varve_stop();
}

__attribute__((constructor)) static void autostart(void)
{
	const char *wanted = getenv("VARVE_AUTOSTART"), *file = getenv("VARVE_CONFIG");

	if (!wanted || *wanted != '1')
		return;
	if (file && *file ? varve_start_file(file) : varve_start(NULL))
		return; /* a guest does not complain on the host's terminal: `varve run` asks for varve_last_error() */
	atexit(stop_at_exit);
}
