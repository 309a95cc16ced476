/* SPDX-License-Identifier: Apache-2.0 */
/* varve watch: an interactive table of functions for those who work in a terminal. */
#include "cli/commands.h"
#include "cli/live/live.h"

struct watch_options {
	struct common_options common;
	struct remote_options remote;
	struct live_times times;
	struct view_options view;
};

static const struct option_group groups[] = {
	{"Options", common_options, offsetof(struct watch_options, common)},
	{"Server", remote_options, offsetof(struct watch_options, remote)},
	{"Times", live_times_options, offsetof(struct watch_options, times)},
	{"Selection and grouping", view_options, offsetof(struct watch_options, view)},
	{0},
};

static enum exit_code run_watch(struct cli *cli, void *options, const struct arguments *args)
{
	const struct watch_options *o = options;

	if (args->n > 1)
		return cli_usage(cli, &command_watch, "expected one service or URL");
	if (o->view.json)
		return cli_usage(cli, &command_watch, "--json is for varve query top");
	return live_run(cli, &o->remote, &o->times, &o->view, LIVE_BY_SELF,
			args->n ? args->at[0] : NULL);
}

const struct command command_watch = {
	.name = "watch",
	.summary = "the functions of a running program, live, with keys",
	.arguments = "[SELECTOR|URL]",
	.details =
		"Shows the last seconds of a service, from the server of --url, or of a program\n"
		"with net/http/pprof, from its URL. Keys: s service, t type, o order, / filter,\n"
		"p pause, Enter callers and callees, ? help, q quit.\n",
	.examples = "varve watch                                   # choose a service\n"
		    "varve watch 'checkout{env=\"prod\"}' --type cpu\n"
		    "varve watch http://localhost:6060 --window 5  # of /debug/pprof/profile\n",
	.groups = groups,
	.options_size = sizeof(struct watch_options),
	.run = run_watch,
};
