/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VARVE_CLI_TERMINAL_FLAME_H
#define VARVE_CLI_TERMINAL_FLAME_H

#include "cli/terminal/terminal.h"
#include "query/tree/diff.h"

/*
 * A flame graph in characters, with the root at the top. The width of a frame is its share; an edge
 * and the colour separate adjacent frames. In a diff the width is the larger of before and after,
 * and colour and sign show the change: red and + grew, green and - shrank.
 */
struct flame_options {
	unsigned width; /* columns */
	uint64_t depth; /* levels below the root; 0: all */
	double min;	/* smallest share of a frame that is drawn, percent */
	bool exact;
	const struct terminal *terminal;
	const struct diff *diff; /* NULL: an ordinary flame graph */
};

/* The frames that were drawn, too small, or deeper than `depth`. */
struct flame_count {
	uint64_t shown, small, deep;
	double least; /* smallest share of a drawn frame, percent */
};

/* Append the flame graph of a finished tree. Return 0 or -ENOMEM. */
MUST_USE int flame_draw(struct buf *out, struct tree *t, const struct flame_options *o,
			struct flame_count *count);

#endif
