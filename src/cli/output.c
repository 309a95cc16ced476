/* SPDX-License-Identifier: Apache-2.0 */
/* Writes to descriptors, and atomic replacement of files. */
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
 * While the temporary file exists, fatal signals are blocked and polled between pieces of the
 * output. If one is pending, the file is removed first; the signal is delivered when it is
 * unblocked. Ignored signals (nohup) stay ignored.
 */
static const int fatal_signals[] = {SIGHUP, SIGINT, SIGQUIT, SIGTERM, SIGXFSZ};

enum { PIECE = 1 << 20 }; /* bytes written between polls */

static void block_fatal_signals(sigset_t *before)
{
	sigset_t blocked;

	sigemptyset(&blocked);
	for (size_t i = 0; i < countof(fatal_signals); i++) {
		struct sigaction action;

		if (sigaction(fatal_signals[i], NULL, &action) == 0 && action.sa_handler != SIG_IGN)
			sigaddset(&blocked, fatal_signals[i]);
	}
	pthread_sigmask(SIG_BLOCK, &blocked, before);
}

static bool fatal_signal_pending(void)
{
	sigset_t pending;

	sigemptyset(&pending);
	sigpending(&pending);
	for (size_t i = 0; i < countof(fatal_signals); i++) {
		struct sigaction action;

		if (sigismember(&pending, fatal_signals[i]) == 1 &&
		    sigaction(fatal_signals[i], NULL, &action) == 0 && action.sa_handler != SIG_IGN)
			return true;
	}
	return false;
}

int output_piece(int fd, struct str bytes)
{
	int rc = 0;

	while (!rc && bytes.n) {
		struct str piece = str_head(bytes, PIECE);

		rc = fatal_signal_pending() ? -EINTR : output_bytes(fd, piece);
		bytes = str_from_at(bytes, piece.n);
	}
	return rc;
}

static int output_error(const char *path, const char *doing, int code, struct err *e)
{
	return err_set(e, code, "%s: cannot %s: %s", path, doing, strerror(-code));
}

/* Where the bytes of an output come from. */
struct output_source {
	output_producer *produce;
	void *arg;
};

static int produce_bytes(void *arg, int fd, struct err *e)
{
	(void)e;
	return output_piece(fd, *(const struct str *)arg);
}

/* Write to a pipe or device. */
static int write_directly(const char *path, const struct output_source *from, struct err *e)
{
	int fd = open(path, O_WRONLY | O_CLOEXEC | O_NOCTTY);
	int rc = fd < 0 ? -errno : from->produce(from->arg, fd, e);

	if (fd >= 0 && close(fd) != 0 && !rc)
		rc = -errno;
	return rc ? output_error(path, "write", rc, e) : 0;
}

/* Return the permissions of the existing file, or those of a new file under the umask. */
static mode_t file_mode(const char *path)
{
	struct stat st;
	mode_t mask = umask(0);

	umask(mask);
	return stat(path, &st) == 0 ? st.st_mode & 0777 : 0666 & ~mask;
}

static int write_and_rename(const char *path, char *temporary, const struct output_source *from,
			    struct err *e)
{
	int fd = mkostemp(temporary, O_CLOEXEC);
	int rc;

	if (fd < 0)
		return output_error(path, "create", -errno, e);
	rc = from->produce(from->arg, fd, e);
	if (!rc && fchmod(fd, file_mode(path)) != 0)
		rc = -errno;
	if (close(fd) != 0 && !rc)
		rc = -errno;
	if (!rc && rename(temporary, path) != 0)
		rc = -errno;
	if (rc)
		unlink(temporary);
	return rc ? output_error(path, "write", rc, e) : 0;
}

int output_file(const char *path, struct str bytes, struct err *e)
{
	return output_produced(path, produce_bytes, &bytes, e);
}

int output_produced(const char *path, output_producer *produce, void *arg, struct err *e)
{
	const struct output_source from = {produce, arg};
	char temporary[4200];
	struct stat st;
	sigset_t before;

	if (stat(path, &st) == 0 && S_ISDIR(st.st_mode))
		return output_error(path, "write", -EISDIR, e);
	if (stat(path, &st) == 0 && !S_ISREG(st.st_mode))
		return write_directly(path, &from, e);

	/* Through a symbolic link, its target is replaced and the link stays. */
	char *real = realpath(path, NULL);
	int n = snprintf(temporary, sizeof(temporary), "%s.varve-XXXXXX", real ? real : path);
	int rc;

	block_fatal_signals(&before);
	rc = n < 0 || (size_t)n >= sizeof(temporary)
		     ? output_error(path, "create", -ENAMETOOLONG, e)
		     : write_and_rename(real ? real : path, temporary, &from, e);

	pthread_sigmask(SIG_SETMASK, &before, NULL);
	free(real);
	return rc;
}
