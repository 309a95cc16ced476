/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VARVE_FORMAT_JFR_CHUNK_H
#define VARVE_FORMAT_JFR_CHUNK_H

#include "format/jfr/cursor.h"

/*
 * A recording is a row of chunks; each has its own clock, type descriptions and constant pools
 * and can be read alone. A chunk is a header of JFR_HEADER bytes and events, of which two kinds
 * are not events but the descriptions (metadata) and the pools (checkpoints).
 */
enum {
	JFR_HEADER = 68,
	JFR_TYPE_METADATA = 0,
	JFR_TYPE_CHECKPOINT = 1,
};

struct jfr_chunk {
	uint64_t offset;	       /* of the start in the whole input: for errors */
	const uint8_t *start, *end;    /* end is inside the input, whatever the header claims */
	uint64_t checkpoint, metadata; /* offsets from start; 0: unknown, look for them */
	uint64_t start_nanos, duration_nanos, start_ticks;
	double nanos_per_tick;
	bool compressed;
	bool finished; /* false: it was being written, or is cut off */
};

/* Does a chunk begin here? */
static inline bool jfr_chunk_here(const uint8_t *at, const uint8_t *end)
{
	return (size_t)(end - at) >= 4 && memcmp(at, "FLR", 4) == 0;
}

/* How long the chunk says it is whose first bytes these are; 0 when that cannot be. */
uint64_t jfr_chunk_size(struct str head);

/*
 * Read the header of the chunk that `in` begins with; it holds all of it, or all that is left of the input.
 * 0, or -EBADMSG with the reason in `e`.
 */
MUST_USE int jfr_chunk_open(struct jfr_chunk *chunk, struct str in, uint64_t offset, struct err *e);

/* The error of a cursor over the chunk, in words. */
static inline int jfr_chunk_error(const struct jfr_chunk *chunk, const struct jfr_cursor *c,
				  struct err *e)
{
	return jfr_cursor_error(c, chunk->start, chunk->offset, e);
}

/* How far into the input that is. */
static inline size_t jfr_chunk_place(const struct jfr_chunk *chunk, const uint8_t *at)
{
	return (size_t)(chunk->offset + (uint64_t)(at - chunk->start));
}

/* An event: its type and its fields. */
struct jfr_event {
	const uint8_t *at; /* of its size */
	uint64_t type;
	struct jfr_cursor body;
};

/*
 * Step over the next event. false at the end, at the beginning of another chunk, or on an error,
 * which is then in the cursor.
 */
static inline bool jfr_next_event(struct jfr_cursor *c, struct jfr_event *event)
{
	const uint8_t *at = c->at;
	size_t left = jfr_left(c);

	if (!left || (unlikely(*at == 'F') && jfr_chunk_here(at, c->end)))
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

/* Nanoseconds since 1970 of a time in ticks. */
static inline uint64_t jfr_time(const struct jfr_chunk *chunk, uint64_t ticks)
{
	double nanos = (double)(int64_t)(ticks - chunk->start_ticks) * chunk->nanos_per_tick;

	if (!(nanos > -9e18 && nanos < 9e18))
		return chunk->start_nanos;
	return chunk->start_nanos + (uint64_t)(int64_t)nanos;
}

#endif
