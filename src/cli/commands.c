/* SPDX-License-Identifier: Apache-2.0 */
/* All commands there are. To add one: its file cmd_NAME.c in src/meson.build, its row here. */
#include "cli/commands.h"

/* clang-format off */
const struct command *const commands[] = {
	&command_up,
	&command_server,
	&command_run,
	&command_demo,
	&command_config,
	&command_flame,
	&command_top,
	&command_diff,
	&command_convert,
	&command_check,
	&command_query,
	&command_push,
	&command_delete,
	&command_store,
	NULL,
};
/* clang-format on */
