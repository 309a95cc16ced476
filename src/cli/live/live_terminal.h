/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VARVE_CLI_LIVE_LIVE_TERMINAL_H
#define VARVE_CLI_LIVE_LIVE_TERMINAL_H

#include <termios.h>

#include "base/buf.h"
#include "base/err.h"

/*
 * The terminal of an interactive command: raw input on stdin, the alternate screen on stdout, and its
 * size. The state before is restored by live_terminal_close(), and before the process ends by SIGINT,
 * SIGTERM, SIGHUP or SIGQUIT or stops by Ctrl-Z. One for each process; one thread.
 */
struct live_terminal {
	struct termios before;
	bool open;
	unsigned rows, columns;
	/* Bytes that were read and are no key yet. */
	char pending[32];
	size_t pending_n;
};

/* Keys beyond the characters, which are their own code. */
enum live_key {
	KEY_NONE = 0, /* nothing was pressed */
	KEY_ENTER = '\r',
	KEY_ESCAPE = 27,
	KEY_BACKSPACE = 127,
	KEY_CONTROL_C = 3,
	KEY_CONTROL_L = 12,
	KEY_CONTROL_Z = 26,
	KEY_UP = 1000,
	KEY_DOWN,
	KEY_LEFT,
	KEY_RIGHT,
	KEY_PAGE_UP,
	KEY_PAGE_DOWN,
	KEY_HOME,
	KEY_END,
	KEY_RESIZED, /* the size of the window has changed */
	KEY_QUIT,    /* a signal ends the process, or the terminal is gone */
};

/*
 * Take over the terminal. 0; -ENOTTY when stdin or stdout is no terminal, or -errno. On error nothing has
 * changed.
 */
MUST_USE int live_terminal_open(struct live_terminal *t, struct err *e);

/* Restore the terminal. After a signal that ends the process, send it again: it does not return then. */
void live_terminal_close(struct live_terminal *t);

/* Wait for a key, at most `ms`. Return it, a byte of UTF-8, or a value of enum live_key. */
int live_terminal_key(struct live_terminal *t, int ms);

/* Stop the process as Ctrl-Z does, and take over the terminal again when it goes on. */
void live_terminal_suspend(struct live_terminal *t);

/* Write a frame. 0 or -errno. */
MUST_USE int live_terminal_write(struct str frame);

/*
 * Take the next key out of bytes read from a terminal. Return the number of bytes used, or 0 if the
 * key is not complete; with `last` a lone escape byte is the key Escape.
 */
size_t live_key_parse(const char *p, size_t n, bool last, int *key);

#endif
