/* SPDX-License-Identifier: Apache-2.0 */
/* The table of commands. A new command needs a row here, and its cmd_NAME.c in src/meson.build. */
#include "cli/commands.h"

/* clang-format off */
const struct command *const commands[] = {
	&command_up,
	&command_server,
	&command_collector,
	&command_run,
	&command_demo,
	&command_config,
	&command_flame,
	&command_top,
	&command_watch,
	&command_findings,
	&command_diff,
	&command_convert,
	&command_sanitize,
	&command_check,
	&command_query,
	&command_rules,
	&command_alerts,
	&command_push,
	&command_delete,
	&command_status,
	&command_encrypt,
	&command_decrypt,
	&command_store,
	&command_control,
	&command_capture,
	&command_token,
	&command_audit,
	&command_dashboard,
	NULL,
};
/* clang-format on */
