/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VARVE_STORE_SQLITE_WAL_H
#define VARVE_STORE_SQLITE_WAL_H

#include "store/sqlite/write/writer_side.h"

/*
 * The write-ahead log of a partition that is written: its largest size, and its checkpoints.
 *
 * All files together may take twice the live bytes, and DISK_FLOOR. Up to a third of the pages of
 * the file itself may be free (writer_give_back()), so the log may grow to an eighth of the live
 * bytes, within bounds, before it is checkpointed: rarely in a large store, often in a small one,
 * where a checkpoint is cheap. The worker moves most of the log into the file while commits go on,
 * but only the writer thread can finish the checkpoint, so that the next commit restarts the log. A
 * reader that stays in one snapshot delays the restart until it ends.
 */

/* Start counting the pages of the log. */
void wal_watch(struct writer_side *side);

/*
 * Checkpoint the log if it is long. Call this after the writes of a commit are answered. Writer
 * thread only.
 */
void wal_after_commit(struct partition *p);

/* Checkpoint the whole log. Writer thread only. */
void wal_finish(struct partition *p);

/*
 * Move a part of a long log into the file, from the worker thread with a connection of its own; the
 * writer continues meanwhile.
 */
void wal_move(struct partition *p);

/*
 * Have the log emptied, which also truncates the file, if both are too large for the live bytes or
 * nothing was written for a while. Worker thread only.
 */
void wal_settle(struct partition *p);

#endif
