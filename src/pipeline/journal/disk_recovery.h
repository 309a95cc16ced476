/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VARVE_PIPELINE_JOURNAL_DISK_RECOVERY_H
#define VARVE_PIPELINE_JOURNAL_DISK_RECOVERY_H

#include "pipeline/journal/disk_state.h"

/*
 * Take over the segments that an earlier process has left. Headers of records are read, but only
 * the last segment can end in the middle of a write: its records are read and verified, and what
 * follows the last intact one, or the commit, is cut off; nothing of it was acknowledged. Segments
 * without records are deleted. Private to the queue; called before it has threads.
 *
 * Return 0, or a negative errno with text in `e`; -ENOTSUP for files of another version.
 */
MUST_USE int disk_recover(struct disk_queue *q, struct err *e);

#endif
