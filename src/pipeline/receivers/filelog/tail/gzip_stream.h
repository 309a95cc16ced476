/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VARVE_PIPELINE_FILELOG_GZIP_STREAM_H
#define VARVE_PIPELINE_FILELOG_GZIP_STREAM_H

#include <sys/types.h>

#include "base/base.h"

/* Decompresses a file of gzip members piece by piece, with memory of a fixed size. */
struct gzip_stream;

struct gzip_stream *gzip_stream_new(void);    /* NULL without memory */
void gzip_stream_free(struct gzip_stream *g); /* takes NULL */

/*
 * Read up to `n` bytes at an offset of the content. Offsets before the last one start over. Return
 * the number of bytes, 0 at the end of what the file has now, or -EBADMSG, -ENOMEM or another -errno.
 */
ssize_t gzip_stream_read(struct gzip_stream *g, int fd, char *to, size_t n, uint64_t at);

#endif
