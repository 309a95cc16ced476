/* SPDX-License-Identifier: Apache-2.0 */
/* Walks a directory in passes, until a pass finds nothing to do. */
#include "seal/rotate.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

/* Each pass finds files that were made or renamed during the one before. */
enum { DEPTH_MOST = 8, PASSES_MOST = 16, ROTATE_PATH = 4096 };

struct rotate_walk {
	struct key_ring *ring;
	struct rotate_report *report;
	unsigned pass;
	uint32_t changed; /* in this pass */
};

static void report_problem(struct rotate_walk *w, const char *path, const struct err *why)
{
	if (w->pass)
		return; /* reported by the first one */
	w->report->failed++;
	if (w->report->problem)
		w->report->problem(w->report->context, path, why);
}

/* Return whether a file of that name has data of users. Others are locks, and files of SQLite. */
static bool has_data(const char *path)
{
	struct str name = str_from(path);

	return str_ends(name, STR(".db")) || str_ends(name, STR(".queue")) ||
	       str_ends(name, STR("/drift.events")) ||
	       str_find_str(name, STR("/audit.log")) < name.n;
}

static void rotate_file(struct rotate_walk *w, int fd, const char *path)
{
	uint8_t block[KEY_BLOCK];
	ssize_t n = pread(fd, block, sizeof(block), 0);
	struct err why = {0};
	bool changed;

	if (n < KEY_BLOCK || !key_block_is(block, (size_t)n)) {
		w->report->plain += !w->pass && has_data(path);
		return;
	}
	if (key_block_rotate(fd, w->ring, &changed, &why)) {
		report_problem(w, path, &why);
		return;
	}
	w->changed += changed;
	w->report->rotated += changed;
	w->report->current += !changed && !w->pass;
}

static void rotate_directory(struct rotate_walk *w, int fd, const char *path, unsigned depth);

/* Rotate a file or directory. What has disappeared is none of ours any more. */
static void rotate_entry(struct rotate_walk *w, int dir, const char *name, const char *parent,
			 unsigned depth)
{
	char path[ROTATE_PATH];
	struct err why = {0};
	struct stat st;
	int fd;

	snprintf(path, sizeof(path), "%s/%s", parent, name);
	if (fstatat(dir, name, &st, AT_SYMLINK_NOFOLLOW) ||
	    (!S_ISREG(st.st_mode) && !S_ISDIR(st.st_mode)))
		return;
	fd = openat(dir, name,
		    (S_ISDIR(st.st_mode) ? O_RDONLY | O_DIRECTORY : O_RDWR) | O_NOFOLLOW |
			    O_CLOEXEC);
	if (fd < 0) {
		if (errno != ENOENT) {
			err_set(&why, -errno, "%s", strerror(errno));
			report_problem(w, path, &why);
		}
		return;
	}
	if (S_ISDIR(st.st_mode)) {
		rotate_directory(w, fd, path, depth + 1);
		return;
	}
	rotate_file(w, fd, path);
	close(fd);
}

/* Takes the descriptor over. */
static void rotate_directory(struct rotate_walk *w, int fd, const char *path, unsigned depth)
{
	DIR *d = depth < DEPTH_MOST ? fdopendir(fd) : NULL;
	const struct dirent *entry;

	if (!d) {
		close(fd);
		return;
	}
	while ((entry = readdir(d)))
		if (strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0)
			rotate_entry(w, fd, entry->d_name, path, depth);
	closedir(d);
}

int seal_rotate(const char *directory, struct key_ring *ring, struct rotate_report *report,
		struct err *e)
{
	struct rotate_walk w = {.ring = ring, .report = report};
	int lock = open(directory, O_RDONLY | O_DIRECTORY | O_CLOEXEC), rc = 0;

	report->rotated = report->current = report->plain = report->failed = 0;
	if (lock < 0)
		return err_set(e, -errno, "%s: %s", directory, strerror(errno));
	if (flock(lock, LOCK_EX | LOCK_NB))
		rc = err_set(e, -EBUSY, "%s: another process rotates its keys", directory);
	for (; !rc && w.pass < PASSES_MOST; w.pass++) {
		int fd = open(directory, O_RDONLY | O_DIRECTORY | O_CLOEXEC);

		w.changed = 0;
		if (fd < 0)
			rc = err_set(e, -errno, "%s: %s", directory, strerror(errno));
		else
			rotate_directory(&w, fd, directory, 0);
		if (!w.changed)
			break;
	}
	close(lock);
	return rc;
}
