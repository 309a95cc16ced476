/* SPDX-License-Identifier: Apache-2.0 */
/*
 * varve check: validate profiles; OTLP against its specification, other formats by decoding them.
 */
#include <errno.h>

#include "cli/commands.h"
#include "cli/input.h"
#include "format/otlp/check/check.h"
#include "wire/compress/compress.h"
#include "wire/json_write.h"

struct check_options {
	struct common_options common;
	struct input_options input;
	uint64_t problems;
	bool no_dupes, no_shapes, no_orphans, json;
};

#define AT(field) offsetof(struct check_options, field)

static const struct option check_options[] = {
	{"problems", 'n', OPTION_COUNT, AT(problems), "N", "100", NULL,
	 "show at most N problems per file; 0 shows all"},
	{"no-dupes", 0, OPTION_FLAG, AT(no_dupes), NULL, NULL, NULL,
	 "OTLP: accept equal rows in a table"},
	{"no-shapes", 0, OPTION_FLAG, AT(no_shapes), NULL, NULL, NULL,
	 "OTLP: do not check the shape of values and timestamps"},
	{"no-orphans", 0, OPTION_FLAG, AT(no_orphans), NULL, NULL, NULL,
	 "OTLP: accept rows without references"},
	{"json", 0, OPTION_FLAG, AT(json), NULL, NULL, NULL, "print JSON"},
	{0},
};

static const struct option_group groups[] = {
	{"Options", common_options, AT(common)},
	{"Check", check_options, 0},
	{"Input", input_options, AT(input)},
	{0},
};

enum { ADVICE_SHOWN = 5 };

/* The report of one file. Problems are written as they are found. */
struct report {
	struct cli *cli;
	const struct check_options *options;
	const char *path;
	struct buf *out;
	struct json_writer *json;
	uint64_t problems, advice;
	bool undecodable;
};

static void add_problem(struct report *r, enum otlp_check_level level, const char *where,
			const char *text)
{
	static const char *const names[] = {
		[OTLP_NOTE] = "note", [OTLP_SHOULD] = "should", [OTLP_MUST] = "problem"};
	uint64_t most = r->options->problems;
	uint64_t *count = level == OTLP_MUST ? &r->problems : &r->advice;

	++*count;
	if (r->options->json) {
		json_open_object(r->json);
		json_put_key(r->json, STR("level"));
		json_put_string(r->json, str_from(names[level]));
		json_put_key(r->json, STR("path"));
		json_put_string(r->json, str_from(where));
		json_put_key(r->json, STR("text"));
		json_put_string(r->json, str_from(text));
		json_close_object(r->json);
		return;
	}
	if (level != OTLP_MUST && most > ADVICE_SHOWN)
		most = ADVICE_SHOWN;
	if (most && *count > most)
		return;
	text_put(r->out, str_from(r->path), r->cli->out.charset);
	buf_printf(r->out, ": %s: ", names[level]);
	if (*where) {
		text_put(r->out, str_from(where), r->cli->out.charset);
		buf_put_str(r->out, STR(": "));
	}
	text_put(r->out, str_from(text), r->cli->out.charset);
	buf_put_char(r->out, '\n');
}

static void on_report(void *arg, enum otlp_check_level level, const char *path, const char *text)
{
	add_problem(arg, level, path, text);
}

static void on_warning(void *arg, const char *text)
{
	add_problem(arg, OTLP_MUST, "", text);
}

/* Decompress as decoding does. *out lives in the arena or is `in`. */
static int decompress_input(struct str in, struct arena *a, struct str *out, struct err *e)
{
	enum { LAYERS_MAX = 4 };
	int rc = 0;

	*out = in;
	for (int i = 0; i < LAYERS_MAX && !rc; i++) {
		enum compress_kind kind = compress_detect(*out);

		if (kind == COMPRESS_NONE)
			break;
		rc = decompress_bytes(kind, *out, a, NULL, out, e);
	}
	return rc;
}

static int check_otlp(struct report *r, const struct input *input, struct err *e)
{
	const struct check_options *o = r->options;
	unsigned flags = (o->no_dupes ? 0 : OTLP_CHECK_DUPES) |
			 (o->no_shapes ? 0 : OTLP_CHECK_SHAPES) |
			 (o->no_orphans ? 0 : OTLP_CHECK_ORPHANS);
	struct arena arena;
	struct str bytes;
	int64_t rc;

	arena_init(&arena, &r->cli->budget);
	rc = decompress_input(buf_str(&input->bytes), &arena, &bytes, e);
	if (!rc)
		rc = otlp_check(bytes, flags, &r->cli->budget, on_report, r, e);
	arena_fini(&arena);
	return rc < 0 ? (int)rc : 0;
}

static bool is_otlp(const struct format *f)
{
	return f && str_starts(str_from(f->name), STR("otlp"));
}

/* Return the text of an error without the path of the file, which the line has already. */
static const char *skip_path(const struct report *r, const char *text)
{
	struct str rest = str_from(text), path = str_from(r->path);

	return str_starts(rest, path) && str_starts(str_from_at(rest, path.n), STR(": "))
		       ? text + path.n + 2
		       : text;
}

/* Report the result of decoding: -EBADMSG is a problem of the file, other errors are returned. */
static int check_decoded(struct report *r, const struct input *input, int rc, struct err *e)
{
	struct err broken = {0};

	if (rc == -EBADMSG && input->format) {
		r->undecodable = true;
		add_problem(r, OTLP_MUST, "", skip_path(r, e->text));
		return 0;
	}
	if (rc)
		return rc;
	if (profile_batch_check(&input->batch, &broken))
		add_problem(r, OTLP_MUST, "", broken.text);
	return 0;
}

static void put_verdict(struct report *r, const struct input *input)
{
	struct buf *out = r->out;
	uint64_t most = r->options->problems, advice = min_size(most, ADVICE_SHOWN);

	if (most && r->problems > most)
		buf_printf(out, "... and %llu more problems; -n 0 shows all\n",
			   (unsigned long long)(r->problems - most));
	if (most && r->advice > advice)
		buf_printf(out, "... and %llu more pieces of advice; -n 0 shows all\n",
			   (unsigned long long)(r->advice - advice));
	text_put(out, str_from(r->path), r->cli->out.charset);
	buf_printf(out, ": %s: ", input->format->name);
	if (r->problems)
		buf_printf(out, "%llu %s", (unsigned long long)r->problems,
			   r->problems == 1 ? "problem" : "problems");
	else
		buf_put_str(out, STR("valid"));
	if (!r->undecodable)
		buf_printf(out, "; %u %s, %u %s", input->batch.profiles.n,
			   input->batch.profiles.n == 1 ? "profile" : "profiles",
			   input->batch.sample_count,
			   input->batch.sample_count == 1 ? "sample" : "samples");
	buf_put_char(out, '\n');
}

static void json_open_file(struct report *r)
{
	json_open_object(r->json);
	json_put_key(r->json, STR("file"));
	json_put_string(r->json, str_from(r->path));
	json_put_key(r->json, STR("problems"));
	json_open_array(r->json);
}

static void json_close_file(struct report *r, const struct input *input, int rc,
			    const struct err *e)
{
	struct json_writer *w = r->json;

	json_close_array(w);
	if (input->format) {
		json_put_key(w, STR("format"));
		json_put_string(w, str_from(input->format->name));
	}
	if (rc) {
		json_put_key(w, STR("error"));
		json_put_string(w, str_from(e->text));
	} else {
		json_put_key(w, STR("valid"));
		json_put_bool(w, !r->problems);
		json_put_key(w, STR("profiles"));
		json_put_u64(w, input->batch.profiles.n);
		json_put_key(w, STR("samples"));
		json_put_u64(w, input->batch.sample_count);
	}
	json_close_object(w);
}

static enum exit_code check_file(struct report *r, struct inputs *in)
{
	struct input input = {0};
	struct err e = {0};
	int rc;

	if (r->options->json)
		json_open_file(r);
	in->decode.warn = on_warning;
	in->decode.warn_arg = r;
	if (in->from && is_otlp(in->from))
		in->decode.warn = NULL;
	rc = input_read(&input, in, r->path, &e);
	if (is_otlp(input.format) && (!rc || rc == -EBADMSG)) {
		/* otlp_check() reports what the decoder repairs too, with paths. */
		r->problems = 0;
		e = (struct err){0};
		rc = check_otlp(r, &input, &e);
	} else {
		rc = check_decoded(r, &input, rc, &e);
	}
	if (r->options->json)
		json_close_file(r, &input, rc, &e);
	else if (rc)
		cli_fail(r->cli, &e);
	else
		put_verdict(r, &input);
	input_fini(&input);
	return rc ? EXIT_COULD_NOT : r->problems ? EXIT_NO : EXIT_DONE;
}

static enum exit_code check_files(struct cli *cli, struct inputs *in, const struct check_options *o,
				  const struct arguments *args)
{
	enum exit_code status = EXIT_DONE;
	struct buf out = {0};
	struct json_writer json = json_writer_to(&out, 2);

	if (o->json)
		json_open_array(&json);
	for (int i = 0; i < args->n; i++) {
		struct report report = {
			.cli = cli, .options = o, .path = args->at[i], .out = &out, .json = &json};
		enum exit_code one = check_file(&report, in);

		status = one > status ? one : status;
	}
	if (o->json) {
		json_close_array(&json);
		buf_put_char(&out, '\n');
	}
	status = cli_print(cli, &out, status);
	buf_fini(&out);
	return status;
}

static enum exit_code run_check(struct cli *cli, void *options, const struct arguments *args)
{
	const struct check_options *o = options;
	enum exit_code status;
	struct inputs in = {0};
	struct err e = {0};

	if (!args->n)
		return cli_usage(cli, &command_check, "name a profile, or - for stdin");
	status = inputs_init(&in, cli, &o->input, &e) ? cli_fail(cli, &e)
						      : check_files(cli, &in, o, args);
	inputs_fini(&in);
	return status;
}

const struct command command_check = {
	.name = "check",
	.summary = "validate profiles: each broken rule with its path",
	.arguments = "FILE...",
	.details =
		"Checking is stricter than reading: what other commands repair with a warning is\n"
		"a problem here. OTLP is checked against all rules of its specification.\n"
		"Exit code: 0 valid, 1 problems, 2 could not be read.\n",
	.examples = "varve check app.otlp\n"
		    "varve check *.pb.gz --json | jq '.[] | select(.valid | not) | .file'\n"
		    "varve check app.otlp --no-orphans && send app.otlp\n",
	.groups = groups,
	.options_size = sizeof(struct check_options),
	.run = run_check,
};
