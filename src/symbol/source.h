/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VARVE_SYMBOL_SOURCE_H
#define VARVE_SYMBOL_SOURCE_H

#include "base/arena.h"
#include "base/err.h"
#include "base/str.h"

/*
 * The bytes of an ELF file, in a file or in memory.
 *
 * A file is read by pread() and never mapped: truncating a mapped file would kill the process,
 * which belongs to others, with SIGBUS. No descriptor is kept open between calls: if the host
 * program closes all descriptors that it does not know (as daemons do), we could read, and later
 * close, one of its own under the same number. source_resume() opens the path again and checks that
 * it is the same file.
 */
struct source {
	const char *path; /* in the arena; for memory too, used in errors */
	struct str bytes; /* memory; p is NULL for a file */
	uint64_t size;
	int fd; /* -1 while paused, and for memory */
	uint64_t device, inode;
	int64_t mtime_ns;
};

/*
 * Open a regular file for reading, close-on-exec. Return 0 or a negative errno (-EINVAL: not a
 * regular file); nothing is open after an error.
 */
MUST_USE int source_open(struct source *s, const char *path, struct arena *a, struct err *e);

/* Make a source of bytes, which are borrowed while the source is used. Return 0 or -ENOMEM. */
MUST_USE int source_open_bytes(struct source *s, struct str bytes, const char *path,
			       struct arena *a);

/* Close the descriptor. May be called repeatedly, and on {.fd = -1}. */
void source_pause(struct source *s);

/*
 * Open the descriptor again. Return 0, a negative errno, or -ESTALE when the path has another file
 * now or the file was modified.
 */
MUST_USE int source_resume(struct source *s);

/* Read exactly `n` bytes at `offset`. Return 0, -EBADMSG past the end, or an errno of pread(). */
MUST_USE int source_read(const struct source *s, uint64_t offset, void *to, size_t n);

/* The same into new memory of the arena. A range outside of the file fails before allocation. */
MUST_USE int source_read_new(const struct source *s, uint64_t offset, uint64_t n, struct arena *a,
			     struct str *out);

/* Return whether the source has `n` bytes at `offset`. */
static inline bool source_has(const struct source *s, uint64_t offset, uint64_t n)
{
	return offset <= s->size && n <= s->size - offset;
}

#endif
