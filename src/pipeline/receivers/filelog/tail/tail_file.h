/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VARVE_PIPELINE_FILELOG_TAIL_FILE_H
#define VARVE_PIPELINE_FILELOG_TAIL_FILE_H

#include <sys/stat.h>

#include "pipeline/receivers/filelog/filelog_settings.h"
#include "pipeline/receivers/filelog/tail/gzip_stream.h"
#include "signal/otlp/attributes.h"

/*
 * A file that is tailed, or was. It is recognized by device and inode, a hash of its first bytes, and
 * a hash of the bytes before the position: so that a copy is known as one, and two files with the
 * same beginning are not. One thread.
 */
struct tail_mark {
	uint32_t n; /* bytes */
	uint64_t hash;
};

enum { TAIL_MARK_MAX = 256, TAIL_ATTRIBUTES_MAX = 7 };

struct tail_file {
	struct log_origin origin; /* id, path */
	char *path;		  /* owned; see origin.path */
	dev_t dev;
	ino_t ino;
	int fd;			 /* -1: closed */
	struct tail_mark first;	 /* the fingerprint */
	struct tail_mark before; /* the bytes before `before_at` */
	uint64_t before_at;
	uint64_t offset;    /* read so far; of the decompressed bytes */
	uint64_t committed; /* accepted by the next consumer */
	uint64_t noted;	    /* the position in the last batch that has this file */
	uint64_t record_number;
	uint64_t size;	     /* when it was last looked at */
	uint64_t read_size;  /* `size` when it was read to its end; UINT64_MAX: not yet */
	uint64_t grown;	     /* clock_monotonic_ns() when its size changed last */
	uint64_t gone_since; /* clock_monotonic_ns(); 0: it is there */
	uint32_t in_flight;  /* batches that have this file */
	bool seen;	     /* by the current search */
	bool skipping;	     /* the rest of a truncated entry */
	bool partial;	     /* the end of the file is an entry without an end */
	bool dirty;	     /* in the list of files whose position has to be noted */
	bool dead;	     /* to be freed when no batch and no operator has it */
	bool truncated;	     /* stands for the former content of a file that was truncated */
	bool is_gzip;
	struct gzip_stream *gzip; /* NULL unless it is being read */
	struct attributes attributes;
	char *texts; /* of the attributes; owned */
};

/* Return a closed file, or NULL without memory. */
struct tail_file *tail_file_new(struct str path, dev_t dev, ino_t ino, uint64_t id);
void tail_file_free(struct tail_file *f); /* takes NULL */

/* Change the path. Return 0 or -ENOMEM. */
MUST_USE int tail_file_rename(struct tail_file *f, struct str path);

void tail_file_close(struct tail_file *f);

/* Hash the first bytes of an open file, at most `max`. */
struct tail_mark tail_first_bytes(int fd, bool is_gzip, size_t max);

/* Hash the bytes before a position, at most TAIL_MARK_MAX. Zero if they cannot be read. */
struct tail_mark tail_bytes_before(int fd, uint64_t at);

static inline bool tail_mark_eq(struct tail_mark a, struct tail_mark b)
{
	return a.n == b.n && a.hash == b.hash;
}

/* Return whether the file begins with gzip's magic. */
bool tail_is_gzip(int fd);

/* Fill the attributes by the settings. Return 0 or -ENOMEM. */
MUST_USE int tail_file_describe(struct tail_file *f, const struct filelog_include *include);

/*
 * Read up to `n` bytes at an offset of the (decompressed) content. Return their number, 0 at the
 * end, or -errno.
 */
ssize_t tail_file_read(struct tail_file *f, char *to, size_t n, uint64_t at);

#endif
