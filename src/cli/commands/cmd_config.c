/* SPDX-License-Identifier: Apache-2.0 */
/* varve config: show the effective configuration, check one, tell what can be set. */
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

static enum exit_code show(struct cli *cli, const struct config_options *o, const char *name,
			   bool print)
{
	struct config c;
	struct err e = {0};
	struct buf out = {0};
	int rc = config_init(&c, &cli->budget);

	if (!rc)
		rc = service_options_load(&c, &o->service, name, &e);
	if (!rc)
		rc = service_check(&c, NULL, &e);
	if (!rc && print)
		config_print(&out, c.root);

	enum exit_code code = rc ? (err_errno(&e, rc, "read the configuration"), cli_fail(cli, &e))
				 : cli_print(cli, &out, EXIT_DONE);

	buf_fini(&out);
	config_fini(&c);
	return code;
}

/* All settings of one component, or of all. */
static enum exit_code help(struct cli *cli, const char *name)
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
		err_set(&e, -ENOENT, "there is no component \"%s\"; varve config help lists all",
			name);
		code = cli_fail(cli, &e);
	} else {
		code = cli_print(cli, &out, EXIT_DONE);
	}
	buf_fini(&out);
	return code;
}

static enum exit_code run(struct cli *cli, void *options, const struct arguments *args)
{
	struct config_options *o = options;
	const char *what = args->n ? args->at[0] : "";
	const char *name = args->n > 1 ? args->at[1] : NULL;

	if (args->n > 2)
		return cli_usage(cli, &command_config, "too many arguments");
	if (!strcmp(what, "help"))
		return help(cli, name);
	if (!strcmp(what, "show")) {
		if (!name && !o->service.config)
			return cli_usage(cli, &command_config,
					 "show what: up, server, or --config FILE");
		return show(cli, o, name ? name : "", true);
	}
	if (!strcmp(what, "check")) {
		if (name)
			o->service.config = name;
		if (!o->service.config)
			return cli_usage(cli, &command_config, "check which file");
		return show(cli, o, "", false);
	}
	return cli_usage(cli, &command_config, "expected show, check or help");
}

const struct command command_config = {
	.name = "config",
	.summary = "show or check a configuration, tell what can be set",
	.arguments = "show up|server  |  check FILE  |  help [COMPONENT]",
	.details =
		"Configurations are those of the OpenTelemetry Collector. What runs without one is "
		"built in; `show` prints it as it is with the flags and --set applied.",
	.examples =
		"varve config show up                 # what varve up runs\n"
		"varve config check collector.yaml    # exit code 2 and the place of a mistake\n"
		"varve config help otlp               # the settings of a component",
	.groups = groups,
	.options_size = sizeof(struct config_options),
	.run = run,
};
