/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VARVE_PIPELINE_EXTENSIONS_ZPAGES_HTML_H
#define VARVE_PIPELINE_EXTENSIONS_ZPAGES_HTML_H

#include "base/buf.h"

/* Writes HTML. Everything that is not a literal of the program is escaped. */
void html_begin(struct buf *out, const char *title);
void html_end(struct buf *out);

/* A text, escaped; safe in elements and in quoted attributes. */
void html_put_text(struct buf *out, struct str text);

void html_put_heading(struct buf *out, const char *text);
void html_put_paragraph(struct buf *out, const char *text);

/* A table with a row of headings, which ends with a NULL. */
void html_begin_table(struct buf *out, const char *const *headings);
void html_end_table(struct buf *out);
void html_begin_row(struct buf *out);
void html_end_row(struct buf *out);
void html_put_cell(struct buf *out, struct str text);
void html_put_number(struct buf *out, uint64_t number);

/* A row of a name and a text. */
void html_put_pair(struct buf *out, const char *name, struct str text);

/*
 * A link to `path` (a literal) with parameters: pairs of a name (a literal) and a value, and a NULL
 * at the end.
 */
void html_put_link(struct buf *out, const char *path, const char *const *parameters,
		   struct str text);

#endif
