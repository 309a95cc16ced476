/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VARVE_CLI_LIVE_LIVE_H
#define VARVE_CLI_LIVE_LIVE_H

#include "cli/live/live_data.h"

/*
 * The interactive view of varve watch and varve top --live: a table of functions that is refreshed, with
 * keys to choose service, type, order and filter, and to show callers and callees.
 */

/* The options beside those of a server. */
struct live_times {
	uint64_t window_s, interval_s;
};

extern const struct option live_times_options[];

/*
 * Run until the user quits. `target`: a selector or URL; NULL: choose a service. The exit code is 2 if
 * the terminal cannot be used, or with the error on stderr.
 */
enum exit_code live_run(struct cli *cli, const struct remote_options *remote,
			const struct live_times *times, const struct view_options *view,
			enum live_sort sort, const char *target);

#endif
