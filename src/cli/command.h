/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VARVE_CLI_COMMAND_H
#define VARVE_CLI_COMMAND_H

#include "base/budget.h"
#include "base/err.h"
#include "cli/options.h"
#include "cli/terminal/progress.h"
#include "cli/terminal/terminal.h"

/* The face of a command, and what every command is given. One file a command: cmd_NAME.c. */

enum exit_code {
	EXIT_DONE = 0,
	EXIT_NO = 1, /* the answer is no: check found problems */
	EXIT_COULD_NOT = 2,
};

/* Options that all commands have. */
struct common_options {
	bool help, ascii, quiet;
	unsigned color; /* enum color_wish */
	uint64_t max_memory;
};

extern const struct option common_options[];

struct cli {
	const struct common_options *common;
	struct budget budget; /* for all that the command holds: --max-memory */
	struct terminal out, err;
	struct progress progress;
};

struct command {
	const char *name;
	const char *summary;		   /* one line, for the list of commands */
	const char *arguments;		   /* "FILE..." */
	const char *details;		   /* what the summary leaves open; may be NULL */
	const char *examples;		   /* one a line, "command   # what it does" */
	const struct option_group *groups; /* the first is common_options at offset 0 */
	size_t options_size;
	enum exit_code (*run)(struct cli *cli, void *options, const struct arguments *args);
};

/* All commands, NULL-terminated, in the order of --help. */
extern const struct command *const commands[];

/* "varve: TEXT" on stderr, made harmless, one line. Returns EXIT_COULD_NOT. */
enum exit_code cli_fail(struct cli *cli, const struct err *e);
enum exit_code cli_usage(struct cli *cli, const struct command *c, const char *text);
void cli_note(struct cli *cli, const char *fmt, ...) PRINTF_LIKE(2, 3);

/*
 * Write the buffer to stdout and answer `answer`. A reader that has gone away is no error: it has
 * seen what it wanted.
 */
enum exit_code cli_print(struct cli *cli, const struct buf *out, enum exit_code answer);

#endif
