/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Decompression into an arena, by format, in MB/s of output; gzip and zlib compared with zlib's own
 * inflate with known size. The zlib format does not contain the size, so its result includes the
 * cost of a wrong guess.
 */
#include "bench.h"

#include <stdio.h>
#include <zlib.h>

#include "wire/compress/compress.h"

enum { STACKS = 400000, ROUNDS = 5 };

struct context {
	struct buf plain, packed;
	struct arena arena;
	enum compress_kind kind;
	bool failed;
};

/* Folded stacks with a long tail, which compress like a profile. */
static void make_plain(struct buf *out)
{
	uint32_t x = 1;

	for (int i = 0; i < STACKS; i++) {
		x = x * 1664525 + 1013904223;
		buf_printf(out, "main;serve;handler_%u;query_%u;step_%u;leaf_%u %u\n", x >> 30,
			   x >> 26, x >> 20 & 0xff, x >> 8 & 0xfff, x & 0xff);
	}
}

static void unpack(void *context)
{
	struct context *c = context;
	struct str out = {0};

	arena_reset(&c->arena);
	c->failed |=
		decompress_bytes(c->kind, buf_str(&c->packed), &c->arena, NULL, &out, NULL) != 0;
	c->failed |= out.n != c->plain.n;
}

static void unpack_with_zlib(void *context)
{
	struct context *c = context;
	z_stream z = {.next_in = (unsigned char *)c->packed.p, .avail_in = (unsigned)c->packed.n};

	arena_reset(&c->arena);
	z.next_out = arena_alloc(&c->arena, c->plain.n, 1);
	z.avail_out = (unsigned)c->plain.n;
	c->failed |= !z.next_out || inflateInit2(&z, 15 + 32) != Z_OK ||
		     inflate(&z, Z_FINISH) != Z_STREAM_END;
	inflateEnd(&z);
}

static void report(struct context *c, bool has_peer)
{
	char name[32], method[128];
	double size = (double)c->plain.n / 1e6;

	buf_clear(&c->packed);
	c->failed |= compress_bytes(&c->packed, c->kind, 0, buf_str(&c->plain), NULL) != 0;
	snprintf(name, sizeof(name), "decompress-%s", compress_name(c->kind));
	snprintf(method, sizeof(method), "%.1f MB of folded stacks, %.1f:1; CPU time, best of 5",
		 size, (double)c->plain.n / (double)c->packed.n);
	bench_report(&(struct bench_result){
		.name = name,
		.value = size / bench_best(ROUNDS, unpack, c),
		.unit = "MB/s",
		.peer = has_peer ? "zlib" : NULL,
		.peer_value = has_peer ? size / bench_best(ROUNDS, unpack_with_zlib, c) : 0,
		.method = method,
	});
}

int main(void)
{
	static const struct {
		enum compress_kind kind;
		bool has_peer;
	} runs[] = {{COMPRESS_GZIP, true},
		    {COMPRESS_ZLIB, true},
		    {COMPRESS_ZSTD, false},
		    {COMPRESS_LZ4, false}};
	struct context c = {0};

	arena_init(&c.arena, NULL);
	make_plain(&c.plain);
	for (size_t i = 0; i < countof(runs); i++) {
		c.kind = runs[i].kind;
		report(&c, runs[i].has_peer);
	}
	arena_fini(&c.arena);
	buf_fini(&c.plain);
	buf_fini(&c.packed);
	return c.failed ? 2 : 0;
}
