/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VARVE_CLI_TERMINAL_PAGE_H
#define VARVE_CLI_TERMINAL_PAGE_H

#include "cli/terminal/view.h"

/*
 * A self-contained HTML page: the single page of the web UI (api/ui.h) with the flame graph and the
 * table of each sample type as JSON. Tables are exact; of a large tree the page holds the largest
 * nodes and shows how many are missing.
 */
struct page_options {
	const struct view_options *view;
	uint64_t max_nodes; /* per sample type; 0: no limit */
};

/*
 * Append the page of all files, summed by sample type: that of --type, else all with values. Return
 * 0, or -errno with a message in `e`.
 */
MUST_USE int page_make(struct buf *out, struct cli *cli, struct inputs *in,
		       const struct page_options *o, const struct arguments *args, struct err *e);

#endif
