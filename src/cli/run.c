/* SPDX-License-Identifier: Apache-2.0 */
/* Dispatch of the command line to a command; help and version. */
#include "cli/run.h"

#include <signal.h>
#include <stdlib.h>
#include <unistd.h>

#include "cli/commands.h"
#include "cli/version.h"

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
	buf_put_str(out, STR("varve stores and queries profiles, and checks, shows, compares and "
			     "converts profile files.\n\nCommands:\n"));
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
			     "\nvarve COMMAND --help lists the options of a command, "
			     "varve --version shows the version.\n"));
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
		cli_note(cli, "no command '%.60s'; to show a file: varve flame %.200s", name, name);
	else
		cli_note(cli, "no command '%.60s'; see varve --help", name);
	return EXIT_COULD_NOT;
}

static enum exit_code show_command_help(struct cli *cli, const struct command *c)
{
	struct buf out = {0};
	enum exit_code status;

	put_command_help(&out, c, cli->out.columns < 100 ? cli->out.columns : 100);
	status = cli_print(cli, &out, EXIT_DONE);
	buf_fini(&out);
	return status;
}

static enum exit_code run_command(struct cli *cli, const struct command *c, int argc, char **argv)
{
	void *options = calloc(1, c->options_size);
	enum exit_code status = EXIT_COULD_NOT;
	struct err e = {0};
	struct arguments args;

	if (!options || options_parse(c->groups, options, argc, argv, &args, &e)) {
		cli_note(cli, "%s: %s", c->name, options ? e.text : "out of memory");
		goto out;
	}
	cli->common = options; /* the first group of every command */
	cli->budget.limit = (size_t)cli->common->max_memory;
	terminal_detect(&cli->out, STDOUT_FILENO, cli->common->color, cli->common->ascii);
	terminal_detect(&cli->err, STDERR_FILENO, cli->common->color, cli->common->ascii);
	if (cli->common->help) {
		status = show_command_help(cli, c);
		goto out;
	}
	progress_start(&cli->progress, cli->err.tty && !cli->common->quiet, cli->err.columns);
	status = c->run(cli, options, &args);
	progress_stop(&cli->progress);
out:
	free(options);
	return status;
}

/*
 * Run varve, varve help [COMMAND], varve --help or varve --version. Return its exit code, or -1 if
 * the command line is none of these.
 */
static int run_general(struct cli *cli, int argc, char **argv)
{
	const char *word = argc > 1 ? argv[1] : "help";
	struct buf out = {0};
	int status = -1;

	if (strcmp(word, "--version") == 0 || strcmp(word, "-V") == 0 ||
	    strcmp(word, "version") == 0)
		put_version(&out);
	else if (strcmp(word, "help") == 0 && argc > 2)
		status = find_command(argv[2]) ? (int)show_command_help(cli, find_command(argv[2]))
					       : (int)unknown_command(cli, argv[2]);
	else if (strcmp(word, "help") == 0 || strcmp(word, "--help") == 0 ||
		 strcmp(word, "-h") == 0)
		put_help(&out);
	if (out.n)
		status = (int)cli_print(cli, &out, argc > 1 ? EXIT_DONE : EXIT_COULD_NOT);
	buf_fini(&out);
	return status;
}

int cli_run(int argc, char **argv)
{
	static const struct common_options none;
	struct cli cli = {.common = &none, .budget.limit = 2 * GIB};
	int status;

	signal(SIGPIPE, SIG_IGN); /* a closed pipe is an error of write() */
	text_init();
	terminal_detect(&cli.out, STDOUT_FILENO, COLOR_AUTO, false);
	terminal_detect(&cli.err, STDERR_FILENO, COLOR_AUTO, false);
	status = run_general(&cli, argc, argv);
	if (status >= 0)
		return status;

	const struct command *c = find_command(argv[1]);

	return (int)(c ? run_command(&cli, c, argc - 2, argv + 2) : unknown_command(&cli, argv[1]));
}
