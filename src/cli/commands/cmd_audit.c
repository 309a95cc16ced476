/* SPDX-License-Identifier: Apache-2.0 */
/* varve audit: check the chain of audit logs. */
#include <errno.h>

#include "api/access/audit.h"
#include "cli/commands.h"
#include "cli/input.h"

static const struct option_group audit_groups[] = {
	{"Options", common_options, 0},
	{0},
};

/* Check the lines of one file, which follow those of the files before it. */
static int check_audit_file(struct audit_chain *c, const char *path, struct err *e)
{
	struct buf text = {0};
	struct str rest, line;
	size_t number = 0;
	int rc = input_bytes(&text, path, e);

	rest = buf_str(&text);
	while (!rc && str_next_line(&rest, &line)) {
		number++;
		rc = audit_check_line(c, line, e);
		if (rc)
			err_prefix(e, "%s:%zu", path, number);
	}
	buf_fini(&text);
	return rc;
}

static enum exit_code run_audit(struct cli *cli, void *options, const struct arguments *args)
{
	enum exit_code status = EXIT_COULD_NOT;
	struct audit_chain chain = {0};
	struct buf out = {0};
	struct err e = {0};
	int rc = 0;

	(void)options;
	if (!args->n)
		return cli_usage(cli, &command_audit, "give the files, the oldest first");
	for (int i = 0; i < args->n && !rc; i++)
		rc = check_audit_file(&chain, args->at[i], &e);
	if (rc) {
		cli_fail(cli, &e);
		return rc == -EBADMSG ? EXIT_NO : EXIT_COULD_NOT;
	}
	buf_printf(&out, "%llu lines are intact; the last is number %llu with the hash %s\n",
		   (unsigned long long)chain.lines, (unsigned long long)chain.number,
		   chain.lines ? chain.hash : "-");
	status = cli_print(cli, &out, EXIT_DONE);
	buf_fini(&out);
	return status;
}

const struct command command_audit = {
	.name = "audit",
	.summary = "check that audit logs are complete and unchanged",
	.arguments = "FILE...",
	.details = "Each line has the hash of the line before it. Files of one log are given in\n"
		   "their order. Exit code 1: a line was changed, removed or inserted.\n",
	.examples = "varve audit data/audit.log.1200 data/audit.log",
	.groups = audit_groups,
	.options_size = sizeof(struct common_options),
	.run = run_audit,
};
