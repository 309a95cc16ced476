/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VARVE_CLI_TERMINAL_PAGE_H
#define VARVE_CLI_TERMINAL_PAGE_H

#include "cli/terminal/view.h"

/*
 * One HTML page that shows profiles without a server and without a network: the page that was built into the
 * program (api/ui.h), with flame graphs and tables of each type inside as JSON. Exact trees are made for each
 * type; of a very large one the page holds the largest nodes, and says so.
 */
struct page_options {
	const struct view_options *view;
	uint64_t max_nodes; /* of each type; 0: all */
};

/* All files, added up by type; without --type every type that has values. 0, or -errno with a line in `e`. */
MUST_USE int page_make(struct buf *out, struct cli *cli, struct inputs *in,
		       const struct page_options *o, const struct arguments *args, struct err *e);

#endif
