/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The wrappers of tests/fault/inject.h. All threads share one counter. A test arms a round while
 * the product's threads run, so everything that the wrappers read is atomic. Only counting rounds
 * write the list of sites, which later rounds read.
 */
#include "fault/inject.h"

#include <dlfcn.h>
#include <errno.h>
#include <execinfo.h>
#include <fcntl.h>
#include <pthread.h>
#include <sqlite3.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/types.h>
#include <unistd.h>

#include "base/arena.h"
#include "test/test.h"

/* State of the armed round. `kinds` is 0 while disarmed. */
static _Atomic unsigned kinds;
static _Atomic uint64_t calls;	/* so far in this round */
static _Atomic uint64_t victim; /* the call that fails; 0: none, record the stacks */
static _Atomic bool rest, failed;
static _Thread_local unsigned exempt;

/* Results of the counting round: the calls to fail, in order. Guarded by mu. */
static pthread_mutex_t mu = PTHREAD_MUTEX_INITIALIZER;
static uint64_t hashes[1 << 16];
static uint64_t sites[INJECT_SITES_MAX];
static uint32_t site_count;
static uint64_t total;

static char victim_site[96];

void inject_exempt(bool on)
{
	exempt += on ? 1U : -1U;
}

static uint64_t stack_hash(void)
{
	void *frames[INJECT_DEPTH + 3];
	int n = backtrace(frames, INJECT_DEPTH + 3);
	uint64_t h = 1469598103934665603U;

	for (int i = 3; i < n; i++) /* skip the frames of the wrapper */
		h = (h ^ (uint64_t)(uintptr_t)frames[i]) * 1099511628211U;
	return h | 1;
}

/* Record the call if its stack is new. */
static void note_site(uint64_t call)
{
	uint64_t h = stack_hash();
	uint32_t at = (uint32_t)(h >> 20) & (countof(hashes) - 1);

	pthread_mutex_lock(&mu);
	while (hashes[at] && hashes[at] != h)
		at = (at + 1) & (countof(hashes) - 1);
	if (!hashes[at] && site_count < INJECT_SITES_MAX) {
		hashes[at] = h;
		sites[site_count++] = call;
	}
	pthread_mutex_unlock(&mu);
}

/* Record the names of the callers of the first failing wrapper. */
static void name_site(void)
{
	void *frames[8];
	int n = backtrace(frames, 8);
	char *out = victim_site;
	size_t room = sizeof(victim_site);

	for (int i = 3; i < n && i < 7; i++) {
		Dl_info info;
		const char *name =
			dladdr(frames[i], &info) && info.dli_sname ? info.dli_sname : "?";
		int length = snprintf(out, room, "%s%s", i > 3 ? " < " : "", name);

		if (length < 0 || (size_t)length >= room)
			return;
		out += length;
		room -= (size_t)length;
	}
}

/* Count a call of that kind. Return whether it must fail. */
static __attribute__((noinline)) bool fails(unsigned kind)
{
	uint64_t call, chosen;
	bool yes;

	if (!(atomic_load_explicit(&kinds, memory_order_acquire) & kind) || exempt)
		return false;
	exempt++; /* backtrace() may allocate */
	call = atomic_fetch_add(&calls, 1) + 1;
	chosen = atomic_load(&victim);
	if (!chosen)
		note_site(call);
	yes = chosen && (call == chosen || (call > chosen && atomic_load(&rest)));
	if (yes && !atomic_exchange(&failed, true))
		name_site();
	exempt--;
	return yes;
}

struct inject_sweep inject_sweep(unsigned which, enum inject_mode mode)
{
	memset(hashes, 0, sizeof(hashes));
	site_count = 0;
	total = 0;
	return (struct inject_sweep){.kinds = which, .mode = mode, .round = UINT64_MAX};
}

bool inject_next(struct inject_sweep *s)
{
	s->round++;
	s->hit = false;
	return s->round <= (total <= INJECT_ALL ? total : site_count);
}

void inject_arm(struct inject_sweep *s)
{
	uint64_t n = s->round;

	if (n && total > INJECT_ALL)
		n = sites[n - 1];
	victim_site[0] = '\0';
	atomic_store(&calls, 0);
	atomic_store(&failed, false);
	atomic_store(&rest, s->mode == INJECT_REST);
	atomic_store(&victim, n);
	atomic_store_explicit(&kinds, s->kinds, memory_order_release);
}

void inject_disarm(struct inject_sweep *s)
{
	atomic_store(&kinds, 0);
	s->hit = atomic_load(&failed);
	snprintf(s->site, sizeof(s->site), "%s", victim_site);
	if (!s->round)
		total = atomic_load(&calls);
}

static unsigned reported;

void inject_report(const struct inject_sweep *s, const char *fmt, ...)
{
	va_list args;

	reported++;
	print_error("call %llu (%s%s) fails: ", (unsigned long long)s->round, s->site,
		    s->mode == INJECT_REST ? ", and all after it" : "");
	va_start(args, fmt);
	vprint_error(fmt, args);
	va_end(args);
	print_error("\n");
}

void inject_check(void)
{
	unsigned n = reported;

	reported = 0;
	assert_int_equal(n, 0);
}

/* ---- memory ---- */

#define WRAP(type, name, ...)                                                                      \
	type __real_##name(__VA_ARGS__);                                                           \
	type __wrap_##name(__VA_ARGS__);                                                           \
	type __wrap_##name(__VA_ARGS__)

WRAP(void *, malloc, size_t n)
{
	return fails(INJECT_MEMORY) ? NULL : __real_malloc(n);
}

WRAP(void *, calloc, size_t n, size_t size)
{
	return fails(INJECT_MEMORY) ? NULL : __real_calloc(n, size);
}

WRAP(void *, realloc, void *p, size_t n)
{
	return fails(INJECT_MEMORY) ? NULL : __real_realloc(p, n);
}

WRAP(char *, strndup, const char *s, size_t n)
{
	return fails(INJECT_MEMORY) ? NULL : __real_strndup(s, n);
}

WRAP(char *, strdup, const char *s)
{
	return fails(INJECT_MEMORY) ? NULL : __real_strdup(s);
}

WRAP(void *, arena_alloc, struct arena *a, size_t count, size_t size)
{
	return fails(INJECT_MEMORY) ? NULL : __real_arena_alloc(a, count, size);
}

WRAP(void *, arena_zalloc, struct arena *a, size_t count, size_t size)
{
	return fails(INJECT_MEMORY) ? NULL : __real_arena_zalloc(a, count, size);
}

WRAP(void *, arena_resize, struct arena *a, void *p, size_t old, size_t count, size_t size)
{
	return fails(INJECT_MEMORY) ? NULL : __real_arena_resize(a, p, old, count, size);
}

WRAP(int, arena_copy_str, struct arena *a, struct str s, struct str *copy)
{
	return fails(INJECT_MEMORY) ? -ENOMEM : __real_arena_copy_str(a, s, copy);
}

/* Constructors of other libraries that return NULL when out of memory. */
WRAP(void *, ZSTD_createCCtx, void)
{
	return fails(INJECT_MEMORY) ? NULL : __real_ZSTD_createCCtx();
}

WRAP(void *, ZSTD_createDCtx, void)
{
	return fails(INJECT_MEMORY) ? NULL : __real_ZSTD_createDCtx();
}

WRAP(void *, libdeflate_alloc_compressor, int level)
{
	return fails(INJECT_MEMORY) ? NULL : __real_libdeflate_alloc_compressor(level);
}

WRAP(void *, libdeflate_alloc_decompressor, void)
{
	return fails(INJECT_MEMORY) ? NULL : __real_libdeflate_alloc_decompressor();
}

WRAP(void *, pcre2_match_data_create_8, uint32_t size, void *context)
{
	return fails(INJECT_MEMORY) ? NULL : __real_pcre2_match_data_create_8(size, context);
}

WRAP(void *, pcre2_match_context_create_8, void *context)
{
	return fails(INJECT_MEMORY) ? NULL : __real_pcre2_match_context_create_8(context);
}

/* ---- files ---- */

static bool io_fails(void)
{
	if (!fails(INJECT_IO))
		return false;
	errno = EIO;
	return true;
}

WRAP(ssize_t, pread, int fd, void *p, size_t n, off_t at)
{
	return io_fails() ? -1 : __real_pread(fd, p, n, at);
}

WRAP(ssize_t, pwrite, int fd, const void *p, size_t n, off_t at)
{
	return io_fails() ? -1 : __real_pwrite(fd, p, n, at);
}

WRAP(int, fsync, int fd)
{
	return io_fails() ? -1 : __real_fsync(fd);
}

WRAP(int, ftruncate, int fd, off_t n)
{
	return io_fails() ? -1 : __real_ftruncate(fd, n);
}

WRAP(int, rename, const char *from, const char *to)
{
	return io_fails() ? -1 : __real_rename(from, to);
}

int __real_open(const char *path, int flags, ...);
int __wrap_open(const char *path, int flags, ...);
int __wrap_open(const char *path, int flags, ...)
{
	va_list args;
	mode_t mode = 0;

	if (io_fails())
		return -1;
	va_start(args, flags);
	if (flags & O_CREAT)
		mode = va_arg(args, mode_t);
	va_end(args);
	return __real_open(path, flags, mode);
}

/* ---- SQLite's allocator ---- */

static sqlite3_mem_methods memory;

static void *sqlite_alloc(int n)
{
	return fails(INJECT_MEMORY) ? NULL : memory.xMalloc(n);
}

static void *sqlite_resize(void *p, int n)
{
	return fails(INJECT_MEMORY) ? NULL : memory.xRealloc(p, n);
}

/* ---- SQLite's files: a shim over the default VFS whose calls may fail ---- */

struct shim_file {
	sqlite3_file base;
	sqlite3_file *real;
};

static sqlite3_vfs *real_vfs;

static sqlite3_file *real_of(sqlite3_file *f)
{
	return ((struct shim_file *)f)->real;
}

/* Return the code of a failed call; the reason is EIO, as from a disk. */
static int io_error(int code)
{
	errno = EIO;
	return code;
}

static int shim_close(sqlite3_file *f)
{
	return real_of(f)->pMethods ? real_of(f)->pMethods->xClose(real_of(f)) : SQLITE_OK;
}

static int shim_read(sqlite3_file *f, void *p, int n, sqlite3_int64 at)
{
	return fails(INJECT_IO) ? io_error(SQLITE_IOERR_READ)
				: real_of(f)->pMethods->xRead(real_of(f), p, n, at);
}

static int shim_write(sqlite3_file *f, const void *p, int n, sqlite3_int64 at)
{
	return fails(INJECT_IO) ? io_error(SQLITE_IOERR_WRITE)
				: real_of(f)->pMethods->xWrite(real_of(f), p, n, at);
}

static int shim_truncate(sqlite3_file *f, sqlite3_int64 n)
{
	return fails(INJECT_IO) ? io_error(SQLITE_IOERR_TRUNCATE)
				: real_of(f)->pMethods->xTruncate(real_of(f), n);
}

static int shim_sync(sqlite3_file *f, int flags)
{
	return fails(INJECT_IO) ? io_error(SQLITE_IOERR_FSYNC)
				: real_of(f)->pMethods->xSync(real_of(f), flags);
}

static int shim_file_size(sqlite3_file *f, sqlite3_int64 *n)
{
	return fails(INJECT_IO) ? io_error(SQLITE_IOERR_FSTAT)
				: real_of(f)->pMethods->xFileSize(real_of(f), n);
}

static int shim_lock(sqlite3_file *f, int level)
{
	return real_of(f)->pMethods->xLock(real_of(f), level);
}

static int shim_unlock(sqlite3_file *f, int level)
{
	return real_of(f)->pMethods->xUnlock(real_of(f), level);
}

static int shim_check_lock(sqlite3_file *f, int *out)
{
	return real_of(f)->pMethods->xCheckReservedLock(real_of(f), out);
}

static int shim_control(sqlite3_file *f, int op, void *arg)
{
	return real_of(f)->pMethods->xFileControl(real_of(f), op, arg);
}

static int shim_sector_size(sqlite3_file *f)
{
	return real_of(f)->pMethods->xSectorSize(real_of(f));
}

static int shim_characteristics(sqlite3_file *f)
{
	return real_of(f)->pMethods->xDeviceCharacteristics(real_of(f));
}

static int shim_shm_map(sqlite3_file *f, int page, int size, int extend, void volatile **out)
{
	return fails(INJECT_IO)
		       ? io_error(SQLITE_IOERR_SHMMAP)
		       : real_of(f)->pMethods->xShmMap(real_of(f), page, size, extend, out);
}

static int shim_shm_lock(sqlite3_file *f, int offset, int n, int flags)
{
	return real_of(f)->pMethods->xShmLock(real_of(f), offset, n, flags);
}

static void shim_shm_barrier(sqlite3_file *f)
{
	real_of(f)->pMethods->xShmBarrier(real_of(f));
}

static int shim_shm_unmap(sqlite3_file *f, int remove_it)
{
	return real_of(f)->pMethods->xShmUnmap(real_of(f), remove_it);
}

static int shim_fetch(sqlite3_file *f, sqlite3_int64 at, int n, void **out)
{
	return real_of(f)->pMethods->xFetch(real_of(f), at, n, out);
}

static int shim_unfetch(sqlite3_file *f, sqlite3_int64 at, void *p)
{
	return real_of(f)->pMethods->xUnfetch(real_of(f), at, p);
}

static const sqlite3_io_methods shim_methods = {
	.iVersion = 3,
	.xClose = shim_close,
	.xRead = shim_read,
	.xWrite = shim_write,
	.xTruncate = shim_truncate,
	.xSync = shim_sync,
	.xFileSize = shim_file_size,
	.xLock = shim_lock,
	.xUnlock = shim_unlock,
	.xCheckReservedLock = shim_check_lock,
	.xFileControl = shim_control,
	.xSectorSize = shim_sector_size,
	.xDeviceCharacteristics = shim_characteristics,
	.xShmMap = shim_shm_map,
	.xShmLock = shim_shm_lock,
	.xShmBarrier = shim_shm_barrier,
	.xShmUnmap = shim_shm_unmap,
	.xFetch = shim_fetch,
	.xUnfetch = shim_unfetch,
};

static int shim_open(sqlite3_vfs *vfs, sqlite3_filename name, sqlite3_file *f, int flags, int *out)
{
	struct shim_file *file = (struct shim_file *)f;
	int rc;

	(void)vfs;
	file->base.pMethods = NULL;
	file->real = (sqlite3_file *)(file + 1);
	if (fails(INJECT_IO))
		return io_error(SQLITE_CANTOPEN);
	rc = real_vfs->xOpen(real_vfs, name, file->real, flags, out);
	if (file->real->pMethods)
		file->base.pMethods = &shim_methods;
	return rc;
}

static int shim_delete(sqlite3_vfs *vfs, const char *name, int sync)
{
	(void)vfs;
	return fails(INJECT_IO) ? io_error(SQLITE_IOERR_DELETE)
				: real_vfs->xDelete(real_vfs, name, sync);
}

void inject_init(void)
{
	static sqlite3_vfs shim;
	sqlite3_mem_methods methods;
	void *frame[1];

	backtrace(frame, 1); /* its first call loads a library */
	sqlite3_config(SQLITE_CONFIG_GETMALLOC, &memory);
	methods = memory;
	methods.xMalloc = sqlite_alloc;
	methods.xRealloc = sqlite_resize;
	sqlite3_config(SQLITE_CONFIG_MALLOC, &methods);
	sqlite3_initialize();
	real_vfs = sqlite3_vfs_find(NULL);
	shim = *real_vfs;
	shim.zName = "fault";
	shim.szOsFile += (int)sizeof(struct shim_file);
	shim.xOpen = shim_open;
	shim.xDelete = shim_delete;
	sqlite3_vfs_register(&shim, 1);
}
