/* SPDX-License-Identifier: Apache-2.0 */
/* varve status: what a running server or collector sends, and whether it arrives. */
#include <errno.h>
#include <stdlib.h>

#include "cli/commands.h"
#include "cli/remote.h"
#include "cli/terminal/text.h"
#include "cli/terminal/units.h"

#define COLLECTOR_URL "http://127.0.0.1:8888"

struct status_options {
	struct common_options common;
	struct remote_options remote;
	bool json;
};

#define AT(field) offsetof(struct status_options, field)

static const struct option status_options[] = {
	{"json", 0, OPTION_FLAG, AT(json), NULL, NULL, NULL, "print the response of the server"},
	{0},
};

static const struct option_group status_groups[] = {
	{"Options", common_options, AT(common)},
	{"Status", status_options, 0},
	{"Server", remote_options, AT(remote)},
	{0},
};

/* ---- text ---- */

static const char *const columns[] = {"accepted", "sent",    "confirmed", "failed",
				      "dropped",  "pending", "duplicates"};

static void put_cell(struct buf *out, const char *text, bool left)
{
	buf_printf(out, left ? "%-24s" : "  %10s", text);
}

static void put_heads(struct buf *out)
{
	put_cell(out, "exporter", true);
	for (size_t i = 0; i < countof(columns); i++)
		put_cell(out, columns[i], false);
	buf_put_str(out, STR("  destination\n"));
}

static void put_exporter(struct cli *cli, struct buf *out, const struct json_value *x)
{
	struct buf id = {0};
	struct str reason = json_str(json_get(x, STR("last_error")));
	bool reachable = json_kind(json_get(x, STR("reachable"))) != JSON_FALSE;

	text_put(&id, json_str(json_get(x, STR("id"))), cli->out.charset);
	buf_put_char(&id, 0);
	put_cell(out, id.p ? id.p : "", true);
	for (size_t i = 0; i < countof(columns); i++) {
		int64_t n = (int64_t)remote_count(x, columns[i]);

		put_cell(out, unit_value(n, STR(""), false).text, false);
	}
	buf_put_str(out, STR("  "));
	text_put(out, json_str(json_get(x, STR("destination"))), cli->out.charset);
	if (!reachable)
		buf_put_str(out, STR(" (unreachable)"));
	buf_put_char(out, '\n');
	if (reason.n) {
		buf_put_str(out, STR("  last error: "));
		text_put(out, reason, cli->out.charset);
		buf_put_char(out, '\n');
	}
	buf_fini(&id);
}

static void put_status(struct cli *cli, struct buf *out, struct str url,
		       const struct json_value *root)
{
	const struct json_value *exporters = json_get(root, STR("exporters"));
	uint64_t started = remote_count(root, "started"), now = remote_count(root, "now");
	uint64_t resident = remote_count(json_get(root, STR("memory")), "resident");

	buf_printf(out, "%.*s: up %s, %s resident\n", STR_ARG(url),
		   unit_value((int64_t)(now > started ? now - started : 0), STR("ms"), false).text,
		   unit_value((int64_t)resident, STR("By"), false).text);
	if (!json_count(exporters)) {
		buf_put_str(out, STR("no exporter sends data to another server\n"));
		return;
	}
	put_heads(out);
	json_each(x, exporters) put_exporter(cli, out, x);
}

/* ---- the command ---- */

/* Ask one server. Return 0 or -errno with a message in `e`. */
static int ask_status(struct cli *cli, const struct status_options *o, const char *url,
		      struct buf *out, struct err *e)
{
	struct remote_options options = o->remote;
	struct buf path = {0}, body = {0};
	struct arena arena;
	struct remote r = {0};
	struct json doc;
	int rc;

	if (url)
		options.url = url;
	arena_init(&arena, &cli->budget);
	json_init(&doc, &arena);
	remote_path(&path, "/api/v1/status");
	rc = remote_open(&r, &options, cli, e);
	if (!rc)
		rc = remote_request(&r, NULL, &path, (struct str){0}, &body, e);
	if (!rc && o->json)
		buf_put_str(out, buf_str(&body));
	if (!rc && !o->json)
		rc = json_parse(&doc, buf_str(&body), e);
	if (!rc && !o->json)
		put_status(cli, out, buf_str(&r.base), json_root(&doc));
	remote_close(&r);
	arena_fini(&arena);
	buf_fini(&path);
	buf_fini(&body);
	return rc;
}

static enum exit_code run_status(struct cli *cli, void *options, const struct arguments *args)
{
	const struct status_options *o = options;
	struct buf out = {0};
	struct err e = {0}, other = {0};
	enum exit_code status;
	int rc;

	if (args->n)
		return cli_usage(cli, &command_status, "takes no arguments");
	rc = ask_status(cli, o, NULL, &out, &e);
	if (rc == -ECONNREFUSED && !o->remote.url && !getenv("VARVE_URL"))
		rc = ask_status(cli, o, COLLECTOR_URL, &out, &other);
	status = rc ? cli_fail(cli, &e) : cli_print(cli, &out, EXIT_DONE);
	buf_fini(&out);
	return status;
}

const struct command command_status = {
	.name = "status",
	.summary = "show what a server or collector sends, and whether it arrives",
	.arguments = "",
	.details =
		"Numbers are items (spans, data points, log records, samples) since the start:\n"
		"taken over into the queue, sent in all attempts, confirmed by the destination,\n"
		"refused by it, dropped, waiting, and possibly sent twice after a restart.\n"
		"Without --url: a server on port 4040, else the metrics of a collector on 8888.\n",
	.examples = "varve status\n"
		    "varve status --url http://127.0.0.1:8888    # a collector\n"
		    "varve status --json | jq '.exporters[] | select(.reachable | not)'\n",
	.groups = status_groups,
	.options_size = sizeof(struct status_options),
	.run = run_status,
};
