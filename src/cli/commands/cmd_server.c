/* SPDX-License-Identifier: Apache-2.0 */
/*
 * varve up, varve server and varve collector: run the pipelines of a configuration until SIGTERM or
 * SIGINT.
 */
#include <errno.h>

#include "cli/commands.h"
#include "cli/server/connection_limits.h"
#include "cli/server/server_process.h"
#include "cli/server/signals.h"

#define AT(field) offsetof(struct server_options, field)

static const char *const log_levels[] = {"debug", "info", "warn", "error", "off", NULL};

static const struct option server_options[] = {
	{"token-file", 0, OPTION_TEXT, AT(token_file), "FILE", NULL, NULL,
	 "require a token, sent as Bearer or as the password of Basic: see varve token"},
	{"audit-log", 0, OPTION_TEXT, AT(audit_log), "FILE", NULL, NULL,
	 "log of who changed what (audit.log in the data directory); none: no log"},
	{"audit-log-size", 0, OPTION_SIZE, AT(audit_log_size), "SIZE", "16M", NULL,
	 "begin a new file of the audit log at this size"},
	{"tenants", 0, OPTION_FLAG, AT(tenants), NULL, NULL, NULL,
	 "separate the data of tenants (X-Scope-OrgID)"},
	{"insecure", 0, OPTION_FLAG, AT(insecure), NULL, NULL, NULL,
	 "accept connections from other machines without tokens"},
	{"no-self-profile", 0, OPTION_FLAG, AT(no_self_profile), NULL, NULL, NULL,
	 "do not profile this process itself (the service \"varve\")"},
	{"no-self-metrics", 0, OPTION_FLAG, AT(no_self_metrics), NULL, NULL, NULL,
	 "do not store the metrics of this process itself (job=\"varve\")"},
	{"no-drift", 0, OPTION_FLAG, AT(no_drift), NULL, NULL, NULL,
	 "do not look for functions whose cost changes"},
	{"log-level", 0, OPTION_CHOICE, AT(log_level), "LEVEL", "info", log_levels,
	 "least severe level to log on stderr"},
	{0},
};

static const struct option process_options[] = {
	{"memory-limit", 0, OPTION_SIZE, AT(memory_limit), "SIZE", "0", NULL,
	 "memory to divide among connections and data in transit; 0: that of memory_limiter, else "
	 "a "
	 "quarter of the machine, at most 1G"},
	{"log-level", 0, OPTION_CHOICE, AT(log_level), "LEVEL", "info", log_levels,
	 "least severe level to log on stderr"},
	{0},
};

static const struct option_group collector_groups[] = {
	{"Options", common_options, AT(common)},
	{"Configuration", collector_options, AT(service)},
	{"Process", process_options, 0},
	{0},
};

static const struct option_group groups[] = {
	{"Options", common_options, AT(common)},
	{"Configuration", service_options, AT(service)},
	{"Server", server_options, 0},
	{0},
};

/* Run the server of the built-in configuration `name`, or of --config, to its end. */
static enum exit_code run_pipelines(struct cli *cli, const struct server_options *o,
				    const char *name)
{
	struct server_process p;
	struct err e = {0};
	sigset_t signals;
	int rc;

	signals_block(&signals);
	connection_limits_raise_files();
	rc = server_process_init(&p, o, name, &e);
	rc = rc ? rc : server_process_start(&p, &e);
	if (!rc) {
		rc = signals_wait_for_end(&p, &signals);
		server_process_stop(&p);
		return rc ? EXIT_COULD_NOT : EXIT_DONE;
	}
	err_errno(&e, rc, "start");
	server_process_fini(&p);
	cli_fail(cli, &e);
	if (rc == -EADDRINUSE && !o->collector)
		cli_note(cli, "--listen, --otlp-grpc and --otlp-http choose other addresses");
	return EXIT_COULD_NOT;
}

static enum exit_code run_collector(struct cli *cli, void *options, const struct arguments *args)
{
	struct server_options *o = options;

	if (args->n)
		return cli_usage(cli, &command_collector,
				 "takes no arguments; name files with --config");
	if (!o->service.config.n)
		return cli_usage(cli, &command_collector,
				 "at least one --config FILE must be provided");
	if (o->service.feature_gates.n)
		cli_note(cli, "--feature-gates is ignored: there are no feature gates");
	o->collector = true;
	return run_pipelines(cli, o, "collector");
}

static enum exit_code run_up(struct cli *cli, void *options, const struct arguments *args)
{
	return args->n ? cli_usage(cli, &command_up, "takes no arguments")
		       : run_pipelines(cli, options, "up");
}

static enum exit_code run_server(struct cli *cli, void *options, const struct arguments *args)
{
	return args->n ? cli_usage(cli, &command_server, "takes no arguments")
		       : run_pipelines(cli, options, "server");
}

const struct command command_up = {
	.name = "up",
	.summary = "run a server: receive, store and query profiles",
	.arguments = "[OPTION...]",
	.details =
		"Listens on loopback addresses unless configured otherwise. SIGTERM ends it when\n"
		"all acknowledged data is on disk; SIGHUP reloads the configuration.\n",
	.examples = "varve up --data ./data\n"
		    "varve up --listen :4040 --token-file tokens  # for other machines too",
	.groups = groups,
	.options_size = sizeof(struct server_options),
	.run = run_up,
};

const struct command command_server = {
	.name = "server",
	.summary = "run a server, with the same pipelines as varve up",
	.arguments = "[OPTION...]",
	.details = "See varve up --help.\n",
	.examples = "varve server --data /var/lib/varve --retention 30d",
	.groups = groups,
	.options_size = sizeof(struct server_options),
	.run = run_server,
};

const struct command command_collector = {
	.name = "collector",
	.summary = "run a configuration of the OpenTelemetry Collector",
	.arguments = "--config FILE [OPTION...]",
	.details = "Runs the pipelines of the files, for traces, metrics, logs and profiles, and\n"
		   "nothing else. SIGTERM drains them: receivers stop, processors and exporters\n"
		   "deliver what they hold. A second SIGTERM ends the process at once.\n",
	.examples = "varve collector --config otel-collector-config.yaml\n"
		    "varve collector --config base.yaml --config production.yaml\n"
		    "varve collector --config c.yaml --set processors::batch::timeout=2s\n"
		    "varve config check c.yaml            # check it without running it",
	.groups = collector_groups,
	.options_size = sizeof(struct server_options),
	.run = run_collector,
};
