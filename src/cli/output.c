/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/output.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

int output_bytes(int fd, struct str bytes)
{
	while (bytes.n) {
		ssize_t n = write(fd, bytes.p, bytes.n);

		if (n < 0 && errno != EINTR)
			return -errno;
		if (n > 0)
			bytes = str_from_at(bytes, (size_t)n);
	}
	return 0;
}

/*
 * While there is a file under a temporary name, signals that would end the program wait, and are
 * looked for between pieces of the output: the file goes first, then they do what they always do.
 * Those that are ignored (nohup) stay ignored.
 */
static const int deadly[] = {SIGHUP, SIGINT, SIGQUIT, SIGTERM, SIGXFSZ};

enum { PIECE = 1 << 20 }; /* bytes written before looking */

static void hold_signals(sigset_t *before)
{
	sigset_t held;

	sigemptyset(&held);
	for (size_t i = 0; i < countof(deadly); i++) {
		struct sigaction action;

		if (sigaction(deadly[i], NULL, &action) == 0 && action.sa_handler != SIG_IGN)
			sigaddset(&held, deadly[i]);
	}
	pthread_sigmask(SIG_BLOCK, &held, before);
}

static bool signal_waits(void)
{
	sigset_t waiting;

	sigemptyset(&waiting);
	sigpending(&waiting);
	for (size_t i = 0; i < countof(deadly); i++) {
		struct sigaction action;

		if (sigismember(&waiting, deadly[i]) == 1 &&
		    sigaction(deadly[i], NULL, &action) == 0 && action.sa_handler != SIG_IGN)
			return true;
	}
	return false;
}

/* All bytes, unless a signal wants the program to end: -EINTR. */
static int write_pieces(int fd, struct str bytes)
{
	int rc = 0;

	while (!rc && bytes.n) {
		struct str piece = str_head(bytes, PIECE);

		rc = signal_waits() ? -EINTR : output_bytes(fd, piece);
		bytes = str_from_at(bytes, piece.n);
	}
	return rc;
}

static int failed(const char *path, const char *doing, int code, struct err *e)
{
	return err_set(e, code, "%s: cannot %s: %s", path, doing, strerror(-code));
}

/* A pipe, a device: there is nothing to replace. */
static int write_directly(const char *path, struct str bytes, struct err *e)
{
	int fd = open(path, O_WRONLY | O_CLOEXEC | O_NOCTTY);
	int rc = fd < 0 ? -errno : output_bytes(fd, bytes);

	if (fd >= 0 && close(fd) != 0 && !rc)
		rc = -errno;
	return rc ? failed(path, "write", rc, e) : 0;
}

/* The permissions of the file that is replaced, or what the umask leaves of a new one. */
static mode_t file_mode(const char *path)
{
	struct stat st;
	mode_t mask = umask(0);

	umask(mask);
	return stat(path, &st) == 0 ? st.st_mode & 0777 : 0666 & ~mask;
}

static int write_beside(const char *path, char *temporary, struct str bytes, struct err *e)
{
	int fd = mkostemp(temporary, O_CLOEXEC);
	int rc;

	if (fd < 0)
		return failed(path, "create", -errno, e);
	rc = write_pieces(fd, bytes);
	if (!rc && fchmod(fd, file_mode(path)) != 0)
		rc = -errno;
	if (close(fd) != 0 && !rc)
		rc = -errno;
	if (!rc && rename(temporary, path) != 0)
		rc = -errno;
	if (rc)
		unlink(temporary);
	return rc ? failed(path, "write", rc, e) : 0;
}

int output_file(const char *path, struct str bytes, struct err *e)
{
	char temporary[4200];
	struct stat st;
	sigset_t before;

	if (stat(path, &st) == 0 && S_ISDIR(st.st_mode))
		return failed(path, "write", -EISDIR, e);
	if (stat(path, &st) == 0 && !S_ISREG(st.st_mode))
		return write_directly(path, bytes, e);

	/* A link keeps pointing at the file: what it names is replaced. */
	char *real = realpath(path, NULL);
	int n = snprintf(temporary, sizeof(temporary), "%s.varve-XXXXXX", real ? real : path);
	int rc;

	hold_signals(&before);
	rc = n < 0 || (size_t)n >= sizeof(temporary)
		     ? failed(path, "create", -ENAMETOOLONG, e)
		     : write_beside(real ? real : path, temporary, bytes, e);

	pthread_sigmask(SIG_SETMASK, &before, NULL);
	free(real);
	return rc;
}
