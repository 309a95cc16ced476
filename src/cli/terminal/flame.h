/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VARVE_CLI_TERMINAL_FLAME_H
#define VARVE_CLI_TERMINAL_FLAME_H

#include "cli/terminal/terminal.h"
#include "query/tree/diff.h"

/*
 * A flame graph in characters, the root on top. A frame is as wide as its share; neighbours are
 * told apart by an edge and by colour. In a diff the width is the larger of before and after, and
 * colour and sign tell the change: + red grew, - green shrank.
 */
struct flame_options {
	unsigned width; /* columns */
	uint64_t depth; /* levels below the root; 0: all */
	double min;	/* frames below this share (percent) are left out */
	bool exact;
	const struct terminal *terminal;
	const struct diff *diff; /* NULL: an ordinary flame graph */
};

/* What was drawn, and what was not. */
struct flame_count {
	uint64_t shown, small, deep; /* frames */
	double least;		     /* share below which a frame is small, percent */
};

/* Append the drawing of a finished tree to `out`. 0 or -ENOMEM. */
MUST_USE int flame_draw(struct buf *out, struct tree *t, const struct flame_options *o,
			struct flame_count *count);

#endif
