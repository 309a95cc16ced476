/* SPDX-License-Identifier: Apache-2.0 */
/* varve convert: convert between formats, and merge several inputs. */
#include <errno.h>

#include "cli/commands.h"
#include "cli/input.h"
#include "cli/output_target.h"
#include "signal/profile/profile_merge.h"
#include "signal/profile/profile_ops.h"
#include "signal/sample_type.h"

struct convert_options {
	struct common_options common;
	struct input_options input;
	const char *output, *to, *type, *root;
	bool list_formats;
};

#define AT(field) offsetof(struct convert_options, field)

static const struct option convert_options[] = {
	{"output", 'o', OPTION_TEXT, AT(output), "FILE", NULL, NULL,
	 "output file instead of stdout; with a second extension .gz, .zst or .lz4: compressed"},
	{"to", 't', OPTION_TEXT, AT(to), "FORMAT", NULL, NULL,
	 "output format (default: by the name of the output)"},
	{"type", 0, OPTION_TEXT, AT(type), "TYPE", NULL, NULL,
	 "write only this sample type: cpu, inuse_space, cpu/nanoseconds"},
	{"root", 0, OPTION_TEXT, AT(root), "LABEL", NULL, NULL,
	 "folded: add the value of this label as root frame (perf-script: thread.name; '' for "
	 "none)"},
	{"list-formats", 0, OPTION_FLAG, AT(list_formats), NULL, NULL, NULL,
	 "list all formats with their extensions"},
	{0},
};

static const struct option_group groups[] = {
	{"Options", common_options, AT(common)},
	{"Output", convert_options, 0},
	{"Input", input_options, AT(input)},
	{0},
};

static enum exit_code list_formats(struct cli *cli)
{
	struct buf out = {0};
	enum exit_code status;

	for (size_t i = 0; formats[i]; i++) {
		const struct format *f = formats[i];
		const char *reads = f->decode || f->decode_lines ? "read" : "";

		buf_printf(&out, "%-15s %-5s %-6s %s", f->name, reads, f->encode ? "write" : "",
			   f->summary);
		for (const char *const *x = f->extensions; x && *x; x++)
			buf_printf(&out, "%s.%s", x == f->extensions ? "; " : " ", *x);
		buf_put_char(&out, '\n');
	}
	status = cli_print(cli, &out, EXIT_DONE);
	buf_fini(&out);
	return status;
}

/* ---- target ---- */

static int find_target(struct output_target *t, const struct convert_options *o, struct err *e)
{
	*t = (struct output_target){0};
	if (o->output && strcmp(o->output, "-") != 0) {
		t->path = o->output;
		output_target_by_path(t);
	}
	if (o->to) {
		int rc = input_format(&t->format, o->to, e);

		if (rc)
			return rc;
	}
	if (!t->format && t->path)
		return err_set(
			e, -EINVAL,
			"%s: unknown extension; choose a format with -t (see --list-formats)",
			t->path);
	if (!t->format)
		return err_set(e, -EINVAL, "missing output format: -t FORMAT or -o FILE");
	if (!t->format->encode)
		return err_set(e, -ENOTSUP, "%s can be read but not written", t->format->name);
	return 0;
}

/* ---- encoding ---- */

static bool has_sample_type(const struct profile_batch *b, uint32_t profile, uint32_t sample,
			    void *arg)
{
	const struct sample_type *type = arg;

	(void)sample;
	return sample_type_is(b, &b->profiles.at[profile], *type);
}

static bool others_are_empty(const struct profile_batch *b, struct sample_type type)
{
	for (uint32_t i = 0; i < b->profiles.n; i++)
		if (b->profiles.at[i].sample_count && !sample_type_is(b, &b->profiles.at[i], type))
			return false;
	return true;
}

/*
 * Remove the profiles of other types, which have no samples: the ranges of the others stay in
 * order.
 */
static void drop_others(struct profile_batch *b, struct sample_type type)
{
	uint32_t n = 0;

	for (uint32_t i = 0; i < b->profiles.n; i++)
		if (sample_type_is(b, &b->profiles.at[i], type))
			b->profiles.at[n++] = b->profiles.at[i];
	b->profiles.n = n;
}

static int encode(struct buf *out, const struct output_target *t, const struct convert_options *o,
		  const struct profile_batch *b, struct err *e)
{
	struct encode_options options = {.root_label = str_from(o->root ? o->root : "")};
	int rc = t->format->encode(out, b, &options, e);

	if (!rc)
		rc = buf_error(out);
	if (!rc)
		rc = output_compress(out, t, e);
	if (rc) {
		err_errno(e, rc, "encoding");
		err_prefix(e, "writing %s", t->format->name);
	}
	return rc;
}

/* Encode only the profiles of type o->type. */
static int write_type(struct buf *out, const struct output_target *t,
		      const struct convert_options *o, struct profile_batch *b, struct err *e)
{
	struct profile_batch one = {0};
	struct sample_type type;
	int rc = sample_type_pick(&type, b, str_from(o->type), false, e);

	if (!rc && !others_are_empty(b, type)) {
		rc = profile_batch_init(&one, b->arena.budget);
		if (!rc)
			rc = profile_filter(&one, b, has_sample_type, &type);
		b = &one;
	}
	if (!rc) {
		drop_others(b, type);
		rc = encode(out, t, o, b, e);
	}
	profile_batch_fini(&one);
	return rc;
}

static int write_batch(struct buf *out, struct cli *cli, const struct output_target *t,
		       const struct convert_options *o, struct profile_batch *b, struct err *e)
{
	progress_set(&cli->progress, "writing %s", t->format->name);
	return o->type ? write_type(out, t, o, b, e) : encode(out, t, o, b, e);
}

/* Return the options with the defaults of the input's format. */
static struct convert_options with_defaults(const struct convert_options *o, const struct format *f)
{
	struct convert_options all = *o;

	if (!all.root && f)
		all.root = f->root_label;
	return all;
}

static int convert_one(struct buf *out, struct inputs *in, const struct output_target *t,
		       const struct convert_options *o, const char *path, struct err *e)
{
	struct input input = {0};
	int rc = input_read(&input, in, path, e);

	if (!rc) {
		struct convert_options all = with_defaults(o, input.format);

		rc = write_batch(out, in->cli, t, &all, &input.batch, e);
		if (rc)
			err_prefix(e, "%s", path);
	}
	input_fini(&input);
	return rc;
}

/* Merge the inputs; only one at a time is in memory, besides the result. */
static int convert_many(struct buf *out, struct inputs *in, const struct output_target *t,
			const struct convert_options *o, const struct arguments *args,
			struct err *e)
{
	struct profile_batch merged;
	struct profile_merge merge = {0};
	struct input input = {0};	    /* reused for all files */
	const struct format *common = NULL; /* the format, if all inputs have the same */
	int rc = profile_batch_init(&merged, &in->cli->budget);

	if (!rc)
		rc = profile_merge_init(&merge, &merged);
	in->decode.merge = &merge;
	for (int i = 0; i < args->n && !rc; i++) {
		rc = input_read(&input, in, args->at[i], e);
		progress_set(&in->cli->progress, "merged %d of %d", i, args->n);
		if (!rc)
			rc = profile_merge_add(&merge, &input.batch);
		common = !i || input.format == common ? input.format : NULL;
	}
	in->decode.merge = NULL;
	input_fini(&input);
	if (!rc)
		rc = profile_merge_finish(&merge);
	if (!rc) {
		struct convert_options all = with_defaults(o, common);

		rc = write_batch(out, in->cli, t, &all, &merged, e);
	}
	profile_merge_fini(&merge);
	profile_batch_fini(&merged);
	return rc;
}

static enum exit_code run_convert(struct cli *cli, void *options, const struct arguments *args)
{
	const struct convert_options *o = options;
	enum exit_code status = EXIT_COULD_NOT;
	struct output_target target;
	struct inputs in = {0};
	struct err e = {0};
	struct buf out;
	int rc;

	if (o->list_formats)
		return list_formats(cli);
	if (!args->n)
		return cli_usage(cli, &command_convert, "name a profile, or - for stdin");
	buf_init(&out, &cli->budget);
	rc = find_target(&target, o, &e);
	if (!rc)
		rc = inputs_init(&in, cli, &o->input, &e);
	if (o->type)
		in.decode.sample_type = str_from(o->type);
	if (!rc)
		rc = args->n == 1 ? convert_one(&out, &in, &target, o, args->at[0], &e)
				  : convert_many(&out, &in, &target, o, args, &e);
	if (rc == -ENOMEM)
		err_set(&e, rc, "out of memory: raise --max-memory");
	status = rc ? cli_fail(cli, &e) : output_put(cli, &target, &out);
	inputs_fini(&in);
	buf_fini(&out);
	return status;
}

const struct command command_convert = {
	.name = "convert",
	.summary = "convert between formats, and merge several inputs",
	.arguments = "FILE... [-o FILE] [-t FORMAT]",
	.details =
		"The format of the input is detected by content; that of the output is -t, or is\n"
		"found by the name of the output. Output files are replaced atomically.\n",
	.examples = "varve convert app.jfr -o app.pb.gz\n"
		    "varve convert a.pb.gz b.pb.gz -o merged.pb.gz  # merge\n"
		    "perf script | varve convert - -t otlp > app.otlp\n"
		    "varve convert heap.pb.gz --type inuse_space -t folded | flamegraph.pl\n"
		    "varve convert --list-formats\n",
	.groups = groups,
	.options_size = sizeof(struct convert_options),
	.run = run_convert,
};
