/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VARVE_CLI_TERMINAL_TEXT_H
#define VARVE_CLI_TERMINAL_TEXT_H

#include "base/buf.h"

/*
 * Output of untrusted text, such as names in a profile, to a terminal. Escape sequences, control
 * characters, bidirectional controls, stacked combining marks and invalid UTF-8 are replaced: the
 * output moves no cursor, sets no colour, and takes exactly the columns that text_width() returns.
 *
 * Call text_init() first: widths come from libc's tables for UTF-8.
 */
void text_init(void);

/* TEXT_ASCII shows ? for every other character. */
enum text_charset { TEXT_ASCII, TEXT_UTF8 };

/* Append all of `s`. Return the columns it takes. */
size_t text_put(struct buf *out, struct str s, enum text_charset charset);

/* Return the columns that text_put() takes, or `most` + 1 if they are more than `most`. */
size_t text_width(struct str s, enum text_charset charset, size_t most);

/*
 * Append as much of `s` as fits into `columns`, without padding. An ellipsis marks the cut:
 * TEXT_CUT_TAIL cuts the end, TEXT_CUT_HEAD the beginning (of a path). Return the columns used.
 */
enum text_cut { TEXT_CUT_TAIL, TEXT_CUT_HEAD };
size_t text_put_cut(struct buf *out, struct str s, enum text_charset charset, size_t columns,
		    enum text_cut cut);

/*
 * Shorten a function's name until it fits into `columns`: remove the path of its package, then the
 * package, then everything but the last word. Return a slice of `name`, which may still be too
 * wide.
 */
struct str text_short_name(struct str name, enum text_charset charset, size_t columns);

/* Return `path`, or its last component if it is wider than `columns`. */
struct str text_short_path(struct str path, enum text_charset charset, size_t columns);

#endif
