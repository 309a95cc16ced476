/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/output.h"

#include <errno.h>
#include <fcntl.h>
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
	rc = output_bytes(fd, bytes);
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

	if (stat(path, &st) == 0 && S_ISDIR(st.st_mode))
		return failed(path, "write", -EISDIR, e);
	if (stat(path, &st) == 0 && !S_ISREG(st.st_mode))
		return write_directly(path, bytes, e);

	/* A link keeps pointing at the file: what it names is replaced. */
	char *real = realpath(path, NULL);
	int n = snprintf(temporary, sizeof(temporary), "%s.varve-XXXXXX", real ? real : path);
	int rc = n < 0 || (size_t)n >= sizeof(temporary)
			 ? failed(path, "create", -ENAMETOOLONG, e)
			 : write_beside(real ? real : path, temporary, bytes, e);

	free(real);
	return rc;
}
