/* SPDX-License-Identifier: Apache-2.0 */
/* varve dashboard list, export, import and delete: the dashboards of a server (docs/dashboards.md). */
#include <errno.h>
#include <string.h>

#include "cli/commands.h"
#include "cli/input.h"
#include "cli/output.h"
#include "cli/remote.h"

#define PATH "/api/v1/dashboards"

struct dashboard_options {
	struct common_options common;
	struct remote_options remote;
	const char *name, *output;
};

#define AT(field) offsetof(struct dashboard_options, field)

static const struct option dashboard_options[] = {
	{"name", 0, OPTION_TEXT, AT(name), "NAME", NULL, NULL,
	 "import: name of the dashboard; default: that of the file"},
	{"output", 'o', OPTION_TEXT, AT(output), "FILE", NULL, NULL,
	 "export: write the document to this file"},
	{0},
};

static const struct option_group dashboard_groups[] = {
	{"Options", common_options, AT(common)},
	{"Dashboard", dashboard_options, 0},
	{"Server", remote_options, AT(remote)},
	{0},
};

struct run {
	const struct dashboard_options *options;
	struct remote remote;
	struct arena arena;
	struct buf out;
};

/* Build the path of a dashboard. A name that is not one would be another path. */
static int path_of(struct buf *url, struct str name, struct err *e)
{
	static const char safe[] =
		"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._-";

	if (!name.n || strspn(name.p, safe) < name.n || name.p[0] == '.')
		return err_set(
			e, -EINVAL,
			"\"%.*s\" is not the name of a dashboard: expected A-Z a-z 0-9 . _ -",
			STR_ARG(name));
	buf_printf(url, PATH "/%.*s", STR_ARG(name));
	return buf_error(url);
}

static int list_all(struct run *r, struct err *e)
{
	struct buf url = {0};
	struct json doc;
	int rc;

	remote_path(&url, PATH);
	rc = remote_json(&r->remote, NULL, &url, &doc, &r->arena, e);
	buf_fini(&url);
	if (rc)
		return rc;
	buf_printf(&r->out, "%-32s %6s  %s\n", "name", "panels", "title");
	json_each(one, json_get(json_root(&doc), STR("dashboards")))
	{
		struct str error = json_str(json_get(one, STR("error")));

		buf_printf(&r->out, "%-32.*s %6llu  %.*s\n",
			   STR_ARG(json_str(json_get(one, STR("name")))),
			   (unsigned long long)remote_count(one, "panels"),
			   STR_ARG(error.n ? error : json_str(json_get(one, STR("title")))));
	}
	return 0;
}

static int export_one(struct run *r, const char *name, struct err *e)
{
	struct buf url = {0}, document = {0};
	int rc = path_of(&url, str_from(name), e);

	if (!rc)
		rc = remote_request(&r->remote, NULL, &url, (struct str){0}, &document, e);
	if (!rc && r->options->output)
		rc = output_file(r->options->output, buf_str(&document), e);
	else if (!rc)
		buf_put_str(&r->out, buf_str(&document));
	buf_fini(&url);
	buf_fini(&document);
	return rc;
}

/* Return the name of a file without its folder and .json. */
static struct str name_of_file(const char *path)
{
	struct str name = str_from(path);
	size_t slash = str_find_last(name, '/');

	if (slash < name.n)
		name = str_from_at(name, slash + 1);
	return str_ends(name, STR(".json")) ? str_head(name, name.n - 5) : name;
}

static int import_one(struct run *r, const char *path, struct err *e)
{
	const char *given = r->options->name;
	struct str name = given ? str_from(given) : name_of_file(path), terminated;
	struct buf url = {0}, document = {0}, answer = {0};
	int rc = arena_printf(&r->arena, &terminated, "%.*s", STR_ARG(name));

	if (!rc)
		rc = path_of(&url, terminated, e);
	if (!rc)
		rc = input_bytes(&document, path, e);
	if (!rc)
		rc = remote_request(&r->remote, "PUT", &url, buf_str(&document), &answer, e);
	if (!rc)
		buf_printf(&r->out, "%.*s: imported as %.*s\n", STR_ARG(str_from(path)),
			   STR_ARG(name));
	buf_fini(&url);
	buf_fini(&document);
	buf_fini(&answer);
	return rc;
}

static int remove_one(struct run *r, const char *name, struct err *e)
{
	struct buf url = {0}, answer = {0};
	int rc = path_of(&url, str_from(name), e);

	if (!rc)
		rc = remote_request(&r->remote, "DELETE", &url, (struct str){0}, &answer, e);
	if (!rc)
		buf_printf(&r->out, "%s: deleted\n", name);
	buf_fini(&url);
	buf_fini(&answer);
	return rc;
}

static const struct {
	const char *name;
	int (*run)(struct run *r, const char *argument, struct err *e);
} actions[] = {{"export", export_one}, {"import", import_one}, {"delete", remove_one}};

static int run_action(struct run *r, const struct arguments *args, struct err *e)
{
	if (!strcmp(args->at[0], "list"))
		return list_all(r, e);
	for (size_t i = 0; i < countof(actions); i++)
		if (!strcmp(args->at[0], actions[i].name))
			return actions[i].run(r, args->at[1], e);
	return -EINVAL;
}

static bool is_valid(const struct arguments *args)
{
	if (args->n == 1)
		return !strcmp(args->at[0], "list");
	for (size_t i = 0; i < countof(actions); i++)
		if (args->n == 2 && !strcmp(args->at[0], actions[i].name))
			return true;
	return false;
}

static enum exit_code run_dashboard(struct cli *cli, void *options, const struct arguments *args)
{
	enum exit_code status = EXIT_COULD_NOT;
	struct run r = {.options = options};
	struct err e = {0};
	int rc;

	if (!is_valid(args))
		return cli_usage(cli, &command_dashboard,
				 "expected list, export NAME, import FILE or delete NAME");
	arena_init(&r.arena, &cli->budget);
	rc = remote_open(&r.remote, &r.options->remote, cli, &e);
	if (!rc)
		rc = run_action(&r, args, &e);
	if (rc)
		cli_fail(cli, &e);
	else
		status = cli_print(cli, &r.out, EXIT_DONE);
	remote_close(&r.remote);
	arena_fini(&r.arena);
	buf_fini(&r.out);
	return status;
}

const struct command command_dashboard = {
	.name = "dashboard",
	.summary = "list, export, import and delete the dashboards of a server",
	.arguments = "list  |  export NAME  |  import FILE  |  delete NAME",
	.details =
		"A document is checked by the server, which reports line and column of an error.\n"
		"An existing dashboard is replaced. Dashboards of Grafana are imported in the "
		"page\n"
		"/dashboards, which lists what has no counterpart.\n",
	.examples = "varve dashboard list\n"
		    "varve dashboard export shop -o shop.json\n"
		    "varve dashboard import shop.json --name shop-copy\n",
	.groups = dashboard_groups,
	.options_size = sizeof(struct dashboard_options),
	.run = run_dashboard,
};
