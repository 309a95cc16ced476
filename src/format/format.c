/* SPDX-License-Identifier: Apache-2.0 */
/* Format detection, and decoding of a whole file: decompress, detect, call the format's decoder. */
#include "format/format.h"

#include "wire/compress/compress.h"

enum {
	SNIFF_BYTES = 64 * 1024,
	MAX_LAYERS = 3, /* nested compression: gzip in zip in gzip */
};

const struct format *format_by_name(struct str name)
{
	for (size_t i = 0; formats[i]; i++)
		if (str_eq(str_from(formats[i]->name), name))
			return formats[i];
	return NULL;
}

/* Return whether the path ends with "." and the extension. */
static bool has_extension(struct str path, struct str extension)
{
	return str_ends(path, extension) && path.n > extension.n &&
	       path.p[path.n - extension.n - 1] == '.';
}

const struct format *format_by_path(struct str path)
{
	const struct format *best = NULL;
	size_t best_length = 0;

	for (size_t i = 0; formats[i]; i++) {
		for (const char *const *x = formats[i]->extensions; x && *x; x++) {
			struct str extension = str_from(*x);

			if (extension.n > best_length && has_extension(path, extension)) {
				best = formats[i];
				best_length = extension.n;
			}
		}
	}
	return best;
}

const struct format *format_by_content(struct str head)
{
	const struct format *best = NULL;
	int best_score = 0;

	for (size_t i = 0; formats[i]; i++) {
		int score = formats[i]->sniff ? formats[i]->sniff(head) : 0;

		if (score > best_score) {
			best = formats[i];
			best_score = score;
		}
	}
	return best;
}

struct memory_lines {
	struct str all, rest;
	struct line_source *source;
};

static int next_memory_line(void *arg, struct str *line, struct err *e)
{
	struct memory_lines *m = arg;

	(void)e;
	m->source->offset = m->all.n - m->rest.n;
	if (!str_next_line(&m->rest, line))
		return 0;
	m->source->number++;
	return 1;
}

static int decode_memory_lines(const struct format *f, struct profile_batch *out, struct str in,
			       const struct decode_options *o, struct err *e)
{
	struct memory_lines m = {.all = in, .rest = in};
	struct line_source source = {.arg = &m, .next = next_memory_line};

	m.source = &source;
	return f->decode_lines(out, &source, o, e);
}

/*
 * Decompress all layers of *in. Two bytes of text can look like a zlib header, so input that looks
 * like zlib but does not inflate is used as it is.
 */
static int decompress_layers(struct profile_batch *out, struct str *in, struct err *e)
{
	for (int layer = 0; layer < MAX_LAYERS; layer++) {
		enum compress_kind kind = compress_detect(*in);
		struct err quiet = {0};
		int rc;

		if (kind == COMPRESS_NONE)
			break;
		rc = decompress_bytes(kind, *in, &out->arena, NULL, in,
				      kind == COMPRESS_ZLIB ? &quiet : e);
		if (rc == -EBADMSG && kind == COMPRESS_ZLIB)
			break;
		if (rc)
			return err_errno(e, rc, "decompressing");
	}
	return 0;
}

int format_decode(struct profile_batch *out, struct str in, const struct format *f, struct str path,
		  const struct decode_options *o, const struct format **used, struct err *e)
{
	static const struct decode_options no_options;
	int rc;

	if (!in.n)
		return err_set(e, -EBADMSG, "expected a profile, found an empty file");
	rc = decompress_layers(out, &in, e);
	if (rc)
		return rc;
	if (!f)
		f = format_by_content(str_head(in, SNIFF_BYTES));
	if (!f)
		f = format_by_path(path);
	if (!f)
		return err_set(e, -EBADMSG,
			       "not a profile of a known format; name one with -f (see varve "
			       "convert --list-formats)");
	if (used)
		*used = f;
	if (!f->decode && !f->decode_lines)
		return err_set(e, -ENOTSUP, "%s can be written but not read", f->name);
	rc = f->decode ? f->decode(out, in, o ? o : &no_options, e)
		       : decode_memory_lines(f, out, in, o ? o : &no_options, e);
	if (rc) {
		err_errno(e, rc, "decoding"); /* keeps the decoder's message if it set one */
		err_prefix(e, "%s", f->name);
	}
	return rc;
}
