/* SPDX-License-Identifier: Apache-2.0 */
/* Sequences of xterm, which all terminal emulators understand: no terminfo. */
#include "cli/live/live_terminal.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

/* Set by handlers: a signal that ends the process, and whether the window has changed. */
static volatile sig_atomic_t ended_by, resized;

static const int ending[] = {SIGINT, SIGTERM, SIGHUP, SIGQUIT};
static struct sigaction before_ending[countof(ending)], before_resize;

static void on_end(int signal)
{
	ended_by = signal;
}

static void on_resize(int signal)
{
	(void)signal;
	resized = 1;
}

static void catch_signals(void)
{
	struct sigaction end = {.sa_handler = on_end}, size = {.sa_handler = on_resize};

	ended_by = 0;
	for (size_t i = 0; i < countof(ending); i++)
		sigaction(ending[i], &end, &before_ending[i]);
	sigaction(SIGWINCH, &size, &before_resize);
}

static void release_signals(void)
{
	for (size_t i = 0; i < countof(ending); i++)
		sigaction(ending[i], &before_ending[i], NULL);
	sigaction(SIGWINCH, &before_resize, NULL);
}

static void read_size(struct live_terminal *t)
{
	struct winsize size = {0};

	if (ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) || !size.ws_row || !size.ws_col)
		size = (struct winsize){.ws_row = 24, .ws_col = 80};
	t->rows = size.ws_row;
	t->columns = size.ws_col;
}

int live_terminal_write(struct str frame)
{
	while (frame.n) {
		ssize_t n = write(STDOUT_FILENO, frame.p, frame.n);

		if (n < 0 && errno != EINTR)
			return -errno;
		if (n > 0)
			frame = str_from_at(frame, (size_t)n);
	}
	return 0;
}

/* Raw input; the alternate screen without a cursor and without wrapped lines. */
static int enter(struct live_terminal *t)
{
	struct termios raw = t->before;
	int rc;

	raw.c_iflag &= ~(tcflag_t)(BRKINT | ICRNL | INPCK | ISTRIP | IXON);
	raw.c_lflag &= ~(tcflag_t)(ECHO | ICANON | IEXTEN | ISIG);
	raw.c_cc[VMIN] = 0;
	raw.c_cc[VTIME] = 0;
	if (tcsetattr(STDIN_FILENO, TCSAFLUSH, &raw))
		return -errno;
	rc = live_terminal_write(STR("\033[?1049h\033[?25l\033[?7l\033[2J"));
	if (rc && tcsetattr(STDIN_FILENO, TCSAFLUSH, &t->before))
		rc = -errno;
	return rc;
}

static void leave(struct live_terminal *t)
{
	(void)!live_terminal_write(STR("\033[0m\033[?7h\033[?25h\033[?1049l"));
	tcsetattr(STDIN_FILENO, TCSAFLUSH, &t->before);
}

int live_terminal_open(struct live_terminal *t, struct err *e)
{
	int rc;

	*t = (struct live_terminal){0};
	if (!isatty(STDIN_FILENO) || !isatty(STDOUT_FILENO))
		return err_set(e, -ENOTTY, "stdin and stdout must be a terminal");
	if (tcgetattr(STDIN_FILENO, &t->before))
		return err_set(e, -errno, "cannot read the state of the terminal: %s",
			       strerror(errno));
	read_size(t);
	catch_signals();
	rc = enter(t);
	if (rc) {
		release_signals();
		return err_set(e, rc, "cannot set the state of the terminal: %s", strerror(-rc));
	}
	t->open = true;
	return 0;
}

void live_terminal_close(struct live_terminal *t)
{
	if (!t->open)
		return;
	leave(t);
	release_signals();
	t->open = false;
	if (ended_by)
		raise(ended_by);
}

void live_terminal_suspend(struct live_terminal *t)
{
	leave(t);
	raise(SIGSTOP);
	read_size(t);
	if (enter(t))
		ended_by = SIGHUP;
}

/* ---- keys ---- */

static const struct {
	const char *sequence; /* after the escape byte */
	int key;
} sequences[] = {
	{"[A", KEY_UP},	      {"[B", KEY_DOWN},	      {"[C", KEY_RIGHT}, {"[D", KEY_LEFT},
	{"OA", KEY_UP},	      {"OB", KEY_DOWN},	      {"OC", KEY_RIGHT}, {"OD", KEY_LEFT},
	{"[5~", KEY_PAGE_UP}, {"[6~", KEY_PAGE_DOWN}, {"[H", KEY_HOME},	 {"[F", KEY_END},
	{"[1~", KEY_HOME},    {"[4~", KEY_END},	      {"OH", KEY_HOME},	 {"OF", KEY_END},
};

/* Return the length of a sequence that begins with an escape byte; 0: it is not complete. */
static size_t sequence_length(const char *p, size_t n)
{
	size_t i = 2;

	if (n < 3)
		return n == 2 && p[1] != '[' && p[1] != 'O' ? 2 : 0;
	if (p[1] == 'O')
		return 3;
	if (p[1] != '[')
		return 2;
	while (i < n && (p[i] < '@' || p[i] > '~'))
		i++;
	return i < n ? i + 1 : 0;
}

size_t live_key_parse(const char *p, size_t n, bool last, int *key)
{
	size_t length;

	*key = KEY_NONE;
	if (!n)
		return 0;
	if (p[0] != KEY_ESCAPE) {
		*key = p[0] == '\n'   ? KEY_ENTER
		       : p[0] == '\b' ? KEY_BACKSPACE
				      : (unsigned char)p[0];
		return 1;
	}
	length = sequence_length(p, n);
	if (!length) {
		*key = last ? KEY_ESCAPE : KEY_NONE;
		return last ? n : 0;
	}
	for (size_t i = 0; i < countof(sequences); i++)
		if (str_eq(str_of(p + 1, length - 1), str_from(sequences[i].sequence)))
			*key = sequences[i].key;
	return length;
}

/* Return the next key that was read; KEY_NONE: more bytes are needed. */
static int pending_key(struct live_terminal *t, bool last)
{
	int key = KEY_NONE;

	while (t->pending_n && key == KEY_NONE) {
		size_t used = live_key_parse(t->pending, t->pending_n, last, &key);

		if (!used)
			break;
		t->pending_n -= used;
		memmove(t->pending, t->pending + used, t->pending_n);
	}
	return key;
}

/* Return a byte sequence's rest within this time, or it was the key Escape. */
enum { ESCAPE_MS = 30 };

int live_terminal_key(struct live_terminal *t, int ms)
{
	struct pollfd in = {.fd = STDIN_FILENO, .events = POLLIN};
	int key = pending_key(t, false), rc;
	ssize_t n = 0;

	if (key)
		return key;
	rc = poll(&in, 1, t->pending_n ? ESCAPE_MS : ms);
	if (ended_by)
		return KEY_QUIT;
	if (resized) {
		resized = 0;
		read_size(t);
		return KEY_RESIZED;
	}
	if (rc > 0)
		n = read(STDIN_FILENO, t->pending + t->pending_n,
			 sizeof(t->pending) - t->pending_n);
	if (rc > 0 && (n == 0 || (n < 0 && errno != EINTR && errno != EAGAIN)))
		return KEY_QUIT; /* the terminal is gone */
	if (n > 0)
		t->pending_n += (size_t)n;
	/* a sequence that fills the buffer is none */
	return pending_key(t, n <= 0 || t->pending_n == sizeof(t->pending));
}
