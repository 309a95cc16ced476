/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Process ends that run no exit handlers: _exit(), which shells use, and exec. Collected data is
 * exported first (sdk_flush_before_exit()). vfork() children pass through, because they share their
 * parent's memory.
 *
 * _exit() may be called by a signal handler, and exec by a forked child. So the library's own
 * threads do the work, and the calling thread waits for them, a few seconds at most.
 */
#include <dlfcn.h>
#include <errno.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "sdk/sdk.h"
#include "varve/varve.h"

/*
 * The next definitions of the interposed functions. Looked up at start, because dlsym() is not
 * async-signal-safe.
 */
#define NAMES(X) X(_exit) X(_Exit) X(execve) X(execv) X(execvp) X(execvpe) X(fexecve)
#define MEMBER(name) __typeof__(&name) name##_;
static struct {
	NAMES(MEMBER)
} next;

__attribute__((constructor(101))) static void find_next(void)
{
#define ROW(name) {#name, &next.name##_},
	static const struct {
		const char *name;
		void *place;
	} rows[] = {NAMES(ROW)};

	for (size_t i = 0; i < countof(rows); i++) {
		void *found = dlsym(RTLD_NEXT, rows[i].name);

		memcpy(rows[i].place, &found, sizeof(found));
	}
}

VARVE_API void _exit(int status)
{
	sdk_flush_before_exit(false);
	if (next._exit_)
		next._exit_(status);
	for (;;)
		syscall(SYS_exit_group, status);
}

VARVE_API void _Exit(int status)
{
	_exit(status);
}

/*
 * Export before an exec that is likely to succeed: shells try each directory of PATH, and most of
 * these calls fail.
 */
static void flush_before_exec_of(const char *path)
{
	int saved_errno = errno;

	if (sdk_is_running() && path && !access(path, X_OK))
		sdk_flush_before_exit(true);
	errno = saved_errno;
}

VARVE_API int execve(const char *path, char *const argv[], char *const environment[])
{
	flush_before_exec_of(path);
	return next.execve_(path, argv, environment);
}

VARVE_API int execv(const char *path, char *const argv[])
{
	flush_before_exec_of(path);
	return next.execv_(path, argv);
}

VARVE_API int execvp(const char *file, char *const argv[])
{
	sdk_flush_before_exit(true);
	return next.execvp_(file, argv);
}

VARVE_API int execvpe(const char *file, char *const argv[], char *const environment[])
{
	sdk_flush_before_exit(true);
	return next.execvpe_(file, argv, environment);
}

VARVE_API int fexecve(int fd, char *const argv[], char *const environment[])
{
	sdk_flush_before_exit(true);
	return next.fexecve_(fd, argv, environment);
}
