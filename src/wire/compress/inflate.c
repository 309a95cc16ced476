/* SPDX-License-Identifier: Apache-2.0 */
/*
 * gzip, zlib and raw deflate. libdeflate does the work: twice as fast as zlib, but one-shot, so the
 * output's size is guessed (gzip's ISIZE is the guess) and a member that did not fit is done again with
 * twice the room: at worst the work of zlib. It also cannot say where it failed: then zlib
 * walks the member once more, only to find the byte and the reason. Zlib also measures what there is no memory for.
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

/* What tells the three apart. */
static const struct wrapper {
	inflate_fn *inflate;
	int window_bits; /* zlib's way to name them */
} wrappers[] = {
	[COMPRESS_GZIP] = {libdeflate_gzip_decompress_ex, 15 + 16},
	[COMPRESS_ZLIB] = {libdeflate_zlib_decompress_ex, 15},
	[COMPRESS_DEFLATE] = {libdeflate_deflate_decompress_ex, -15},
};

enum { WALK_ON = 1 };

/*
 * Walk the member at *at with zlib, which takes little memory, and throw its output away. 0: *at is behind it, and *left less by what it
 * expands to. WALK_ON: it goes on when *left is used up. -EBADMSG with the place and the reason, -ENOMEM.
 */
static int walk_member(const struct sink *s, const struct wrapper *w, struct str in, size_t *at,
		       size_t *left, struct err *e)
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
		rc = sink_bad(s, *at, e, "expected more data, found the end");
	else if (status == Z_OK)
		rc = WALK_ON;
	else if (status != Z_STREAM_END)
		rc = sink_bad(s, *at, e, z.msg ? z.msg : "corrupt data");
	inflateEnd(&z);
	return rc;
}

/* Why libdeflate did not read the member at `start`. */
static int explain(const struct sink *s, const struct wrapper *w, struct str in, size_t start,
		   struct err *e)
{
	size_t at = start, left = min_size(s->output, s->ratio_max);
	int rc = walk_member(s, w, in, &at, &left, e);

	return rc < 0 ? rc : sink_bad(s, at, e, "corrupt data");
}

/*
 * There is no memory for the output: is it more than the limits allow in any case, or bad, so that it is no use to try again? -EFBIG, -EBADMSG,
 * or -ENOMEM: it might fit later.
 */
static int explain_no_memory(const struct sink *s, const struct wrapper *w, struct str in,
			     struct err *e)
{
	size_t at = 0, left = min_size(s->output, s->ratio_max);
	int rc = 0;

	if (e) /* of the attempt */
		*e = (struct err){0};
	while (!rc && at < in.n && (!at || in.p[at] == '\x1f'))
		rc = walk_member(s, w, in, &at, &left, e);
	if (rc == WALK_ON)
		return sink_allows(s, (unsigned long long)min_size(s->output, s->ratio_max) + 1, e);
	return rc < 0 ? rc : err_errno(e, -ENOMEM, s->name);
}

/* One member at *at, appended to the sink. Nothing that it says of itself is believed: see sink_grow(). */
static int inflate_member(struct sink *s, struct libdeflate_decompressor *d,
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
				return explain(s, w, in, *at, e);
			rc = sink_grow(s, min_size(possible, 2 * s->cap), e);
			if (rc)
				return rc;
			break;
		default:
			return explain(s, w, in, *at, e);
		}
	}
}

/*
 * A first guess at the size of all output. gzip tells that of its last member; when that is less than the input, there
 * are others before it, and a guess that is too small costs more (all is done again) than one that is too large.
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

/* gzip pads to blocks with zero bytes on some media; all else behind a member has to be another one. */
static bool only_zeros(struct str in, size_t at)
{
	while (at < in.n && !in.p[at])
		at++;
	return at == in.n;
}

/*
 * A member behind another may be the last, whose size is told: without room for it, it would be done twice.
 * Where there is no room it is found out in inflate_member().
 */
static void make_room_for_last(struct sink *s, struct str in, size_t at)
{
	size_t isize = in.n - at >= GZIP_MIN ? load32(in.p + in.n - 4) : 0;

	if (s->cap - s->n < isize && isize / DEFLATE_MAX_RATIO <= in.n - at &&
	    s->cap < min_size(s->output, s->ratio_max))
		(void)!sink_grow(s, s->n + isize, NULL);
}

int inflate_body(struct sink *s, enum compress_kind kind, struct str in, struct err *e)
{
	const struct wrapper *w = &wrappers[kind];
	struct libdeflate_decompressor *d = libdeflate_alloc_decompressor();
	size_t at = 0;
	int rc = d ? sink_grow(s, guess_size(kind, in), e) : err_errno(e, -ENOMEM, s->name);

	if (!rc)
		rc = inflate_member(s, d, w, in, &at, e);
	while (!rc && at < in.n && !only_zeros(in, at)) {
		if (kind != COMPRESS_GZIP)
			rc = sink_bad(s, at, e, "expected the end, found more data");
		else if (in.p[at] != '\x1f')
			rc = sink_bad(s, at, e, "expected another member, found other data");
		if (rc)
			break;
		make_room_for_last(s, in, at);
		rc = inflate_member(s, d, w, in, &at, e);
	}
	libdeflate_free_decompressor(d);
	return rc == -ENOMEM && d ? explain_no_memory(s, w, in, e) : rc;
}
