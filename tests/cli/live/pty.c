/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Runs a program in a pseudo terminal and operates it by commands on stdin:
 *
 *	pty ROWS COLUMNS PROGRAM [ARGUMENT...]
 *	wait TEXT	until the screen contains the text; "not ok" after 20 s
 *	gone TEXT	until it does not
 *	keys TEXT	types it; \e is Escape, \r Enter, \x7f Backspace
 *	size R C	resizes the window
 *	signal N	sends a signal
 *	screen		prints the screen
 *	end		waits for the end of the program; prints its status, whether the state of the
 *			terminal is that of the beginning, and whether the alternate screen was left
 *
 * The screen is that of a terminal with few sequences: H, J, K, and modes, which are ignored.
 */
#include <errno.h>
#include <poll.h>
#include <pty.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/wait.h>
#include <termios.h>
#include <time.h>
#include <unistd.h>
#include <utmp.h>

enum { ROWS_MAX = 100, COLUMNS_MAX = 300, WAIT_SECONDS = 20 };

struct pty {
	int fd;
	pid_t pid;
	struct termios before;
	char cells[ROWS_MAX][COLUMNS_MAX + 1];
	int rows, columns, row, column;
	char sequence[32];
	size_t sequence_n; /* 0: no sequence has begun */
	bool alternate, ended;
	int status;
};

static void clear_cells(struct pty *p, int row, int from)
{
	memset(p->cells[row] + from, ' ', (size_t)(COLUMNS_MAX - from));
}

static void run_sequence(struct pty *p)
{
	char last = p->sequence[p->sequence_n - 1];

	if (strncmp(p->sequence, "\033[?1049", 7) == 0)
		p->alternate = last == 'h';
	if (last == 'H')
		p->row = p->column = 0;
	if (last == 'K' || last == 'J')
		clear_cells(p, p->row, p->column);
	for (int i = last == 'J' ? p->row + 1 : ROWS_MAX; i < ROWS_MAX; i++)
		clear_cells(p, i, 0);
}

static void put_byte(struct pty *p, char c)
{
	if (p->sequence_n || c == '\033') {
		if (p->sequence_n + 1 < sizeof(p->sequence))
			p->sequence[p->sequence_n++] = c;
		if (p->sequence_n > 2 && c >= '@' && c <= '~') {
			run_sequence(p);
			p->sequence_n = 0;
		}
	} else if (c == '\r') {
		p->column = 0;
	} else if (c == '\n') {
		p->row += p->row + 1 < ROWS_MAX;
	} else if (p->column < COLUMNS_MAX) {
		p->cells[p->row][p->column++] = c;
	}
}

/* Read output for at most `ms`. Return false when the program has closed the terminal. */
static bool read_output(struct pty *p, int ms)
{
	struct pollfd in = {.fd = p->fd, .events = POLLIN};
	char bytes[4096];
	ssize_t n;

	if (poll(&in, 1, ms) <= 0)
		return true;
	n = read(p->fd, bytes, sizeof(bytes));
	for (ssize_t i = 0; i < n; i++)
		put_byte(p, bytes[i]);
	return n > 0;
}

static bool shows(const struct pty *p, const char *text)
{
	for (int i = 0; i < ROWS_MAX; i++)
		if (strstr(p->cells[i], text))
			return true;
	return false;
}

static void print_screen(const struct pty *p)
{
	for (int i = 0; i < p->rows; i++) {
		int n = COLUMNS_MAX;

		while (n && p->cells[i][n - 1] == ' ')
			n--;
		printf("|%.*s\n", n, p->cells[i]);
	}
}

/* Wait until the text is shown, or is not. */
static void wait_for(struct pty *p, const char *text, bool wanted)
{
	time_t end = time(NULL) + WAIT_SECONDS;

	while (shows(p, text) != wanted && time(NULL) < end)
		if (!read_output(p, 100))
			break;
	if (shows(p, text) == wanted) {
		printf("ok %s %s\n", wanted ? "shows" : "hides", text);
		return;
	}
	printf("not ok %s %s\n", wanted ? "shows" : "hides", text);
	print_screen(p);
}

static void send_keys(const struct pty *p, const char *text)
{
	for (; *text; text++) {
		char c = *text;

		if (c == '\\' && text[1]) {
			text++;
			c = *text == 'e' ? '\033' : *text == 'r' ? '\r' : *text;
			if (*text == 'x') {
				c = (char)strtol((char[]){text[1], text[2], 0}, NULL, 16);
				text += 2;
			}
		}
		if (write(p->fd, &c, 1) != 1)
			return;
	}
}

static void resize(struct pty *p, const char *text)
{
	struct winsize size = {0};

	if (sscanf(text, "%d %d", &p->rows, &p->columns) != 2)
		return;
	size.ws_row = (unsigned short)p->rows;
	size.ws_col = (unsigned short)p->columns;
	for (int i = 0; i < ROWS_MAX; i++)
		clear_cells(p, i, 0);
	ioctl(p->fd, TIOCSWINSZ, &size);
}

static void wait_end(struct pty *p)
{
	struct termios after;
	time_t end = time(NULL) + WAIT_SECONDS;

	while (waitpid(p->pid, &p->status, WNOHANG) == 0 && time(NULL) < end)
		read_output(p, 50);
	while (read_output(p, 50) && time(NULL) < end && p->alternate)
		;
	p->ended = true;
	if (WIFSIGNALED(p->status))
		printf("signal %d\n", WTERMSIG(p->status));
	else
		printf("exit %d\n", WEXITSTATUS(p->status));
	/* the master's state is that of the terminal */
	printf("terminal %s\n", tcgetattr(p->fd, &after) == 0 &&
						after.c_lflag == p->before.c_lflag &&
						after.c_iflag == p->before.c_iflag
					? "restored"
					: "changed");
	printf("screen %s\n", p->alternate ? "alternate" : "left");
}

static void run_command(struct pty *p, char *line)
{
	char *argument = strchr(line, ' ');

	line[strcspn(line, "\n")] = 0;
	if (argument)
		*argument++ = 0;
	if (strcmp(line, "wait") == 0 || strcmp(line, "gone") == 0)
		wait_for(p, argument, line[0] == 'w');
	else if (strcmp(line, "keys") == 0)
		send_keys(p, argument);
	else if (strcmp(line, "size") == 0)
		resize(p, argument);
	else if (strcmp(line, "signal") == 0)
		kill(p->pid, atoi(argument));
	else if (strcmp(line, "screen") == 0)
		print_screen(p);
	else if (strcmp(line, "end") == 0)
		wait_end(p);
}

int main(int argc, char **argv)
{
	static struct pty p;
	char line[1024];
	int slave;

	if (argc < 4)
		return 2;
	p.rows = atoi(argv[1]);
	p.columns = atoi(argv[2]);
	for (int i = 0; i < ROWS_MAX; i++)
		clear_cells(&p, i, 0);

	struct winsize size = {.ws_row = (unsigned short)p.rows,
			       .ws_col = (unsigned short)p.columns};

	if (openpty(&p.fd, &slave, NULL, NULL, &size) || tcgetattr(p.fd, &p.before))
		return 2;
	p.pid = fork();
	if (p.pid == 0) {
		close(p.fd);
		if (login_tty(slave) == 0)
			execvp(argv[3], argv + 3);
		_exit(127);
	}
	/* the slave stays open, so that its state can be read after the end */
	while (fgets(line, sizeof(line), stdin))
		run_command(&p, line);
	if (!p.ended)
		kill(p.pid, SIGKILL);
	return 0;
}
