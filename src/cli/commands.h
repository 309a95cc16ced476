/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VARVE_CLI_COMMANDS_H
#define VARVE_CLI_COMMANDS_H

#include "cli/command.h"

extern const struct command command_check, command_config, command_convert, command_delete,
	command_demo, command_diff, command_flame, command_push, command_query, command_run,
	command_server, command_store, command_top, command_up;

#endif
