/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VARVE_FORMAT_PERF_SCRIPT_STACK_H
#define VARVE_FORMAT_PERF_SCRIPT_STACK_H

#include "format/perf_script/frame_line.h"
#include "format/text.h"
#include "signal/profile/profile_builder.h"

/*
 * Builds the stack of the current sample. A frame has one line, or two with its source line, so the
 * last frame is held back until the next line is known. Inlined frames precede the frame they are
 * inlined into and become lines of its location.
 */
struct perf_stack {
	struct profile_builder *builder; /* borrowed */
	struct arena *arena;		 /* borrowed; holds the caches */
	struct text_cache cache;	 /* text of a frame -> row of `cached_frames` */
	VEC(struct perf_cached_frame) cached_frames;
	VEC(struct line) cached_lines;
	VEC(char) held; /* text of the last frame, then optionally "\n" and its source line */
	bool has_held, has_srcline;
	size_t held_frame_length; /* length of the frame in `held` */
	VEC(struct line) inlined; /* pending until the frame they are inlined into */
	uint64_t inlined_address;
	VEC(uint32_t) locations; /* leaf first */
};

/* Initialize; all memory comes from `arena`. Return 0 or -errno, as all functions below do. */
MUST_USE int perf_stack_init(struct perf_stack *s, struct profile_builder *builder,
			     struct arena *arena);

/* Remove all frames. */
void perf_stack_clear(struct perf_stack *s);

/* Append a frame, whose text perf_frame_parse() has accepted. */
MUST_USE int perf_stack_push(struct perf_stack *s, struct str text);

/* Set the source line of the last frame; ignored if there is no frame or it has one already. */
MUST_USE int perf_stack_srcline(struct perf_stack *s, struct str text);

/* Complete the stack and get its row. */
MUST_USE int perf_stack_finish(struct perf_stack *s, uint32_t *stack);

#endif
