/* SPDX-License-Identifier: Apache-2.0 */
/*
 * gzip, zlib and raw deflate by libdeflate. It is twice as fast as zlib, but needs the whole output
 * in memory: the output size is guessed (from gzip's ISIZE), and a member that does not fit is
 * decompressed again with twice the room, which at worst is as slow as zlib. libdeflate does not
 * report where it failed, so zlib walks a bad member again to find the position and the reason.
 * zlib also measures output for which there is no memory.
 */
#include <errno.h>
#include <libdeflate.h>
#define ZLIB_CONST
#include <zlib.h>

#include "wire/compress/decompress.h"

enum {
	DEFLATE_MAX_RATIO = 1032, /* 258 bytes for two bits */
	GZIP_MIN = 18,		  /* header and trailer without data */
	WALK_BYTES = 32 * 1024,
};

typedef enum libdeflate_result inflate_fn(struct libdeflate_decompressor *, const void *, size_t,
					  void *, size_t, size_t *, size_t *);

/* How the three wrappers differ. */
static const struct wrapper {
	inflate_fn *inflate;
	int window_bits; /* how zlib selects them */
} wrappers[] = {
	[COMPRESS_GZIP] = {libdeflate_gzip_decompress_ex, 15 + 16},
	[COMPRESS_ZLIB] = {libdeflate_zlib_decompress_ex, 15},
	[COMPRESS_DEFLATE] = {libdeflate_deflate_decompress_ex, -15},
};

enum { WALK_ON = 1 };

/*
 * Walk the member at *at with zlib, which needs little memory, and discard the output. Return 0 if
 * *at is after the member and *left reduced by its size; WALK_ON if *left is used up before the
 * end; -EBADMSG with position and reason; or -ENOMEM.
 */
static int walk_member(const struct decompress_sink *s, const struct wrapper *w, struct str in,
		       size_t *at, size_t *left, struct err *e)
{
	unsigned char scratch[WALK_BYTES];
	z_stream z = {0};
	int status = inflateInit2(&z, w->window_bits), rc = 0;

	if (status != Z_OK)
		return err_errno(e, -ENOMEM, s->name);
	while (status == Z_OK && *left) {
		size_t feed = min_size(in.n - *at, GIB);

		z.next_in = (const unsigned char *)in.p + *at;
		z.avail_in = (unsigned)feed;
		z.next_out = scratch;
		z.avail_out = (unsigned)min_size(*left, sizeof(scratch));
		*left -= z.avail_out;
		status = inflate(&z, Z_NO_FLUSH);
		*at += feed - z.avail_in;
		*left += z.avail_out;
	}
	if (status == Z_BUF_ERROR)
		rc = decompress_sink_fail(s, *at, e, "expected more data, found the end");
	else if (status == Z_OK)
		rc = WALK_ON;
	else if (status != Z_STREAM_END)
		rc = decompress_sink_fail(s, *at, e, z.msg ? z.msg : "corrupt data");
	inflateEnd(&z);
	return rc;
}

/* Find out why libdeflate failed on the member at `start`. */
static int explain_failure(const struct decompress_sink *s, const struct wrapper *w, struct str in,
			   size_t start, struct err *e)
{
	size_t at = start, left = min_size(s->output, s->ratio_max);
	int rc = walk_member(s, w, in, &at, &left, e);

	return rc < 0 ? rc : decompress_sink_fail(s, at, e, "corrupt data");
}

/*
 * There is no memory for the output: find out whether a retry could succeed. Return -EFBIG if the
 * output exceeds the limits anyway, -EBADMSG if the input is invalid, else -ENOMEM.
 */
static int explain_no_memory(const struct decompress_sink *s, const struct wrapper *w,
			     struct str in, struct err *e)
{
	size_t at = 0, left = min_size(s->output, s->ratio_max);
	int rc = 0;

	if (e) /* clear the error of the attempt */
		*e = (struct err){0};
	while (!rc && at < in.n && (!at || in.p[at] == '\x1f'))
		rc = walk_member(s, w, in, &at, &left, e);
	if (rc == WALK_ON)
		return decompress_sink_allows(
			s, (unsigned long long)min_size(s->output, s->ratio_max) + 1, e);
	return rc < 0 ? rc : err_errno(e, -ENOMEM, s->name);
}

/* Append the member at *at to the output. Sizes in the input are not trusted. */
static int inflate_member(struct decompress_sink *s, struct libdeflate_decompressor *d,
			  const struct wrapper *w, struct str in, size_t *at, struct err *e)
{
	size_t possible, used = 0, made = 0;

	if (__builtin_mul_overflow(in.n - *at, DEFLATE_MAX_RATIO, &possible) ||
	    __builtin_add_overflow(possible, s->n, &possible))
		possible = SIZE_MAX;
	for (;;) {
		int rc;

		switch (w->inflate(d, in.p + *at, in.n - *at, s->p + s->n, s->cap - s->n, &used,
				   &made)) {
		case LIBDEFLATE_SUCCESS:
			*at += used;
			s->n += made;
			return 0;
		case LIBDEFLATE_INSUFFICIENT_SPACE:
			if (s->cap >= possible)
				return explain_failure(s, w, in, *at, e);
			rc = decompress_sink_grow(s, min_size(possible, 2 * s->cap), e);
			if (rc)
				return rc;
			break;
		default:
			return explain_failure(s, w, in, *at, e);
		}
	}
}

/*
 * Guess the size of the whole output. gzip stores the size of its last member. If that is smaller
 * than the input there are other members; a guess that is too small is more expensive (everything
 * is decompressed again) than one that is too large.
 */
static size_t guess_size(enum compress_kind kind, struct str in)
{
	if (kind == COMPRESS_GZIP && in.n >= GZIP_MIN) {
		size_t isize = load32(in.p + in.n - 4);

		if (isize >= in.n / 2 && isize / DEFLATE_MAX_RATIO <= in.n)
			return isize;
	}
	if (in.n < MIB)
		return 8 * in.n;
	return in.n < SIZE_MAX / 4 ? 4 * in.n : in.n;
}

/* gzip pads to blocks with zero bytes on some media; anything else must be another member. */
static bool is_zero_padding(struct str in, size_t at)
{
	while (at < in.n && !in.p[at])
		at++;
	return at == in.n;
}

/*
 * Grow the output for a further member, which may be the last one, whose size is known: otherwise
 * it might be decompressed twice. inflate_member() reports a failure to grow.
 */
static void make_room_for_last(struct decompress_sink *s, struct str in, size_t at)
{
	size_t isize = in.n - at >= GZIP_MIN ? load32(in.p + in.n - 4) : 0;

	if (s->cap - s->n < isize && isize / DEFLATE_MAX_RATIO <= in.n - at &&
	    s->cap < min_size(s->output, s->ratio_max))
		(void)!decompress_sink_grow(s, s->n + isize, NULL);
}

int inflate_body(struct decompress_sink *s, enum compress_kind kind, struct str in, struct err *e)
{
	const struct wrapper *w = &wrappers[kind];
	struct libdeflate_decompressor *d = libdeflate_alloc_decompressor();
	size_t at = 0;
	int rc = d ? decompress_sink_grow(s, guess_size(kind, in), e)
		   : err_errno(e, -ENOMEM, s->name);

	if (!rc)
		rc = inflate_member(s, d, w, in, &at, e);
	while (!rc && at < in.n && !is_zero_padding(in, at)) {
		if (kind != COMPRESS_GZIP)
			rc = decompress_sink_fail(s, at, e, "expected the end, found more data");
		else if (in.p[at] != '\x1f')
			rc = decompress_sink_fail(s, at, e,
						  "expected another member, found other data");
		if (rc)
			break;
		make_room_for_last(s, in, at);
		rc = inflate_member(s, d, w, in, &at, e);
	}
	libdeflate_free_decompressor(d);
	return rc == -ENOMEM && d ? explain_no_memory(s, w, in, e) : rc;
}
