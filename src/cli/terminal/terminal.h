/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VARVE_CLI_TERMINAL_TERMINAL_H
#define VARVE_CLI_TERMINAL_TERMINAL_H

#include "base/buf.h"
#include "cli/terminal/text.h"

/* What the far end of stdout or stderr can show. */
enum color_depth { COLOR_NONE, COLOR_16, COLOR_256, COLOR_TRUE };
enum color_wish { COLOR_AUTO, COLOR_ALWAYS, COLOR_NEVER };

struct terminal {
	bool tty;
	unsigned columns; /* of the window; TERMINAL_COLUMNS where there is none */
	enum color_depth color;
	enum text_charset charset;
};

enum { TERMINAL_COLUMNS = 80, TERMINAL_COLUMNS_MAX = 4096 };

/*
 * Look at `fd` and the environment. Colour is for terminals only, and not with NO_COLOR or
 * TERM=dumb, unless it is wished for. UTF-8 unless LC_ALL, LC_CTYPE or LANG say otherwise or
 * `ascii` is asked for. COLUMNS overrides the window.
 */
void terminal_look(struct terminal *t, int fd, enum color_wish wish, bool ascii);

struct rgb {
	uint8_t r, g, b;
};

/* Set the colours of text from here on; nothing where there are none. */
void terminal_background(struct buf *out, const struct terminal *t, struct rgb color);
void terminal_foreground(struct buf *out, const struct terminal *t, struct rgb color);
void terminal_bold(struct buf *out, const struct terminal *t);
void terminal_faint(struct buf *out, const struct terminal *t);
void terminal_plain(struct buf *out, const struct terminal *t);

#endif
