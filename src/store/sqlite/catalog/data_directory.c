/* SPDX-License-Identifier: Apache-2.0 */
/* Creates the data directory and locks it by flock() on its file `lock`, which has the pid. */
#include "store/sqlite/catalog/data_directory.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "store/sqlite/catalog/catalog.h"
#include "store/sqlite/catalog/file_check.h"
#include "store/sqlite/store_state.h"

static int lock_holder(int fd, struct err *e)
{
	char text[32] = {0};
	ssize_t n = pread(fd, text, sizeof(text) - 1, 0);

	text[n > 0 ? n : 0] = '\0';
	return err_set(e, -EBUSY, "another process has the data directory open: pid %ld",
		       strtol(text, NULL, 10));
}

static int lock_directory(struct sqlite_store *s, struct err *e)
{
	char path[4096], text[32];
	int n;

	snprintf(path, sizeof(path), "%s/lock", s->directory);
	s->lock_fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0644);
	if (s->lock_fd < 0)
		return err_set(e, -errno, "cannot write in the data directory: %s",
			       strerror(errno));
	if (flock(s->lock_fd, LOCK_EX | LOCK_NB))
		return lock_holder(s->lock_fd, e);
	n = snprintf(text, sizeof(text), "%ld\n", (long)getpid());
	if (ftruncate(s->lock_fd, 0) || pwrite(s->lock_fd, text, (size_t)n, 0) != n)
		return err_set(e, errno ? -errno : -EIO, "cannot write the lock file: %s",
			       strerror(errno));
	return 0;
}

static int make_directory(const struct sqlite_store *s, struct err *e)
{
	char path[4000];

	snprintf(path, sizeof(path), "%s", s->directory);
	for (char *p = path + 1; *p; p++)
		if (*p == '/') {
			*p = '\0';
			(void)mkdir(path, 0755);
			*p = '/';
		}
	if (mkdir(path, 0750) && errno != EEXIST)
		return err_set(e, -errno, "cannot create the data directory: %s", strerror(errno));
	return 0;
}

int data_directory_claim(struct sqlite_store *s, struct err *e)
{
	struct file_id there;
	char path[4096];
	struct stat st;
	int rc, old = s->lock_fd;

	snprintf(path, sizeof(path), "%s/lock", s->directory);
	if (old >= 0 && (fstat(old, &st) || file_id_get(path, &there) ||
			 (there.device == st.st_dev && there.inode == st.st_ino)))
		return 0;
	if (old >= 0)
		log_error(s->log,
			  "the data directory was removed or replaced while the server runs",
			  LOG_STR("directory", str_from(s->directory)));
	rc = make_directory(s, e);
	if (!rc)
		rc = lock_directory(s, e);
	if (!rc)
		rc = catalog_open(s, e);
	if (rc && s->lock_fd != old) { /* keep the old lock: the caller retries later */
		if (s->lock_fd >= 0)
			close(s->lock_fd);
		s->lock_fd = old;
	} else if (!rc && old >= 0) {
		close(old);
		s->replaced = true;
	}
	return rc;
}
