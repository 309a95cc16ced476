/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VARVE_CLI_SERVER_CONNECTION_LIMITS_H
#define VARVE_CLI_SERVER_CONNECTION_LIMITS_H

#include "cli/server/memory_shares.h"
#include "net/server.h"
#include "pipeline/admission/limits.h"

/* Limits of connections: their number, by file descriptors, and their memory. */

/* Raise the limit of open files to what the system permits; without effect if that fails. */
void connection_limits_raise_files(void);

/* Fill in the options of the server's network. `m` is borrowed by them. */
void connection_limits_init(struct net_options *options, const struct limits_settings *limits,
			    struct memory_shares *m);

#endif
