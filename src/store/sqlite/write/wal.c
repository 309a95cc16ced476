/* SPDX-License-Identifier: Apache-2.0 */
/*
 * When the write-ahead log is checkpointed. The writer checkpoints after a commit
 * (wal_after_commit()), the worker in between (wal_move()), and a job of the writer empties the log
 * of an idle partition (wal_settle()).
 */
#include "store/sqlite/write/wal.h"

#include "store/sqlite/catalog/partitions.h"
#include "store/sqlite/catalog/schema.h"
#include "store/sqlite/read/stats.h"
#include "store/sqlite/store_state.h"
#include "store/sqlite/write/writer.h"

enum {
	PAGE_SIZE = 4096,
	LIVE_PART = 8,	    /* the log may have this part of the live bytes */
	LIMIT_LEAST = 192,  /* pages */
	LIMIT_MOST = 10000, /* upper bound; the worker moves pages much sooner if it can */
	/* after a reader blocked a checkpoint: retry after this part of the limit */
	TRY_AGAIN_PART = 4,
	WORKER_PAGES = 1000,
};

#define IDLE_NS (2 * NS_PER_SECOND) /* then the log is emptied */

/* Files that exceed twice the live bytes by less than this are left alone. */
#define SMALL_CHANGE (512 * KIB)

static int note_commit(void *arg, sqlite3 *db, const char *name, int pages)
{
	struct writer_side *side = arg;

	(void)db;
	(void)name;
	if (pages <= side->wal_tried)
		side->wal_tried = 0; /* the log was restarted */
	side->wal_pages = pages;
	side->committed_ns = clock_monotonic_ns();
	return SQLITE_OK;
}

void wal_watch(struct writer_side *side)
{
	sqlite3_wal_hook(side->db.handle, note_commit, side);
}

/* Return the bytes in use, or slightly less. */
static uint64_t live_bytes(struct partition *p)
{
	uint64_t used, known;

	pthread_mutex_lock(&p->mu);
	used = p->writer ? (uint64_t)p->writer->used_pages * PAGE_SIZE : 0;
	known = p->directory ? p->directory->bytes : 0;
	pthread_mutex_unlock(&p->mu);
	return known > used ? known : used;
}

static int log_limit(struct partition *p)
{
	uint64_t pages = live_bytes(p) / LIVE_PART / PAGE_SIZE;

	return pages < LIMIT_LEAST ? LIMIT_LEAST : pages > LIMIT_MOST ? LIMIT_MOST : (int)pages;
}

/* A failure is harmless: pages that are not moved now are moved later. */
void wal_finish(struct partition *p)
{
	struct writer_side *side = p->writer;

	if (!side || !side->wal_pages)
		return;
	side->wal_tried = side->wal_pages;
	sqlite3_wal_checkpoint_v2(side->db.handle, NULL, SQLITE_CHECKPOINT_PASSIVE, NULL, NULL);
}

void wal_after_commit(struct partition *p)
{
	const struct writer_side *side = p->writer;
	int limit, pages = side->wal_pages;

	if (pages < LIMIT_LEAST)
		return;
	limit = log_limit(p);
	if (pages >= limit && pages >= side->wal_tried + limit / TRY_AGAIN_PART)
		wal_finish(p);
}

void wal_move(struct partition *p)
{
	struct db db = {0};
	bool due;
	int pages;

	pthread_mutex_lock(&p->mu);
	pages = p->writer ? p->writer->wal_pages : 0;
	due = p->writer && (pages < p->wal_moved || pages > p->wal_moved + WORKER_PAGES);
	if (due)
		p->wal_moved = pages;
	pthread_mutex_unlock(&p->mu);
	if (!due || pages <= WORKER_PAGES)
		return;
	if (!db_open(&db, p->store->vfs, p->path, DB_WRITE, statements, STATEMENTS, NULL))
		sqlite3_wal_checkpoint_v2(db.handle, NULL, SQLITE_CHECKPOINT_PASSIVE, NULL, NULL);
	db_close(&db);
}

/* ---- settling ---- */

struct settle_job {
	struct writer_job job;
	struct partition *partition;
};

/* Do not wait for readers: the worker tries again. */
static void run_settle(struct writer_job *job)
{
	struct partition *p = ((struct settle_job *)job)->partition;
	struct writer_side *side = p->writer;

	if (!side || p->gone)
		return;
	sqlite3_busy_timeout(side->db.handle, 0);
	if (!sqlite3_wal_checkpoint_v2(side->db.handle, NULL, SQLITE_CHECKPOINT_TRUNCATE, NULL,
				       NULL))
		side->wal_pages = side->wal_tried = 0;
	sqlite3_busy_timeout(side->db.handle, DB_BUSY_MS);
}

void wal_settle(struct partition *p)
{
	struct settle_job s = {{run_settle, NULL}, p};
	uint64_t committed;
	bool attached;

	pthread_mutex_lock(&p->mu);
	attached = p->writer;
	committed = attached ? p->writer->committed_ns : 0;
	pthread_mutex_unlock(&p->mu);
	if (!attached || !partition_log_bytes(p))
		return;
	if (clock_monotonic_ns() - committed < IDLE_NS &&
	    partition_file_bytes(p) <= 2 * live_bytes(p) + SMALL_CHANGE)
		return;
	/* fails only at shutdown, when the writer empties the log itself */
	(void)!writer_do(p->store, &s.job);
}
