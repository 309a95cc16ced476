/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VARVE_SYMBOL_SOURCE_H
#define VARVE_SYMBOL_SOURCE_H

#include "base/arena.h"
#include "base/err.h"
#include "base/str.h"

/*
 * Where the bytes of an ELF file come from: a file, or memory.
 *
 * A file is read by pread() and never mapped: whoever truncates a mapped file kills the process that looks at it with SIGBUS,
 * and we are a guest there. Nor is a descriptor kept between calls from outside: a host that closes all descriptors
 * it does not know (as daemons do) would have us read, and in the end close, one of its own. source_resume() opens the path again,
 * and takes it only if it is still the same file.
 */
struct source {
	const char *path; /* in the arena; of memory too, for errors */
	struct str bytes; /* memory; p is NULL for a file */
	uint64_t size;
	int fd; /* -1 while paused, and for memory */
	uint64_t device, inode;
	int64_t mtime_ns;
};

/* Open a regular file for reading; close-on-exec. 0 or a negative errno (-EINVAL: not a regular file), and then nothing is open. */
MUST_USE int source_open(struct source *s, const char *path, struct arena *a, struct err *e);

/* Bytes that are borrowed for as long as the source is used. 0 or -ENOMEM. */
MUST_USE int source_open_bytes(struct source *s, struct str bytes, const char *path,
			       struct arena *a);

/* Let go of the descriptor. Takes the zero value with fd -1, and may be called again. */
void source_pause(struct source *s);

/* Have a descriptor again: 0, a negative errno, or -ESTALE when another file has that name now, or this one was changed. */
MUST_USE int source_resume(struct source *s);

/* Read exactly `n` bytes at `offset`. 0; -EBADMSG when the file has not that many; else what pread() said. */
MUST_USE int source_read(const struct source *s, uint64_t offset, void *to, size_t n);

/* The same into new memory. An offset or size outside of the file allocates nothing. */
MUST_USE int source_read_new(const struct source *s, uint64_t offset, uint64_t n, struct arena *a,
			     struct str *out);

/* Do `n` bytes at `offset` lie inside? */
static inline bool source_has(const struct source *s, uint64_t offset, uint64_t n)
{
	return offset <= s->size && n <= s->size - offset;
}

#endif
