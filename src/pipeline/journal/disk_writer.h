/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VARVE_PIPELINE_JOURNAL_DISK_WRITER_H
#define VARVE_PIPELINE_JOURNAL_DISK_WRITER_H

#include "pipeline/journal/disk_state.h"

/*
 * The thread of a disk queue that writes. It takes all deliveries that wait, appends their records
 * to the last segment, syncs it once, and completes them: those that arrive meanwhile share the
 * next sync. After an error it cuts off what it has written and fails the deliveries; the next ones
 * are tried as usual, so that the queue recovers when the disk does. After a failed sync, the
 * segment is not appended to any more, because the kernel may have forgotten pages of it.
 *
 * disk_writer_run() is the body of the thread: it ends when the queue is closed, after the last
 * delivery. Private to the queue.
 */
void disk_writer_run(void *queue);

#endif
