/* SPDX-License-Identifier: Apache-2.0 */
/* File descriptors are shared by connections and the store, which must not run out of them. */
#include "cli/server/connection_limits.h"

#include <sys/resource.h>

/*
 * Return half of the descriptors that the process may have, or all but 1,024: the store needs the
 * others. If there are few, the store needs more than half: three eighths for open days and idle
 * readers, and OTHERS for active readers and the rest of the program.
 */
static uint64_t connections_that_fit(void)
{
	enum { OTHERS = 28, LEAST = 8 };
	struct rlimit files;
	uint64_t rest;

	if (getrlimit(RLIMIT_NOFILE, &files))
		return UINT64_MAX;
	rest = min_size(max_size(files.rlim_cur / 2, files.rlim_cur / 8 * 3 + OTHERS), 1024);
	return files.rlim_cur > rest + LEAST ? files.rlim_cur - rest : LEAST;
}

void connection_limits_raise_files(void)
{
	struct rlimit limit;

	if (getrlimit(RLIMIT_NOFILE, &limit) || limit.rlim_cur == limit.rlim_max)
		return;
	limit.rlim_cur = limit.rlim_max;
	(void)setrlimit(RLIMIT_NOFILE, &limit);
}

void connection_limits_init(struct net_options *options, const struct limits_settings *limits,
			    struct memory_shares *m)
{
	net_options_init(options);
	options->max_connections_per_address = (uint64_t)limits->connections_per_address;
	options->max_connections = min_size(options->max_connections, connections_that_fit());
	options->max_memory = memory_shares_network(m);
	options->rest = &m->rest;
	options->max_connection_memory = options->max_memory / 4 * 3;
}
