/* SPDX-License-Identifier: Apache-2.0 */
/* varve delete: delete profiles from a server. */
#include <errno.h>
#include <string.h>

#include "cli/commands.h"
#include "cli/remote.h"

struct delete_options {
	struct common_options common;
	struct remote_options remote;
	const char *before, *from, *to;
};

#define AT(field) offsetof(struct delete_options, field)

static const struct option delete_options[] = {
	{"before", 0, OPTION_TEXT, AT(before), "TIME", NULL, NULL,
	 "delete data older than this: now-7d; now deletes all"},
	{"from", 0, OPTION_TEXT, AT(from), "TIME", NULL, NULL, "or delete a time range: its start"},
	{"to", 0, OPTION_TEXT, AT(to), "TIME", NULL, NULL, "end of the time range"},
	{0},
};

static const struct option_group delete_groups[] = {
	{"Options", common_options, AT(common)},
	{"When", delete_options, 0},
	{"Server", remote_options, AT(remote)},
	{0},
};

static enum exit_code run_delete(struct cli *cli, void *options, const struct arguments *args)
{
	const struct delete_options *o = options;
	enum exit_code status = EXIT_COULD_NOT;
	struct buf url = {0}, out = {0};
	struct arena arena;
	struct remote r = {0};
	struct json doc;
	struct err e = {0};

	if (args->n != 1)
		return cli_usage(cli, &command_delete,
				 "give one selector; '{}' selects everything");
	arena_init(&arena, &cli->budget);
	remote_path(&url, "/api/v1/data");
	remote_param(&url, "query", args->at[0]);
	remote_param(&url, "before", o->before);
	remote_param(&url, "from", o->from);
	remote_param(&url, "to", o->to);
	if (remote_open(&r, &o->remote, cli, &e) ||
	    remote_json(&r, "DELETE", &url, &doc, &arena, &e)) {
		cli_fail(cli, &e);
	} else {
		buf_printf(&out, "%llu profiles deleted\n",
			   (unsigned long long)remote_count(json_root(&doc), "profiles"));
		status = cli_print(cli, &out, EXIT_DONE);
	}
	remote_close(&r);
	arena_fini(&arena);
	buf_fini(&url);
	buf_fini(&out);
	return status;
}

const struct command command_delete = {
	.name = "delete",
	.summary = "delete profiles from a server",
	.arguments = "SELECTOR",
	.details = "A selector and a time are required.\n",
	.examples = "varve delete 'checkout{env=\"dev\"}' --before now-7d\n"
		    "varve delete '{}' --from 2026-11-01 --to 2026-11-02\n",
	.groups = delete_groups,
	.options_size = sizeof(struct delete_options),
	.run = run_delete,
};
