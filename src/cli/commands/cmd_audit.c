/* SPDX-License-Identifier: Apache-2.0 */
/* varve audit: check the chain of audit logs, and print them. */
#include <errno.h>

#include "api/access/audit.h"
#include "api/access/audit_file.h"
#include "cli/commands.h"
#include "cli/input.h"

struct audit_options {
	struct common_options common;
	const char *key_file;
	bool print;
};

#define AT(field) offsetof(struct audit_options, field)

static const struct option audit_options[] = {
	{"encrypt-key-file", 0, OPTION_TEXT, AT(key_file), "FILE", NULL, NULL,
	 "the keys of encrypted files"},
	{"print", 0, OPTION_FLAG, AT(print), NULL, NULL, NULL,
	 "print the lines, of which all are intact, instead of their number"},
	{0},
};

static const struct option_group audit_groups[] = {
	{"Options", common_options, AT(common)},
	{"Audit log", audit_options, 0},
	{0},
};

/* Check the lines of one file, which follow those of the files before it. */
static int check_audit_lines(struct audit_chain *c, struct audit_reader *r, struct buf *print,
			     const char *path, struct err *e)
{
	struct str line;
	size_t number = 0;
	int rc;

	while ((rc = audit_reader_next(r, &line, e)) == 1) {
		number++;
		rc = audit_check_line(c, line, e);
		if (rc) {
			err_prefix(e, "%s:%zu", path, number);
			return rc;
		}
		if (print) {
			buf_put_str(print, line);
			buf_put_char(print, '\n');
		}
	}
	if (rc)
		err_prefix(e, "%s", path);
	return rc;
}

static int check_audit_file(struct audit_chain *c, struct key_ring *keys, struct buf *print,
			    const char *path, struct err *e)
{
	struct audit_reader r = {0};
	struct buf bytes = {0};
	int rc = input_bytes(&bytes, path, e);

	if (!rc) {
		rc = audit_reader_init(&r, buf_str(&bytes), keys, e);
		if (rc)
			err_prefix(e, "%s", path);
	}
	if (!rc)
		rc = check_audit_lines(c, &r, print, path, e);
	audit_reader_fini(&r);
	buf_fini(&bytes);
	return rc;
}

static enum exit_code run_audit(struct cli *cli, void *options, const struct arguments *args)
{
	const struct audit_options *o = options;
	enum exit_code status = EXIT_COULD_NOT;
	struct audit_chain chain = {0};
	struct key_ring *keys = NULL;
	struct buf out = {0};
	struct err e = {0};
	int rc = 0;

	if (!args->n)
		return cli_usage(cli, &command_audit, "give the files, the oldest first");
	if (o->key_file)
		rc = key_ring_open(&keys, o->key_file, NULL, &e);
	for (int i = 0; i < args->n && !rc; i++)
		rc = check_audit_file(&chain, keys, o->print ? &out : NULL, args->at[i], &e);
	key_ring_unref(keys);
	if (rc) {
		buf_fini(&out);
		err_errno(&e, rc, "check");
		cli_fail(cli, &e);
		return rc == -EBADMSG || rc == -EUCLEAN ? EXIT_NO : EXIT_COULD_NOT;
	}
	if (!o->print)
		buf_printf(&out,
			   "%llu lines are intact; the last is number %llu with the hash %s\n",
			   (unsigned long long)chain.lines, (unsigned long long)chain.number,
			   chain.lines ? chain.hash : "-");
	status = cli_print(cli, &out, EXIT_DONE);
	buf_fini(&out);
	return status;
}

const struct command command_audit = {
	.name = "audit",
	.summary = "check that audit logs are complete and unchanged",
	.arguments = "FILE... [OPTION...]",
	.details = "Each line has the hash of the line before it. Files of one log are given in\n"
		   "their order. Exit code 1: a line was changed, removed or inserted.\n",
	.examples = "varve audit data/audit.log.1200 data/audit.log\n"
		    "varve audit data/audit.log --encrypt-key-file keys --print | jq .action",
	.groups = audit_groups,
	.options_size = sizeof(struct audit_options),
	.run = run_audit,
};
