/* SPDX-License-Identifier: Apache-2.0 */
/* The options that all commands share, and their output on stdout and stderr. */
#include "cli/command.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <unistd.h>

#include "cli/output.h"

static const char *const color_choices[] = {"auto", "always", "never", NULL};

const struct option common_options[] = {
	{"help", 'h', OPTION_FLAG, offsetof(struct common_options, help), NULL, NULL, NULL,
	 "show this help"},
	{"color", 0, OPTION_CHOICE, offsetof(struct common_options, color), "WHEN", "auto",
	 color_choices, "colours: on a terminal unless NO_COLOR is set"},
	{"ascii", 0, OPTION_FLAG, offsetof(struct common_options, ascii), NULL, NULL, NULL,
	 "draw with ASCII characters only"},
	{"quiet", 'q', OPTION_FLAG, offsetof(struct common_options, quiet), NULL, NULL, NULL,
	 "no warnings and no progress on stderr"},
	{"max-memory", 0, OPTION_SIZE, offsetof(struct common_options, max_memory), "SIZE", "2G",
	 NULL, "fail rather than use more memory than this"},
	{0},
};

static void print_message(struct cli *cli, struct str text)
{
	struct buf line = {0};

	progress_stop(&cli->progress);
	buf_put_str(&line, STR("varve: "));
	text_put(&line, text, cli->err.charset);
	buf_put_char(&line, '\n');
	if (output_bytes(STDERR_FILENO, buf_str(&line)))
		line.failed = true; /* stderr is closed: nothing can be reported */
	buf_fini(&line);
}

enum exit_code cli_fail(struct cli *cli, const struct err *e)
{
	print_message(cli, str_from(e->text[0] ? e->text : strerror(-e->code)));
	return EXIT_COULD_NOT;
}

void cli_note(struct cli *cli, const char *fmt, ...)
{
	char text[2 * ERR_TEXT_MAX];
	va_list args;

	va_start(args, fmt);
	vsnprintf(text, sizeof(text), fmt, args);
	va_end(args);
	print_message(cli, str_from(text));
}

enum exit_code cli_usage(struct cli *cli, const struct command *c, const char *text)
{
	cli_note(cli, "%s: %s; see varve %s --help", c->name, text, c->name);
	return EXIT_COULD_NOT;
}

enum exit_code cli_print(struct cli *cli, const struct buf *out, enum exit_code status)
{
	struct err e = {0};
	int rc = buf_error(out);

	progress_stop(&cli->progress);
	if (rc) {
		err_set(&e, rc, "out of memory: raise --max-memory");
		return cli_fail(cli, &e);
	}
	rc = output_bytes(STDOUT_FILENO, buf_str(out));
	if (!rc || rc == -EPIPE)
		return status;
	err_set(&e, rc, "cannot write to stdout: %s", strerror(-rc));
	return cli_fail(cli, &e);
}
