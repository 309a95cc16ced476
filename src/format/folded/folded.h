/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VARVE_FORMAT_FOLDED_H
#define VARVE_FORMAT_FOLDED_H

#include "format/format.h"

/*
 * Stacks as text, one a line, the root first, and their binary cousins:
 *
 *	folded	main;work;read_[k] 12	FlameGraph's collapsed stacks
 *	lines	main;work;read		Pyroscope's: each line counts one
 *	trie	Pyroscope's prefix tree of "main;work;read" byte strings
 *	tree	Pyroscope's tree of frames
 */
extern const struct format format_folded, format_lines, format_trie, format_tree;

int folded_encode(struct buf *out, const struct profile_batch *b, const struct encode_options *o,
		  struct err *e);

/*
 * The suffix that FlameGraph and async-profiler put behind a frame's name, and what it says as
 * profile.frame.type ("kernel" is OTLP's word; the others have none there).
 */
struct folded_suffix {
	struct str suffix, type;
};
extern const struct folded_suffix folded_suffixes[]; /* ends with an empty one */

/*
 * Text of one stack ("a;b;c_[k]") into an id, leaf first, each distinct frame parsed once.
 * Shared by the four formats.
 */
struct folded_frames;

/* Numbers a line has: one ("samples"), or two, which make the profiles "before" and "after". */
enum folded_columns { FOLDED_ONE = 1, FOLDED_BEFORE_AFTER = 2 };

MUST_USE int folded_frames_new(struct folded_frames **out, struct profile_batch *batch,
			       enum folded_columns columns);
void folded_frames_free(struct folded_frames *f);

/* Add to the profiles of the batch: `stack` has been seen so many times, a value a column. */
MUST_USE int folded_add(struct folded_frames *f, struct str stack, const int64_t *values);

/*
 * For formats that have frames one by one, in one column: the location of a frame, and a sample of
 * root-first locations.
 */
MUST_USE int folded_add_frame(struct folded_frames *f, struct str name, uint32_t *location);
MUST_USE int folded_add_stack(struct folded_frames *f, const uint32_t *root_first, uint32_t n,
			      int64_t value);

/* The samples go to the batch: call once, at the end. */
MUST_USE int folded_finish(struct folded_frames *f);

#endif
