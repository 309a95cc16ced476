/* SPDX-License-Identifier: Apache-2.0 */
/* Opens files that were found, and compares them with known ones. */
#include "pipeline/receivers/filelog/tail/found_file.h"

#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

#include "base/clock.h"

/* A FIFO must not block, and a file that is replaced between the search and here must be a file. */
int found_file_open(struct found_file *found, const struct filelog_settings *settings)
{
	const struct str kind = settings->compression;

	found->fd = open(found->path.p, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
	if (found->fd < 0)
		return -errno;
	if (fstat(found->fd, &found->st) || !S_ISREG(found->st.st_mode)) {
		close(found->fd);
		return -ENOENT;
	}
	found->is_gzip =
		str_eq(kind, STR("gzip")) || (str_eq(kind, STR("auto")) && tail_is_gzip(found->fd));
	found->first =
		tail_first_bytes(found->fd, found->is_gzip, (size_t)settings->fingerprint_size);
	return 0;
}

/* Return whether a file begins with the bytes of this mark. */
static bool begins_with(const struct found_file *found, struct tail_mark mark)
{
	if (mark.n == found->first.n)
		return tail_mark_eq(mark, found->first);
	return mark.n < found->first.n &&
	       tail_mark_eq(mark, tail_first_bytes(found->fd, found->is_gzip, mark.n));
}

bool found_file_continues(const struct found_file *found, const struct tail_file *f)
{
	if (!begins_with(found, f->first))
		return false;
	if (found->is_gzip)
		return true;
	if ((uint64_t)found->st.st_size < f->offset)
		return false;
	return f->before_at != f->offset || !f->before.n ||
	       tail_mark_eq(f->before, tail_bytes_before(found->fd, f->offset));
}

bool found_file_replaces(const struct found_file *found, const struct tail_file *f,
			 uint64_t fingerprint)
{
	if (f->dead || f->fd >= 0 || !f->offset || !f->first.n || !found_file_continues(found, f))
		return false;
	if (f->truncated || f->first.n >= fingerprint)
		return true;
	/* a file that came back from another file system is older than its name */
	return f->dev != found->st.st_dev && (uint64_t)found->st.st_size >= f->offset &&
	       f->before.n >= TAIL_MARK_MAX;
}

bool found_file_may_be_copy(const struct found_file *found, const struct tail_file *f)
{
	uint64_t size = (uint64_t)found->st.st_size, at = size < f->offset ? size : f->offset;

	if (f->fd < 0 || f->dead || !f->offset || !size || found->is_gzip != f->is_gzip)
		return found->is_gzip && f->fd >= 0 && f->offset && f->first.n &&
		       begins_with(found, f->first);
	if (found->first.n < f->first.n ? size > found->first.n : !begins_with(found, f->first))
		return false;
	return tail_mark_eq(tail_bytes_before(f->fd, at), tail_bytes_before(found->fd, at));
}

bool found_file_is_recent(const struct found_file *found, uint64_t patience)
{
	uint64_t changed = (uint64_t)found->st.st_ctim.tv_sec * NS_PER_SECOND +
			   (uint64_t)found->st.st_ctim.tv_nsec;

	return clock_realtime_ns() < changed + patience;
}
