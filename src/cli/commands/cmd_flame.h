/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VARVE_CLI_COMMANDS_CMD_FLAME_H
#define VARVE_CLI_COMMANDS_CMD_FLAME_H

#include "cli/terminal/view.h"

/* The flame graph of varve flame, for all commands that draw one. */
struct flame_command_options {
	struct common_options common;
	struct input_options input;
	struct view_options view;
	uint64_t width, depth;
	double min;
	const char *output; /* an HTML page; NULL: print the flame graph */
	uint64_t nodes;	    /* upper bound of nodes per sample type of the page; 0: none */
};

extern const struct option flame_options[];

/* Append the flame graph of all inputs `args`. `options` is a struct flame_command_options. */
view_make make_flame;

#endif
