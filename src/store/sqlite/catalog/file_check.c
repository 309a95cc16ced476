/* SPDX-License-Identifier: Apache-2.0 */
/* Compares the device and inode behind a name with those of the open file. */
#include "store/sqlite/catalog/file_check.h"

#include <stdio.h>
#include <sys/stat.h>

#include "store/sqlite/catalog/catalog.h"
#include "store/sqlite/catalog/data_directory.h"
#include "store/sqlite/catalog/partitions.h"
#include "store/sqlite/store_state.h"
#include "store/sqlite/write/writer.h"
#include "store/sqlite/write/writer_side.h"

int file_id_get(const char *path, struct file_id *out)
{
	struct stat st;

	*out = (struct file_id){0};
	if (stat(path, &st))
		return errno == ENOENT || errno == ENOTDIR ? 0 : -errno;
	*out = (struct file_id){(uint64_t)st.st_dev, (uint64_t)st.st_ino};
	return 0;
}

int file_id_of(const struct partition *p, const char *suffix, struct file_id *out)
{
	char path[sizeof(p->path) + 8];

	snprintf(path, sizeof(path), "%s%s", p->path, suffix);
	return file_id_get(path, out);
}

int file_check(struct partition *p, struct err *e)
{
	struct file_id there;

	if (!p->file.inode || file_id_of(p, "", &there) || file_id_is(there, p->file))
		return 0;
	return err_set(e, -ESTALE, "%s.db was %s while the server runs", p->name,
		       there.inode ? "replaced" : "deleted");
}

/* Checkpoint a deleted log into the file. Waits for readers, which may need the log. */
static int checkpoint_deleted_log(struct partition *p, struct err *e)
{
	struct writer_side *side = p->writer;

	if (sqlite3_wal_checkpoint_v2(side->db.handle, NULL, SQLITE_CHECKPOINT_TRUNCATE, NULL,
				      NULL))
		return err_set(e, -EAGAIN, "%s.db-wal was deleted while the server runs: %s",
			       p->name, sqlite3_errmsg(side->db.handle));
	log_error(p->store->log,
		  "a write-ahead log was deleted while the server runs: nothing is lost, its "
		  "content was moved into the file",
		  LOG_STR("partition", str_from(p->name)));
	catalog_event(p->store, "log lost", p->name, "it was deleted while the server runs");
	side->log_lost = true;
	return 0;
}

int file_check_commit(struct partition *p, struct err *e)
{
	struct file_id log;
	int rc = file_check(p, e);

	if (rc || p->writer->log_lost || file_id_of(p, "-wal", &log) ||
	    file_id_is(log, p->writer->log))
		return rc;
	return checkpoint_deleted_log(p, e);
}

/* ---- all partitions ---- */

struct check_job {
	struct writer_job job;
	struct sqlite_store *store;
	int rc;
};

static void check_partition_file(struct partition *p)
{
	struct err e = {0};
	int rc = p->writer ? file_check_commit(p, &e) : file_check(p, &e);

	if (rc == -ESTALE)
		partition_lost(p, &e);
	else if (p->writer && p->writer->log_lost)
		partition_reopen(p);
	else if (rc)
		log_warn(p->store->log, "a partition cannot be checked", LOG_ERR(&e));
}

static void run_check(struct writer_job *job)
{
	struct check_job *c = (struct check_job *)job;
	struct err e = {0};
	uint32_t n;
	struct partition **list = partitions_between(c->store, 0, UINT64_MAX, &n);

	c->rc = list ? data_directory_claim(c->store, &e)
		     : err_errno(&e, -ENOMEM, "check the files");
	for (uint32_t i = 0; list && i < n; i++)
		check_partition_file(list[i]);
	partitions_release(list, n);
	if (!c->rc && c->store->replaced)
		c->rc = partitions_scan(c->store, &e);
	if (!c->rc)
		c->store->replaced = false;
	if (c->rc)
		log_error(c->store->log, "the data directory cannot be used", LOG_ERR(&e));
}

int file_check_all(struct sqlite_store *s)
{
	struct check_job c = {{run_check, NULL}, s, 0};
	int rc = writer_do(s, &c.job);

	return rc ? rc : c.rc;
}
