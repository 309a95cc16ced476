/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VARVE_FORMAT_FOLDED_FRAMES_H
#define VARVE_FORMAT_FOLDED_FRAMES_H

#include "format/format.h"

/*
 * Adds stacks like "a;b;c_[k]" to a batch. Each distinct frame is parsed once. Shared by the four
 * formats of this folder.
 */
struct folded_frames;

/*
 * The suffix that FlameGraph and async-profiler append to a frame's name, and the value of
 * profile.frame.type that it stands for ("kernel" is defined by OTLP, the others are not).
 */
struct folded_suffix {
	struct str suffix, type;
};
extern const struct folded_suffix folded_suffixes[]; /* ends with an empty one */

/* Numbers in a line: one ("samples"), or two, which make the profiles "before" and "after". */
enum folded_columns { FOLDED_ONE = 1, FOLDED_BEFORE_AFTER = 2 };

/* On success the caller owns *out (folded_frames_free()). Return 0 or -errno, as all below do. */
MUST_USE int folded_frames_new(struct folded_frames **out, struct profile_batch *batch,
			       enum folded_columns columns);
void folded_frames_free(struct folded_frames *f);

/* Add a stack with one value for each column. */
MUST_USE int folded_add(struct folded_frames *f, struct str stack, const int64_t *values);

/*
 * For formats with separate frames and one column: get the location of a frame, and add a stack of
 * root-first locations.
 */
MUST_USE int folded_add_frame(struct folded_frames *f, struct str name, uint32_t *location);
MUST_USE int folded_add_stack(struct folded_frames *f, const uint32_t *root_first, uint32_t n,
			      int64_t value);

/* Write the collected samples to the batch. Call once, at the end. */
MUST_USE int folded_finish(struct folded_frames *f);

#endif
