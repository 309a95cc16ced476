/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VARVE_SDK_HOOK_HOOK_MAP_H
#define VARVE_SDK_HOOK_HOOK_MAP_H

#include <errno.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/base.h"

/*
 * Zeroed memory for hooks, by the system calls themselves because mmap() may be interposed, also by
 * this library. Pages become resident when first touched. Under ThreadSanitizer libc's functions
 * are called, so that it notices reused addresses. errno is preserved.
 */
#ifdef __SANITIZE_THREAD__
#define HOOK_MAP_CALL(name, ...) ((long)name(__VA_ARGS__))
#else
#define HOOK_MAP_CALL(name, ...) syscall(SYS_##name, __VA_ARGS__)
#endif

/* Map `size` bytes; NULL: no memory. */
static inline void *hook_map(size_t size)
{
	int saved_errno = errno;
	long at = HOOK_MAP_CALL(mmap, NULL, size, PROT_READ | PROT_WRITE,
				MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

	errno = saved_errno;
	return at == -1 ? NULL : (void *)at;
}

/* Unmap; NULL is ignored. */
static inline void hook_unmap(void *at, size_t size)
{
	int saved_errno = errno;

	if (at)
		(void)HOOK_MAP_CALL(munmap, at, size);
	errno = saved_errno;
}

#endif
