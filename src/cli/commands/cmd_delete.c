/* SPDX-License-Identifier: Apache-2.0 */
/* varve delete: delete data from a server. */
#include <errno.h>
#include <string.h>

#include "cli/commands.h"
#include "cli/remote.h"
#include "signal/signal_kind.h"

struct delete_options {
	struct common_options common;
	struct remote_options remote;
	const char *signal, *before, *from, *to;
};

#define AT(field) offsetof(struct delete_options, field)

static const struct option delete_options[] = {
	{"signal", 0, OPTION_TEXT, AT(signal), "SIGNAL", NULL, NULL,
	 "delete only this: traces, logs or metrics (whole days, no selector), or profiles"},
	{"before", 0, OPTION_TEXT, AT(before), "TIME", NULL, NULL,
	 "delete data older than this: now-7d; now deletes all"},
	{"from", 0, OPTION_TEXT, AT(from), "TIME", NULL, NULL, "or delete a time range: its start"},
	{"to", 0, OPTION_TEXT, AT(to), "TIME", NULL, NULL, "end of the time range"},
	{0},
};

static const struct option_group delete_groups[] = {
	{"Options", common_options, AT(common)},
	{"What", delete_options, 0},
	{"Server", remote_options, AT(remote)},
	{0},
};

static void put_result(struct buf *out, const char *signal, const struct json_value *root)
{
	static const char *const texts[SIGNALS] = {"profiles", "spans", "samples of metrics",
						   "log records"};

	for (unsigned i = 0; i < SIGNALS; i++) {
		const char *key = i ? signal_items[i] : "profiles";

		if (strcmp(signal, signal_names[i]) == 0)
			buf_printf(out, "%llu %s deleted%s\n",
				   (unsigned long long)remote_count(root, key), texts[i],
				   i ? "; whole days (UTC) only, the rest of a day stays" : "");
	}
}

static enum exit_code run_delete(struct cli *cli, void *options, const struct arguments *args)
{
	const struct delete_options *o = options;
	enum exit_code status = EXIT_COULD_NOT;
	struct buf url = {0}, out = {0};
	struct arena arena;
	struct remote r = {0};
	struct json doc;
	struct err e = {0};
	bool days;

	days = o->signal && strcmp(o->signal, "profiles") != 0;
	if (days && args->n)
		return cli_usage(cli, &command_delete,
				 "--signal takes no selector: whole days are deleted");
	if (!days && args->n != 1)
		return cli_usage(cli, &command_delete,
				 "give one selector; '{}' selects everything");
	arena_init(&arena, &cli->budget);
	remote_path(&url, "/api/v1/data");
	remote_param(&url, "query", args->n ? args->at[0] : NULL);
	remote_param(&url, "signal", o->signal);
	remote_param(&url, "before", o->before);
	remote_param(&url, "from", o->from);
	remote_param(&url, "to", o->to);
	if (remote_open(&r, &o->remote, cli, &e) ||
	    remote_json(&r, "DELETE", &url, &doc, &arena, &e)) {
		cli_fail(cli, &e);
	} else {
		put_result(&out, days ? o->signal : "profiles", json_root(&doc));
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
	.summary = "delete data from a server",
	.arguments = "SELECTOR  |  --signal SIGNAL",
	.details = "A selector and a time are required. Spans, logs and metrics have no selector: "
		   "--signal\n"
		   "deletes those of the days (UTC) that lie in the range as a whole. Without "
		   "--signal,\n"
		   "'{}' deletes them in whole days, too.\n",
	.examples = "varve delete 'checkout{env=\"dev\"}' --before now-7d\n"
		    "varve delete '{}' --from 2026-11-01 --to 2026-11-02\n"
		    "varve delete --signal traces --before now-7d\n",
	.groups = delete_groups,
	.options_size = sizeof(struct delete_options),
	.run = run_delete,
};
