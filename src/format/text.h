/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VARVE_FORMAT_TEXT_H
#define VARVE_FORMAT_TEXT_H

#include "base/buf.h"
#include "base/container/idset.h"
#include "base/container/vec.h"
#include "format/format.h"

/* What decoders and encoders of names-only formats share. */

/*
 * From a piece of the input (a frame as it is written there) to the row that was made of it, so
 * that what has been seen before costs one hash. The pieces are copied into the arena.
 */
struct text_cache {
	struct arena *arena; /* borrowed */
	VEC(struct text_cached) entries;
	struct idset index;
};

MUST_USE int text_cache_init(struct text_cache *c, struct arena *arena);

/* True with the id when `text` is there. *hash is for text_cache_add(). */
bool text_cache_find(const struct text_cache *c, struct str text, uint32_t *hash, uint32_t *id);
MUST_USE int text_cache_add(struct text_cache *c, struct str text, uint32_t hash, uint32_t id);

/* `s` if it is UTF-8, else a copy in the arena with U+FFFD for each byte that is not. 0 or -ENOMEM. */
MUST_USE int text_repair_utf8(struct arena *arena, struct str s, struct str *out);

/*
 * Something in the input was left out: says it to the options' warn(), the first WARNINGS_MAX
 * times; `strict` makes it the error instead.
 */
struct text_warnings {
	const struct decode_options *options; /* borrowed */
	unsigned count;
};

enum { WARNINGS_MAX = 5 };

MUST_USE int text_warn(struct text_warnings *w, struct err *e, const char *fmt, ...)
	PRINTF_LIKE(3, 4);

/* One frame for a format that knows names: an inlined call or a real one of a location. */
struct text_frame {
	struct str name;   /* of the function; empty: unknown, then module says where it is */
	struct str module; /* last part of the mapping's file name; may be empty */
	struct str file;
	int64_t line, column;
	struct str type; /* profile.frame.type; may be empty */
};

/* How many frames a location is, and its frame `i`, the innermost first. */
uint32_t text_frame_count(const struct profile_batch *b, uint32_t location);
struct text_frame text_frame_of(const struct profile_batch *b, uint32_t location, uint32_t i);

/* Do two frames say the same, apart from their type? */
uint32_t text_frame_hash(const struct text_frame *f);
bool text_frame_eq(const struct text_frame *a, const struct text_frame *b);

/* The name, or "[module]", or "[unknown]", as FlameGraph has it. */
void text_put_frame_name(struct buf *out, const struct text_frame *f);

extern const struct str text_frame_type; /* "profile.frame.type" */

/*
 * For formats that hold one sample type: the one to write, "cpu" or "cpu/nanoseconds" in the options, else what the
 * source calls its default, else that of the first profile with samples. -ENOENT with the types there are.
 */
MUST_USE int text_pick_type(const struct profile_batch *b, const struct encode_options *o,
			    struct value_type *type, struct err *e);

/*
 * Observations of profiles one by one, for formats that lay them out in time. Negative values,
 * which those cannot show, are left out.
 */
struct text_entry {
	uint64_t time; /* 0 without times */
	int64_t value;
	uint32_t stack, order;
};

struct text_entries {
	VEC(struct text_entry) list;
	bool timed; /* true before the first profile: stays so if all samples have times */
};

MUST_USE int text_entries_add(struct text_entries *entries, struct arena *arena,
			      const struct profile_batch *b, const struct profile *p);

/* By time if all have one, else as they came. */
void text_entries_sort(struct text_entries *entries);

/* Is it this profile's? By what it says, as the strings of a batch need not be unique. */
bool text_is_type(const struct profile_batch *b, const struct profile *p, struct value_type type);

#endif
