/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VARVE_CLI_TERMINAL_TABLE_H
#define VARVE_CLI_TERMINAL_TABLE_H

#include "cli/terminal/terminal.h"
#include "cli/terminal/units.h"
#include "query/tree/frames.h"

/*
 * A table of values with a name and a file behind them. The rows are given twice: in the first
 * pass columns are measured, in the second written. On a terminal names are cut to the window;
 * elsewhere they are whole.
 */
enum { TABLE_COLUMNS_MAX = 8 };

struct table {
	struct buf *out;		 /* borrowed */
	const struct terminal *terminal; /* borrowed */
	const char *heads[TABLE_COLUMNS_MAX];
	size_t widths[TABLE_COLUMNS_MAX];
	unsigned columns, at; /* at: the value of the row that comes next */
	size_t name_width, file_width;
	bool writing, paths; /* paths: names are those of files */
};

void table_init(struct table *t, struct buf *out, const struct terminal *terminal);
void table_head(struct table *t, const char *text);

/* Begin pass 0 (measure) or 1 (write; puts the heads). `name` is what stands above the names. */
void table_pass(struct table *t, int pass, const char *name, enum group_by group);

/* The values of a row in order, then its name, which ends the row. */
void table_value(struct table *t, struct unit_text value);
void table_name(struct table *t, const struct frame_name *name);

#endif
