/* SPDX-License-Identifier: Apache-2.0 */
/* From argv to a command and its exit code; help and version. */
#include "cli/run.h"

#include <errno.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "cli/command.h"
#include "cli/output.h"
#include "cli/version.h"

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
	 NULL, "give up rather than hold more than this"},
	{0},
};

/* ---- what commands say ---- */

static void say(struct cli *cli, struct str text)
{
	struct buf line = {0};

	progress_stop(&cli->progress);
	buf_put_str(&line, STR("varve: "));
	text_put(&line, text, cli->err.charset);
	buf_put_char(&line, '\n');
	if (output_bytes(STDERR_FILENO, buf_str(&line)))
		line.failed = true; /* there is nobody left to tell */
	buf_fini(&line);
}

enum exit_code cli_fail(struct cli *cli, const struct err *e)
{
	say(cli, str_from(e->text[0] ? e->text : strerror(-e->code)));
	return EXIT_COULD_NOT;
}

void cli_note(struct cli *cli, const char *fmt, ...)
{
	char text[2 * ERR_TEXT_MAX];
	va_list args;

	va_start(args, fmt);
	vsnprintf(text, sizeof(text), fmt, args);
	va_end(args);
	say(cli, str_from(text));
}

enum exit_code cli_usage(struct cli *cli, const struct command *c, const char *text)
{
	cli_note(cli, "%s: %s; varve %s --help tells more", c->name, text, c->name);
	return EXIT_COULD_NOT;
}

enum exit_code cli_print(struct cli *cli, const struct buf *out, enum exit_code answer)
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
		return answer;
	err_set(&e, rc, "cannot write to stdout: %s", strerror(-rc));
	return cli_fail(cli, &e);
}

/* ---- help ---- */

static void put_command_help(struct buf *out, const struct command *c, unsigned columns)
{
	struct str examples = str_from(c->examples), line;

	buf_printf(out, "varve %s %s\n\n  %s\n", c->name, c->arguments, c->summary);
	if (c->details)
		buf_printf(out, "\n%s", c->details);
	buf_put_str(out, STR("\nExamples:\n"));
	while (str_next_line(&examples, &line))
		buf_printf(out, "  %.*s\n", STR_ARG(line));
	options_help(out, c->groups, columns);
}

static void put_help(struct buf *out)
{
	buf_put_str(out, STR("varve opens any profile of any tool: it checks, shows, compares and "
			     "converts.\n\nCommands:\n"));
	for (size_t i = 0; commands[i]; i++)
		buf_printf(out, "  %-9s %s\n", commands[i]->name, commands[i]->summary);
	buf_put_str(out, STR("\nExamples:\n"
			     "  varve flame app.pb.gz                         "
			     "# flame graph in the terminal\n"
			     "  varve top app.pb.gz -n 20 --sort total        "
			     "# the most expensive functions\n"
			     "  varve diff before.pb.gz after.pb.gz           "
			     "# what grew, what shrank\n"
			     "  perf script | varve convert - -o app.pb.gz    "
			     "# from one format to another\n"
			     "\nvarve COMMAND --help tells a command's options. "
			     "varve --version tells the build.\n"));
}

static void put_version(struct buf *out)
{
	buf_printf(out, "varve %s (%s, %s %s)\n", VARVE_VERSION, version_build,
#ifdef __clang__
		   "clang",
#else
		   "gcc",
#endif
		   VARVE_COMPILER);
}

/* ---- finding the command ---- */

static const struct command *find_command(const char *name)
{
	for (size_t i = 0; commands[i]; i++)
		if (strcmp(commands[i]->name, name) == 0)
			return commands[i];
	return NULL;
}

static enum exit_code unknown_command(struct cli *cli, const char *name)
{
	const char *names[32];
	size_t n = 0;

	for (; commands[n] && n < countof(names); n++)
		names[n] = commands[n]->name;

	const char *nearest = options_nearest(name, names, n);

	if (nearest)
		cli_note(cli, "no command '%.60s'; did you mean varve %s?", name, nearest);
	else if (access(name, F_OK) == 0)
		cli_note(cli, "no command '%.60s'; to look at a file: varve flame %.200s", name,
			 name);
	else
		cli_note(cli, "no command '%.60s'; varve --help lists all", name);
	return EXIT_COULD_NOT;
}

static enum exit_code show_command_help(struct cli *cli, const struct command *c)
{
	struct buf out = {0};
	enum exit_code answer;

	put_command_help(&out, c, cli->out.columns < 100 ? cli->out.columns : 100);
	answer = cli_print(cli, &out, EXIT_DONE);
	buf_fini(&out);
	return answer;
}

static enum exit_code run_command(struct cli *cli, const struct command *c, int argc, char **argv)
{
	void *options = calloc(1, c->options_size);
	enum exit_code answer = EXIT_COULD_NOT;
	struct err e = {0};
	struct arguments args;

	if (!options || options_parse(c->groups, options, argc, argv, &args, &e)) {
		cli_note(cli, "%s: %s", c->name, options ? e.text : "out of memory");
		goto out;
	}
	cli->common = options; /* the first group of every command */
	cli->budget.limit = (size_t)cli->common->max_memory;
	terminal_look(&cli->out, STDOUT_FILENO, cli->common->color, cli->common->ascii);
	terminal_look(&cli->err, STDERR_FILENO, cli->common->color, cli->common->ascii);
	if (cli->common->help) {
		answer = show_command_help(cli, c);
		goto out;
	}
	progress_start(&cli->progress, cli->err.tty && !cli->common->quiet, cli->err.columns);
	answer = c->run(cli, options, &args);
	progress_stop(&cli->progress);
out:
	free(options);
	return answer;
}

/* varve, varve help [COMMAND], varve --help, varve --version; -1 when it is none of these. */
static int run_general(struct cli *cli, int argc, char **argv)
{
	const char *word = argc > 1 ? argv[1] : "help";
	struct buf out = {0};
	int answer = -1;

	if (strcmp(word, "--version") == 0 || strcmp(word, "-V") == 0 ||
	    strcmp(word, "version") == 0)
		put_version(&out);
	else if (strcmp(word, "help") == 0 && argc > 2)
		answer = find_command(argv[2]) ? (int)show_command_help(cli, find_command(argv[2]))
					       : (int)unknown_command(cli, argv[2]);
	else if (strcmp(word, "help") == 0 || strcmp(word, "--help") == 0 ||
		 strcmp(word, "-h") == 0)
		put_help(&out);
	if (out.n)
		answer = (int)cli_print(cli, &out, argc > 1 ? EXIT_DONE : EXIT_COULD_NOT);
	buf_fini(&out);
	return answer;
}

int run(int argc, char **argv)
{
	static const struct common_options none;
	struct cli cli = {.common = &none, .budget.limit = 2 * GIB};
	int answer;

	signal(SIGPIPE, SIG_IGN); /* a closed pipe is an error of write(), and we leave quietly */
	text_init();
	terminal_look(&cli.out, STDOUT_FILENO, COLOR_AUTO, false);
	terminal_look(&cli.err, STDERR_FILENO, COLOR_AUTO, false);
	answer = run_general(&cli, argc, argv);
	if (answer >= 0)
		return answer;

	const struct command *c = find_command(argv[1]);

	return (int)(c ? run_command(&cli, c, argc - 2, argv + 2) : unknown_command(&cli, argv[1]));
}
