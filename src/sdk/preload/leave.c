/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The ends of a process that run no exit handlers: _exit(), which shells end with, and exec, which puts another program in its place. What
 * was collected goes out first (sdk_leave()). A child of vfork() passes through: its memory is its parent's.
 *
 * _exit() may be called by a signal handler, and exec by a child of fork(): the work is done by the library's own threads, and this one waits
 * for them, for some seconds at most.
 */
#include <dlfcn.h>
#include <errno.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "sdk/sdk.h"
#include "varve/varve.h"

/* The next definition of an interposed function. Looked up at the start: dlsym() is nothing for a signal handler. */
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
	sdk_leave(false);
	if (next._exit_)
		next._exit_(status);
	for (;;)
		syscall(SYS_exit_group, status);
}

VARVE_API void _Exit(int status)
{
	_exit(status);
}

/* Shells try each directory of PATH: most of their calls fail, and only the last one is an end. */
static void leave_for(const char *path)
{
	int saved_errno = errno;

	if (sdk_is_running() && path && !access(path, X_OK))
		sdk_leave(true);
	errno = saved_errno;
}

VARVE_API int execve(const char *path, char *const argv[], char *const environment[])
{
	leave_for(path);
	return next.execve_(path, argv, environment);
}

VARVE_API int execv(const char *path, char *const argv[])
{
	leave_for(path);
	return next.execv_(path, argv);
}

VARVE_API int execvp(const char *file, char *const argv[])
{
	sdk_leave(true);
	return next.execvp_(file, argv);
}

VARVE_API int execvpe(const char *file, char *const argv[], char *const environment[])
{
	sdk_leave(true);
	return next.execvpe_(file, argv, environment);
}

VARVE_API int fexecve(int fd, char *const argv[], char *const environment[])
{
	sdk_leave(true);
	return next.fexecve_(fd, argv, environment);
}
