/* SPDX-License-Identifier: Apache-2.0 */
/*
 * varve sanitize: replace secrets and personal data in a file, or show what would be replaced. A
 * profile is decoded and written again; requests of traces, metrics and logs (protobuf or JSON, also
 * one message a line) keep their bytes but for the texts that change.
 */
#include <errno.h>

#include "cli/commands.h"
#include "cli/input.h"
#include "cli/output_target.h"
#include "cli/sanitize_report.h"
#include "cli/sanitize_request.h"
#include "pipeline/processors/sanitize/rule_set.h"
#include "signal/profile/profile_ops.h"
#include "signal/sanitize/sanitize_profile.h"

struct sanitize_cli_options {
	struct common_options common;
	struct input_options input;
	const char *output, *to, *rules;
	bool dry_run, no_email, no_cards, ip, function_names;
};

#define AT(field) offsetof(struct sanitize_cli_options, field)

static const struct option sanitize_options[] = {
	{"output", 'o', OPTION_TEXT, AT(output), "FILE", NULL, NULL,
	 "output file instead of stdout; may be the input"},
	{"to", 't', OPTION_TEXT, AT(to), "FORMAT", NULL, NULL,
	 "output format of a profile (default: by the name of the output, else that of the input)"},
	{"dry-run", 'n', OPTION_FLAG, AT(dry_run), NULL, NULL, NULL,
	 "write nothing: show what would be replaced, with masked texts; exit code 1 if something "
	 "would be"},
	{"rules", 0, OPTION_TEXT, AT(rules), "FILE", NULL, NULL,
	 "YAML with the settings of the processor sanitize: groups, rules, hash_key_file"},
	{"no-email", 0, OPTION_FLAG, AT(no_email), NULL, NULL, NULL, "keep e-mail addresses"},
	{"no-cards", 0, OPTION_FLAG, AT(no_cards), NULL, NULL, NULL, "keep numbers of cards"},
	{"ip", 0, OPTION_FLAG, AT(ip), NULL, NULL, NULL, "replace IP addresses, too"},
	{"function-names", 0, OPTION_FLAG, AT(function_names), NULL, NULL, NULL,
	 "replace names of functions that contain password, secret, credential or token"},
	{0},
};

static const struct option_group groups[] = {
	{"Options", common_options, AT(common)},
	{"Sanitize", sanitize_options, 0},
	{"Input", input_options, AT(input)},
	{0},
};

/* ---- rules ---- */

/* The rules of the options; the configuration owns their texts. */
struct cli_rules {
	struct config config;
	struct arena arena;
	struct rule_set set;
};

static int read_rules_file(struct cli_rules *r, const char *path, struct sanitize_settings *s,
			   struct err *e)
{
	int rc = path ? config_merge(&r->config, path, e) : 0;

	if (!rc)
		rc = config_expand(&r->config, e);
	if (!rc)
		rc = settings_read(sanitize_setting_table, r->config.root, "rules", s, &r->arena,
				   e);
	return rc;
}

static int make_rules(struct cli_rules *r, struct cli *cli, const struct sanitize_cli_options *o,
		      struct err *e)
{
	struct sanitize_settings s = {0};
	int rc = config_init(&r->config, NULL);

	arena_init(&r->arena, NULL);
	if (!rc)
		rc = read_rules_file(r, o->rules, &s, e);
	if (rc)
		return rc;
	s.email &= !o->no_email;
	s.cards &= !o->no_cards;
	s.ip |= o->ip;
	s.function_names |= o->function_names;
	rc = sanitize_settings_check(&s, e);
	return rc ? rc : rule_set_init(&r->set, &s, 12, &cli->budget, e);
}

static void fini_rules(struct cli_rules *r)
{
	if (r->set.rules)
		rule_set_fini(&r->set);
	arena_fini(&r->arena);
	config_fini(&r->config);
}

/* ---- profiles ---- */

static int find_profile_target(struct output_target *t, const struct sanitize_cli_options *o,
			       const struct format *input, struct err *e)
{
	if (t->path)
		output_target_by_path(t);
	if (o->to) {
		int rc = input_format(&t->format, o->to, e);

		if (rc)
			return rc;
	}
	if (!t->format)
		t->format = input;
	if (t->format->encode || o->dry_run)
		return 0;
	return err_set(e, -ENOTSUP, "%s can be read but not written: choose a format with -t",
		       t->format->name);
}

static int encode_sanitized_batch(struct buf *out, const struct output_target *t,
				  const struct profile_batch *b, const struct format *input,
				  struct err *e)
{
	const char *root = input->root_label;
	struct encode_options options = {.root_label = str_from(root ? root : "")};
	int rc = t->format->encode(out, b, &options, e);

	return rc ? rc : output_compress(out, t, e);
}

/* Write the result of a run; without the samples that rules have removed. */
static int write_sanitized(struct buf *out, const struct output_target *t, struct input *in,
			   struct sanitized_profile *changed, struct err *e)
{
	struct profile_batch filtered;
	int rc;

	if (!changed)
		return encode_sanitized_batch(out, t, &in->batch, in->format, e);
	if (!changed->dropped)
		return encode_sanitized_batch(out, t, &changed->batch, in->format, e);
	rc = profile_batch_init(&filtered, in->batch.arena.budget);
	if (!rc)
		rc = profile_filter(&filtered, &changed->batch, sanitized_sample_kept, changed);
	if (!rc)
		rc = encode_sanitized_batch(out, t, &filtered, in->format, e);
	profile_batch_fini(&filtered);
	return rc;
}

static int sanitize_profile_file(struct buf *out, struct output_target *t, struct rule_run *run,
				 struct input *in, const struct sanitize_cli_options *o,
				 struct err *e)
{
	struct sanitized_profile changed;
	int rc = find_profile_target(t, o, in->format, e);

	if (rc)
		return rc;
	rc = sanitize_profile(&run->run, &in->batch, &changed);
	if (rc < 0)
		return err_errno(e, rc, "sanitizing");
	if (o->dry_run)
		return 0;
	return write_sanitized(out, t, in, rc ? &changed : NULL, e);
}

/* ---- files ---- */

/* Hand the bytes that were read for sanitize_request() to the decoder: stdin is read once. */
static int fetch_bytes(void *arg, struct buf *out, const char *path, struct err *e)
{
	const struct buf *bytes = arg;

	buf_put_str(out, buf_str(bytes));
	return buf_error(out) ? err_set(e, -ENOMEM, "%s: does not fit into memory", path) : 0;
}

static int sanitize_as_profile(struct buf *out, struct output_target *t, struct rule_run *run,
			       struct inputs *inputs, const struct sanitize_cli_options *o,
			       const char *path, struct err *e)
{
	struct input in = {0};
	int rc = input_read(&in, inputs, path, e);

	if (rc && inputs->fetch)
		err_prefix(e, "%s", path);
	if (!rc)
		rc = sanitize_profile_file(out, t, run, &in, o, e);
	input_fini(&in);
	return rc;
}

/* Read a file as requests. Return 1, 0 if it is something else, or -errno. */
static int sanitize_as_request(struct buf *out, struct output_target *t, struct rule_run *run,
			       const struct buf *bytes, const char *path, struct err *e)
{
	int rc = sanitize_request(out, &run->run, buf_str(bytes), e);

	if (rc < 0)
		err_prefix(e, "%s", path);
	if (rc != 1 || !t->path)
		return rc;
	output_target_by_path(t);
	rc = output_compress(out, t, e);
	return rc ? rc : 1;
}

/* A file that is no request of another signal is a profile. */
static int sanitize_file(struct buf *out, struct output_target *t, struct rule_run *run,
			 struct inputs *inputs, const struct sanitize_cli_options *o,
			 const char *path, struct err *e)
{
	struct buf bytes;
	int rc = 0;

	buf_init(&bytes, out->budget);
	if (!o->input.from) {
		rc = input_bytes(&bytes, path, e);
		rc = rc ? rc : sanitize_as_request(out, t, run, &bytes, path, e);
		inputs->fetch = fetch_bytes;
		inputs->fetch_arg = &bytes;
	}
	if (!rc)
		rc = sanitize_as_profile(out, t, run, inputs, o, path, e);
	inputs->fetch = NULL;
	inputs->fetch_arg = NULL;
	buf_fini(&bytes);
	return rc < 0 ? rc : 0;
}

static enum exit_code report_findings(struct cli *cli, const struct sanitize_cli_options *o,
				      struct sanitize_report *report, const char *path)
{
	struct buf text = {0};
	enum exit_code status = EXIT_DONE;

	if (o->dry_run) {
		sanitize_report_write(report, path, &text);
		status = cli_print(cli, &text, report->total ? EXIT_NO : EXIT_DONE);
	} else if (report->total) {
		cli_note(cli, "%s: %llu finding%s replaced", path,
			 (unsigned long long)report->total, report->total == 1 ? "" : "s");
	}
	buf_fini(&text);
	return status;
}

static enum exit_code run_sanitize(struct cli *cli, void *options, const struct arguments *args)
{
	const struct sanitize_cli_options *o = options;
	struct output_target target = {0};
	struct sanitize_report report;
	struct cli_rules rules = {0};
	struct rule_run run = {0};
	struct inputs inputs = {0};
	enum exit_code status;
	struct err e = {0};
	struct buf out;
	int rc;

	if (args->n != 1)
		return cli_usage(cli, &command_sanitize, "name one file, or - for stdin");
	if (o->output && strcmp(o->output, "-") != 0)
		target.path = o->output;
	buf_init(&out, &cli->budget);
	sanitize_report_init(&report);
	rc = inputs_init(&inputs, cli, &o->input, &e);
	if (!rc)
		rc = make_rules(&rules, cli, o, &e);
	if (!rc)
		rc = rule_run_start(&run, &rules.set);
	run.run.report = sanitize_report_add;
	run.run.report_arg = &report;
	if (!rc)
		rc = sanitize_file(&out, &target, &run, &inputs, o, args->at[0], &e);
	if (rc == -ENOMEM)
		err_set(&e, rc, "out of memory: raise --max-memory");
	status = rc ? cli_fail(cli, &e) : report_findings(cli, o, &report, args->at[0]);
	if (!rc && !o->dry_run)
		status = output_put(cli, &target, &out);
	rule_run_end(&run);
	fini_rules(&rules);
	sanitize_report_fini(&report);
	inputs_fini(&inputs);
	buf_fini(&out);
	return status;
}

const struct command command_sanitize = {
	.name = "sanitize",
	.summary = "replace secrets and personal data in a file",
	.arguments = "FILE [-o FILE] [--dry-run]",
	.details =
		"Reads every format that convert reads, and OTLP requests of traces, metrics and\n"
		"logs in protobuf or JSON. The rules are those of the processor sanitize\n"
		"(docs/collector/sanitize.md).\n",
	.examples = "varve sanitize app.pb.gz -o clean.pb.gz\n"
		    "varve sanitize app.jfr --dry-run          # what would be replaced, masked\n"
		    "varve sanitize logs.json --ip --rules rules.yaml > clean.json\n",
	.groups = groups,
	.options_size = sizeof(struct sanitize_cli_options),
	.run = run_sanitize,
};
