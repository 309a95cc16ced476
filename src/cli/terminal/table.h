/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VARVE_CLI_TERMINAL_TABLE_H
#define VARVE_CLI_TERMINAL_TABLE_H

#include "cli/terminal/terminal.h"
#include "cli/terminal/units.h"
#include "query/tree/frames.h"

/*
 * A table of rows: values, then a name and a file. The caller passes all rows twice: the first pass
 * measures the columns, the second writes them. On a terminal names are cut to the window,
 * elsewhere they are complete.
 */
enum { TABLE_COLUMNS_MAX = 8 };

struct table {
	struct buf *out;		 /* borrowed */
	const struct terminal *terminal; /* borrowed */
	const char *heads[TABLE_COLUMNS_MAX];
	size_t widths[TABLE_COLUMNS_MAX];
	unsigned columns, at; /* at: column of the next value */
	size_t name_width, file_width;
	bool writing, paths; /* paths: names are paths of files */
};

void table_init(struct table *t, struct buf *out, const struct terminal *terminal);

/* Add a column of values. */
void table_head(struct table *t, const char *text);

/*
 * Begin pass 0 (measure) or 1 (write, beginning with the heads). `name` is the head of the names.
 */
void table_pass(struct table *t, int pass, const char *name, enum group_by group);

/* Add the values of a row in order, then its name, which ends the row. */
void table_value(struct table *t, struct unit_text value);
void table_name(struct table *t, const struct frame_name *name);

#endif
