/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Lookup of the real functions, and an early allocator for the allocations that dlsym() makes
 * meanwhile. Each pointer of `real` initially points to a function that looks all of them up and
 * then calls the real one.
 */
#include "sdk/preload/real.h"

#include <dlfcn.h>
#include <errno.h>
#include <stdatomic.h>
#include <string.h>

#include "sdk/hook/heap_table.h"

/* -- the early allocator ----------------------------------------------------------------------- */

enum { EARLY_SIZE = 32 << 10, EARLY_ALIGNMENT = 16 };

/* A bump allocator. A block's size is in the 16 bytes before it. */
static struct {
	_Atomic size_t used;
	char memory[EARLY_SIZE] __attribute__((aligned(EARLY_ALIGNMENT)));
} early;

/* This thread is looking the functions up: its allocations come from the early allocator. */
static __thread bool looking_up __attribute__((tls_model("initial-exec")));

static void *early_alloc(size_t size)
{
	size_t need, at;
	char *block;

	if (size > EARLY_SIZE) {
		errno = ENOMEM;
		return NULL;
	}
	need = (size + 2 * EARLY_ALIGNMENT - 1) / EARLY_ALIGNMENT * EARLY_ALIGNMENT;
	at = atomic_fetch_add(&early.used, need);
	if (at + need > EARLY_SIZE) {
		errno = ENOMEM;
		return NULL;
	}
	block = early.memory + at + EARLY_ALIGNMENT;
	memcpy(block - EARLY_ALIGNMENT, &size, sizeof(size));
	return heap_filter_add_permanent(block) ? block : NULL;
}

bool real_is_early(const void *p)
{
	return (const char *)p >= early.memory && (const char *)p < early.memory + EARLY_SIZE;
}

size_t real_early_size(const void *p)
{
	size_t size;

	memcpy(&size, (const char *)p - EARLY_ALIGNMENT, sizeof(size));
	return size;
}

/* -- the first call of each function ----------------------------------------------------------- */

#define ONCE __attribute__((cold)) /* optimize for size */

static ONCE void *first_malloc(size_t size)
{
	if (looking_up)
		return early_alloc(size);
	real_find();
	return real.malloc(size);
}

static ONCE void *first_calloc(size_t count, size_t size)
{
	size_t bytes;

	if (!looking_up) {
		real_find();
		return real.calloc(count, size);
	}
	if (__builtin_mul_overflow(count, size, &bytes)) {
		errno = ENOMEM;
		return NULL;
	}
	return early_alloc(bytes); /* never used before, so zero */
}

static ONCE void *first_realloc(void *p, size_t size)
{
	void *grown;

	if (!looking_up) {
		real_find();
		return real.realloc(p, size);
	}
	grown = early_alloc(size);
	if (grown && p && real_is_early(p))
		memcpy(grown, p, min_size(real_early_size(p), size));
	return grown;
}

static ONCE void first_free(void *p)
{
	if (looking_up || !p)
		return;
	real_find();
	real.free(p);
}

/* dlsym() needs no alignment larger than malloc()'s. */
static ONCE int first_posix_memalign(void **out, size_t alignment, size_t size)
{
	if (looking_up)
		return ENOMEM;
	real_find();
	return real.posix_memalign(out, alignment, size);
}

/*
 * Another allocator that comes before this library may take a lock inside dlsym(), during our
 * lookup. Then only this function is looked up, which does not allocate if the name exists.
 */
static void *find_next(const char *name);

#define FIRST(result, name, parameters, arguments)                                                 \
	static ONCE result first_##name parameters                                                 \
	{                                                                                          \
		real_find();                                                                       \
		if (unlikely(real.name == first_##name))                                           \
			return ((result(*) parameters)find_next(#name))arguments;                  \
		return real.name arguments;                                                        \
	}
#define FIRST_ALIGNED(name, parameters, arguments)                                                 \
	static ONCE void *first_##name parameters                                                  \
	{                                                                                          \
		if (looking_up)                                                                    \
			return NULL;                                                               \
		real_find();                                                                       \
		return real.name arguments;                                                        \
	}
FIRST_ALIGNED(aligned_alloc, (size_t alignment, size_t size), (alignment, size))
FIRST_ALIGNED(memalign, (size_t alignment, size_t size), (alignment, size))
FIRST_ALIGNED(valloc, (size_t size), (size))
FIRST_ALIGNED(pvalloc, (size_t size), (size))
REAL_MAPS(FIRST)
REAL_LOCKS(FIRST)

#define INITIAL(result, name, parameters, arguments) .name = first_##name,
struct real_functions real = {REAL_ALLOCATORS(INITIAL) REAL_MAPS(INITIAL) REAL_LOCKS(INITIAL)};

/* -- lookup ------------------------------------------------------------------------------------ */

struct real_row {
	const char *name;
	size_t offset;
};

#define ROW(result, name, parameters, arguments) {#name, offsetof(struct real_functions, name)},
static const struct real_row rows[] = {REAL_ALLOCATORS(ROW) REAL_MAPS(ROW) REAL_LOCKS(ROW)};

/*
 * Condition functions exist in two versions. The old one (2.2.5) uses another structure, and which
 * version an unversioned lookup finds depends on the glibc.
 */
static void *find_next(const char *name)
{
	void *found = NULL;

	if (!strcmp(name, "pthread_cond_wait") || !strcmp(name, "pthread_cond_timedwait"))
		found = dlvsym(RTLD_NEXT, name, "GLIBC_2.3.2");
	return found ? found : dlsym(RTLD_NEXT, name);
}

/*
 * Publish all functions at once: a block of the real malloc() must not be passed to a free() that
 * is not looked up yet.
 */
NO_INLINE void real_find(void)
{
	int saved_errno = errno;
	struct real_functions found = real;

	if (looking_up)
		return;
	looking_up = true;
	for (size_t i = 0; i < countof(rows); i++) {
		void *next = find_next(rows[i].name);

		if (next)
			memcpy((char *)&found + rows[i].offset, &next, sizeof(next));
	}
	real = found;
	looking_up = false;
	errno = saved_errno;
}

void *real_lookup(const char *name)
{
	static const char *const apart[] = {"libstdc++.so.6", "libc++.so.1", "libc++abi.so.1"};
	void *found = dlsym(RTLD_NEXT, name);

	for (size_t i = 0; !found && i < countof(apart); i++) {
		void *library = dlopen(apart[i], RTLD_LAZY | RTLD_NOLOAD);

		if (library) /* stays open, so that it is not unloaded while we call it */
			found = dlsym(library, name);
	}
	return found;
}

__attribute__((constructor(101))) static void find_early(void)
{
	real_find();
}
