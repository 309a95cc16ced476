/* SPDX-License-Identifier: Apache-2.0 */
/* Detection by environment variables, without terminfo; escape sequences of ECMA-48 and xterm. */
#include "cli/terminal/terminal.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/ioctl.h>
#include <unistd.h>

static const char *environment(const char *name)
{
	const char *value = getenv(name);

	return value && *value ? value : NULL;
}

static enum color_depth depth_of_terminal(void)
{
	const char *term = environment("TERM"), *more = environment("COLORTERM");

	if (more && (strcmp(more, "truecolor") == 0 || strcmp(more, "24bit") == 0))
		return COLOR_TRUE;
	if (!term || strcmp(term, "dumb") == 0)
		return COLOR_NONE;
	if (strstr(term, "direct"))
		return COLOR_TRUE;
	if (strstr(term, "256") || strstr(term, "kitty") || strstr(term, "alacritty"))
		return COLOR_256;
	return COLOR_16;
}

static enum color_depth choose_color(bool tty, enum color_choice choice)
{
	enum color_depth depth = depth_of_terminal();

	if (choice == COLOR_NEVER)
		return COLOR_NONE;
	if (choice == COLOR_ALWAYS) /* a pager may be at the end of the pipe: guess 256 */
		return depth == COLOR_NONE ? COLOR_256 : depth;
	return tty && !environment("NO_COLOR") ? depth : COLOR_NONE;
}

static enum text_charset choose_charset(bool ascii)
{
	const char *locale = environment("LC_ALL");

	if (!locale)
		locale = environment("LC_CTYPE");
	if (!locale)
		locale = environment("LANG");
	if (ascii)
		return TEXT_ASCII;
	if (!locale) /* common in containers, whose output is shown by UTF-8 terminals */
		return TEXT_UTF8;
	return strcasestr(locale, "utf-8") || strcasestr(locale, "utf8") ? TEXT_UTF8 : TEXT_ASCII;
}

static unsigned window_columns(int fd, bool tty)
{
	const char *columns = environment("COLUMNS");
	struct winsize size;
	uint64_t n;

	if (columns && !str_to_u64(str_from(columns), 10, &n) && n >= 1)
		return n < TERMINAL_COLUMNS_MAX ? (unsigned)n : TERMINAL_COLUMNS_MAX;
	if (tty && ioctl(fd, TIOCGWINSZ, &size) == 0 && size.ws_col)
		return size.ws_col < TERMINAL_COLUMNS_MAX ? size.ws_col : TERMINAL_COLUMNS_MAX;
	return TERMINAL_COLUMNS;
}

void terminal_detect(struct terminal *t, int fd, enum color_choice choice, bool ascii)
{
	t->tty = isatty(fd);
	t->columns = window_columns(fd, t->tty);
	t->color = choose_color(t->tty, choice);
	t->charset = choose_charset(ascii);
}

/* Return the nearest colour of the 6x6x6 cube. */
static unsigned cube_color(struct rgb c)
{
	unsigned r = (c.r * 5u + 127) / 255, g = (c.g * 5u + 127) / 255, b = (c.b * 5u + 127) / 255;

	return 16 + 36 * r + 6 * g + b;
}

/* Return the nearest of the 8 basic colours: bits for red, green, blue. */
static unsigned basic_color(struct rgb c)
{
	unsigned half = 150;

	return (c.r > half) | (unsigned)(c.g > half) << 1 | (unsigned)(c.b > half) << 2;
}

static void put_color(struct buf *out, const struct terminal *t, struct rgb c, unsigned base)
{
	switch (t->color) {
	case COLOR_TRUE:
		buf_printf(out, "\033[%u;2;%u;%u;%um", base + 8, c.r, c.g, c.b);
		break;
	case COLOR_256:
		buf_printf(out, "\033[%u;5;%um", base + 8, cube_color(c));
		break;
	case COLOR_16:
		buf_printf(out, "\033[%um", base + basic_color(c));
		break;
	case COLOR_NONE:
		break;
	}
}

void terminal_background(struct buf *out, const struct terminal *t, struct rgb color)
{
	put_color(out, t, color, 40);
}

void terminal_foreground(struct buf *out, const struct terminal *t, struct rgb color)
{
	put_color(out, t, color, 30);
}

void terminal_bold(struct buf *out, const struct terminal *t)
{
	if (t->color != COLOR_NONE)
		buf_put_str(out, STR("\033[1m"));
}

void terminal_faint(struct buf *out, const struct terminal *t)
{
	if (t->color != COLOR_NONE)
		buf_put_str(out, STR("\033[2m"));
}

void terminal_plain(struct buf *out, const struct terminal *t)
{
	if (t->color != COLOR_NONE)
		buf_put_str(out, STR("\033[0m"));
}
