/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VARVE_FORMAT_PERF_SCRIPT_STACK_H
#define VARVE_FORMAT_PERF_SCRIPT_STACK_H

#include "format/perf_script/perf_script.h"
#include "format/text.h"
#include "signal/profile/profile_builder.h"

/*
 * The stack of the sample that is being read. A frame is told by one line, or two with its source
 * line, so the last one is held back until the next line is known. Frames that were inlined stand before
 * the one they were inlined into and become lines of its location.
 */
struct perf_stack {
	struct profile_builder *builder; /* borrowed */
	struct arena *arena;		 /* borrowed: of the caches */
	struct text_cache cache;	 /* from a frame's text to known */
	VEC(struct perf_known) known;
	VEC(struct line) known_lines;
	VEC(char) held; /* the text of the last frame, then maybe "\n" and its source line */
	bool holding, has_srcline;
	size_t held_frame;	  /* how much of held is the frame */
	VEC(struct line) inlined; /* waiting for the frame they were inlined into */
	uint64_t inlined_address;
	VEC(uint32_t) locations; /* leaf first */
};

MUST_USE int perf_stack_init(struct perf_stack *s, struct profile_builder *builder,
			     struct arena *arena);

/* No frames. */
void perf_stack_clear(struct perf_stack *s);

/* The text of a frame, which perf_frame_parse() took. */
MUST_USE int perf_stack_push(struct perf_stack *s, struct str text);

/* The source line of the last frame; nothing when there is none to hold it. */
MUST_USE int perf_stack_srcline(struct perf_stack *s, struct str text);

/* All frames are told: the row. */
MUST_USE int perf_stack_finish(struct perf_stack *s, uint32_t *stack);

#endif
