/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VARVE_CLI_LIVE_LIVE_DATA_H
#define VARVE_CLI_LIVE_LIVE_DATA_H

#include "cli/live/live_source.h"
#include "cli/terminal/view.h"
#include "query/tree/sandwich.h"
#include "query/tree/top.h"

/*
 * The profiles of a pair as one tree with the values before and after, and the rows that are shown:
 * all functions, or the callers and callees of one. Main thread only.
 */
enum live_sort { LIVE_BY_SELF, LIVE_BY_TOTAL, LIVE_BY_CHANGE, LIVE_SORTS };

enum live_part { LIVE_FUNCTION, LIVE_CALLER, LIVE_FOCUS, LIVE_CALLEE };

struct live_row {
	enum live_part part;
	struct frame_name name; /* borrowed from the tree */
	int64_t self[TREE_COLUMNS], total[TREE_COLUMNS];
};

struct live_data {
	struct cli *cli;
	const struct view_options *options;
	struct view view; /* its tree: valid if `loaded` */
	bool loaded;
	bool has_before; /* false: there is nothing to compare with */
	struct top top;	 /* all functions, in the tree's arena; rows NULL: not computed yet */
	struct sandwich zoom;
	bool zoomed;
	struct arena arena; /* of the rows */
	VEC(struct live_row) rows;
};

void live_data_init(struct live_data *d, struct cli *cli, const struct view_options *options);
void live_data_fini(struct live_data *d);

/* Replace the data by a pair. 0, or -errno with a message in `e`: then there is no data. */
MUST_USE int live_data_load(struct live_data *d, const struct live_pair *pair, struct err *e);

/*
 * Make the rows. `function`: whose callers and callees are shown; empty: all functions. Only names that
 * contain `filter`, in any case, are shown. 0 or -errno; -ENOENT: the function is not in the data.
 */
MUST_USE int live_data_rows(struct live_data *d, struct str function, struct str filter,
			    enum live_sort sort, struct err *e);

/* Return the value by which shares are computed. */
double live_data_whole(const struct live_data *d);

#endif
