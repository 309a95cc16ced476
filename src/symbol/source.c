/* SPDX-License-Identifier: Apache-2.0 */
/* Bounded reads from a file or from memory. */
#include "symbol/source.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

static int copy_path(struct source *s, const char *path, struct arena *a)
{
	struct str copy;
	int rc = arena_copy_str(a, str_from(path), &copy);

	*s = (struct source){.path = copy.p, .fd = -1};
	return rc;
}

/* Open a regular file. O_NONBLOCK: opening a FIFO or a device could block forever. */
static int open_regular(const char *path, struct stat *st)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY), rc = 0;

	if (fd < 0)
		return -errno;
	if (fstat(fd, st))
		rc = -errno;
	else if (!S_ISREG(st->st_mode))
		rc = -EINVAL;
	if (rc) {
		close(fd);
		return rc;
	}
	return fd;
}

static int64_t mtime_of(const struct stat *st)
{
	return (int64_t)st->st_mtim.tv_sec * 1000000000 + st->st_mtim.tv_nsec;
}

int source_open(struct source *s, const char *path, struct arena *a, struct err *e)
{
	struct stat st;
	int rc = copy_path(s, path, a), fd;

	if (rc)
		return err_errno(e, rc, "opening a symbol file");
	fd = open_regular(path, &st);
	if (fd < 0)
		return err_set(e, fd, "%s: %s", path,
			       fd == -EINVAL ? "not a regular file" : strerror(-fd));
	s->fd = fd;
	s->size = (uint64_t)st.st_size;
	s->device = st.st_dev;
	s->inode = st.st_ino;
	s->mtime_ns = mtime_of(&st);
	return 0;
}

int source_open_bytes(struct source *s, struct str bytes, const char *path, struct arena *a)
{
	int rc = copy_path(s, path, a);

	if (rc)
		return rc;
	s->bytes = bytes.p ? bytes : STR("");
	s->size = bytes.n;
	return 0;
}

void source_pause(struct source *s)
{
	if (s->fd >= 0)
		close(s->fd);
	s->fd = -1;
}

int source_resume(struct source *s)
{
	struct stat st;
	int fd;

	if (s->bytes.p || s->fd >= 0)
		return 0;
	fd = open_regular(s->path, &st);
	if (fd < 0)
		return fd;
	if ((uint64_t)st.st_dev != s->device || st.st_ino != s->inode ||
	    (uint64_t)st.st_size != s->size || mtime_of(&st) != s->mtime_ns) {
		close(fd);
		return -ESTALE;
	}
	s->fd = fd;
	return 0;
}

int source_read(const struct source *s, uint64_t offset, void *to, size_t n)
{
	char *at = to;

	if (!source_has(s, offset, n))
		return -EBADMSG;
	if (!n)
		return 0;
	if (s->bytes.p) {
		memcpy(to, s->bytes.p + offset, n);
		return 0;
	}
	while (n) {
		ssize_t got = pread(s->fd, at, n, (off_t)offset);

		if (got < 0 && errno == EINTR)
			continue;
		if (got <= 0)
			return got ? -errno : -EBADMSG; /* the file was truncated */
		at += got;
		offset += (uint64_t)got;
		n -= (size_t)got;
	}
	return 0;
}

int source_read_new(const struct source *s, uint64_t offset, uint64_t n, struct arena *a,
		    struct str *out)
{
	char *p;
	int rc;

	if (!source_has(s, offset, n))
		return -EBADMSG;
	if (s->bytes.p) {
		*out = str_of(s->bytes.p + offset, n);
		return 0;
	}
	p = arena_alloc(a, n, 1);
	if (!p)
		return -ENOMEM;
	rc = source_read(s, offset, p, n);
	if (!rc)
		*out = str_of(p, n);
	return rc;
}
