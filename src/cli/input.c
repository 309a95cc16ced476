/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The first bytes of a file decide between three ways: whole in memory, line by line, or in parts.
 * The latter two read through a window that slides over the file.
 */
#include "cli/input.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#include "seal/sealed_file.h"
#include "wire/compress/compress.h"

enum {
	HEAD_BYTES = 64 * 1024,		   /* inspected for detection of the format */
	LINE_MAX_BYTES = 64 * 1024 * 1024, /* of a text format */
	WARNINGS_SHOWN = 5,
};

const struct option input_options[] = {
	{"from", 'f', OPTION_TEXT, offsetof(struct input_options, from), "FORMAT", NULL, NULL,
	 "format of the input (default: detected by content, then by name)"},
	{"labels", 0, OPTION_TEXT, offsetof(struct input_options, labels), "FILE", NULL, NULL,
	 "JFR: Pyroscope's label snapshot of the recording"},
	{"key-file", 0, OPTION_TEXT, offsetof(struct input_options, key_file), "FILE", NULL, NULL,
	 "keys of inputs that are encrypted (varve encrypt)"},
	{"strict", 0, OPTION_FLAG, offsetof(struct input_options, strict), NULL, NULL, NULL,
	 "fail where a warning would be printed and the data repaired or skipped"},
	{0},
};

/* ---- bytes ---- */

static const char *shown_path(const char *path)
{
	return strcmp(path, "-") == 0 ? "stdin" : path;
}

/* Open a file or stdin. Return 0, or -errno with an instruction in `e`. */
static int open_input(const char *path, int *fd, struct stat *st, struct err *e)
{
	bool is_stdin = strcmp(path, "-") == 0;

	*fd = is_stdin ? STDIN_FILENO : open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY);
	if (*fd < 0 || fstat(*fd, st) != 0) {
		int rc = -errno;

		return err_set(e, rc, "%s: cannot open: %s", shown_path(path), strerror(-rc));
	}
	if (S_ISDIR(st->st_mode))
		return err_set(e, -EISDIR, "%s: is a directory; name the profiles in it: %s/*",
			       path, path);
	if (is_stdin && isatty(*fd))
		return err_set(e, -EINVAL,
			       "stdin: is a terminal; pipe a profile into varve or name a file");
	return 0;
}

static void close_input(int fd)
{
	if (fd > STDIN_FILENO)
		close(fd);
}

static int out_of_memory(const char *path, const struct budget *budget, struct err *e)
{
	return err_set(e, -ENOMEM, "%s: does not fit into memory (--max-memory is %zu MiB)",
		       shown_path(path), budget ? budget->limit / MIB : 0);
}

/* Read until `out` has `most` bytes. Return 1 at end of file, 0 otherwise, or -errno. */
static int read_some(struct buf *out, int fd, const char *path, size_t most, struct err *e)
{
	enum { CHUNK = 256 * 1024 };

	while (out->n < most) {
		size_t want = min_size(most - out->n, max_size(CHUNK, out->cap - out->n));
		char *p = buf_reserve(out, want);

		if (!p)
			return out_of_memory(path, out->budget, e);

		ssize_t n = read(fd, p, want);

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0) {
			int rc = -errno;

			return err_set(e, rc, "%s: cannot read: %s", shown_path(path),
				       strerror(-rc));
		}
		if (!n)
			return 1;
		out->n += (size_t)n;
	}
	return 0;
}

/* Read to the end. Reserve the exact size of a regular file instead of the next power of two. */
static int read_rest(struct buf *out, int fd, const char *path, const struct stat *st,
		     struct err *e)
{
	if (S_ISREG(st->st_mode) && st->st_size > 0 && (uint64_t)st->st_size > out->n &&
	    !buf_reserve(out, (size_t)st->st_size - out->n + 1))
		return out_of_memory(path, out->budget, e);

	int rc = read_some(out, fd, path, SIZE_MAX, e);

	return rc < 0 ? rc : 0;
}

int input_bytes(struct buf *out, const char *path, struct err *e)
{
	struct stat st;
	int fd = -1;
	int rc = open_input(path, &fd, &st, e);

	if (!rc)
		rc = read_rest(out, fd, path, &st, e);
	close_input(fd);
	return rc;
}

int input_unseal(struct buf *bytes, const char *path, struct key_ring *keys, struct err *e)
{
	enum sealed_form form = sealed_form_of(buf_str(bytes));
	struct buf content = {.budget = bytes->budget};
	struct err why = {0};
	int rc;

	if (form == SEALED_NOT || (form == SEALED_TEXT && !keys))
		return 0;
	rc = sealed_read(&content, buf_str(bytes), keys, &why);
	if (!rc) {
		buf_fini(bytes);
		*bytes = content;
		return 0;
	}
	buf_fini(&content);
	if (form == SEALED_TEXT && rc == -EBADMSG)
		return 0;
	return err_set(e, rc, "%s: %s%s", shown_path(path), why.text,
		       keys ? "" : "; commands that read profiles take --key-file");
}

/* ---- lines ---- */

/* A line_source over a file. */
struct file_lines {
	struct line_source source;
	struct buf *window;
	const char *path;
	size_t at;	 /* of the next line, in the window */
	uint64_t passed; /* bytes of all lines returned so far */
	int fd;
	bool end;
};

/* Drop the lines that were returned from the window, and read more. */
static int fill_window(struct file_lines *f, struct err *e)
{
	struct buf *w = f->window;
	size_t rest = w->n - f->at;
	int rc;

	if (rest > LINE_MAX_BYTES)
		return err_set(e, -EBADMSG, "line %llu: longer than %d MiB",
			       (unsigned long long)f->source.number + 1, LINE_MAX_BYTES >> 20);
	if (f->at) {
		memmove(w->p, w->p + f->at, rest);
		w->n = rest;
		f->at = 0;
	}
	rc = read_some(w, f->fd, f->path, rest + max_size(rest, HEAD_BYTES), e);
	if (rc < 0)
		return rc;
	f->end = rc == 1;
	return 0;
}

static int next_file_line(void *arg, struct str *line, struct err *e)
{
	struct file_lines *f = arg;
	size_t searched = 0;

	for (;;) {
		struct str rest = str_of(f->window->p + f->at, f->window->n - f->at);
		size_t end = searched + str_find(str_from_at(rest, searched), '\n');

		if (end < rest.n || (f->end && rest.n)) {
			size_t taken = end < rest.n ? end + 1 : end;

			*line = str_head(rest, end);
			if (line->n && line->p[line->n - 1] == '\r')
				line->n--;
			f->source.offset = f->passed;
			f->source.number++;
			f->passed += taken;
			f->at += taken;
			return 1;
		}
		if (f->end)
			return 0;
		searched = rest.n;

		int rc = fill_window(f, e);

		if (rc)
			return rc;
	}
}

/* ---- parts ---- */

/* A byte_source over a file: the window holds the requested part and maybe bytes after it. */
struct file_bytes {
	struct byte_source source;
	struct buf *window;
	const char *path;
	uint64_t window_at; /* offset of the window in the file */
	uint64_t size;	    /* of a regular file, else 0 */
	int fd;
	bool end;
};

static int next_file_bytes(struct byte_source *source, size_t n, struct str *bytes, struct err *e)
{
	struct file_bytes *f = (struct file_bytes *)source;
	struct buf *w = f->window;
	size_t passed = min_size(w->n, source->offset - f->window_at), rest = w->n - passed;
	int rc;

	if (rest < n && !f->end) {
		memmove(w->p, w->p + passed, rest);
		w->n = rest;
		f->window_at += passed;
		passed = 0;
		/* reserve the exact size for a regular file instead of doubling */
		if (n <= f->size && !buf_reserve(w, n - rest))
			return out_of_memory(f->path, w->budget, e);
		rc = read_some(w, f->fd, f->path, n, e);
		if (rc < 0)
			return rc;
		f->end = rc == 1;
	}
	*bytes = str_from_at(buf_str(w), passed);
	return 0;
}

/* ---- decoding ---- */

/* Prints the first warnings of an input, then the number of the others. */
struct warnings {
	struct cli *cli;
	const char *path;
	unsigned n;
};

static void print_warning(void *arg, const char *text)
{
	struct warnings *w = arg;

	if (w->n++ < WARNINGS_SHOWN && !w->cli->common->quiet)
		cli_note(w->cli, "%s: warning: %s", shown_path(w->path), text);
}

static void print_warning_count(const struct warnings *w)
{
	if (w->n > WARNINGS_SHOWN && !w->cli->common->quiet)
		cli_note(w->cli, "%s: and %u more warnings; varve check shows all",
			 shown_path(w->path), w->n - WARNINGS_SHOWN);
}

/* Return the format if the input can be decoded line by line or in parts, else NULL. */
static const struct format *streamed_format(const struct inputs *in, struct str head,
					    const char *path)
{
	const struct format *f = in->from;

	if (!head.n || compress_detect(head) != COMPRESS_NONE)
		return NULL;
	if (!f)
		f = format_by_content(head);
	if (!f)
		f = format_by_path(str_from(path));
	return f && (f->decode_parts || (f->decode_lines && !f->decode)) ? f : NULL;
}

/* An open file whose first bytes have been read. */
struct file_head {
	int fd;
	const char *path;
	const struct stat *st;
	bool end; /* the file has no more */
};

static int decode_streamed(struct input *out, const struct file_head *head, const struct format *f,
			   const struct decode_options *o, struct err *e)
{
	struct file_lines lines = {
		.window = &out->bytes, .path = head->path, .fd = head->fd, .end = head->end};
	struct file_bytes parts = {
		.source.next = next_file_bytes,
		.window = &out->bytes,
		.path = head->path,
		.size = S_ISREG(head->st->st_mode) ? (uint64_t)head->st->st_size : 0,
		.fd = head->fd,
		.end = head->end,
	};

	out->format = f;
	lines.source = (struct line_source){.arg = &lines, .next = next_file_line};

	int rc = f->decode_parts ? f->decode_parts(&out->batch, &parts.source, o, e)
				 : f->decode_lines(&out->batch, &lines.source, o, e);

	if (rc) {
		err_errno(e, rc, "decoding");
		err_prefix(e, "%s", f->name);
	}
	return rc;
}

static int decode_open_file(struct input *out, struct inputs *in, int fd, const char *path,
			    const struct stat *st, const struct decode_options *o, struct err *e)
{
	int rc = read_some(&out->bytes, fd, path, HEAD_BYTES, e);
	const struct file_head head = {fd, path, st, rc == 1};
	const struct format *f;
	bool sealed;

	if (rc < 0)
		return rc;
	if (!out->bytes.n)
		return err_set(e, -EBADMSG, "%s: is empty; expected a profile", shown_path(path));
	sealed = sealed_form_of(buf_str(&out->bytes)) == SEALED_BINARY || in->keys;
	f = sealed ? NULL : streamed_format(in, buf_str(&out->bytes), path);
	rc = head.end || f ? 0 : read_rest(&out->bytes, fd, path, st, e);
	if (!rc && sealed)
		rc = input_unseal(&out->bytes, path, in->keys, e);
	if (rc)
		return rc;
	rc = f ? decode_streamed(out, &head, f, o, e)
	       : format_decode(&out->batch, buf_str(&out->bytes), in->from, str_from(path), o,
			       &out->format, e);
	if (rc == -ENOMEM)
		return out_of_memory(path, out->bytes.budget, e);
	if (rc)
		err_prefix(e, "%s", shown_path(path));
	return rc;
}

/* Make the input empty; keep the memory of an earlier read. */
static int input_prepare(struct input *in, struct budget *budget)
{
	in->format = NULL;
	if (in->used) {
		buf_clear(&in->bytes);
		return profile_batch_reset(&in->batch);
	}
	in->used = true;
	buf_init(&in->bytes, budget);
	return profile_batch_init(&in->batch, budget);
}

static int decode_fetched(struct input *out, struct inputs *in, const char *path,
			  const struct decode_options *o, struct err *e)
{
	int rc = in->fetch(in->fetch_arg, &out->bytes, path, e);

	if (!rc)
		rc = format_decode(&out->batch, buf_str(&out->bytes), in->from, (struct str){0}, o,
				   &out->format, e);
	return rc == -ENOMEM ? out_of_memory(path, out->bytes.budget, e) : rc;
}

int input_read(struct input *out, struct inputs *in, const char *path, struct err *e)
{
	struct warnings warnings = {in->cli, path, 0};
	struct decode_options options = in->decode;
	struct stat st;
	int fd = -1;

	if (!options.warn) {
		options.warn = print_warning;
		options.warn_arg = &warnings;
	}
	progress_set(&in->cli->progress, "reading %s", shown_path(path));

	int rc = input_prepare(out, &in->cli->budget);

	if (rc)
		return out_of_memory(path, &in->cli->budget, e);
	if (in->fetch) {
		rc = decode_fetched(out, in, path, &options, e);
	} else {
		rc = open_input(path, &fd, &st, e);
		if (!rc)
			rc = decode_open_file(out, in, fd, path, &st, &options, e);
		close_input(fd);
	}
	print_warning_count(&warnings);
	return rc;
}

void input_fini(struct input *in)
{
	profile_batch_fini(&in->batch);
	buf_fini(&in->bytes);
}

/* ---- options ---- */

int input_format(const struct format **out, const char *name, struct err *e)
{
	const char *names[64];
	size_t n = 0;

	*out = format_by_name(str_from(name));
	if (*out)
		return 0;
	for (; formats[n] && n < countof(names); n++)
		names[n] = formats[n]->name;

	const char *nearest = options_nearest(name, names, n);

	return err_set(e, -EINVAL, "no format '%s'%s%s%s; varve convert --list-formats lists all",
		       name, nearest ? "; did you mean " : "", nearest ? nearest : "",
		       nearest ? "?" : "");
}

int inputs_init(struct inputs *in, struct cli *cli, const struct input_options *options,
		struct err *e)
{
	int rc = 0;

	*in = (struct inputs){.cli = cli, .decode.strict = options->strict};
	buf_init(&in->labels, &cli->budget);
	if (options->from)
		rc = input_format(&in->from, options->from, e);
	if (!rc && options->labels) {
		rc = input_bytes(&in->labels, options->labels, e);
		in->decode.labels = buf_str(&in->labels);
	}
	if (!rc && options->key_file)
		rc = key_ring_open(&in->keys, options->key_file, NULL, e);
	return rc;
}

void inputs_fini(struct inputs *in)
{
	key_ring_unref(in->keys);
	buf_fini(&in->labels);
}
