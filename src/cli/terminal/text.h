/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VARVE_CLI_TERMINAL_TEXT_H
#define VARVE_CLI_TERMINAL_TEXT_H

#include "base/buf.h"

/*
 * Names from a profile on a terminal. They are somebody else's bytes: escape sequences, control
 * characters, marks that reverse or stack text, bytes that are no UTF-8. What is put here moves
 * no cursor, sets no colour, and takes exactly the columns that text_width() says.
 *
 * Call text_init() once, first: widths come from libc's tables for UTF-8.
 */
void text_init(void);

/* How text is shown: in UTF-8, or with ? for everything beyond ASCII. */
enum text_charset { TEXT_ASCII, TEXT_UTF8 };

/* Put all of it, made harmless. Returns the columns it takes. */
size_t text_put(struct buf *out, struct str s, enum text_charset charset);

/* The columns that text_put() takes; stops counting above `most`. */
size_t text_width(struct str s, enum text_charset charset, size_t most);

/*
 * Put as much as fits into `columns`, with an ellipsis where something is left out, and no padding.
 * TEXT_CUT_HEAD leaves the beginning out (of a path). Returns the columns taken.
 */
enum text_cut { TEXT_CUT_TAIL, TEXT_CUT_HEAD };
size_t text_put_cut(struct buf *out, struct str s, enum text_charset charset, size_t columns,
		    enum text_cut cut);

/* The same, and blanks up to `columns`. */
void text_put_cell(struct buf *out, struct str s, enum text_charset charset, size_t columns,
		   enum text_cut cut);

/*
 * The part of a function's name that says most, if the whole takes more than `columns`: without
 * the path of its package, then without its package, then the last word alone.
 */
struct str text_short_name(struct str name, enum text_charset charset, size_t columns);

/* The same for the path of a file: its last part. */
struct str text_short_path(struct str path, enum text_charset charset, size_t columns);

#endif
