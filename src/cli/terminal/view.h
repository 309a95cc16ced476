/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VARVE_CLI_TERMINAL_VIEW_H
#define VARVE_CLI_TERMINAL_VIEW_H

#include "cli/command.h"
#include "cli/input.h"
#include "cli/terminal/flame.h"
#include "query/tree/tree.h"
#include "wire/json_write.h"

/* The common part of top, flame and diff: selection and grouping of samples, and their tree. */
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

/*
 * Create an empty tree. Return 0, or -errno with a message in `e`; call view_fini() in either case.
 */
MUST_USE int view_init(struct view *v, struct cli *cli, const struct view_options *o,
		       struct err *e);
void view_fini(struct view *v);

/* Read a profile, add it to a column and free it. Return 0, or -errno with a message in `e`. */
MUST_USE int view_add(struct view *v, struct inputs *in, const char *path, enum tree_column column,
		      struct err *e);

/* Finish the tree, and print a note if sums have overflowed or if no sample passes the filters. */
MUST_USE int view_finish(struct view *v, struct cli *cli, struct err *e);

/* Reads the inputs `args` into a view and appends its text. 0, or -errno with a message in `e`. */
typedef int view_make(struct buf *out, struct cli *cli, struct view *v, struct inputs *in,
		      const void *options, const struct arguments *args, struct err *e);

/* Run such a command: make its text and print it, or the error. `options` is passed to `make`. */
enum exit_code view_run(struct cli *cli, const struct input_options *input,
			const struct view_options *view, view_make *make, const void *options,
			const struct arguments *args);

/* Append "cpu 1.23 s in 10.1 s, 456 samples" and the part that the filters keep. */
void view_put_summary(struct buf *out, const struct view *v, const struct cli *cli,
		      enum tree_column column, bool exact);

/* Add the summary to an open JSON object. */
void view_json_summary(struct json_writer *w, const struct view *v, enum tree_column column);

/* Add type, unit and grouping, or the name of a frame, to an open JSON object. */
void view_json_type(struct json_writer *w, const struct view *v, const struct view_options *o);
void view_json_name(struct json_writer *w, const struct frame_name *name);

/* Append "app.pb.gz: " or "app.pb.gz and 3 more: ". */
void view_put_title(struct buf *out, const struct cli *cli, const char *path, int n);

/* Append how many frames a flame graph omits: "12 frames under 0.6% not shown". */
void view_put_left_out(struct buf *out, const struct cli *cli, const struct flame_count *count);

/* Set the colour of a change: red if positive, green if negative. */
void view_put_change_color(struct buf *out, const struct cli *cli, int64_t delta);

/* Return "function", "file", ... */
const char *view_group_name(enum group_by group);

#endif
