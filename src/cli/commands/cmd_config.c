/* SPDX-License-Identifier: Apache-2.0 */
/* varve config: show the effective configuration, check a file, list settings. */
#include "cli/commands.h"
#include "cli/service_options.h"
#include "config/settings_defaults.h"
#include "pipeline/builtin.h"
#include "pipeline/server_settings.h"
#include "pipeline/service.h"
#include "pipeline/service/service_defaults.h"
#include "rules/rules_settings.h"

struct config_options {
	struct common_options common;
	struct service_options service;
	bool brief;
};

static const struct option config_options[] = {
	{"brief", 0, OPTION_FLAG, offsetof(struct config_options, brief), NULL, NULL, NULL,
	 "show: without defaults, only what is configured"},
	{0},
};

static const struct option_group groups[] = {
	{"Options", common_options, offsetof(struct config_options, common)},
	{"Configuration", service_options, offsetof(struct config_options, service)},
	{"Output", config_options, 0},
	{0},
};

static void print_config_warnings(struct cli *cli, const struct config *c)
{
	for (uint32_t i = 0; i < c->warnings.n; i++)
		cli_note(cli, "warning: %.*s", STR_ARG(c->warnings.at[i]));
}

/* Check service.rules, and add its defaults. */
static int check_rules(struct config *c, bool add_defaults, struct err *e)
{
	const struct config_node *node = config_find(c->root, "service.rules");
	struct rules_config *rules = NULL;
	int rc = rules_config_read(&rules, node, e);

	rules_config_free(rules);
	if (!rc && node && add_defaults)
		rc = settings_add_defaults(c, rules_settings_table, (struct config_node *)node);
	return rc;
}

/* Load and check the configuration, and print it if `print` is set. */
static enum exit_code check_config(struct cli *cli, const struct config_options *o,
				   const char *name, bool print)
{
	struct config c;
	struct err e = {0};
	struct buf out = {0};
	int rc = config_init(&c, &cli->budget);

	if (!rc)
		rc = service_options_load(&c, &o->service, name, &e);
	if (!rc)
		rc = service_check(&c, NULL, &e);
	if (!rc)
		rc = check_rules(&c, print && !o->brief, &e);
	if (!cli->common->quiet)
		print_config_warnings(cli, &c);
	if (!rc && print && !o->brief)
		rc = service_add_defaults(&c);
	if (!rc && print)
		config_print(&out, c.root);

	enum exit_code code = rc ? (err_errno(&e, rc, "read the configuration"), cli_fail(cli, &e))
				 : cli_print(cli, &out, EXIT_DONE);

	buf_fini(&out);
	config_fini(&c);
	return code;
}

/* Print the settings of one component or section, or of all (NULL). */
static enum exit_code print_settings(struct cli *cli, const char *name)
{
	struct buf out = {0};
	struct err e = {0};
	enum exit_code code;

	for (const struct component *const *c = components; *c; c++) {
		if (name && strcmp((*c)->name, name) != 0)
			continue;
		buf_printf(&out, "%s%s %s: %s\n", out.n ? "\n" : "",
			   component_kind_names[(*c)->kind], (*c)->name, (*c)->help);
		settings_help(&out, (*c)->settings, 1);
	}
	for (const struct server_section *s = server_sections; s->name; s++) {
		if (name && strcmp(s->name, name) != 0)
			continue;
		buf_printf(&out, "%sservice %s: %s\n", out.n ? "\n" : "", s->name, s->help);
		settings_help(&out, s->settings, 1);
	}
	if (!name || !strcmp(name, "rules")) {
		buf_printf(&out, "%sservice rules: Recording and alerting rules.\n",
			   out.n ? "\n" : "");
		settings_help(&out, rules_settings_table, 1);
	}
	if (!out.n && name) {
		err_set(&e, -ENOENT, "no component \"%s\"; varve config help lists all", name);
		code = cli_fail(cli, &e);
	} else {
		code = cli_print(cli, &out, EXIT_DONE);
	}
	buf_fini(&out);
	return code;
}

/* Append the arguments from `first` on to the files of --config. Return false if there are none. */
static bool add_files(struct option_list *files, const struct arguments *args, int first)
{
	for (int i = first; i < args->n && files->n < OPTION_LIST_MAX; i++)
		files->at[files->n++] = args->at[i];
	return files->n > 0;
}

/* show NAME [FILE...]: files replace the built-in configuration. */
static enum exit_code show_config(struct cli *cli, struct config_options *o,
				  const struct arguments *args)
{
	const char *name = args->n > 1 ? args->at[1] : "collector";

	if (!add_files(&o->service.config, args, 2) && !strcmp(name, "collector"))
		return cli_usage(cli, &command_config,
				 "missing argument: show up, show server, or show collector FILE");
	return check_config(cli, o, name, true);
}

static enum exit_code run_config(struct cli *cli, void *options, const struct arguments *args)
{
	struct config_options *o = options;
	const char *what = args->n ? args->at[0] : "";

	if (!strcmp(what, "show"))
		return show_config(cli, o, args);
	if (!strcmp(what, "check")) {
		if (!add_files(&o->service.config, args, 1))
			return cli_usage(cli, &command_config, "missing argument: check FILE");
		return check_config(cli, o, "", false);
	}
	if (strcmp(what, "help") != 0)
		return cli_usage(cli, &command_config, "expected show, check or help");
	if (args->n > 2)
		return cli_usage(cli, &command_config, "too many arguments");
	return print_settings(cli, args->n > 1 ? args->at[1] : NULL);
}

const struct command command_config = {
	.name = "config",
	.summary = "show or check a configuration, list all settings",
	.arguments = "show up|server|collector [FILE...]  |  check FILE...  |  help [COMPONENT]",
	.details = "The format is that of the OpenTelemetry Collector. show prints the built-in\n"
		   "configuration, or that of the files, with options, --set and all defaults.\n"
		   "Several files are merged: maps key by key, other values are replaced. Exit\n"
		   "code 2: the configuration has an error.\n",
	.examples = "varve config show up                 # what varve up runs\n"
		    "varve config check collector.yaml    # prints the position of an error\n"
		    "varve config show collector base.yaml production.yaml\n"
		    "varve config help otlp               # the settings of a component",
	.groups = groups,
	.options_size = sizeof(struct config_options),
	.run = run_config,
};
