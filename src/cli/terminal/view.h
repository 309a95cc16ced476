/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VARVE_CLI_TERMINAL_VIEW_H
#define VARVE_CLI_TERMINAL_VIEW_H

#include "cli/command.h"
#include "cli/input.h"
#include "cli/terminal/flame.h"
#include "query/tree/tree.h"
#include "wire/json_write.h"

/* What top, flame and diff share: which samples, grouped how, and the tree made of them. */
struct view_options {
	const char *type;
	unsigned group; /* enum group_by */
	bool invert, all_frames, ignore_case;
	const char *focus, *ignore, *hide, *show, *show_from;
	struct option_list label;
	bool exact, json;
};

extern const struct option view_options[];

struct view {
	struct tree tree;
	struct label_filter labels[OPTION_LIST_MAX];
	unsigned label_count;
	struct frame_filters filters; /* owned */
};

/* An empty tree for these options. 0, or -errno with a line in `e`. Fini in every case. */
MUST_USE int view_init(struct view *v, struct cli *cli, const struct view_options *o,
		       struct err *e);
void view_fini(struct view *v);

/* Read a profile and add it to a column; its memory is given back. 0, or -errno with a line in `e`. */
MUST_USE int view_add(struct view *v, struct inputs *in, const char *path, enum tree_column column,
		      struct err *e);

/* Finish the tree, and tell what the reader must know: sums that wrapped, filters that match nothing. */
MUST_USE int view_finish(struct view *v, struct cli *cli, struct err *e);

/* What a command makes of its view: text into `out`. 0, or -errno with a line in `e`. */
typedef int view_make(struct buf *out, struct cli *cli, struct view *v, struct inputs *in,
		      const void *options, const struct arguments *args, struct err *e);

/* One run of such a command: make its text and print it, or tell why not. `options` goes to `make`. */
enum exit_code view_run(struct cli *cli, const struct input_options *input,
			const struct view_options *view, view_make *make, const void *options,
			const struct arguments *args);

/* "cpu, 1.23 s in 10.1 s, 456 samples" and what part of it the filters keep. */
void view_put_summary(struct buf *out, const struct view *v, const struct cli *cli,
		      enum tree_column column, bool exact);

/* The same as members of a JSON object that is open. */
void view_json_summary(struct json_writer *w, const struct view *v, enum tree_column column);

void view_json_type(struct json_writer *w, const struct view *v, const struct view_options *o);
void view_json_name(struct json_writer *w, const struct frame_name *name);

/* "app.pb.gz: " or "app.pb.gz and 3 more: ". */
void view_put_title(struct buf *out, const struct cli *cli, const char *path, int n);

/* What a flame graph does not show: "12 frames under 0.6% not shown". */
void view_put_left_out(struct buf *out, const struct cli *cli, const struct flame_count *count);

/* The colour of a change: red for more, green for less. */
void view_put_change_color(struct buf *out, const struct cli *cli, int64_t delta);

/* "function", "file", ... */
const char *view_group_name(enum group_by group);

#endif
