/* SPDX-License-Identifier: Apache-2.0 */
/* zlib over pread(). */
#include "pipeline/receivers/filelog/tail/gzip_stream.h"

#include <errno.h>
#include <stdlib.h>
#include <unistd.h>

#include <zlib.h>

enum { GZIP_INPUT = 32 * 1024, GZIP_WINDOW_BITS = 15 + 16 };

struct gzip_stream {
	z_stream z;
	bool begun, ended; /* ended: between two members */
	uint64_t in_at;	   /* of the file: after the input that was read */
	uint64_t out_at;   /* of the content */
	unsigned char in[GZIP_INPUT];
};

struct gzip_stream *gzip_stream_new(void)
{
	return calloc(1, sizeof(struct gzip_stream));
}

void gzip_stream_free(struct gzip_stream *g)
{
	if (g && g->begun)
		inflateEnd(&g->z);
	free(g);
}

static int restart_gzip(struct gzip_stream *g)
{
	int rc;

	if (g->begun)
		inflateEnd(&g->z);
	g->z = (z_stream){0};
	rc = inflateInit2(&g->z, GZIP_WINDOW_BITS);
	g->begun = rc == Z_OK;
	g->ended = false;
	g->in_at = g->out_at = 0;
	return g->begun ? 0 : -ENOMEM;
}

/* Read more input. Return 1, 0 at the end, or -errno. */
static int fill_gzip(struct gzip_stream *g, int fd)
{
	ssize_t got = pread(fd, g->in, sizeof(g->in), (off_t)g->in_at);

	if (got <= 0)
		return got < 0 ? -errno : 0;
	g->in_at += (uint64_t)got;
	g->z.next_in = g->in;
	g->z.avail_in = (uInt)got;
	return 1;
}

/* Begin the next member; zero bytes between members are skipped. Return as fill_gzip(). */
static int next_member(struct gzip_stream *g, int fd)
{
	for (;;) {
		int rc = g->z.avail_in ? 1 : fill_gzip(g, fd);

		if (rc <= 0)
			return rc;
		if (*g->z.next_in)
			break;
		g->z.next_in++;
		g->z.avail_in--;
	}
	g->ended = false;
	return inflateReset(&g->z) == Z_OK ? 1 : -EBADMSG;
}

/* Decompress up to `n` bytes. Return as gzip_stream_read(). */
static ssize_t inflate_some(struct gzip_stream *g, int fd, char *to, size_t n)
{
	g->z.next_out = (Bytef *)to;
	g->z.avail_out = (uInt)min_size(n, INT32_MAX);
	n = g->z.avail_out;
	while (g->z.avail_out) {
		int rc = g->ended ? next_member(g, fd) : g->z.avail_in ? 1 : fill_gzip(g, fd);

		if (rc < 0)
			return rc;
		if (!rc)
			break;
		rc = inflate(&g->z, Z_NO_FLUSH);
		g->ended = rc == Z_STREAM_END;
		if (rc != Z_OK && rc != Z_STREAM_END && rc != Z_BUF_ERROR)
			return rc == Z_MEM_ERROR ? -ENOMEM : -EBADMSG;
	}
	n -= g->z.avail_out;
	g->out_at += n;
	return (ssize_t)n;
}

ssize_t gzip_stream_read(struct gzip_stream *g, int fd, char *to, size_t n, uint64_t at)
{
	ssize_t got;
	int rc = 0;

	if (!g->begun || at < g->out_at)
		rc = restart_gzip(g);
	if (rc)
		return rc;
	while (g->out_at < at) {
		got = inflate_some(g, fd, to, (size_t)(at - g->out_at < n ? at - g->out_at : n));
		if (got <= 0)
			return got;
	}
	return inflate_some(g, fd, to, n);
}
