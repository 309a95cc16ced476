/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VARVE_FORMAT_TEXT_H
#define VARVE_FORMAT_TEXT_H

#include "base/buf.h"
#include "base/container/idset.h"
#include "base/container/vec.h"
#include "format/format.h"

/*
 * Shared by the decoders and encoders of text formats, whose frames are names: input cache,
 * warnings, frames, and observations in order of time.
 */

/*
 * Maps a piece of the input (such as a frame as written there) to the row it was decoded to, so
 * that decoding it again costs one hash lookup. The pieces are copied into the arena.
 */
struct text_cache {
	struct arena *arena; /* borrowed */
	VEC(struct text_cached) entries;
	struct idset index;
};

MUST_USE int text_cache_init(struct text_cache *c, struct arena *arena);

/* Look up `text`: return true and set *id if it is cached. Set *hash for text_cache_add(). */
bool text_cache_find(const struct text_cache *c, struct str text, uint32_t *hash, uint32_t *id);
MUST_USE int text_cache_add(struct text_cache *c, struct str text, uint32_t hash, uint32_t id);

/*
 * Set *out to `s` if it is UTF-8, else to a copy in the arena with U+FFFD for each invalid byte.
 * Return 0 or -ENOMEM.
 */
MUST_USE int text_repair_utf8(struct arena *arena, struct str s, struct str *out);

/* Warnings about skipped input. */
struct text_warnings {
	const struct decode_options *options; /* borrowed */
	unsigned count;
};

enum { WARNINGS_MAX = 5 };

/*
 * Report that input was skipped, through the options' warn(), the first WARNINGS_MAX times. Return
 * 0, or -EBADMSG with the text in `e` if the options are `strict`.
 */
MUST_USE int text_warn(struct text_warnings *w, struct err *e, const char *fmt, ...)
	PRINTF_LIKE(3, 4);

/* One frame of a location, inlined or not, as text. */
struct text_frame {
	struct str name;   /* of the function; empty: unknown */
	struct str module; /* last part of the mapping's file name; may be empty */
	struct str file;
	int64_t line, column;
	struct str type; /* profile.frame.type; may be empty */
};

/* Return the number of frames of a location (at least 1), and its frame `i`, innermost first. */
uint32_t text_frame_count(const struct profile_batch *b, uint32_t location);
struct text_frame text_frame_of(const struct profile_batch *b, uint32_t location, uint32_t i);

/* Hash and compare frames by all fields but their type. */
uint32_t text_frame_hash(const struct text_frame *f);
bool text_frame_eq(const struct text_frame *a, const struct text_frame *b);

/* Append the name, else "[module]", else "[unknown]", as FlameGraph does. */
void text_put_frame_name(struct buf *out, const struct text_frame *f);

extern const struct str text_frame_type; /* "profile.frame.type" */

/*
 * Choose the sample type to write, for formats that hold only one: the one named in the options
 * ("cpu" or "cpu/nanoseconds"), else the default of the source, else that of the first profile with
 * samples. Return 0, or -ENOENT with the existing types in `e`.
 */
MUST_USE int text_pick_type(const struct profile_batch *b, const struct encode_options *o,
			    struct value_type *type, struct err *e);

/*
 * The observations of profiles one by one, for formats that store them in order of time. Negative
 * values are dropped because those formats cannot represent them.
 */
struct text_entry {
	uint64_t time; /* 0 without times */
	int64_t value;
	uint32_t stack, order;
};

struct text_entries {
	VEC(struct text_entry) list;
	/* Set to true before the first profile; stays true if all samples have timestamps. */
	bool timed;
};

/* Append the observations of the profile. Return 0 or -ENOMEM. */
MUST_USE int text_entries_add(struct text_entries *entries, struct arena *arena,
			      const struct profile_batch *b, const struct profile *p);

/* Sort by time if all samples have timestamps; otherwise keep the order. */
void text_entries_sort(struct text_entries *entries);

/*
 * Return whether `type` is the sample type of the profile. Compares text: string ids are not
 * unique.
 */
bool text_is_type(const struct profile_batch *b, const struct profile *p, struct value_type type);

#endif
