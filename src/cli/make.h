/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VARVE_CLI_MAKE_H
#define VARVE_CLI_MAKE_H

#include "cli/terminal/view.h"

/*
 * The tables and pictures that commands on files and commands that ask a server share: the options
 * of each, and what makes it of its view. `args` are names of files, or whatever the view's inputs fetch.
 */
struct top_options {
	struct common_options common;
	struct input_options input;
	struct view_options view;
	uint64_t rows;
	unsigned sort; /* enum top_order */
};

extern const struct option top_options[];
view_make make_top;

struct flame_command_options {
	struct common_options common;
	struct input_options input;
	struct view_options view;
	uint64_t width, depth;
	double min;
	const char *output; /* of the page; NULL: the picture is printed */
	uint64_t nodes;
};

extern const struct option flame_options[];
view_make make_flame;

#endif
