/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VARVE_CLI_COMMANDS_H
#define VARVE_CLI_COMMANDS_H

#include "cli/command.h"

/* The descriptors of all commands; each is in commands/cmd_NAME.c. */
extern const struct command command_check, command_collector, command_config, command_convert,
	command_decrypt, command_delete, command_demo, command_diff, command_encrypt, command_flame,
	command_push, command_query, command_run, command_sanitize, command_server, command_status,
	command_store, command_top, command_up, command_token, command_audit, command_control,
	command_alerts, command_capture, command_dashboard, command_findings, command_rules,
	command_watch;

/* All commands, NULL-terminated, in the order of --help. */
extern const struct command *const commands[];

#endif
