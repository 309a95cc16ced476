/* SPDX-License-Identifier: Apache-2.0 */
/* varve push: send profile files to a server. */
#include <errno.h>
#include <string.h>

#include "cli/commands.h"
#include "cli/input.h"
#include "cli/remote.h"

struct push_options {
	struct common_options common;
	struct remote_options remote;
	const char *service, *format, *time, *key_file;
	struct option_list label;
};

#define AT(field) offsetof(struct push_options, field)

static const struct option push_options[] = {
	{"service", 's', OPTION_TEXT, AT(service), "NAME", NULL, NULL,
	 "name of the service (default: that of the file)"},
	{"label", 'l', OPTION_LIST, AT(label), "NAME=VALUE", NULL, NULL,
	 "add a label; can be repeated"},
	{"format", 'f', OPTION_TEXT, AT(format), "FORMAT", NULL, NULL,
	 "format of the files (default: detected by content, then by name)"},
	{"time", 't', OPTION_TEXT, AT(time), "TIME", NULL, NULL,
	 "time of the profile: now-1h, 2026-11-15T09:37:00Z (default: that of the file, or now)"},
	{"key-file", 0, OPTION_TEXT, AT(key_file), "FILE", NULL, NULL,
	 "decrypt files before they are sent (default: the server does, by --sender-key-file)"},
	{0},
};

static const struct option_group push_groups[] = {
	{"Options", common_options, AT(common)},
	{"Profile", push_options, 0},
	{"Server", remote_options, AT(remote)},
	{0},
};

/* What push_file() needs for each file. */
struct pusher {
	struct cli *cli;
	struct remote remote;
	const struct push_options *options;
	struct key_ring *keys;
};

static int push_file(struct pusher *p, const char *path, struct buf *out, struct err *e)
{
	const struct push_options *o = p->options;
	struct remote *r = &p->remote;
	struct cli *cli = p->cli;
	struct buf url = {0}, body = {0}, response = {0};
	const char *name = strrchr(path, '/');
	struct arena arena;
	struct json doc;
	int rc = input_bytes(&body, path, e);

	/* without a key an encrypted file is sent as it is: the server may have the key */
	if (!rc && p->keys)
		rc = input_unseal(&body, path, p->keys, e);
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
		rc = remote_request(r, "POST", &url, buf_str(&body), &response, e);
	if (!rc)
		rc = json_parse(&doc, buf_str(&response), e);
	if (!rc) {
		text_put(out, str_from(path), cli->out.charset);
		buf_printf(out, ": stored %llu samples of %llu series",
			   (unsigned long long)remote_count(json_root(&doc), "samples"),
			   (unsigned long long)remote_count(json_root(&doc), "series"));
		if (remote_count(json_root(&doc), "rejected"))
			buf_printf(out, ", %llu profiles rejected",
				   (unsigned long long)remote_count(json_root(&doc), "rejected"));
		if (remote_count(json_root(&doc), "duplicates"))
			buf_put_str(out, STR(" (already stored)"));
		buf_put_char(out, '\n');
	}
	if (rc)
		err_prefix(e, "%s", path);
	arena_fini(&arena);
	buf_fini(&url);
	buf_fini(&body);
	buf_fini(&response);
	return rc;
}

static enum exit_code run_push(struct cli *cli, void *options, const struct arguments *args)
{
	const struct push_options *o = options;
	enum exit_code status = EXIT_COULD_NOT;
	struct pusher p = {.cli = cli, .options = o};
	struct buf out = {0};
	struct err e = {0};
	int rc;

	if (!args->n)
		return cli_usage(cli, &command_push, "name a profile, or - for stdin");
	rc = remote_open(&p.remote, &o->remote, cli, &e);
	if (!rc && o->key_file)
		rc = key_ring_open(&p.keys, o->key_file, NULL, &e);
	for (int i = 0; i < args->n && !rc; i++)
		rc = push_file(&p, args->at[i], &out, &e);
	if (rc)
		cli_fail(cli, &e);
	if (!rc || out.n)
		status = cli_print(cli, &out, rc ? EXIT_COULD_NOT : EXIT_DONE);
	key_ring_unref(p.keys);
	remote_close(&p.remote);
	buf_fini(&out);
	return status;
}

const struct command command_push = {
	.name = "push",
	.summary = "send profiles of any format to a server",
	.arguments = "FILE...",
	.details = "The server responds when the profiles are on its disk.\n",
	.examples = "varve push app.pb.gz --service checkout --label env=dev\n"
		    "perf script | varve push - --service checkout\n",
	.groups = push_groups,
	.options_size = sizeof(struct push_options),
	.run = run_push,
};
