/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The methods of the layer. A file of ours is followed by the file of SQLite's own VFS. Each method
 * passes plain files on.
 */
#include "store/sqlite/sealed/sealed_vfs.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "store/sqlite/sealed/sealed_log.h"

struct sealed_vfs {
	sqlite3_vfs base; /* first */
	sqlite3_vfs *real;
	struct key_ring *keys;
	const struct log *log;
	char name[40];
};

struct sealed_file {
	sqlite3_file base; /* first */
	sqlite3_file *real;
	struct sealed_pages *pages; /* NULL: the file is not encrypted */
	bool is_log;		    /* of an encrypted database; `pages` are of that */
	const char *name;
	struct sealed_log log;
};

static _Thread_local struct err last_error;

int sealed_vfs_take_error(struct err *e)
{
	int rc = last_error.code;

	if (rc && e)
		*e = last_error;
	sealed_vfs_forget_error();
	return rc;
}

void sealed_vfs_forget_error(void)
{
	last_error.code = 0;
	last_error.text[0] = 0;
}

static struct sealed_file *sealed_of(sqlite3_file *file)
{
	return (struct sealed_file *)file;
}

static const struct sqlite3_io_methods *real_of(const struct sealed_file *f)
{
	return f->real->pMethods;
}

/* ---- pages of the database file ---- */

static struct sealed_place page_place(const struct sealed_file *f, sqlite3_int64 at)
{
	struct sealed_place place = {.kind = PLACE_PAGE, .number = (uint64_t)at / SEALED_PAGE + 1};

	memcpy(place.file, f->pages->file, FILE_ID);
	return place;
}

/* Read and decrypt one page. Return SQLite's code. */
static int read_page(struct sealed_file *f, uint8_t *out, sqlite3_int64 at)
{
	struct sealed_place place = page_place(f, at);
	int code = real_of(f)->xRead(f->real, out, SEALED_PAGE, KEY_BLOCK + at);

	if (code) {
		memset(out, 0, SEALED_PAGE);
		return code;
	}
	if (!sealed_page_open(f->pages, &place, out))
		return SQLITE_OK;
	sealed_vfs_forget_error();
	err_set(&last_error, -EUCLEAN, "page %llu is damaged, or not of this file",
		(unsigned long long)place.number);
	return SQLITE_IOERR_DATA;
}

/*
 * Page size and reserve are read before the log is recovered, which repairs a torn first page: make
 * up that part of it. The page itself is read again.
 */
static void make_up_header(uint8_t page[SEALED_PAGE])
{
	memcpy(page, "SQLite format 3", 16);
	page[16] = SEALED_PAGE >> 8;
	page[17] = 0;
	page[18] = page[19] = 2; /* a log is used */
	page[20] = SEALED_RESERVE;
}

static int read_part(struct sealed_file *f, void *out, int n, sqlite3_int64 at)
{
	sqlite3_int64 within = at % SEALED_PAGE;
	uint8_t *page = f->pages->room;
	int code;

	if (within + n > SEALED_PAGE)
		return SQLITE_IOERR_READ;
	code = read_page(f, page, at - within);
	if (code == SQLITE_IOERR_DATA && at + n <= 100) {
		sealed_vfs_forget_error();
		make_up_header(page);
		code = SQLITE_OK;
	}
	memcpy(out, page + within, (size_t)n);
	return code;
}

static int sealed_read(sqlite3_file *file, void *out, int n, sqlite3_int64 at)
{
	struct sealed_file *f = sealed_of(file);

	if (!f->pages)
		return real_of(f)->xRead(f->real, out, n, at);
	if (f->is_log)
		return sealed_log_read(&f->log, out, n, at);
	if (n == SEALED_PAGE && at % SEALED_PAGE == 0)
		return read_page(f, out, at);
	return read_part(f, out, n, at);
}

static int write_page(struct sealed_file *f, const uint8_t *page, sqlite3_int64 at)
{
	struct sealed_place place = page_place(f, at);
	int rc = sealed_page_seal(f->pages, &place, page, f->pages->room);

	if (!rc)
		return real_of(f)->xWrite(f->real, f->pages->room, SEALED_PAGE, KEY_BLOCK + at);
	sealed_vfs_forget_error();
	err_set(&last_error, -EIO, "page %llu cannot be encrypted",
		(unsigned long long)place.number);
	return SQLITE_IOERR_WRITE;
}

/* Encrypt empty pages up to `at`: a hole in the file would not be a page. */
static int fill_gap(struct sealed_file *f, sqlite3_int64 at)
{
	static const uint8_t empty[SEALED_PAGE];
	sqlite3_int64 size = 0, end;
	int code = real_of(f)->xFileSize(f->real, &size);

	end = size < KEY_BLOCK ? 0 : (size - KEY_BLOCK) / SEALED_PAGE * SEALED_PAGE;
	for (; !code && end < at; end += SEALED_PAGE)
		code = write_page(f, empty, end);
	return code;
}

static int sealed_write(sqlite3_file *file, const void *in, int n, sqlite3_int64 at)
{
	struct sealed_file *f = sealed_of(file);
	int code;

	if (!f->pages)
		return real_of(f)->xWrite(f->real, in, n, at);
	if (f->is_log)
		return sealed_log_write(&f->log, in, n, at);
	if (n != SEALED_PAGE || at % SEALED_PAGE)
		return SQLITE_IOERR_WRITE;
	code = fill_gap(f, at);
	return code ? code : write_page(f, in, at);
}

/* ---- other methods of files ---- */

static int sealed_close(sqlite3_file *file)
{
	struct sealed_file *f = sealed_of(file);
	int code = f->pages && f->is_log ? sealed_log_flush(&f->log) : SQLITE_OK;

	if (f->real->pMethods)
		code = real_of(f)->xClose(f->real);
	if (f->pages && !f->is_log) {
		gcm_fini(&f->pages->gcm);
		free(f->pages);
	}
	f->pages = NULL;
	return code;
}

static int sealed_truncate(sqlite3_file *file, sqlite3_int64 size)
{
	struct sealed_file *f = sealed_of(file);

	if (f->pages && f->is_log)
		return sealed_log_truncate(&f->log, size);
	return real_of(f)->xTruncate(f->real, f->pages ? KEY_BLOCK + size : size);
}

static int sealed_sync(sqlite3_file *file, int flags)
{
	struct sealed_file *f = sealed_of(file);
	int code = f->pages && f->is_log ? sealed_log_flush(&f->log) : SQLITE_OK;

	return code ? code : real_of(f)->xSync(f->real, flags);
}

static int sealed_size(sqlite3_file *file, sqlite3_int64 *size)
{
	struct sealed_file *f = sealed_of(file);
	int code;

	if (f->pages && f->is_log)
		return sealed_log_size(&f->log, size);
	code = real_of(f)->xFileSize(f->real, size);
	if (f->pages)
		*size = *size < KEY_BLOCK ? 0 : *size - KEY_BLOCK;
	return code;
}

static int sealed_lock(sqlite3_file *file, int level)
{
	struct sealed_file *f = sealed_of(file);

	return real_of(f)->xLock(f->real, level);
}

static int sealed_unlock(sqlite3_file *file, int level)
{
	struct sealed_file *f = sealed_of(file);

	return real_of(f)->xUnlock(f->real, level);
}

static int sealed_reserved(sqlite3_file *file, int *out)
{
	struct sealed_file *f = sealed_of(file);

	return real_of(f)->xCheckReservedLock(f->real, out);
}

/* Hints of sizes would be off by the key block, and memory maps have no tags. */
static int sealed_control(sqlite3_file *file, int op, void *arg)
{
	struct sealed_file *f = sealed_of(file);

	if (f->pages && (op == SQLITE_FCNTL_SIZE_HINT || op == SQLITE_FCNTL_CHUNK_SIZE ||
			 op == SQLITE_FCNTL_MMAP_SIZE))
		return SQLITE_NOTFOUND;
	return real_of(f)->xFileControl(f->real, op, arg);
}

static int sealed_sector(sqlite3_file *file)
{
	struct sealed_file *f = sealed_of(file);

	return real_of(f)->xSectorSize(f->real);
}

/* Neighbours of what is written stay as they are: so SQLite writes frames in one piece. */
static int sealed_device(sqlite3_file *file)
{
	struct sealed_file *f = sealed_of(file);

	return real_of(f)->xDeviceCharacteristics(f->real) |
	       (f->pages ? SQLITE_IOCAP_POWERSAFE_OVERWRITE : 0);
}

static int sealed_shm_map(sqlite3_file *file, int page, int size, int extend, void volatile **out)
{
	struct sealed_file *f = sealed_of(file);

	return real_of(f)->xShmMap(f->real, page, size, extend, out);
}

static int sealed_shm_lock(sqlite3_file *file, int offset, int n, int flags)
{
	struct sealed_file *f = sealed_of(file);

	return real_of(f)->xShmLock(f->real, offset, n, flags);
}

static void sealed_shm_barrier(sqlite3_file *file)
{
	struct sealed_file *f = sealed_of(file);

	real_of(f)->xShmBarrier(f->real);
}

static int sealed_shm_unmap(sqlite3_file *file, int drop)
{
	struct sealed_file *f = sealed_of(file);

	return real_of(f)->xShmUnmap(f->real, drop);
}

/* Version 2: SQLite does not map files into memory. */
static const struct sqlite3_io_methods sealed_methods = {
	.iVersion = 2,
	.xClose = sealed_close,
	.xRead = sealed_read,
	.xWrite = sealed_write,
	.xTruncate = sealed_truncate,
	.xSync = sealed_sync,
	.xFileSize = sealed_size,
	.xLock = sealed_lock,
	.xUnlock = sealed_unlock,
	.xCheckReservedLock = sealed_reserved,
	.xFileControl = sealed_control,
	.xSectorSize = sealed_sector,
	.xDeviceCharacteristics = sealed_device,
	.xShmMap = sealed_shm_map,
	.xShmLock = sealed_shm_lock,
	.xShmBarrier = sealed_shm_barrier,
	.xShmUnmap = sealed_shm_unmap,
};

/* ---- opening ---- */

static int use_key(struct sealed_file *f, const struct file_key *key)
{
	struct sealed_pages *p = malloc(sizeof(*p));
	int rc = p ? gcm_init(&p->gcm, key->key, &last_error) : -ENOMEM;

	if (rc) {
		free(p);
		return rc;
	}
	memcpy(p->file, key->id, FILE_ID);
	f->pages = p;
	return 0;
}

static int create_sealed(const struct sealed_vfs *v, struct sealed_file *f)
{
	uint8_t block[KEY_BLOCK];
	struct file_key key;
	int code, rc = key_block_new(block, &key, SEALED_DATABASE, v->keys, &last_error);

	if (rc)
		return SQLITE_AUTH;
	code = real_of(f)->xWrite(f->real, block, KEY_BLOCK, 0);
	if (!code && use_key(f, &key))
		code = SQLITE_NOMEM;
	explicit_bzero(&key, sizeof(key));
	return code;
}

/* Return SQLite's code for a key block that cannot be opened. */
static int key_error_code(int rc)
{
	return rc == -ENOMEM ? SQLITE_NOMEM : rc == -EUCLEAN ? SQLITE_NOTADB : SQLITE_AUTH;
}

static int open_database(const struct sealed_vfs *v, struct sealed_file *f, int flags)
{
	uint8_t block[KEY_BLOCK];
	sqlite3_int64 size = 0;
	struct file_key key;
	int rc, code = real_of(f)->xFileSize(f->real, &size);

	sealed_vfs_forget_error();
	if (code)
		return code;
	if (!size)
		return v->keys && flags & SQLITE_OPEN_CREATE ? create_sealed(v, f) : SQLITE_OK;
	code = real_of(f)->xRead(f->real, block, KEY_BLOCK, 0);
	if (code != SQLITE_OK && code != SQLITE_IOERR_SHORT_READ)
		return code;
	if (!key_block_is(block, KEY_BLOCK))
		return SQLITE_OK;
	rc = key_block_open(&key, block, SEALED_DATABASE, v->keys, &last_error);
	if (!rc)
		rc = use_key(f, &key);
	explicit_bzero(&key, sizeof(key));
	return rc ? key_error_code(rc) : SQLITE_OK;
}

enum {
	TEMPORARY = SQLITE_OPEN_TEMP_DB | SQLITE_OPEN_TRANSIENT_DB | SQLITE_OPEN_TEMP_JOURNAL |
		    SQLITE_OPEN_SUBJOURNAL,
	JOURNALS = SQLITE_OPEN_MAIN_JOURNAL | SQLITE_OPEN_SUPER_JOURNAL,
	OF_DATABASE = SQLITE_OPEN_MAIN_JOURNAL | SQLITE_OPEN_WAL,
};

/* Return whether a file would have content of encrypted pages in clear. */
static bool is_refused(const struct sealed_vfs *v, const struct sealed_file *database, int flags)
{
	if (database)
		return database->pages && flags & JOURNALS;
	return v->keys && flags & (TEMPORARY | JOURNALS);
}

static int sealed_open(sqlite3_vfs *vfs, const char *name, sqlite3_file *file, int flags,
		       int *out_flags)
{
	struct sealed_vfs *v = (struct sealed_vfs *)vfs;
	struct sealed_file *f = sealed_of(file), *database = NULL;
	int code;

	*f = (struct sealed_file){.real = (sqlite3_file *)(f + 1), .name = name};
	if (name && flags & OF_DATABASE)
		database = sealed_of(sqlite3_database_file_object(name));
	if (is_refused(v, database, flags)) {
		sealed_vfs_forget_error();
		err_set(&last_error, -EIO, "SQLite would write data without encryption");
		return SQLITE_CANTOPEN;
	}
	code = v->real->xOpen(v->real, name, f->real, flags, out_flags);
	if (!code && flags & SQLITE_OPEN_MAIN_DB)
		code = open_database(v, f, flags);
	if (code) {
		if (f->real->pMethods)
			real_of(f)->xClose(f->real);
		return code;
	}
	if (database && database->pages) {
		f->pages = database->pages;
		f->is_log = true;
		f->log = (struct sealed_log){
			.pages = f->pages, .real = f->real, .name = name, .log = v->log};
	}
	f->base.pMethods = &sealed_methods;
	return SQLITE_OK;
}

/* ---- other methods of the layer ---- */

static sqlite3_vfs *real_vfs(sqlite3_vfs *vfs)
{
	return ((struct sealed_vfs *)vfs)->real;
}

static int vfs_delete(sqlite3_vfs *vfs, const char *name, int sync)
{
	return real_vfs(vfs)->xDelete(real_vfs(vfs), name, sync);
}

static int vfs_access(sqlite3_vfs *vfs, const char *name, int flags, int *out)
{
	return real_vfs(vfs)->xAccess(real_vfs(vfs), name, flags, out);
}

static int vfs_full_name(sqlite3_vfs *vfs, const char *name, int n, char *out)
{
	return real_vfs(vfs)->xFullPathname(real_vfs(vfs), name, n, out);
}

static int vfs_randomness(sqlite3_vfs *vfs, int n, char *out)
{
	return real_vfs(vfs)->xRandomness(real_vfs(vfs), n, out);
}

static int vfs_sleep(sqlite3_vfs *vfs, int microseconds)
{
	return real_vfs(vfs)->xSleep(real_vfs(vfs), microseconds);
}

static int vfs_time(sqlite3_vfs *vfs, double *out)
{
	return real_vfs(vfs)->xCurrentTime(real_vfs(vfs), out);
}

static int vfs_time64(sqlite3_vfs *vfs, sqlite3_int64 *out)
{
	return real_vfs(vfs)->xCurrentTimeInt64(real_vfs(vfs), out);
}

static int vfs_last_error(sqlite3_vfs *vfs, int n, char *out)
{
	return real_vfs(vfs)->xGetLastError(real_vfs(vfs), n, out);
}

int sealed_vfs_new(struct sealed_vfs **out, struct key_ring *keys, const struct log *log)
{
	static _Atomic unsigned numbers;
	sqlite3_vfs *real = sqlite3_vfs_find(NULL);
	struct sealed_vfs *v = real ? calloc(1, sizeof(*v)) : NULL;

	if (!v)
		return -ENOMEM;
	v->real = real;
	v->keys = key_ring_ref(keys);
	v->log = log;
	snprintf(v->name, sizeof(v->name), "varve-sealed-%u", atomic_fetch_add(&numbers, 1));
	v->base = (sqlite3_vfs){
		.iVersion = 2,
		.szOsFile = (int)sizeof(struct sealed_file) + real->szOsFile,
		.mxPathname = real->mxPathname,
		.zName = v->name,
		.xOpen = sealed_open,
		.xDelete = vfs_delete,
		.xAccess = vfs_access,
		.xFullPathname = vfs_full_name,
		.xRandomness = vfs_randomness,
		.xSleep = vfs_sleep,
		.xCurrentTime = vfs_time,
		.xGetLastError = vfs_last_error,
		.xCurrentTimeInt64 = vfs_time64,
	};
	if (sqlite3_vfs_register(&v->base, 0)) {
		sealed_vfs_free(v);
		return -ENOMEM;
	}
	*out = v;
	return 0;
}

void sealed_vfs_free(struct sealed_vfs *v)
{
	if (!v)
		return;
	sqlite3_vfs_unregister(&v->base);
	key_ring_unref(v->keys);
	free(v);
}

const char *sealed_vfs_name(const struct sealed_vfs *v)
{
	return v->name;
}

bool sealed_vfs_has_keys(const struct sealed_vfs *v)
{
	return v->keys;
}

bool sealed_vfs_is_new(sqlite3 *db)
{
	sqlite3_file *file = NULL;
	sqlite3_int64 size = 1;

	if (sqlite3_file_control(db, "main", SQLITE_FCNTL_FILE_POINTER, &file) || !file ||
	    file->pMethods != &sealed_methods || !sealed_of(file)->pages)
		return false;
	return !sealed_size(file, &size) && !size;
}

int sealed_vfs_check(const char *path, struct key_ring *keys, bool *encrypted, struct err *e)
{
	uint8_t block[KEY_BLOCK] = {0};
	int fd = open(path, O_RDONLY | O_CLOEXEC), rc = 0;
	struct file_key key;
	ssize_t n;

	*encrypted = false;
	if (fd < 0)
		return 0;
	n = pread(fd, block, sizeof(block), 0);
	close(fd);
	if (n <= 0 || !key_block_is(block, (size_t)n))
		return 0;
	*encrypted = true;
	rc = key_block_open(&key, block, SEALED_DATABASE, keys, e);
	explicit_bzero(&key, sizeof(key));
	return rc;
}
