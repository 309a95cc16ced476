/* SPDX-License-Identifier: Apache-2.0 */
/* varve config: show the effective configuration, check a file, list settings. */
#include "cli/commands.h"
#include "cli/service_options.h"
#include "pipeline/builtin.h"
#include "pipeline/server_settings.h"
#include "pipeline/service.h"

struct config_options {
	struct common_options common;
	struct service_options service;
};

static const struct option_group groups[] = {
	{"Options", common_options, offsetof(struct config_options, common)},
	{"Configuration", service_options, offsetof(struct config_options, service)},
	{0},
};

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
	for (size_t i = 0; i < c.warnings.n; i++)
		cli_note(cli, "%.*s", STR_ARG(c.warnings.at[i]));
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
	if (!out.n && name) {
		err_set(&e, -ENOENT, "no component \"%s\"; varve config help lists all", name);
		code = cli_fail(cli, &e);
	} else {
		code = cli_print(cli, &out, EXIT_DONE);
	}
	buf_fini(&out);
	return code;
}

static enum exit_code run_config(struct cli *cli, void *options, const struct arguments *args)
{
	struct config_options *o = options;
	const char *what = args->n ? args->at[0] : "";
	const char *name = args->n > 1 ? args->at[1] : NULL;

	if (args->n > 2)
		return cli_usage(cli, &command_config, "too many arguments");
	if (!strcmp(what, "help"))
		return print_settings(cli, name);
	if (!strcmp(what, "show")) {
		if (!name && !o->service.config.n)
			return cli_usage(
				cli, &command_config,
				"missing argument: show up, show server, or show --config FILE");
		return check_config(cli, o, name ? name : "", true);
	}
	if (!strcmp(what, "check")) {
		if (name && o->service.config.n < OPTION_LIST_MAX)
			o->service.config.at[o->service.config.n++] = name;
		if (!o->service.config.n)
			return cli_usage(cli, &command_config, "missing argument: check FILE");
		return check_config(cli, o, "", false);
	}
	return cli_usage(cli, &command_config, "expected show, check or help");
}

const struct command command_config = {
	.name = "config",
	.summary = "show or check a configuration, list all settings",
	.arguments = "show up|server  |  check FILE  |  help [COMPONENT]",
	.details = "The format is that of the OpenTelemetry Collector. show prints the built-in\n"
		   "configuration, or --config FILE, with options and --set applied.\n"
		   "Several --config are merged: maps key by key, other values are replaced.\n",
	.examples =
		"varve config show up                 # what varve up runs\n"
		"varve config check collector.yaml    # exit code 2 and the position of an error\n"
		"varve config help otlp               # the settings of a component",
	.groups = groups,
	.options_size = sizeof(struct config_options),
	.run = run_config,
};
