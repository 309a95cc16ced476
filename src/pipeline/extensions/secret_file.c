/* SPDX-License-Identifier: Apache-2.0 */
/* Files with credentials, read again when they change. */
#include "pipeline/extensions/secret_file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/clock.h"

int secret_file_init(struct secret_file *f, struct str path)
{
	*f = (struct secret_file){0};
	if (path.n)
		f->path = strndup(path.p, path.n);
	return path.n && !f->path ? -ENOMEM : 0;
}

void secret_file_fini(struct secret_file *f)
{
	free(f->path);
	f->path = NULL;
}

void secret_buf_fini(struct buf *b)
{
	if (b->p)
		explicit_bzero(b->p, b->cap);
	buf_fini(b);
}

static int read_file(int fd, size_t size, struct buf *out)
{
	secret_buf_fini(out);
	if (!buf_reserve(out, size + 1))
		return -ENOMEM;
	while (out->n < size) {
		ssize_t n = read(fd, out->p + out->n, size - out->n);

		if (n < 0)
			return -errno;
		if (!n)
			break; /* the file was truncated meanwhile */
		out->n += (size_t)n;
	}
	return 0;
}

/* Return 1 after reading, 0 if the file is what was read before, or -errno. */
static int examine(struct secret_file *f, struct buf *out, struct err *e)
{
	struct stat st;
	int fd = open(f->path, O_RDONLY | O_CLOEXEC | O_NONBLOCK), rc = 0;

	if (fd < 0 || fstat(fd, &st))
		rc = err_errno(e, -errno, f->path);
	else if (!S_ISREG(st.st_mode) || st.st_size > SECRET_FILE_MAX)
		rc = err_set(e, -EINVAL, "%s: not a file of at most %d bytes", f->path,
			     SECRET_FILE_MAX);
	else if (st.st_size != f->size || st.st_ino != f->inode ||
		 st.st_mtim.tv_sec != f->modified.tv_sec ||
		 st.st_mtim.tv_nsec != f->modified.tv_nsec) {
		rc = read_file(fd, (size_t)st.st_size, out);
		if (rc) {
			err_errno(e, rc, f->path);
		} else {
			f->modified = st.st_mtim;
			f->size = st.st_size;
			f->inode = st.st_ino;
			rc = 1;
		}
	}
	if (fd >= 0)
		close(fd);
	return rc;
}

int secret_file_poll(struct secret_file *f, struct buf *out, struct err *e)
{
	uint64_t now;
	int rc;

	if (!f->path)
		return 0;
	now = clock_monotonic_ns();
	if (now < f->next_check_ns)
		return 0;
	f->next_check_ns = now + SECRET_FILE_CHECK_MS * NS_PER_MS;
	rc = examine(f, out, e);
	if (rc < 0 && f->failed)
		return 0;
	f->failed = rc < 0;
	return rc;
}
