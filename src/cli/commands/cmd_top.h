/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VARVE_CLI_COMMANDS_CMD_TOP_H
#define VARVE_CLI_COMMANDS_CMD_TOP_H

#include "cli/live/live.h"
#include "cli/terminal/view.h"

/* The table of varve top, for all commands that print one: its options and the function for it. */
struct top_options {
	struct common_options common;
	struct input_options input;
	struct view_options view;
	uint64_t rows;
	unsigned sort; /* enum top_order */
	/* varve top --live */
	bool live;
	struct remote_options remote;
	struct live_times times;
};

extern const struct option top_options[];

/* Append the table of all inputs `args` to the output. `options` is a struct top_options. */
view_make make_top;

#endif
