/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VARVE_STORE_SQLITE_WAL_H
#define VARVE_STORE_SQLITE_WAL_H

#include "store/sqlite/write/writer.h"

/*
 * The write-ahead log of a partition that is written: how long it may get, and who moves it into the file.
 *
 * All files together may take twice the bytes that are live, and DISK_FLOOR. The file itself has at most a third of
 * free pages (writer_give_back()), so the log gets an eighth of what is live before it is moved, within bounds: a large
 * store does it seldom, as it should, a small one often, which costs little as there is little to move. The worker moves
 * most of it, while commits go on; but only the writer thread can end it, so that the next commit begins it anew.
 * A reader that stays in one snapshot keeps the log from that as long as it does.
 */

/* Count the pages of the log from now on. */
void wal_watch(struct writer_side *side);

/* After a commit, when nobody waits any more: move it where it is long. Writer thread only. */
void wal_after_commit(struct partition *p);

/* Move all of it. Writer thread only. */
void wal_finish(struct partition *p);

/* Move a part of it if it is long, from the worker thread and by a connection of its own: the writer goes on meanwhile. */
void wal_move(struct partition *p);

/*
 * Have the log emptied, and the file made as short as it has become, where both are too long for what is live or nobody has
 * written for a while. Worker thread only.
 */
void wal_settle(struct partition *p);

#endif
