/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VARVE_FORMAT_JFR_CHUNK_H
#define VARVE_FORMAT_JFR_CHUNK_H

#include "format/jfr/cursor.h"

/*
 * A recording is a sequence of chunks. Each chunk has its own clock, type descriptions and constant
 * pools and can be read alone. A chunk consists of a header of JFR_HEADER bytes and of events. Two
 * event types are special: they hold the type descriptions (metadata) and the constant pools
 * (checkpoints).
 */
enum {
	JFR_HEADER = 68,
	JFR_TYPE_METADATA = 0,
	JFR_TYPE_CHECKPOINT = 1,
};

struct jfr_chunk {
	/* Offset of the chunk in the whole input, for errors. */
	uint64_t offset;
	/* `end` is inside the input, whatever the header claims. */
	const uint8_t *start, *end;
	/* Offsets from `start`; 0: unknown, the events must be searched for them. */
	uint64_t checkpoint, metadata;
	uint64_t start_nanos, duration_nanos, start_ticks;
	double nanos_per_tick;
	bool compressed;
	bool finished; /* false: still being written, or truncated */
};

/* Return whether a chunk begins at `at`. */
static inline bool jfr_is_chunk_start(const uint8_t *at, const uint8_t *end)
{
	return (size_t)(end - at) >= 4 && memcmp(at, "FLR", 4) == 0;
}

/* Return the size of the chunk that begins with `head`, or 0 if the header has no usable size. */
uint64_t jfr_chunk_size(struct str head);

/*
 * Read the header of the chunk at the beginning of `in`, which holds the whole chunk or the rest of
 * the input. Return 0, or -EBADMSG with the reason in `e`.
 */
MUST_USE int jfr_chunk_open(struct jfr_chunk *chunk, struct str in, uint64_t offset, struct err *e);

/* Fill `e` with the error of a cursor over the chunk and return -EBADMSG. */
static inline int jfr_chunk_error(const struct jfr_chunk *chunk, const struct jfr_cursor *c,
				  struct err *e)
{
	return jfr_cursor_error(c, chunk->start, chunk->offset, e);
}

/* Return the offset of `at` in the whole input. */
static inline size_t jfr_chunk_input_offset(const struct jfr_chunk *chunk, const uint8_t *at)
{
	return (size_t)(chunk->offset + (uint64_t)(at - chunk->start));
}

/* An event: its type and a cursor over its fields. */
struct jfr_event {
	const uint8_t *at; /* where its size field begins */
	uint64_t type;
	struct jfr_cursor body;
};

/*
 * Read the head of the next event and step over the event. Return false at the end, at the
 * beginning of another chunk, or after an error, which the cursor holds.
 */
static inline bool jfr_next_event(struct jfr_cursor *c, struct jfr_event *event)
{
	const uint8_t *at = c->at;
	size_t left = jfr_left(c);

	if (!left || (unlikely(*at == 'F') && jfr_is_chunk_start(at, c->end)))
		return false;

	uint64_t size = jfr_int(c);

	event->at = at;
	event->type = jfr_long(c);
	if (unlikely(size > left || at + size < c->at || c->expected)) {
		jfr_fail_at(c, at, "an event inside the chunk");
		return false;
	}
	event->body = jfr_cursor_of(c->at, at + size, c->compressed);
	c->at = at + size;
	return true;
}

/* Convert a time in ticks to nanoseconds since 1970. */
static inline uint64_t jfr_time(const struct jfr_chunk *chunk, uint64_t ticks)
{
	double nanos = (double)(int64_t)(ticks - chunk->start_ticks) * chunk->nanos_per_tick;

	if (!(nanos > -9e18 && nanos < 9e18))
		return chunk->start_nanos;
	return chunk->start_nanos + (uint64_t)(int64_t)nanos;
}

#endif
