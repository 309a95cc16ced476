/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Reads chunk headers. The header of an unfinished chunk is not trusted: the end of the chunk is
 * found by walking its events.
 */
#include "format/jfr/chunk.h"

#include <errno.h>

enum { VERSION_MAJOR = 2, FEATURE_COMPRESSED = 1 };

/* Return `offset`, or 0 (unknown) if it lies outside the chunk. */
static uint64_t usable_offset(const struct jfr_chunk *chunk, uint64_t offset)
{
	return offset >= JFR_HEADER && offset < (uint64_t)(chunk->end - chunk->start) ? offset : 0;
}

/*
 * Find the end of an unfinished chunk, whose size field is 0, wrong, or beyond the end of a
 * truncated file: the chunk extends to the next one, as far as its events can be walked.
 */
static const uint8_t *walk_to_end(const struct jfr_chunk *chunk, const uint8_t *limit)
{
	struct jfr_cursor c = jfr_cursor_of(chunk->start + JFR_HEADER, limit, chunk->compressed);
	const uint8_t *end = c.at;
	struct jfr_event event;

	while (jfr_next_event(&c, &event))
		end = c.at;
	return end;
}

uint64_t jfr_chunk_size(struct str head)
{
	const uint8_t *start = (const uint8_t *)head.p;
	struct jfr_cursor c = jfr_cursor_of(start, start + head.n, false);

	if (head.n < JFR_HEADER || !jfr_is_chunk_start(c.at, c.end))
		return 0;
	(void)jfr_fixed(&c, 8); /* magic and version */

	uint64_t size = jfr_fixed(&c, 8);

	return size >= JFR_HEADER ? size : 0;
}

int jfr_chunk_open(struct jfr_chunk *chunk, struct str in, uint64_t offset, struct err *e)
{
	const uint8_t *start = (const uint8_t *)in.p, *limit = start + in.n;
	struct jfr_cursor c = jfr_cursor_of(start, limit, false);

	if (!jfr_is_chunk_start(c.at, limit))
		jfr_fail_at(&c, c.at, "a JFR chunk (FLR and a zero byte)");
	(void)jfr_fixed(&c, 4);

	const uint8_t *version_at = c.at;
	uint64_t major = jfr_fixed(&c, 2);

	(void)jfr_fixed(&c, 2);
	if (!c.expected && major != VERSION_MAJOR)
		jfr_fail_at(&c, version_at + 1, "a JFR chunk of version 2");

	uint64_t size = jfr_fixed(&c, 8), checkpoint = jfr_fixed(&c, 8),
		 metadata = jfr_fixed(&c, 8);

	*chunk = (struct jfr_chunk){.offset = offset, .start = start};
	chunk->start_nanos = jfr_fixed(&c, 8);
	chunk->duration_nanos = jfr_fixed(&c, 8);
	chunk->start_ticks = jfr_fixed(&c, 8);

	uint64_t frequency = jfr_fixed(&c, 8);

	chunk->nanos_per_tick = frequency ? 1e9 / (double)frequency : 1;
	/* three bytes of generation and padding (or of a 32-bit word), then the flags */
	(void)jfr_fixed(&c, 3);
	chunk->compressed = jfr_byte(&c) & FEATURE_COMPRESSED;
	if (c.expected)
		return jfr_chunk_error(chunk, &c, e);

	chunk->finished = size >= JFR_HEADER && size <= in.n;
	chunk->end = chunk->finished ? chunk->start + size : walk_to_end(chunk, limit);
	chunk->checkpoint = usable_offset(chunk, checkpoint);
	chunk->metadata = usable_offset(chunk, metadata);
	return 0;
}
