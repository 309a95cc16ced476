/* SPDX-License-Identifier: Apache-2.0 */
/* varve push: profiles from files to a server. */
#include <errno.h>
#include <string.h>

#include "cli/commands.h"
#include "cli/input.h"
#include "cli/remote.h"

struct push_options {
	struct common_options common;
	struct remote_options remote;
	const char *service, *format, *time;
	struct option_list label;
};

#define AT(field) offsetof(struct push_options, field)

static const struct option push_options[] = {
	{"service", 's', OPTION_TEXT, AT(service), "NAME", NULL, NULL,
	 "the service it is of (default: what the file says)"},
	{"label", 'l', OPTION_LIST, AT(label), "NAME=VALUE", NULL, NULL,
	 "a label more; can be given several times"},
	{"format", 'f', OPTION_TEXT, AT(format), "FORMAT", NULL, NULL,
	 "what it is written in (default: by content, then by name)"},
	{"time", 't', OPTION_TEXT, AT(time), "TIME", NULL, NULL,
	 "when it was: now-1h, 2026-11-15T09:37:00Z (default: what the file says, or now)"},
	{0},
};

static const struct option_group push_groups[] = {
	{"Options", common_options, AT(common)},
	{"Profile", push_options, 0},
	{"Server", remote_options, AT(remote)},
	{0},
};

static int push_file(struct cli *cli, struct remote *r, const struct push_options *o,
		     const char *path, struct buf *out, struct err *e)
{
	struct buf url = {0}, body = {0}, answer = {0};
	const char *name = strrchr(path, '/');
	struct arena arena;
	struct json doc;
	int rc = input_bytes(&body, path, e);

	arena_init(&arena, &cli->budget);
	json_init(&doc, &arena);
	remote_path(&url, "/api/v1/upload");
	remote_param(&url, "service", o->service);
	remote_param(&url, "time", o->time);
	remote_param(&url, "format", o->format);
	remote_param(&url, "file", name ? name + 1 : path);
	for (unsigned i = 0; i < o->label.n; i++)
		remote_param(&url, "label", o->label.at[i]);
	if (!rc)
		rc = remote_ask(r, "POST", &url, buf_str(&body), &answer, e);
	if (!rc)
		rc = json_parse(&doc, buf_str(&answer), e);
	if (!rc) {
		text_put(out, str_from(path), cli->out.charset);
		buf_printf(out, ": %llu samples of %llu series kept",
			   (unsigned long long)remote_count(json_root(&doc), "samples"),
			   (unsigned long long)remote_count(json_root(&doc), "series"));
		if (remote_count(json_root(&doc), "rejected"))
			buf_printf(out, ", %llu profiles rejected",
				   (unsigned long long)remote_count(json_root(&doc), "rejected"));
		if (remote_count(json_root(&doc), "duplicates"))
			buf_put_str(out, STR(" (was there already)"));
		buf_put_char(out, '\n');
	}
	if (rc)
		err_prefix(e, "%s", path);
	arena_fini(&arena);
	buf_fini(&url);
	buf_fini(&body);
	buf_fini(&answer);
	return rc;
}

static enum exit_code run_push(struct cli *cli, void *options, const struct arguments *args)
{
	const struct push_options *o = options;
	enum exit_code answer = EXIT_COULD_NOT;
	struct remote r;
	struct buf out = {0};
	struct err e = {0};
	int rc;

	if (!args->n)
		return cli_usage(cli, &command_push, "name a profile, or - for stdin");
	rc = remote_open(&r, &o->remote, cli, &e);
	for (int i = 0; i < args->n && !rc; i++)
		rc = push_file(cli, &r, o, args->at[i], &out, &e);
	if (rc)
		cli_fail(cli, &e);
	if (!rc || out.n)
		answer = cli_print(cli, &out, rc ? EXIT_COULD_NOT : EXIT_DONE);
	remote_close(&r);
	buf_fini(&out);
	return answer;
}

const struct command command_push = {
	.name = "push",
	.summary = "send profiles of any format to a server",
	.arguments = "FILE...",
	.details = "The server answers when they are kept on its disk.\n",
	.examples = "varve push app.pb.gz --service checkout --label env=dev\n"
		    "perf script | varve push - --service checkout\n",
	.groups = push_groups,
	.options_size = sizeof(struct push_options),
	.run = run_push,
};
