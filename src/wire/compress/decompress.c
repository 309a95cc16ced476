/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The output of decompressors: it grows in an arena by arena_resize() and is checked against the
 * limits before it grows.
 */
#include "wire/compress/decompress.h"

#include <errno.h>

enum { FIRST_OUTPUT = 4096 };

void decompress_sink_init(struct decompress_sink *s, struct arena *a, const char *name,
			  size_t input, const struct decompress_limits *limits)
{
	size_t ratio = limits && limits->ratio ? limits->ratio : DECOMPRESS_RATIO;
	size_t allowed;

	if (__builtin_mul_overflow(input, ratio, &allowed))
		allowed = SIZE_MAX;
	*s = (struct decompress_sink){
		.arena = a,
		.name = name,
		.output = limits && limits->output ? limits->output : DECOMPRESS_OUTPUT,
		.ratio_max = max_size(allowed, DECOMPRESS_FREE),
	};
}

static int fail_too_big(const struct decompress_sink *s, struct err *e)
{
	if (s->output <= s->ratio_max)
		return err_set(e, -EFBIG, "%s: expands to more than %zu bytes", s->name, s->output);
	return err_set(e, -EFBIG, "%s: expands to more than %zu bytes, beyond what its size allows",
		       s->name, s->ratio_max);
}

int decompress_sink_allows(const struct decompress_sink *s, unsigned long long size, struct err *e)
{
	return size <= min_size(s->output, s->ratio_max) ? 0 : fail_too_big(s, e);
}

int decompress_sink_grow(struct decompress_sink *s, size_t want, struct err *e)
{
	size_t max = min_size(s->output, s->ratio_max);
	size_t cap = min_size(max_size(want, FIRST_OUTPUT), max);
	char *p;

	if (s->cap >= max)
		return fail_too_big(s, e);
	if (cap <= s->cap)
		return 0;
	p = arena_resize(s->arena, s->p, s->cap, cap, 1);
	if (!p)
		return err_errno(e, -ENOMEM, s->name);
	s->p = p;
	s->cap = cap;
	return 0;
}

struct str decompress_sink_finish(struct decompress_sink *s)
{
	/* only a large piece shrinks in place; a small one is not worth a copy */
	if (s->n >= ARENA_LARGE && s->n < s->cap) {
		char *p = arena_resize(s->arena, s->p, s->cap, s->n, 1);

		if (p)
			s->p = p;
	}
	return str_of(s->p, s->n);
}

int decompress_sink_fail(const struct decompress_sink *s, size_t at, struct err *e,
			 const char *text)
{
	return err_set(e, -EBADMSG, "%s: at byte %zu: %s", s->name, at, text);
}

int decompress_skip_frame(struct str in, size_t *at)
{
	if (in.n - *at < 4 || (load32(in.p + *at) & ~0xfu) != MAGIC_SKIPPABLE)
		return 0;
	if (in.n - *at < 8 || load32(in.p + *at + 4) > in.n - *at - 8)
		return -EBADMSG;
	*at += 8 + (size_t)load32(in.p + *at + 4);
	return 1;
}

int decompress_frames(struct decompress_sink *s, struct str in, decompress_frame_reader *read,
		      void *arg, struct err *e)
{
	size_t at = 0;
	int rc = 0;

	while (!rc && at < in.n) {
		int skipped = decompress_skip_frame(in, &at);

		if (skipped < 0)
			rc = decompress_sink_fail(
				s, at, e,
				"expected more data: a skippable frame extends past the end");
		else if (!skipped && in.n - at < 4)
			rc = decompress_sink_fail(s, at, e, "expected a frame, found the end");
		else if (!skipped)
			rc = read(s, arg, in, &at, e);
	}
	return rc;
}
