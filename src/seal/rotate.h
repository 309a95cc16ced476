/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VARVE_SEAL_ROTATE_H
#define VARVE_SEAL_ROTATE_H

#include "seal/key_block.h"

/*
 * Rotation of the master key: wrap the data keys of all encrypted files below a directory by the
 * current key of a ring. The data is not touched. A server may use the directory meanwhile: it
 * reads key blocks only when it opens files, and reads the key file again when it needs a key.
 * Files that appear meanwhile are found by another pass.
 *
 * Interrupted at any point, every file has a valid key block, by the old key or the new one; run it
 * again to finish.
 */
struct rotate_report {
	uint32_t rotated; /* files */
	uint32_t current; /* files that had the current key before */
	uint32_t plain;	  /* databases, segments of queues, audit logs that are not encrypted */
	uint32_t failed;
	/* Called for each file that cannot be rotated. May be NULL. */
	void (*problem)(void *context, const char *path, const struct err *why);
	void *context;
};

/*
 * Rotate. Return 0, also where files failed; -EBUSY if another process rotates in the directory; or
 * another -errno.
 */
MUST_USE int seal_rotate(const char *directory, struct key_ring *ring, struct rotate_report *report,
			 struct err *e);

#endif
