/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VARVE_CLI_COMMAND_H
#define VARVE_CLI_COMMAND_H

#include "base/budget.h"
#include "base/err.h"
#include "cli/options.h"
#include "cli/terminal/progress.h"
#include "cli/terminal/terminal.h"

/*
 * The descriptor of a command, the context that every command gets, and its messages. Each command
 * is a file commands/cmd_NAME.c.
 */

enum exit_code {
	EXIT_DONE = 0,
	EXIT_NO = 1, /* done, and the answer is no: check found problems */
	EXIT_COULD_NOT = 2,
};

/* Options that all commands have. */
struct common_options {
	bool help, ascii, quiet;
	unsigned color; /* enum color_choice */
	uint64_t max_memory;
};

extern const struct option common_options[];

struct cli {
	const struct common_options *common;
	struct budget budget; /* --max-memory, for everything that the command allocates */
	struct terminal out, err;
	struct progress progress;
};

struct command {
	const char *name;
	const char *summary;   /* one line, for the list of commands */
	const char *arguments; /* "FILE..." */
	const char *details;   /* lines after the summary; may be NULL */
	const char *examples;  /* lines of "command   # what it does" */
	/* The first group is common_options at offset 0. */
	const struct option_group *groups;
	size_t options_size;
	enum exit_code (*run)(struct cli *cli, void *options, const struct arguments *args);
};

/* Print "varve: TEXT" on one line of stderr, control characters replaced. Return EXIT_COULD_NOT. */
enum exit_code cli_fail(struct cli *cli, const struct err *e);

/* Print what is wrong with the arguments of `c` and refer to its --help. Return EXIT_COULD_NOT. */
enum exit_code cli_usage(struct cli *cli, const struct command *c, const char *text);

/* Print "varve: TEXT" on one line of stderr, control characters replaced. */
void cli_note(struct cli *cli, const char *fmt, ...) PRINTF_LIKE(2, 3);

/*
 * Write the buffer to stdout. Return `status`, also if the reader has closed the pipe; after
 * another error print it and return EXIT_COULD_NOT.
 */
enum exit_code cli_print(struct cli *cli, const struct buf *out, enum exit_code status);

#endif
