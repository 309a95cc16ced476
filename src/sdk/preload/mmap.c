/* SPDX-License-Identifier: Apache-2.0 */
/*
 * mmap(), munmap() and mremap() of anonymous memory. Ranges are removed from the table of mappings
 * before the kernel frees them, because another thread may get the address at once, and restored if
 * the call fails. Mappings made inside libc (malloc()'s arenas, thread stacks) do not call these
 * functions; those of other allocators do.
 */
#undef _FILE_OFFSET_BITS /* else mmap() would be renamed mmap64() here */
#include <errno.h>
#include <stdarg.h>
#include <unistd.h>

#include "sdk/collect/heap_maps.h"
#include "sdk/hook/guest.h"
#include "sdk/preload/real.h"
#include "varve/varve.h"

#define CALLER __builtin_return_address(0)

static uint64_t page_end(const void *at, size_t size)
{
	uint64_t page = (uint64_t)sysconf(_SC_PAGESIZE), end = (uintptr_t)at + size;

	return (end + page - 1) / page * page;
}

/*
 * Record that the mapping at `at` grew by `grown` bytes, and add it to the table: with stack and
 * labels of `before`, or new ones if that is NULL.
 */
static void record_mapping(void *at, size_t size, int64_t grown, const struct heap_map *before,
			   const void *caller)
{
	struct heap_map m = {.start = (uintptr_t)at, .end = page_end(at, size)};
	struct guest_thread *t = guest_on() & VARVE_MMAP ? guest_enter() : NULL;

	if (!t && !before)
		return;
	if (before) {
		m.stack = before->stack;
		m.labels = before->labels;
	}
	if (t) {
		uint32_t stack = guest_stack(t, VARVE_MMAP, NULL, caller);

		if (!before) {
			m.stack = stack;
			m.labels = t->labels;
		}
		if (grown > 0)
			guest_record(t, RECORD_MMAP, stack, grown, !before);
		guest_leave(t);
	}
	(void)heap_maps_put(&m);
}

static NO_INLINE void *map_anonymous(void *at, size_t size, int protection, int flags, int fd,
				     off_t offset, const void *caller)
{
	struct heap_maps_cut cut = {0};
	int saved_errno;
	void *got;

	if (flags & MAP_FIXED)
		heap_maps_remove((uintptr_t)at, page_end(at, size), &cut);
	got = real.mmap(at, size, protection, flags, fd, offset);
	saved_errno = errno;
	if (got == MAP_FAILED)
		heap_maps_restore(&cut);
	else if (flags & MAP_ANONYMOUS)
		record_mapping(got, size, (int64_t)size, NULL, caller);
	errno = saved_errno;
	return got;
}

static inline bool not_tracked(void)
{
	return likely(!(guest_on() & VARVE_MMAP) &&
		      !atomic_load_explicit(&heap_maps_count, memory_order_relaxed)) ||
	       guest_own;
}

VARVE_API void *mmap(void *at, size_t size, int protection, int flags, int fd, off_t offset)
{
	if (not_tracked() || !(flags & (MAP_ANONYMOUS | MAP_FIXED)))
		return real.mmap(at, size, protection, flags, fd, offset);
	return map_anonymous(at, size, protection, flags, fd, offset, CALLER);
}

VARVE_API void *mmap64(void *at, size_t size, int protection, int flags, int fd, off64_t offset)
{
	if (not_tracked() || !(flags & (MAP_ANONYMOUS | MAP_FIXED)))
		return real.mmap(at, size, protection, flags, fd, offset);
	return map_anonymous(at, size, protection, flags, fd, offset, CALLER);
}

static NO_INLINE int unmap_known(void *at, size_t size)
{
	struct heap_maps_cut cut;
	int rc, saved_errno;

	heap_maps_remove((uintptr_t)at, page_end(at, size), &cut);
	rc = real.munmap(at, size);
	saved_errno = errno;
	if (rc)
		heap_maps_restore(&cut);
	errno = saved_errno;
	return rc;
}

VARVE_API int munmap(void *at, size_t size)
{
	if (likely(!atomic_load_explicit(&heap_maps_count, memory_order_relaxed)))
		return real.munmap(at, size);
	return unmap_known(at, size);
}

static NO_INLINE void *remap_known(void *at, size_t size, size_t new_size, int flags, void *new_at,
				   const void *caller)
{
	struct heap_maps_cut cut, covered = {0};
	int saved_errno;
	void *got;

	if (flags & MREMAP_FIXED)
		heap_maps_remove((uintptr_t)new_at, page_end(new_at, new_size), &covered);
	heap_maps_remove((uintptr_t)at, page_end(at, size), &cut);
	got = real.mremap(at, size, new_size, flags, new_at);
	saved_errno = errno;
	if (got == MAP_FAILED || flags & MREMAP_DONTUNMAP)
		heap_maps_restore(&cut);
	if (got == MAP_FAILED)
		heap_maps_restore(&covered);
	else if (cut.n) /* the first piece determines the stack */
		record_mapping(got, new_size, (int64_t)new_size - (int64_t)size, &cut.pieces[0],
			       caller);
	errno = saved_errno;
	return got;
}

VARVE_API void *mremap(void *at, size_t size, size_t new_size, int flags, ...)
{
	void *new_at = NULL;
	va_list more;

	if (flags & MREMAP_FIXED || flags & MREMAP_DONTUNMAP) {
		va_start(more, flags);
		new_at = va_arg(more, void *);
		va_end(more);
	}
	if (likely(!atomic_load_explicit(&heap_maps_count, memory_order_relaxed)))
		return real.mremap(at, size, new_size, flags, new_at);
	return remap_known(at, size, new_size, flags, new_at, CALLER);
}
