/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VARVE_CLI_TERMINAL_TERMINAL_H
#define VARVE_CLI_TERMINAL_TERMINAL_H

#include "base/buf.h"
#include "cli/terminal/text.h"

/* The capabilities of the terminal behind stdout or stderr. */
enum color_depth { COLOR_NONE, COLOR_16, COLOR_256, COLOR_TRUE };
enum color_choice { COLOR_AUTO, COLOR_ALWAYS, COLOR_NEVER };

struct terminal {
	bool tty;
	unsigned columns; /* of the window; TERMINAL_COLUMNS if unknown */
	enum color_depth color;
	enum text_charset charset;
};

enum { TERMINAL_COLUMNS = 80, TERMINAL_COLUMNS_MAX = 4096 };

/*
 * Detect the capabilities from `fd` and the environment. With COLOR_AUTO there is colour on
 * terminals only, and not with NO_COLOR or TERM=dumb. The charset is UTF-8 unless `ascii` is set or
 * LC_ALL, LC_CTYPE or LANG name another one. COLUMNS overrides the width of the window.
 */
void terminal_detect(struct terminal *t, int fd, enum color_choice choice, bool ascii);

struct rgb {
	uint8_t r, g, b;
};

/* Append escape sequences for the following text; nothing if the terminal has no colour. */
void terminal_background(struct buf *out, const struct terminal *t, struct rgb color);
void terminal_foreground(struct buf *out, const struct terminal *t, struct rgb color);
void terminal_bold(struct buf *out, const struct terminal *t);
void terminal_faint(struct buf *out, const struct terminal *t);
void terminal_plain(struct buf *out, const struct terminal *t);

#endif
